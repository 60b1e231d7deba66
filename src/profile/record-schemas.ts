/** JSON Schemas of the records that the search service answers with, made from the compiled profile. */

import { type Field, languageMaps, type MappingClass, type Profile, type Shape } from './profile.ts'
import { localName } from '../rdf/iri.ts'
import { type JsonSchema, arraySchema, objectSchema, schemaReference } from './json-schema.ts'
import { classesWithModel, modelOf, referencedModels } from './field-models.ts'

type RecordSchemas = {
  /**
   * Component of each root: `dataset`, `catalogue`, `concept` and `resource_<id>`. `dataset_hit` is a dataset with that
   * part of its catalogue which stands in the index, as lists of hits show it.
   */
  readonly roots: ReadonlyMap<string, string>
  readonly components: Readonly<Record<string, JsonSchema>>
}

/** `member` = a resource that lives in a catalogue. */
type Kind = 'dataset' | 'catalogue' | 'concept' | 'member' | 'resource'

const distribution = 'http://www.w3.org/ns/dcat#distribution'

/** Fields without a path that the platform fills in every record of a kind. */
const platformFields: Readonly<Record<Kind, readonly string[]>> = {
  dataset: ['id', 'resource', 'catalog', 'is_hvd'],
  catalogue: ['id', 'resource', 'is_hvd'],
  concept: ['id', 'resource', 'in_scheme', 'pref_label'],
  member: ['id', 'resource', 'catalog', 'is_hvd'],
  resource: ['id', 'resource', 'is_hvd'],
}

/** Whether a field of a root is there whatever the record says. */
function isAlwaysThere({ name, mapping, paths, single }: Field, kind: Kind): boolean {
  if (paths.length === 0 && platformFields[kind].includes(name)) return true
  if (kind === 'concept') return false
  if (mapping === 'TranslationMeta') return true
  return kind === 'dataset' && paths.includes(distribution) && !single
}

/** Fields of a concept that name other concepts. */
const multipleRelations: ReadonlySet<string> = new Set(['broader', 'narrower', 'exact_match'])

/** Vocabulary code gives every other field of a concept one value. */
const withSingleValues = (field: Field): Field => ({
  ...field,
  single: !multipleRelations.has(field.name),
  children: field.children.map(withSingleValues),
})

/** The schema of a whole record; its nested shapes become components of their own. */
function rootSchema(shape: Shape, kind: Kind, found: Components): JsonSchema {
  const fields = kind === 'concept' ? shape.fields.map(withSingleValues) : shape.fields
  const required = fields.filter((field) => isAlwaysThere(field, kind))
  return objectSchema(
    shape.description,
    Object.fromEntries(fields.map((field) => [field.name, found.field(field)])),
    required.map(({ name }) => name),
  )
}

/** Copies an object schema and replaces or adds some of its properties. */
function withProperties(schema: JsonSchema, others: Readonly<Record<string, JsonSchema>>) {
  return { ...schema, properties: { ...Object(schema['properties']), ...others } }
}

const count: JsonSchema = { type: 'integer', minimum: 0, description: 'Number of its datasets' }

/**
 * The components that describe the answers for single records. `required` is what the platform always fills, not what
 * the profile calls mandatory: a record that lacks a mandatory field is stored and answered all the same.
 */
export function recordSchemas(profile: Profile): RecordSchemas {
  const { dataset, catalogue, concept, resources, entries } = profile
  const found = createComponents()
  const titleOf = (id: string) => entries.find((entry) => entry.id === id)?.name ?? ''
  const roots = new Map<string, string>()
  const ofCatalogue = withProperties(rootSchema(catalogue, 'catalogue', found), { count })
  const catalogueName = found.add(ofCatalogue, titleOf('catalog'), 'Catalogue')

  const stored = rootSchema(dataset, 'dataset', found)
  const embedded = dataset.fields.find(({ name }) => name === 'catalog')
  const whole = embedded && { catalog: schemaReference(catalogueName, embedded.description) }
  const answered = withProperties(stored, whole ?? {})
  const datasetName = found.add(answered, titleOf('dataset'), 'Dataset')
  roots.set('dataset', datasetName)
  roots.set('dataset_hit', found.add(stored, `${datasetName}Document`))
  roots.set('catalogue', catalogueName)
  roots.set('concept', found.add(rootSchema(concept, 'concept', found), concept.name, 'Concept'))
  for (const { id, name, shape, inCatalogue } of resources) {
    const schema = rootSchema(shape, inCatalogue ? 'member' : 'resource', found)
    roots.set(`resource_${id}`, found.add(schema, name, shape.name, `Resource ${id}`))
  }
  return { roots, components: found.all() }
}

/** Content of a key in the JSON of a value: one text (or number), texts by language, a list of texts. */
export type ValueKind = 'text' | 'map' | 'list'

/** Keys of the JSON that a mapping class makes; none where it makes no object with keys of its own. `undefined` = another object. */
export function valueKeysOf(mapping: MappingClass): ReadonlyMap<string, ValueKind | undefined> {
  const properties: Readonly<Record<string, JsonSchema>> = Object(modelOf(mapping)?.['properties'])
  return new Map(
    Object.entries(properties).map(([name, schema]) => {
      if ('$ref' in schema) return [name, undefined]
      if (schema['type'] === 'array') return [name, 'list']
      return [name, 'additionalProperties' in schema ? 'map' : 'text']
    }),
  )
}

// The components of an OpenAPI document that describe the fields of a profile.

type Components = {
  /** Adds a schema under the first wanted name that is free, and says which one that is. */
  readonly add: (schema: JsonSchema, ...wanted: readonly string[]) => string
  /** The schema of a field with all its values; components that it needs are added. */
  readonly field: (field: Field) => JsonSchema
  readonly all: () => Readonly<Record<string, JsonSchema>>
}

/** Classes of which there is one value, whatever the profile says. */
const alwaysSingle: ReadonlySet<MappingClass> = new Set([
  ...languageMaps,
  'Metrics',
  'TranslationMeta',
])

/** Mapping classes of fields without a path, which the platform fills, by their names. */
const platformFieldClasses: ReadonlyMap<string, MappingClass> = new Map([
  ['country', 'SpatialResource'],
  ['spatial_resource', 'SpatialResource'],
  ['is_hvd', 'Boolean'],
])

const singlePlatformFields: ReadonlySet<string> = new Set(['id', 'resource', 'is_hvd'])

const isSingle = ({ name, mapping, paths, single }: Field) =>
  single || alwaysSingle.has(mapping) || (paths.length === 0 && singlePlatformFields.has(name))

const classOf = ({ name, mapping, paths }: Field): MappingClass =>
  (paths.length === 0 ? platformFieldClasses.get(name) : undefined) ?? mapping

/** `https://example.org/shapes#Distribution_Shape` → `Distribution` */
const nameOf = (link: string) => localName(link).replace(/(?<=.)_?Shape$/, '')

/** An empty set of components; the names of the mapping classes are kept for their models. */
function createComponents(): Components {
  const found: Record<string, JsonSchema> = {}
  const shapes = new Map<string, string>()
  const free = nameAllocator(classesWithModel)

  const add = (schema: JsonSchema, ...wanted: readonly string[]) => {
    const name = free(...wanted)
    found[name] = schema
    return name
  }

  const model = (mapping: MappingClass): JsonSchema => {
    const schema = modelOf(mapping)
    if (schema) found[mapping] = schema
    for (const other of referencedModels(mapping)) model(other)
    return schemaReference(mapping)
  }

  const nested = ({ link, children, tooDeep }: Field): JsonSchema => {
    const properties = Object.fromEntries(children.map((child) => [child.name, field(child)]))
    const schema = objectSchema('', properties)
    if (link === undefined || tooDeep) return schema
    // One shape may end sooner in one place than in another.
    const key = link + JSON.stringify(schema)
    const name = shapes.get(key) ?? add(schema, nameOf(link), localName(link))
    shapes.set(key, name)
    return schemaReference(name)
  }

  const field = (one: Field): JsonSchema => {
    const value = one.mapping === 'Nested' ? nested(one) : model(classOf(one))
    const description = one.description === undefined ? {} : { description: one.description }
    return isSingle(one) ? { ...value, ...description } : { ...arraySchema(value), ...description }
  }

  return { add, field, all: () => found }
}

// Names of components in an OpenAPI document: each once, made of allowed characters.

/** `statistical dataset` → `StatisticalDataset` */
const pascal = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')

/** Hands out the first wanted name that is not taken, else the first with a number after it. */
function nameAllocator(taken: Iterable<string>): (...wanted: readonly string[]) => string {
  const used = new Set(taken)
  return (...wanted) => {
    const candidates = wanted.map(pascal).filter((name) => name !== '')
    const [first = 'Record'] = candidates
    let name = candidates.find((candidate) => !used.has(candidate)) ?? first
    for (let number = 2; used.has(name); number++) name = `${first}${number}`
    used.add(name)
    return name
  }
}
