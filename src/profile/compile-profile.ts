/** Compiles SHACL node shapes into the tree of fields, and checks that the fields on which services rely are there. */

import { dcat, sh } from '../rdf/namespaces.ts'
import type { Problems, ProfilePlace } from './profile-problems.ts'
import type { FindShape, PropertyNode, ShapeNode } from './profile-shapes.ts'
import { type Field, isMappingClass, type MappingClass, type Shape } from './profile.ts'

/** Field names are keys of JSON, columns of an index and parts of dotted paths, hence no dot and no space. */
const fieldName = /^[A-Za-z][\w-]{0,63}$/
/** Levels of shapes embedded in a root shape; values below become `{id, resource}`. */
const maxDepth = 4

/** Position of the compiler in the profile: the shape and its ancestors. */
type Site = {
  readonly shape: ShapeNode
  readonly find: FindShape
  readonly problems: Problems
  /** IRIs of the shapes around and of the shape itself, outermost first. */
  readonly ancestors: readonly string[]
  /** Dotted name of the inline field around, '' directly in a shape. */
  readonly prefix: string
  /** Kind of record that the fields belong to; absent inside other fields. */
  readonly root?: Root
  /**
   * Whether other code may fill the fields without `sh:path` here (those of concepts and catalogue records, inline fields): no
   * warning about them.
   */
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

/** Fields of a value where embedding ends. */
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

/** Places of compiled fields in the files, for the checks that follow. */
const places = new WeakMap<Field, ProfilePlace>()

/** Predicates of a field, none where the platform fills it. Warns of a `sh:path` that has no effect or is missing. */
function pathsOf(site: Site, property: PropertyNode, name: string, mapping: MappingClass) {
  const { paths = [], line } = property
  const warn = (line: number, problem: string) =>
    site.problems.warn(placeOf(site, line, name), problem)
  if (paths.length > 0 && isReserved(name, mapping, site.root)) {
    warn(line(sh('path').value), 'is filled by the platform; its sh:path has no effect')
    return []
  }
  if (paths.length === 0 && !site.filledByCode && !needsNoPath(name, mapping))
    warn(line(), 'has no sh:path and nothing else fills it')
  return paths
}

type NameAndClass = { readonly name: string; readonly mapping: MappingClass }

/** Name and mapping class of a property that is a field, `undefined` for others; reports what is wrong with them. */
function nameAndClassOf(property: PropertyNode, site: Site): NameAndClass | undefined {
  const { name, mapping, paths, line } = property
  if (name === undefined && mapping === undefined) return undefined
  const label = name ?? paths?.[0] ?? '(without name)'
  let isSound = true
  const fail = (line: number, problem: string) => {
    site.problems.add(placeOf(site, line, label), problem)
    isSound = false
  }
  const isMappingName = mapping !== undefined && isMappingClass(mapping)
  if (name === undefined)
    fail(line('mappingClass'), `has mappingClass "${mapping}" but no mappingName`)
  else if (!fieldName.test(name))
    fail(line('mappingName'), 'a name is a letter and up to 63 letters, digits, _ or -')
  if (mapping === undefined) fail(line('mappingName'), 'has mappingName but no mappingClass')
  else if (!isMappingName) fail(line('mappingClass'), `unknown mapping class "${mapping}"`)
  if (!paths)
    fail(
      line(sh('path').value),
      'sh:path must be a predicate or an sh:alternativePath of predicates',
    )
  return isSound && name !== undefined && isMappingName ? { name, mapping } : undefined
}

/** Dotted name of a field. */
const dottedName = (site: Site, name: string) => (site.prefix ? `${site.prefix}.${name}` : name)

/** Fields of the shape that `mappingLink` names. A shape that would contain itself, or is too deep, is not embedded. */
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

/**
 * Fields of a `Nested` property: those of the linked shape, then the inline ones, which replace linked fields by name. Where the
 * linked shape is too deep, the inline ones are dropped, too.
 */
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

/** Compiled field; `undefined` for a property that is only a constraint, or wrong. */
function fieldOf(property: PropertyNode, site: Site): Field | undefined {
  const nameAndClass = nameAndClassOf(property, site)
  if (!nameAndClass) return undefined
  const { name, mapping } = nameAndClass
  const children = mapping === 'Nested' ? childrenOf(property, site, name) : []
  const field = {
    ...nameAndClass,
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

/** Fields of a shape or of inline properties, in their order; reports names that occur twice. */
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

/** Field tree of a root shape. Embedding ends after four levels and where a shape would contain itself. */
export function compileShape(
  shape: ShapeNode,
  options: { readonly find: FindShape; readonly problems: Problems; readonly root: Root },
): Shape {
  const site = {
    shape,
    ...options,
    ancestors: [shape.iri],
    prefix: '',
    filledByCode: options.root === 'concept',
  }
  const { iri, targetClass, name, description } = shape
  return { iri, targetClass, name, description, fields: fieldsOf(shape.properties, site) }
}

// Fields that the platform fills, with or without `sh:path`.

/**
 * Kind of record of a root shape: `record` = member of a catalogue, `standalone` = resource in no catalogue, `concept` = other
 * code fills all fields.
 */
type Root = 'record' | 'catalogue' | 'standalone' | 'concept'

/** Names of fields that may lack `sh:path`: the platform fills them, or public profiles have them without a value. */
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

/** Mapping classes that need no `sh:path`: the platform computes the values or knows the predicate. */
const computedClasses: ReadonlySet<MappingClass> = new Set([
  'DistributionType',
  'Metrics',
  'TranslationMeta',
])

/** Whether a field may do without `sh:path`. */
const needsNoPath = (name: string, mapping: MappingClass): boolean =>
  computedClasses.has(mapping) || platformFields.has(name)

/** Whether the `sh:path` of a field has no effect, because the platform always fills it. */
function isReserved(name: string, mapping: MappingClass, root: Root | undefined): boolean {
  if (name === 'id' || name === 'resource') return true
  if (root === undefined || root === 'concept') return false
  if (name === 'country') return mapping === 'SpatialResource'
  if (name === 'translation_meta') return mapping === 'TranslationMeta'
  return name === 'catalog' && mapping === 'Nested' && root === 'record'
}

// Fields that a profile must have, because services rely on them.

/** Field that a shape must have, with this class and, if `required`, with `sh:minCount 1`. */
type RequiredField = {
  readonly name: string
  readonly mapping: MappingClass
  readonly required?: true
  /** Fields that its value must have. */
  readonly parts?: readonly RequiredField[]
  /** `false` = `sh:maxCount 1` may be missing. */
  readonly single?: false
}

const id: RequiredField = { name: 'id', mapping: 'StandardText' }

/** Fields of datasets that search, feeds, metrics and the portal read. */
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

/** Fields of custom resource types in catalogues. */
const memberFields: readonly RequiredField[] = [
  id,
  { name: 'catalog', mapping: 'Nested', parts: [id] },
]

/** Compiled shape with its SHACL node, and the list for its problems. */
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

/** Reports required fields that are missing or differ; `parent` is the place of the shape or field that should have them. */
function checkFields(
  problems: Problems,
  fields: readonly Field[],
  requiredFields: readonly RequiredField[],
  parent: ProfilePlace,
): void {
  for (const requirement of requiredFields) {
    const field = fields.find(({ name }) => name === requirement.name)
    const property = [parent.property, requirement.name].filter(Boolean).join('.')
    const place = { ...((field && places.get(field)) ?? parent), property }
    const report = (problem: string) => problems.add(place, problem)
    if (!field) {
      report(`is missing; it must be there with class ${requirement.mapping}`)
      continue
    }
    if (field.mapping !== requirement.mapping)
      report(`has class ${field.mapping}; it must be ${requirement.mapping}`)
    if (requirement.single !== false && !field.single) report('needs sh:maxCount 1')
    if (requirement.required && !field.required) report('needs sh:minCount 1')
    checkFields(problems, field.children, requirement.parts ?? [], place)
  }
}

/** Reports the required fields that the catalogue shape lacks. */
export function checkCatalogueShape({ node, shape, problems }: CheckedShape) {
  const property = 'dcat:dataset'
  if (!node.properties.some(({ paths }) => paths?.includes(dcat('dataset').value)))
    problems.add(
      placeOfShape(node, property),
      'is missing; a property with this sh:path must be there',
    )
  checkFields(problems, shape.fields, [id], placeOfShape(node, ''))
}

/** Reports the required fields that the dataset shape and its distributions lack. */
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

/** Reports the required fields that the shape of a custom resource type lacks. */
export function checkResourceShape(
  { node, shape, problems }: CheckedShape,
  isInCatalogue: boolean,
) {
  checkFields(problems, shape.fields, isInCatalogue ? memberFields : [id], placeOfShape(node, ''))
}
