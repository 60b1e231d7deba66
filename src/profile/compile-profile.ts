/** Compiles node shapes into the tree of fields. */

import { type Field, isMappingClass, type MappingClass, type Shape } from './profile.ts'
import type { ProfilePlace, Problems } from './profile-problems.ts'
import type { PropertyNode, ShapeNode } from './profile-shapes.ts'

/** Finds a shape, first in the file that mentions it. */
export type FindShape = (iri: string, ownFile: string) => ShapeNode | undefined

const fieldName = /^[A-Za-z][\w-]{0,63}$/
const deepest = 4

type Site = {
  readonly shape: ShapeNode
  readonly find: FindShape
  readonly problems: Problems
  /** Shapes that are being embedded, outermost first. */
  readonly open: readonly string[]
  /** Name of the inline field around, '' directly in a shape. */
  readonly inside: string
  /** What the fields here are the root of; absent inside other fields. */
  readonly root?: Root
  /** Concepts and inline fields are filled by code: no warning about their source. */
  readonly filled: boolean
}

const leaf = (name: string, mapping: MappingClass): Field => ({
  name,
  mapping,
  paths: [],
  required: false,
  single: true,
  children: [],
})

/** What is left of a value where the embedding ends. */
const stub: readonly Field[] = [leaf('id', 'StandardText'), leaf('resource', 'StandardKeyword')]

const placeOf = (site: Site, line: number, property: string): ProfilePlace => ({
  file: site.shape.file,
  line,
  shape: site.shape.iri,
  property: site.inside ? `${site.inside}.${property}` : property,
})

/** The predicates that count; a `sh:path` that has no effect and one that is missing are warnings. */
function pathsOf(site: Site, property: PropertyNode, name: string, mapping: MappingClass) {
  const { paths = [], lines } = property
  const warn = (line: number, problem: string) =>
    site.problems.warn(placeOf(site, line, name), problem)
  if (paths.length > 0 && isReserved(name, mapping, site.root)) {
    warn(lines.path, 'is filled by the platform; its sh:path has no effect')
    return []
  }
  if (paths.length === 0 && !site.filled && !needsNoPath(name, mapping))
    warn(lines.node, 'has no sh:path and nothing else fills it')
  return paths
}

type Named = { readonly name: string; readonly mapping: MappingClass }

/** Name and class of a property that is a field; everything that is wrong with them is told. */
function checked(property: PropertyNode, site: Site): Named | undefined {
  const { name, mapping, paths, lines } = property
  if (name === undefined && mapping === undefined) return undefined
  const label = name ?? paths?.[0] ?? '(without name)'
  let isSound = true
  const fail = (line: number, problem: string) => {
    site.problems.add(placeOf(site, line, label), problem)
    isSound = false
  }
  const isKnown = mapping !== undefined && isMappingClass(mapping)
  if (name === undefined) fail(lines.mapping, `has mappingClass "${mapping}" but no mappingName`)
  else if (!fieldName.test(name))
    fail(lines.name, 'a name is a letter and up to 63 letters, digits, _ or -')
  if (mapping === undefined) fail(lines.name, 'has mappingName but no mappingClass')
  else if (!isKnown) fail(lines.mapping, `unknown mapping class "${mapping}"`)
  if (!paths) fail(lines.path, 'sh:path must be a predicate or an sh:alternativePath of predicates')
  return isSound && name !== undefined && isKnown ? { name, mapping } : undefined
}

const within = (site: Site, name: string) => (site.inside ? `${site.inside}.${name}` : name)

function linkedFields(
  { link, lines }: PropertyNode,
  site: Site,
  name: string,
): readonly Field[] | 'too-deep' {
  if (link === undefined) return []
  const shape = site.find(link, site.shape.file)
  if (!shape) {
    const problem = `mappingLink <${link}> is no sh:NodeShape of the profile`
    site.problems.add(placeOf(site, lines.link, name), problem)
    return []
  }
  if (site.open.includes(link) || site.open.length > deepest) return 'too-deep'
  const { find, problems } = site
  const filled = within(site, name) === 'catalog_record'
  const open = [...site.open, link]
  return fieldsOf(shape.properties, { shape, find, problems, open, inside: '', filled })
}

function childrenOf(
  property: PropertyNode,
  site: Site,
  name: string,
): readonly Field[] | 'too-deep' {
  if (property.link === undefined && property.inline.length === 0) {
    const place = placeOf(site, property.lines.mapping, name)
    site.problems.add(place, 'Nested needs mappingLink or mappingProperty')
    return []
  }
  const linked = linkedFields(property, site, name)
  if (linked === 'too-deep') return linked
  const { shape, find, problems, open } = site
  const inner = { shape, find, problems, open, inside: within(site, name), filled: true }
  const inline = fieldsOf(property.inline, inner)
  const replaced = new Set(inline.map((field) => field.name))
  return [...linked.filter((field) => !replaced.has(field.name)), ...inline]
}

function fieldOf(property: PropertyNode, site: Site): Field | undefined {
  const named = checked(property, site)
  if (!named) return undefined
  const { name, mapping } = named
  const children = mapping === 'Nested' ? childrenOf(property, site, name) : []
  return {
    ...named,
    paths: pathsOf(site, property, name, mapping),
    required: property.required,
    single: property.single,
    children: children === 'too-deep' ? stub : children,
    ...(children === 'too-deep' && { tooDeep: true as const }),
    ...(property.link !== undefined && { link: property.link }),
    ...(property.description !== undefined && { description: property.description }),
  }
}

function fieldsOf(properties: readonly PropertyNode[], site: Site): readonly Field[] {
  const fields = new Map<string, Field>()
  for (const property of properties) {
    const field = fieldOf(property, site)
    if (!field) continue
    const place = placeOf(site, property.lines.name, field.name)
    if (fields.has(field.name)) site.problems.add(place, 'stands there twice')
    else fields.set(field.name, field)
  }
  return [...fields.values()]
}

/** The field tree of a root shape. Embedding ends after four levels and where a shape would contain itself. */
export function compileShape(
  shape: ShapeNode,
  how: { readonly find: FindShape; readonly problems: Problems; readonly root: Root },
): Shape {
  const site = { shape, ...how, open: [shape.iri], inside: '', filled: how.root === 'concept' }
  const { iri, targetClass, name, description } = shape
  return { iri, targetClass, name, description, fields: fieldsOf(shape.properties, site) }
}

// Fields that the platform fills, whatever a profile says about where they come from.

/** Which record a shape is the root of; `record` = one in a catalogue, `concept` = all is filled by other code. */
type Root = 'record' | 'catalogue' | 'standalone' | 'concept'

/** Names without `sh:path` that the platform knows how to fill. */
const filled: ReadonlySet<string> = new Set([
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
const computed: ReadonlySet<MappingClass> = new Set([
  'DistributionType',
  'Metrics',
  'TranslationMeta',
])

/** Whether a field may do without `sh:path`. */
const needsNoPath = (name: string, mapping: MappingClass): boolean =>
  computed.has(mapping) || filled.has(name)

/** Whether the `sh:path` of a field has no effect, because the platform fills it all the same. */
function isReserved(name: string, mapping: MappingClass, root: Root | undefined): boolean {
  if (name === 'id' || name === 'resource') return true
  if (root === undefined || root === 'concept') return false
  if (name === 'country') return mapping === 'SpatialResource'
  if (name === 'translation_meta') return mapping === 'TranslationMeta'
  return name === 'catalog' && mapping === 'Nested' && root === 'record'
}
