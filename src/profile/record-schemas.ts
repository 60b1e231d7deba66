/**
 * Makes JSON Schemas from the compiled profile, for the OpenAPI document of the search service and its records. `valueKeysOf`
 * also tells profiles, facets and enrichment what keys a value has.
 */

import { type Field, languageMaps, type MappingClass, type Profile, type Shape } from './profile.ts'
import { localName } from '../rdf/iri.ts'
import { type JsonSchema, arraySchema, objectSchema, schemaReference } from './json-schema.ts'
import { classesWithModel, modelOf, referencedModels } from './field-models.ts'

type RecordSchemas = {
  /**
   * Kind of record → name of its component: `dataset`, `catalogue`, `concept` and `resource_<id>`. `dataset_hit` is a dataset
   * in a list of hits, with the part of its catalogue that the index stores.
   */
  readonly roots: ReadonlyMap<string, string>
  readonly components: Readonly<Record<string, JsonSchema>>
}

/** Kind of record; `member` = resource of a custom type in a catalogue, `resource` = another one. */
type Kind = 'dataset' | 'catalogue' | 'concept' | 'member' | 'resource'

const distribution = 'http://www.w3.org/ns/dcat#distribution'

/** Fields that, without `sh:path`, the platform fills in every record of a kind. */
const platformFields: Readonly<Record<Kind, readonly string[]>> = {
  dataset: ['id', 'resource', 'catalog', 'is_hvd'],
  catalogue: ['id', 'resource', 'is_hvd'],
  concept: ['id', 'resource', 'in_scheme', 'pref_label'],
  member: ['id', 'resource', 'catalog', 'is_hvd'],
  resource: ['id', 'resource', 'is_hvd'],
}

/** Whether every record of a kind has the field. */
function isAlwaysThere({ name, mapping, paths, single }: Field, kind: Kind): boolean {
  if (paths.length === 0 && platformFields[kind].includes(name)) return true
  if (kind === 'concept') return false
  if (mapping === 'TranslationMeta') return true
  return kind === 'dataset' && paths.includes(distribution) && !single
}

/** Fields of a concept that name other concepts and may have several values. */
const multipleRelations: ReadonlySet<string> = new Set(['broader', 'narrower', 'exact_match'])

/** Copy of a field of a concept as `src/vocabularies` fills it: single-valued, except for relations. */
const withSingleValues = (field: Field): Field => ({
  ...field,
  single: !multipleRelations.has(field.name),
  children: field.children.map(withSingleValues),
})

/** Schema of a record; its nested shapes become components. */
function rootSchema(shape: Shape, kind: Kind, components: Components): JsonSchema {
  const fields = kind === 'concept' ? shape.fields.map(withSingleValues) : shape.fields
  const required = fields.filter((field) => isAlwaysThere(field, kind))
  return objectSchema(
    shape.description,
    Object.fromEntries(fields.map((field) => [field.name, components.field(field)])),
    required.map(({ name }) => name),
  )
}

/** Copy of an object schema with some properties replaced or added. */
function withProperties(schema: JsonSchema, replacements: Readonly<Record<string, JsonSchema>>) {
  return { ...schema, properties: { ...Object(schema['properties']), ...replacements } }
}

const count: JsonSchema = { type: 'integer', minimum: 0, description: 'Number of its datasets' }

/**
 * OpenAPI components of all kinds of records of a profile. `required` names the fields that the platform always fills, not those
 * that are mandatory in the profile: a record that lacks a mandatory field is stored and returned as well.
 */
export function recordSchemas(profile: Profile): RecordSchemas {
  const { dataset, catalogue, concept, resources, entries } = profile
  const components = createComponents()
  const titleOf = (id: string) => entries.find((entry) => entry.id === id)?.name ?? ''
  const roots = new Map<string, string>()
  const catalogueSchema = withProperties(rootSchema(catalogue, 'catalogue', components), { count })
  const catalogueName = components.add(catalogueSchema, titleOf('catalog'), 'Catalogue')

  const stored = rootSchema(dataset, 'dataset', components)
  const embedded = dataset.fields.find(({ name }) => name === 'catalog')
  const withWholeCatalogue = embedded && {
    catalog: schemaReference(catalogueName, embedded.description),
  }
  const datasetSchema = withProperties(stored, withWholeCatalogue ?? {})
  const datasetName = components.add(datasetSchema, titleOf('dataset'), 'Dataset')
  roots.set('dataset', datasetName)
  roots.set('dataset_hit', components.add(stored, `${datasetName}Document`))
  roots.set('catalogue', catalogueName)
  roots.set(
    'concept',
    components.add(rootSchema(concept, 'concept', components), concept.name, 'Concept'),
  )
  for (const { id, name, shape, inCatalogue } of resources) {
    const schema = rootSchema(shape, inCatalogue ? 'member' : 'resource', components)
    roots.set(`resource_${id}`, components.add(schema, name, shape.name, `Resource ${id}`))
  }
  return { roots, components: components.all() }
}

/** Content of a key in the JSON of a value: `text` = one text or number, `map` = texts by language, `list` = array of texts. */
export type ValueKind = 'text' | 'map' | 'list'

/**
 * Keys of the JSON object of one value of a mapping class, and what each holds; `undefined` = a nested object. Empty if the value
 * is no object.
 */
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

// Components of an OpenAPI document for the fields of a profile.

type Components = {
  /** Adds a schema under the first wanted name that is free, and returns this name. */
  readonly add: (schema: JsonSchema, ...wanted: readonly string[]) => string
  /** Schema of all values of a field; adds the components that it refers to. */
  readonly field: (field: Field) => JsonSchema
  readonly all: () => Readonly<Record<string, JsonSchema>>
}

/** Mapping classes that make one value, even without `sh:maxCount 1`. */
const alwaysSingle: ReadonlySet<MappingClass> = new Set([
  ...languageMaps,
  'Metrics',
  'TranslationMeta',
])

/** Name → mapping class of the fields without `sh:path` that the platform fills. */
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

/** Creates an empty set of components; the names of mapping classes are reserved for their schemas. */
function createComponents(): Components {
  const schemas: Record<string, JsonSchema> = {}
  const shapes = new Map<string, string>()
  const freeName = nameAllocator(classesWithModel)

  const add = (schema: JsonSchema, ...wanted: readonly string[]) => {
    const name = freeName(...wanted)
    schemas[name] = schema
    return name
  }

  const model = (mapping: MappingClass): JsonSchema => {
    const schema = modelOf(mapping)
    if (schema) schemas[mapping] = schema
    for (const other of referencedModels(mapping)) model(other)
    return schemaReference(mapping)
  }

  const nested = ({ link, children, tooDeep }: Field): JsonSchema => {
    const properties = Object.fromEntries(children.map((child) => [child.name, field(child)]))
    const schema = objectSchema('', properties)
    if (link === undefined || tooDeep) return schema
    // A shape that is embedded at a greater depth is cut off earlier, so one shape can have several schemas.
    const key = link + JSON.stringify(schema)
    const name = shapes.get(key) ?? add(schema, nameOf(link), localName(link))
    shapes.set(key, name)
    return schemaReference(name)
  }

  const field = (definition: Field): JsonSchema => {
    const value = definition.mapping === 'Nested' ? nested(definition) : model(classOf(definition))
    const description =
      definition.description === undefined ? {} : { description: definition.description }
    return isSingle(definition)
      ? { ...value, ...description }
      : { ...arraySchema(value), ...description }
  }

  return { add, field, all: () => schemas }
}

// Names of components in an OpenAPI document: unique, and of allowed characters.

/** `statistical dataset` → `StatisticalDataset` */
const pascal = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')

/** Returns a function that chooses the first wanted name that is free, or the first with a number after it. */
function nameAllocator(reserved: Iterable<string>): (...wanted: readonly string[]) => string {
  const used = new Set(reserved)
  return (...names) => {
    const candidates = names.map(pascal).filter((name) => name !== '')
    const [first = 'Record'] = candidates
    let name = candidates.find((candidate) => !used.has(candidate)) ?? first
    for (let number = 2; used.has(name); number++) name = `${first}${number}`
    used.add(name)
    return name
  }
}
