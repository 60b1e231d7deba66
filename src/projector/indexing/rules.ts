/** How the JSON of each mapping class is indexed; documents and index settings both follow this table. */

import type { MappingClass } from '../../profile/fields.ts'

/**
 * In which language a text is indexed: `map` the value is an object language → text, `own` the key `language` beside it,
 * `record` the record's default language, `none` no language at all; otherwise the language of the labels.
 */
export type TextLanguage = 'map' | 'own' | 'record' | 'none' | 'en'

export type Rule = {
  /** Keys of the value that hold text; '' = the value itself. */
  readonly text?: { readonly keys: readonly string[]; readonly language: TextLanguage }
  /** Whether the text completes what a reader types. */
  readonly autocomplete?: true
  /** Keys by which records are sorted; '' = the value itself. */
  readonly order?: readonly string[]
  readonly column?: 'instant' | 'period' | 'number' | 'numbers' | 'flag' | 'boxes'
}

const value = ['']
const label = ['label']
const languages = { text: { keys: value, language: 'map' } } as const
const title = { ...languages, autocomplete: true, order: value } as const
const plain = { text: { keys: value, language: 'none' }, order: value } as const
const keyword = { order: value } as const
const concept = { text: { keys: label, language: 'en' } } as const
const skos = { text: { keys: label, language: 'map' } } as const
const resource = { text: { keys: label, language: 'record' } } as const
const agent = { text: { keys: ['name'], language: 'record' }, order: ['name'] } as const
const number = { column: 'number' } as const

export const rules: Readonly<Record<MappingClass, Rule>> = {
  SimpleMultiLangTitle: title,
  SimpleMultiLang: languages,
  StandardText: plain,
  StandardDisabled: {},
  Keywords: { text: { keys: label, language: 'own' } },
  Theme: skos,
  Language: concept,
  Agent: agent,
  ContactPoint: {
    text: { keys: ['name', 'organisation_name'], language: 'record' },
    order: ['name'],
  },
  DateTime: { column: 'instant' },
  Nested: {},
  SpatialResource: { ...concept, order: ['id'] },
  Metrics: { column: 'numbers' },
  License: concept,
  Format: concept,
  MultiLang: languages,
  MultiLangTitle: title,
  TrimmedMultiLangTitle: title,
  TrimmedMultiLangSubtitle: { ...languages, order: value },
  StandardKeyword: keyword,
  StandardResourceKeyword: {},
  Integer: number,
  Numeric: number,
  Boolean: { column: 'flag' },
  DateRange: { column: 'period' },
  AccessRight: concept,
  Frequency: concept,
  FrequencyMultiLang: concept,
  AdmsSkos: concept,
  LabeledResource: resource,
  LabeledText: plain,
  DatasetType: concept,
  DistributionType: concept,
  HvdCategory: skos,
  EuroVoc: skos,
  GenericSkosMultiLang: skos,
  MediaType: {},
  Document: concept,
  Page: { text: { keys: ['title', 'description'], language: 'map' } },
  AgentMultiLang: { text: { keys: ['name'], language: 'map' }, order: ['name'] },
  Checksum: {},
  AdmsIdentifier: { text: { keys: ['identifier'], language: 'none' } },
  QualifiedRelation: {},
  MetadataExtension: {},
  Spatial: { column: 'boxes' },
  TranslationMeta: {},
}
