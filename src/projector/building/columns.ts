/** The columns of an index, compiled from a shape: one list for settings and documents, so that they cannot differ. */

import { type Field, languageMaps, type MappingClass, type Shape } from '../../profile/profile.ts'
import { scores } from '../mappings/metrics.ts'

/** The columns of an object by name, in profile order. */
export type Columns = ReadonlyMap<string, Column>

/** A field with its rule and its place. */
export type Column = {
  readonly name: string
  /** Dotted. */
  readonly path: string
  readonly rule: Rule
  readonly children: Columns
  /** Whether one record has one such value at most: only then it can be sorted by. */
  readonly sortable: boolean
  readonly isRoot: boolean
}

/** What the platform knows by itself and nobody reads as text. */
const silentNames = new Set(['id', 'resource'])

function ruleOf(field: Field, inside: string): Rule {
  const isSilent = silentNames.has(field.name) && field.paths.length === 0
  if (!isSilent && inside !== 'catalog.') return rules[field.mapping]
  return field.name === 'id' && inside !== 'distributions.' ? { order: [''] } : {}
}

function columnOf(field: Field, inside: string, sortable: boolean): Column {
  const path = inside + field.name
  const single = field.single || languageMaps.has(field.mapping)
  const goesOn = field.mapping === 'Nested' ? single : true
  return {
    name: field.name,
    path,
    rule: ruleOf(field, inside),
    children: columnsOf(field.children, `${path}.`, sortable && goesOn),
    sortable,
    isRoot: inside === '',
  }
}

/** The columns of fields; `inside` is the dotted path of the field around, with a dot at its end. */
export const columnsOf = (fields: Shape['fields'], inside = '', sortable = true): Columns =>
  new Map(fields.map((field) => [field.name, columnOf(field, inside, sortable)]))

/** All columns of a tree, outer ones first. */
export const flat = (columns: Columns): readonly Column[] =>
  [...columns.values()].flatMap((column) => [column, ...flat(column.children)])

/** Dotted names by which the texts of a column are sorted. */
export const orderNames = ({ rule, path, sortable }: Column): readonly string[] =>
  sortable ? (rule.order ?? []).map((key) => (key === '' ? path : `${path}.${key}`)) : []

/** Dotted names of the numbers of a column. */
export function numberNames({ rule, path, sortable }: Column): readonly string[] {
  if (!sortable) return []
  if (rule.column === 'numbers') return scores.map((score) => `${path}.${score}`)
  return rule.column === 'number' ? [path] : []
}

/** Whether a column holds dates that a record is found or sorted by; a record may have several. */
export const isDate = ({ rule }: Column): boolean =>
  rule.column === 'instant' || rule.column === 'period'

// How the JSON of each mapping class is indexed; documents and index settings both follow this table.

/**
 * In which language a text is indexed: `map` the value is an object language → text, `own` the key `language` beside it,
 * `record` the record's default language, `none` no language at all; otherwise the language of the labels.
 */
export type TextLanguage = 'map' | 'own' | 'record' | 'none' | 'en'

type Rule = {
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

const rules: Readonly<Record<MappingClass, Rule>> = {
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
