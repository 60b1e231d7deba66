/** JSON Schemas of the records that the search service answers with, made from the compiled profile. */

import type { Field, MappingClass, Profile, Shape } from '../fields.ts'
import { components, type Components } from './components.ts'
import { object, reference, type JsonSchema } from './json-schema.ts'
import { modelOf } from './models.ts'

export type { JsonSchema } from './json-schema.ts'

export type RecordSchemas = {
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

const filled: Readonly<Record<Kind, readonly string[]>> = {
  dataset: ['id', 'resource', 'catalog', 'is_hvd'],
  catalogue: ['id', 'resource', 'is_hvd'],
  concept: ['id', 'resource', 'in_scheme', 'pref_label'],
  member: ['id', 'resource', 'catalog', 'is_hvd'],
  resource: ['id', 'resource', 'is_hvd'],
}

/** Whether a field of a root is there whatever the record says. */
function isAlwaysThere({ name, mapping, paths, single }: Field, kind: Kind): boolean {
  if (paths.length === 0 && filled[kind].includes(name)) return true
  if (kind === 'concept') return false
  if (mapping === 'TranslationMeta') return true
  return kind === 'dataset' && paths.includes(distribution) && !single
}

/** Vocabulary code gives every field of a concept one value. */
const once = (field: Field): Field => ({
  ...field,
  single: true,
  children: field.children.map(once),
})

function rootSchema(shape: Shape, kind: Kind, found: Components): JsonSchema {
  const fields = kind === 'concept' ? shape.fields.map(once) : shape.fields
  const required = fields.filter((field) => isAlwaysThere(field, kind))
  return object(
    shape.description,
    Object.fromEntries(fields.map((field) => [field.name, found.field(field)])),
    required.map(({ name }) => name),
  )
}

/** The same object with other schemas in the place of some of its own. */
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
  const found = components()
  const titleOf = (id: string) => entries.find((entry) => entry.id === id)?.name ?? ''
  const roots = new Map<string, string>()
  const ofCatalogue = withProperties(rootSchema(catalogue, 'catalogue', found), { count })
  const catalogueName = found.add(ofCatalogue, titleOf('catalog'), 'Catalogue')

  const stored = rootSchema(dataset, 'dataset', found)
  const embedded = dataset.fields.find(({ name }) => name === 'catalog')
  const whole = embedded && { catalog: reference(catalogueName, embedded.description) }
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

/** Keys of the JSON that a mapping class makes; none where it makes no object with keys of its own. */
export function targetsOf(mapping: MappingClass): ReadonlySet<string> {
  return new Set(Object.keys(Object(modelOf(mapping)?.['properties'])))
}
