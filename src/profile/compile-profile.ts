/** Compiles node shapes into the tree of fields, and checks what the platform demands of it because its services rely on it. */

import { dcat, sh } from '../rdf/namespaces.ts'
import type { Problems, ProfilePlace } from './profile-problems.ts'
import type { FindShape, PropertyNode, ShapeNode } from './profile-shapes.ts'
import { type Field, isMappingClass, type MappingClass, type Shape } from './profile.ts'

/** Names are keys of JSON, columns of an index and parts of dotted paths, hence no dot and no space. */
const fieldName = /^[A-Za-z][\w-]{0,63}$/
/** Shapes inside shapes; deeper ones become `{id, resource}`. */
const maxDepth = 4

/** Where in the profile the compiler is: the shape, and how it came there. */
type Site = {
  readonly shape: ShapeNode
  readonly find: FindShape
  readonly problems: Problems
  /** Shapes that are being embedded, outermost first. */
  readonly ancestors: readonly string[]
  /** Name of the inline field around, '' directly in a shape. */
  readonly prefix: string
  /** Kind of record that the fields belong to; absent inside other fields. */
  readonly root?: Root
  /** Concepts and inline fields are filled by code: no warning about their source. */
  readonly filledByCode: boolean
}

const leaf = (name: string, mapping: MappingClass): Field => ({
  name,
  mapping,
  paths: [],
  required: false,
  single: true,
  children: [],
})

/** Fields of a value at the depth where embedding ends. */
const referenceFields: readonly Field[] = [
  leaf('id', 'StandardText'),
  leaf('resource', 'StandardKeyword'),
]

const placeOf = (site: Site, line: number, property: string): ProfilePlace => ({
  file: site.shape.file,
  line,
  shape: site.shape.iri,
  property: site.prefix ? `${site.prefix}.${property}` : property,
})

/** Where the fields of compiled shapes stand, for the checks that follow. */
const places = new WeakMap<Field, ProfilePlace>()

/** The predicates that count; a `sh:path` that has no effect and one that is missing are warnings. */
function pathsOf(site: Site, property: PropertyNode, name: string, mapping: MappingClass) {
  const { paths = [], line } = property
  const warn = (at: number, problem: string) => site.problems.warn(placeOf(site, at, name), problem)
  if (paths.length > 0 && isReserved(name, mapping, site.root)) {
    warn(line(sh('path').value), 'is filled by the platform; its sh:path has no effect')
    return []
  }
  if (paths.length === 0 && !site.filledByCode && !needsNoPath(name, mapping))
    warn(line(), 'has no sh:path and nothing else fills it')
  return paths
}

type NameAndClass = { readonly name: string; readonly mapping: MappingClass }

/** Name and class of a property that is a field; everything that is wrong with them is reported. */
function nameAndClassOf(property: PropertyNode, site: Site): NameAndClass | undefined {
  const { name, mapping, paths, line } = property
  if (name === undefined && mapping === undefined) return undefined
  const label = name ?? paths?.[0] ?? '(without name)'
  let isSound = true
  const fail = (at: number, problem: string) => {
    site.problems.add(placeOf(site, at, label), problem)
    isSound = false
  }
  const isKnown = mapping !== undefined && isMappingClass(mapping)
  if (name === undefined)
    fail(line('mappingClass'), `has mappingClass "${mapping}" but no mappingName`)
  else if (!fieldName.test(name))
    fail(line('mappingName'), 'a name is a letter and up to 63 letters, digits, _ or -')
  if (mapping === undefined) fail(line('mappingName'), 'has mappingName but no mappingClass')
  else if (!isKnown) fail(line('mappingClass'), `unknown mapping class "${mapping}"`)
  if (!paths)
    fail(
      line(sh('path').value),
      'sh:path must be a predicate or an sh:alternativePath of predicates',
    )
  return isSound && name !== undefined && isKnown ? { name, mapping } : undefined
}

/** The dotted name of a field inside the fields around it. */
const dottedName = (site: Site, name: string) => (site.prefix ? `${site.prefix}.${name}` : name)

/** The fields of the shape that `mappingLink` names. A shape that would contain itself, or lies too deep, is not embedded. */
function linkedFields(
  { link, line }: PropertyNode,
  site: Site,
  name: string,
): readonly Field[] | 'too-deep' {
  if (link === undefined) return []
  const shape = site.find(link, site.shape.file)
  if (!shape) {
    const problem = `mappingLink <${link}> is not a sh:NodeShape of the profile`
    site.problems.add(placeOf(site, line('mappingLink'), name), problem)
    return []
  }
  if (site.ancestors.includes(link) || site.ancestors.length > maxDepth) return 'too-deep'
  const { find, problems } = site
  const filledByCode = dottedName(site, name) === 'catalog_record'
  const ancestors = [...site.ancestors, link]
  return fieldsOf(shape.properties, { shape, find, problems, ancestors, prefix: '', filledByCode })
}

/** The fields of a `Nested` property: those of the linked shape first, then the inline ones, which replace linked ones of the same name. */
function childrenOf(
  property: PropertyNode,
  site: Site,
  name: string,
): readonly Field[] | 'too-deep' {
  if (property.link === undefined && property.inline.length === 0) {
    const place = placeOf(site, property.line('mappingClass'), name)
    site.problems.add(place, 'Nested needs mappingLink or mappingProperty')
    return []
  }
  const linked = linkedFields(property, site, name)
  if (linked === 'too-deep') return linked
  const { shape, find, problems, ancestors } = site
  const inner = {
    shape,
    find,
    problems,
    ancestors,
    prefix: dottedName(site, name),
    filledByCode: true,
  }
  const inline = fieldsOf(property.inline, inner)
  const replaced = new Set(inline.map((field) => field.name))
  return [...linked.filter((field) => !replaced.has(field.name)), ...inline]
}

/** The compiled field; `undefined` for a property that is a mere constraint, or wrong. */
function fieldOf(property: PropertyNode, site: Site): Field | undefined {
  const named = nameAndClassOf(property, site)
  if (!named) return undefined
  const { name, mapping } = named
  const children = mapping === 'Nested' ? childrenOf(property, site, name) : []
  const field = {
    ...named,
    paths: pathsOf(site, property, name, mapping),
    required: property.required,
    single: property.single,
    children: children === 'too-deep' ? referenceFields : children,
    ...(children === 'too-deep' && { tooDeep: true as const }),
    ...(property.link !== undefined && { link: property.link }),
    ...(property.title !== undefined && { title: property.title }),
    ...(property.description !== undefined && { description: property.description }),
  }
  places.set(field, placeOf(site, property.line(), name))
  return field
}

/** The fields of a shape or of inline properties, in their order; a name that is given twice is a problem. */
function fieldsOf(properties: readonly PropertyNode[], site: Site): readonly Field[] {
  const fields = new Map<string, Field>()
  for (const property of properties) {
    const field = fieldOf(property, site)
    if (!field) continue
    const place = placeOf(site, property.line('mappingName'), field.name)
    if (fields.has(field.name)) site.problems.add(place, 'is given twice')
    else fields.set(field.name, field)
  }
  return [...fields.values()]
}

/** The field tree of a root shape. Embedding ends after four levels and where a shape would contain itself. */
export function compileShape(
  shape: ShapeNode,
  how: { readonly find: FindShape; readonly problems: Problems; readonly root: Root },
): Shape {
  const site = {
    shape,
    ...how,
    ancestors: [shape.iri],
    prefix: '',
    filledByCode: how.root === 'concept',
  }
  const { iri, targetClass, name, description } = shape
  return { iri, targetClass, name, description, fields: fieldsOf(shape.properties, site) }
}

// Fields that the platform fills, whatever a profile says about where they come from.

/** Which record a shape is the root of; `record` = one in a catalogue, `concept` = all is filled by other code. */
type Root = 'record' | 'catalogue' | 'standalone' | 'concept'

/** Names without `sh:path` that the platform knows how to fill. */
const platformFields: ReadonlySet<string> = new Set([
  'id',
  'resource',
  'catalog',
  'catalog_record',
  'country',
  'spatial_resource',
  'quality_meas',
  'translation_meta',
  'is_hvd',
  'revision_number',
  'access_level',
  'publication_status',
  'revisions',
])

/** Classes whose values do not come from a path that a profile names. */
const computedClasses: ReadonlySet<MappingClass> = new Set([
  'DistributionType',
  'Metrics',
  'TranslationMeta',
])

/** Whether a field may do without `sh:path`. */
const needsNoPath = (name: string, mapping: MappingClass): boolean =>
  computedClasses.has(mapping) || platformFields.has(name)

/** Whether the `sh:path` of a field has no effect, because the platform fills it all the same. */
function isReserved(name: string, mapping: MappingClass, root: Root | undefined): boolean {
  if (name === 'id' || name === 'resource') return true
  if (root === undefined || root === 'concept') return false
  if (name === 'country') return mapping === 'SpatialResource'
  if (name === 'translation_meta') return mapping === 'TranslationMeta'
  return name === 'catalog' && mapping === 'Nested' && root === 'record'
}

// What the platform demands of a profile, because its services rely on these fields.

/** A field that a shape must have: with this class, and where `required`, with `sh:minCount 1`. */
type RequiredField = {
  readonly name: string
  readonly mapping: MappingClass
  readonly required?: true
  readonly parts?: readonly RequiredField[]
  /** Whether `sh:maxCount 1` is demanded too; inner dates may go without. */
  readonly single?: false
}

const id: RequiredField = { name: 'id', mapping: 'StandardText' }

/** Search, feeds, quality and the portal read these fields of every dataset. */
const datasetFields: readonly RequiredField[] = [
  id,
  {
    name: 'catalog_record',
    mapping: 'Nested',
    parts: [
      { name: 'issued', mapping: 'DateTime', single: false },
      { name: 'modified', mapping: 'DateTime', single: false },
    ],
  },
  { name: 'catalog', mapping: 'Nested', parts: [{ ...id, required: true }] },
  { name: 'country', mapping: 'SpatialResource' },
  { name: 'quality_meas', mapping: 'Metrics' },
]

/** Fields that custom types in catalogues must have. */
const memberFields: readonly RequiredField[] = [
  id,
  { name: 'catalog', mapping: 'Nested', parts: [id] },
]

/** A compiled shape with its node, and where to report what it lacks. */
type CheckedShape = {
  readonly shape: Shape
  readonly node: ShapeNode
  readonly problems: Problems
}

const placeOfShape = ({ file, line, iri }: ShapeNode, property: string): ProfilePlace => ({
  file,
  line,
  shape: iri,
  property,
})

/** Checks the fields of a shape, or of a field; `around` is the place of either, for what is missing in it. */
function checkFields(
  problems: Problems,
  fields: readonly Field[],
  demands: readonly RequiredField[],
  around: ProfilePlace,
): void {
  for (const demand of demands) {
    const field = fields.find(({ name }) => name === demand.name)
    const property = [around.property, demand.name].filter(Boolean).join('.')
    const place = { ...((field && places.get(field)) ?? around), property }
    const report = (problem: string) => problems.add(place, problem)
    if (!field) {
      report(`is missing; it must be there with class ${demand.mapping}`)
      continue
    }
    if (field.mapping !== demand.mapping)
      report(`has class ${field.mapping}; it must be ${demand.mapping}`)
    if (demand.single !== false && !field.single) report('needs sh:maxCount 1')
    if (demand.required && !field.required) report('needs sh:minCount 1')
    checkFields(problems, field.children, demand.parts ?? [], place)
  }
}

/** Reports every demand that the catalogue shape does not meet. */
export function checkCatalogueShape({ node, shape, problems }: CheckedShape) {
  const property = 'dcat:dataset'
  if (!node.properties.some(({ paths }) => paths?.includes(dcat('dataset').value)))
    problems.add(
      placeOfShape(node, property),
      'is missing; a property with this sh:path must be there',
    )
  checkFields(problems, shape.fields, [id], placeOfShape(node, ''))
}

/** Reports every demand that the dataset shape and its distributions do not meet. */
export function checkDatasetShape({ node, shape: { fields }, problems }: CheckedShape) {
  checkFields(problems, fields, datasetFields, placeOfShape(node, ''))
  const distributions = fields.find(
    ({ mapping, paths }) => mapping === 'Nested' && paths.includes(dcat('distribution').value),
  )
  if (distributions)
    checkFields(problems, distributions.children, [id], placeOfShape(node, distributions.name))
  else
    problems.add(
      placeOfShape(node, 'dcat:distribution'),
      'is missing; a Nested property with this sh:path must be there',
    )
}

/** Reports every demand that the shape of a custom resource type does not meet. */
export function checkResourceShape(
  { node, shape, problems }: CheckedShape,
  isInCatalogue: boolean,
) {
  checkFields(problems, shape.fields, isInCatalogue ? memberFields : [id], placeOfShape(node, ''))
}
