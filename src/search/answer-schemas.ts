/** The schemas of the answers: those of the records, made from the profile, with what the search adds to them. */

import type { Profile } from '../profile/profile.ts'
import { recordSchemas } from '../profile/record-schemas.ts'
import type { JsonSchema } from '../profile/json-schema.ts'

// Building blocks of JSON Schema 2020-12.

/** Members that an object has beyond its own. */
type Extra = {
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required: readonly string[]
}

const told = (description?: string) => (description === undefined ? {} : { description })

const text = (description?: string): JsonSchema => ({ type: 'string', ...told(description) })

const integer = (description?: string): JsonSchema => ({
  type: 'integer',
  minimum: 0,
  ...told(description),
})

const array = (items: JsonSchema, description?: string): JsonSchema => ({
  type: 'array',
  items,
  ...told(description),
})

/** All members are required unless it is said which ones are. */
const object = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = Object.keys(properties),
): JsonSchema => ({ type: 'object', properties, required })

/** An object of which nothing is known. */
const open = (description: string): JsonSchema => ({ type: 'object', description })

/** The schema of an object with further members; its own win. */
function extended(schema: JsonSchema, { properties, required }: Extra): JsonSchema {
  const own: unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
  return {
    ...schema,
    properties: { ...properties, ...Object(schema['properties']) },
    required: [...new Set([...required, ...own])],
  }
}

export type Reference = { readonly $ref: string }

/** Each answer's schema as a component of the OpenAPI document. */
export type AnswerSchemas = {
  /** Name → schema. */
  readonly components: Readonly<Record<string, JsonSchema>>
  readonly dataset: Reference
  readonly catalogue: Reference
  readonly concept: Reference
  readonly vocabulary: Reference
  readonly search: Reference
  /** Any record of a custom type; absent when there is no such type. */
  readonly resource?: Reference
}

/** Pure. `required` is what the records' schemas require: a record that lacks a mandatory field does not hide it. */
export function answerSchemas(profile: Profile): AnswerSchemas {
  const { roots, components } = recordSchemas(profile)
  const own: Record<string, JsonSchema> = {}
  const add = (name: string, schema: JsonSchema): Reference => {
    const free = Object.hasOwn(components, name) ? `${name}_` : name
    own[free] = schema
    return reference(free)
  }
  const nameOf = (root: string): string => {
    const name = roots.get(root)
    if (name === undefined) throw new Error(`there is no schema of ${root}`)
    return name
  }
  const record = (root: string, extra: Extra): JsonSchema =>
    extended(components[nameOf(root)] ?? {}, extra)
  const answer = (root: string): Reference =>
    add(`${nameOf(root)}Answer`, object({ result: reference(nameOf(root)) }))

  const types = profile.resources.map(({ id }) => `resource_${id}`)
  const hits = [
    add(`${nameOf('dataset')}Hit`, record('dataset_hit', hitOf('dataset'))),
    add(`${nameOf('catalogue')}Hit`, record('catalogue', hitOf('catalogue', counted))),
    add(`${nameOf('concept')}Hit`, record('concept', hitOf('vocabulary', ofVocabulary))),
    ...types.map((type) => add(`${nameOf(type)}Hit`, record(type, hitOf(type)))),
  ]
  const hit = add('SearchHit', {
    description:
      'A record with the name of its index; the last form is what `includes` leaves of one',
    anyOf: [...hits, add('ReducedHit', open('The fields that `includes` names'))],
  })
  const resources = types.map((type) => reference(nameOf(type)))
  return {
    dataset: answer('dataset'),
    catalogue: add(
      `${nameOf('catalogue')}Answer`,
      object({ result: record('catalogue', counted) }),
    ),
    concept: answer('concept'),
    vocabulary: add('VocabularyAnswer', object({ result: vocabularyOf(nameOf('concept')) })),
    search: add('SearchAnswer', object({ result: envelope(hit, add('Facet', facet)) })),
    ...(resources.length > 0 && {
      resource: add('ResourceAnswer', object({ result: { anyOf: resources } })),
    }),
    components: { ...components, ...own },
  }
}

const reference = (name: string): Reference => ({ $ref: `#/components/schemas/${name}` })

const counted: Extra = {
  required: ['count'],
  properties: { count: integer('Number of its datasets') },
}
const ofVocabulary: Extra = {
  required: ['vocabulary'],
  properties: { vocabulary: text('Id of the vocabulary') },
}

const hitOf = (
  index: string,
  { properties, required }: Extra = { properties: {}, required: [] },
) => ({
  required: ['index', ...required],
  properties: {
    index: { const: index },
    ...properties,
    score: { type: 'number', description: 'With showScore' },
  },
})

const vocabularyOf = (concept: string): JsonSchema =>
  object({ id: text(), count: integer(), results: array(reference(concept)) })

const envelope = (hit: Reference, facet: Reference): JsonSchema =>
  object(
    {
      index: text('When exactly one index was named'),
      count: integer('Exact number of all hits'),
      scrollId: text('With scroll: names the next page'),
      sort: array({ type: 'number' }, 'With searchAfter: the place of the last hit'),
      pitId: text('With searchAfter: names the snapshot'),
      facets: array(
        facet,
        'When indices were named; of the first page where pages follow each other',
      ),
      results: array(hit, 'Absent with countOnly'),
    },
    ['count'],
  )

const facet = object({
  id: text(),
  title: text(),
  items: array(
    object(
      {
        id: text(),
        title: text(),
        count: integer(),
        from: { type: 'number', description: 'Of range facets' },
        to: { type: 'number', description: 'Of range facets' },
      },
      ['id', 'title', 'count'],
    ),
  ),
})
