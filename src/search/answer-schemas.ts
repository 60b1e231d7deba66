/**
 * JSON Schemas (2020-12) of the search service's answers, for its OpenAPI document: those of the records, made from the profile,
 * with the members that search adds.
 */

import {
  countSchema as integer,
  arraySchema as array,
  numberSchema as number,
  objectSchema,
  schemaReference,
  textSchema as text,
  type JsonSchema,
  type Reference,
} from '../profile/json-schema.ts'
import { formKinds } from '../search-index/word-forms.ts'
import type { Profile } from '../profile/profile.ts'
import { recordSchemas } from '../profile/record-schemas.ts'

/** Schemas of the answers, as components of the OpenAPI document. */
export type AnswerSchemas = {
  /** Schemas by name. */
  readonly components: Readonly<Record<string, JsonSchema>>
  readonly dataset: Reference
  readonly catalogue: Reference
  readonly concept: Reference
  readonly vocabulary: Reference
  readonly search: Reference
  /** Schema of a record of any declared type; absent when the profile has none. */
  readonly resource?: Reference
}

type Properties = Readonly<Record<string, JsonSchema>>

/** Schema of an object whose members are all required. */
const requiredObject = (properties: Properties): JsonSchema =>
  objectSchema('', properties, Object.keys(properties))

/** Adds members to the schema of an object, required except for `optional`; members of the schema itself take precedence. */
function withMembers(
  schema: JsonSchema,
  members: Properties,
  optional: Properties = {},
): JsonSchema {
  const required: unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
  return {
    ...schema,
    properties: { ...members, ...optional, ...Object(schema['properties']) },
    required: [...new Set([...Object.keys(members), ...required])],
  }
}

const countMember = { count: integer('Number of its datasets') }
const vocabularyMember = { vocabulary: text('Id of the vocabulary') }

const facet = requiredObject({
  id: text(),
  title: text(),
  items: array(
    objectSchema(
      '',
      {
        id: text(),
        title: text(),
        count: integer(),
        from: number('Of range facets'),
        to: number('Of range facets'),
      },
      ['id', 'title', 'count'],
    ),
  ),
})

const markSchema: JsonSchema = { type: 'array', items: integer(), minItems: 2, maxItems: 2 }
const marksSchema = (what: string) =>
  array(markSchema, `Offsets [from, to] of the found words in ${what}`)

/** Member that `highlight` adds to a hit: offsets, no markup. */
const highlight = objectSchema(
  '',
  {
    title: marksSchema('the title'),
    description: requiredObject({
      text: text('The part of the description with most of them'),
      marks: marksSchema('this text'),
      language: text(),
    }),
  },
  [],
)

/** Member that `explain` adds to a hit. */
const explained = {
  words: array(
    requiredObject({
      word: text('Word of q'),
      as: text('As the record has it, in lower case'),
      how: { enum: formKinds },
      in: array(text(), 'Fields, each with its language if it is known'),
      share: number('Part of an occurrence that counts'),
    }),
    'Words of q in the record',
  ),
  side: integer('Words of q that follow each other in the record as in q'),
  title: { type: 'boolean', description: 'Whether q is a title of the record' },
}
const meaning = number(
  'With related and an embedder: closeness in meaning, 1 for the nearest record, 0 if it is none of the nearest 200',
)
const explanation = objectSchema('', { ...explained, meaning }, Object.keys(explained))

/** Members that a search may add to a hit. */
const hitMembers: Properties = {
  score: number('With showScore'),
  related: { const: true, description: 'With related: none of the words, but close in meaning' },
  _highlight: highlight,
  _why: explanation,
}

const facetValue = {
  facet: text('Id of a facet'),
  id: text('Value to filter by'),
  title: text(),
  count: integer('Hits that the filter leaves'),
}

const envelope = (hit: Reference, facets: Reference): JsonSchema =>
  objectSchema(
    '',
    {
      index: text('When exactly one index was named'),
      count: integer('Exact number of all hits'),
      scrollId: text('With scroll: names the next page'),
      sort: array({ type: 'number' }, 'With searchAfter: the place of the last hit'),
      pitId: text('With searchAfter: names the snapshot'),
      ignored: array(
        { type: 'string' },
        'Names in the request that are no parameters; absent without such, refused with strict=true',
      ),
      suggestions: array(
        requiredObject({ q: text(), count: integer('What it finds') }),
        'With suggestions: other queries, most hits first',
      ),
      completions: requiredObject({
        words: array(requiredObject({ q: text(), count: integer('What it finds') })),
        values: array(requiredObject(facetValue)),
      }),
      places: array(
        requiredObject({ ...facetValue, q: text('The query to search at the place') }),
        'With places: at most three',
      ),
      instead: {
        type: 'object',
        description:
          'With related: words that no record has, each with those searched in its place',
        additionalProperties: { type: 'array', items: { type: 'string' } },
      },
      related: integer(
        'With related and an embedder: how many of the hits are only close in meaning; absent if it did not answer in time',
      ),
      facets: array(
        facets,
        'When indices were named; of the first page where pages follow each other',
      ),
      results: array(hit, 'Absent with countOnly'),
    },
    ['count'],
  )

/** Makes the schemas of answers. Required members of records are those of their schemas; records that lack one are still returned. */
export function answerSchemas(profile: Profile): AnswerSchemas {
  const { roots, components } = recordSchemas(profile)
  const added: Record<string, JsonSchema> = {}
  const add = (name: string, schema: JsonSchema): Reference => {
    const uniqueName = Object.hasOwn(components, name) ? `${name}_` : name
    added[uniqueName] = schema
    return schemaReference(uniqueName)
  }
  const nameOf = (root: string): string => {
    const name = roots.get(root)
    if (name === undefined) throw new Error(`there is no schema of ${root}`)
    return name
  }
  const schemaOf = (root: string) => components[nameOf(root)] ?? {}
  const answer = (root: string, result: JsonSchema): Reference =>
    add(`${nameOf(root)}Answer`, requiredObject({ result }))
  const hit = (root: string, index: string, added: Properties = {}, name = root): Reference => {
    const members = { index: { const: index }, ...added }
    return add(`${nameOf(name)}Hit`, withMembers(schemaOf(root), members, hitMembers))
  }
  const types = profile.resources.map(({ id }) => `resource_${id}`)
  const hits = [
    hit('dataset_hit', 'dataset', {}, 'dataset'),
    hit('catalogue', 'catalogue', countMember),
    hit('concept', 'vocabulary', vocabularyMember),
    ...types.map((type) => hit(type, type)),
  ]
  const reducedHit = { type: 'object', description: 'The fields that `includes` names' }
  const anyHit = add('SearchHit', {
    description:
      'A record with the name of its index; the last form is what `includes` leaves of one',
    anyOf: [...hits, add('ReducedHit', reducedHit)],
  })
  const concepts = array(schemaReference(nameOf('concept')))
  const vocabulary = requiredObject({ id: text(), count: integer(), results: concepts })
  const resources = types.map((type) => schemaReference(nameOf(type)))
  return {
    dataset: answer('dataset', schemaReference(nameOf('dataset'))),
    catalogue: answer('catalogue', withMembers(schemaOf('catalogue'), countMember)),
    concept: answer('concept', schemaReference(nameOf('concept'))),
    vocabulary: add('VocabularyAnswer', requiredObject({ result: vocabulary })),
    search: add('SearchAnswer', requiredObject({ result: envelope(anyHit, add('Facet', facet)) })),
    ...(resources.length > 0 && {
      resource: add('ResourceAnswer', requiredObject({ result: { anyOf: resources } })),
    }),
    components: { ...components, ...added },
  }
}
