/** Compiles node shapes into the tree of fields. */

import type { Problems } from './problems.ts'
import type { PropertyNode, ShapeNode } from './shapes.ts'
import { isMappingClass, type Field, type MappingClass, type Shape } from './fields.ts'

/** Finds a shape, first in the file that mentions it. */
export type FindShape = (iri: string, ownFile: string) => ShapeNode | undefined

/** Fields without `sh:path` that the platform knows how to fill. */
const platformFilled = new Set([
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

const fieldName = /^[A-Za-z][\w-]{0,63}$/
const deepest = 4

type Site = {
  readonly shape: ShapeNode
  readonly find: FindShape
  readonly problems: Problems
  /** Shapes that are being embedded, outermost first. */
  readonly open: readonly string[]
  /** Name of the field around, '' at the root. */
  readonly inside: string
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

const placeOf = (site: Site, property?: string) => ({
  file: site.shape.file,
  shape: site.shape.iri,
  ...(property && { property: site.inside ? `${site.inside}.${property}` : property }),
})

function checkSource(site: Site, property: PropertyNode, name: string, mapping: MappingClass) {
  if (site.filled || property.paths?.length || mapping === 'DistributionType') return
  if (!platformFilled.has(name))
    site.problems.warn(placeOf(site, name), 'has no sh:path and nothing else fills it')
}

function checked(
  property: PropertyNode,
  site: Site,
): { name: string; mapping: MappingClass } | undefined {
  const { name, mapping, paths } = property
  if (name === undefined && mapping === undefined) return undefined
  const label = name ?? paths?.[0] ?? '(without name)'
  const fail = (problem: string) => {
    site.problems.add(placeOf(site, label), problem)
    return undefined
  }
  if (name === undefined) return fail(`has mappingClass "${mapping}" but no mappingName`)
  if (mapping === undefined) return fail('has mappingName but no mappingClass')
  if (!isMappingClass(mapping)) return fail(`unknown mapping class "${mapping}"`)
  if (!fieldName.test(name)) return fail('a name is a letter and up to 63 letters, digits, _ or -')
  if (!paths) return fail('sh:path must be a predicate or an sh:alternativePath of predicates')
  checkSource(site, property, name, mapping)
  return { name, mapping }
}

function linkedFields(
  property: PropertyNode,
  site: Site,
  name: string,
): readonly Field[] | 'too-deep' {
  const { link } = property
  if (link === undefined) return []
  const shape = site.find(link, site.shape.file)
  if (!shape) {
    site.problems.add(
      placeOf(site, name),
      `mappingLink <${link}> is no sh:NodeShape of the profile`,
    )
    return []
  }
  if (site.open.includes(link) || site.open.length > deepest) return 'too-deep'
  const inside = site.inside ? `${site.inside}.${name}` : name
  return fieldsOf(shape.properties, {
    ...site,
    shape,
    inside: '',
    open: [...site.open, link],
    filled: inside === 'catalog_record',
  })
}

function childrenOf(
  property: PropertyNode,
  site: Site,
  name: string,
): readonly Field[] | 'too-deep' {
  if (property.link === undefined && property.inline.length === 0) {
    site.problems.add(placeOf(site, name), 'Nested needs mappingLink or mappingProperty')
    return []
  }
  const linked = linkedFields(property, site, name)
  if (linked === 'too-deep') return linked
  const inside = site.inside ? `${site.inside}.${name}` : name
  const inline = fieldsOf(property.inline, { ...site, inside, filled: true })
  const replaced = new Set(inline.map((field) => field.name))
  return [...linked.filter((field) => !replaced.has(field.name)), ...inline]
}

function fieldOf(property: PropertyNode, site: Site): Field | undefined {
  const named = checked(property, site)
  if (!named) return undefined
  const children = named.mapping === 'Nested' ? childrenOf(property, site, named.name) : []
  return {
    ...named,
    paths: property.paths ?? [],
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
    if (fields.has(field.name)) site.problems.add(placeOf(site, field.name), 'stands there twice')
    else fields.set(field.name, field)
  }
  return [...fields.values()]
}

/**
 * The field tree of a root shape. Embedding ends after four levels and where a shape would contain itself. `filled`
 * says that other code than the mapping fills the fields (concepts).
 */
export function compileShape(
  shape: ShapeNode,
  how: { readonly find: FindShape; readonly problems: Problems; readonly filled?: boolean },
): Shape {
  const site = {
    shape,
    find: how.find,
    problems: how.problems,
    open: [shape.iri],
    inside: '',
    filled: how.filled ?? false,
  }
  const { iri, targetClass, name, description } = shape
  return { iri, targetClass, name, description, fields: fieldsOf(shape.properties, site) }
}
