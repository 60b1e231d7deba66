/** The JSON of one value of each mapping class, as a schema. */

import type { MappingClass } from '../fields.ts'
import { agents } from './agents.ts'
import { concepts } from './concepts.ts'
import { geometrySchema } from './geometries.ts'
import { languageMap, list, object, reference, text, type JsonSchema } from './json-schema.ts'

const texts = languageMap('Text by language key')

/** Sources write fractions where whole numbers are asked for; they are kept. */
const integer: JsonSchema = { type: ['integer', 'number'], description: 'A whole number' }
const score: JsonSchema = { type: ['integer', 'number'], description: 'Points' }
const instant: JsonSchema = {
  type: 'string',
  format: 'date-time',
  description: 'yyyy-MM-ddTHH:mm:ssZ',
}

const scores = [
  'scoring',
  'findabilityScoring',
  'accessibilityScoring',
  'interoperabilityScoring',
  'reusabilityScoring',
  'contextualityScoring',
]

const keyword = object('A keyword', {
  id: text('The label in lower case, with `-` for everything but letters, digits and `_`'),
  label: text('The keyword as given'),
  language: text('Language key of the label'),
})

const resource = text('IRI')

const page = object('A web page or document', {
  resource,
  title: languageMap('Titles by language key'),
  description: languageMap('Descriptions by language key'),
  format: reference('Format'),
})

const translation = object(
  'Languages of a record',
  {
    full_available_languages: list(text('Language code')),
    details: {
      type: 'object',
      additionalProperties: object(
        '',
        {
          machine_translated: { type: 'boolean' },
          original_language: text('Language it was translated from'),
          issued: instant,
          received: instant,
        },
        ['machine_translated'],
      ),
      description: 'By language code',
    },
    status: { enum: ['unknown', 'processing', 'completed'] },
  },
  ['full_available_languages', 'details', 'status'],
)

/** What a value of a class looks like; `Nested` is made of its fields instead. */
const models: Readonly<Partial<Record<MappingClass, JsonSchema>>> = {
  ...agents,
  ...concepts,
  SimpleMultiLangTitle: texts,
  SimpleMultiLang: texts,
  MultiLang: texts,
  MultiLangTitle: texts,
  TrimmedMultiLangTitle: texts,
  TrimmedMultiLangSubtitle: texts,
  StandardText: text('Text'),
  StandardDisabled: text('Text or IRI, not searched'),
  Keywords: { ...keyword, required: ['id', 'label', 'language'] },
  DateTime: instant,
  Metrics: object(
    'Points for the quality of the metadata',
    Object.fromEntries(scores.map((name) => [name, score])),
  ),
  StandardKeyword: text('Text or IRI'),
  StandardResourceKeyword: text('IRI'),
  Integer: integer,
  Numeric: { type: 'number', description: 'A number' },
  Boolean: { type: 'boolean', description: 'Yes or no' },
  DateRange: object('A period; an open side is absent', { gte: instant, lte: instant }),
  LabeledText: text('Text'),
  MediaType: text('Media type, lower case, without parameters'),
  Page: page,
  Checksum: object(
    'A checksum',
    { algorithm: text('Name of the algorithm'), checksum_value: text('The checksum') },
    ['checksum_value'],
  ),
  AdmsIdentifier: object('An identifier', {
    resource,
    identifier: text('The identifier'),
    scheme: text('IRI of the datatype of the notation'),
  }),
  QualifiedRelation: object('A relation with a role', {
    relation: list(resource),
    had_role: list(resource),
  }),
  MetadataExtension: object('More about the record', { is_used_by: list(resource) }),
  Spatial: geometrySchema(reference('Spatial')),
  TranslationMeta: translation,
} satisfies Readonly<Record<Exclude<MappingClass, 'Nested'>, JsonSchema>>

/** The schema of one value; `undefined` for `Nested`. */
export const modelOf = (mapping: MappingClass): JsonSchema | undefined => models[mapping]

export const classesWithModel: readonly string[] = Object.keys(models)

/** Other classes whose components a model refers to. */
export const referredBy = (mapping: MappingClass): readonly MappingClass[] =>
  mapping === 'Page' ? ['Format'] : []
