/**
 * Columns of an index, compiled from a shape, and the values of a record's JSON that go into them. Settings and documents use the
 * same list.
 */

import { scores } from '../../profile/field-models.ts'
import { type Field, languageMaps, type Shape } from '../../profile/profile.ts'
import type { Box, Document } from '../../search-index/search-index.ts'
import { cutCodePoints } from '../../text/code-points.ts'
import { sortText } from '../../text/sort-text.ts'
import { isJsonObject, type Json, type JsonObject } from '../../text/json.ts'
import { otherBucket } from '../../text/language.ts'
import type { Concept } from '../../vocabularies/concept.ts'
import { timeRangeOf } from '../../vocabularies/dates.ts'
import { boundsOf, boxesOf } from '../../vocabularies/geometry.ts'
import { agentLanguage } from '../mappings/agents.ts'
import { type IndexRule, mappingClasses, type TextLanguage } from '../mappings/classes.ts'
import { elementsOf, valueText } from '../mappings/mapping.ts'
import { precisePeriod } from '../mappings/values.ts'

/** The columns of an object by name, in profile order. */
export type FieldColumns = ReadonlyMap<string, FieldColumn>

/** Field with its index rule and its dotted path. */
export type FieldColumn = {
  readonly name: string
  /** Dotted path. */
  readonly path: string
  readonly rule: IndexRule
  readonly children: FieldColumns
  /** True when a record has at most one object with the field; only then it has texts for sorting, numbers and flags. */
  readonly sortable: boolean
  /** True for fields of the record itself. */
  readonly isRoot: boolean
}

/** Names of keys that the platform fills and that are not searched as text. */
const unsearchedNames = new Set(['id', 'resource'])

/**
 * Returns the rule of a field. Keys of the platform and fields of the embedded catalogue are not searched; records are sorted by
 * the ids among them, except those of distributions.
 */
function ruleOf(field: Field, inside: string): IndexRule {
  const isPlatformKey = unsearchedNames.has(field.name) && field.paths.length === 0
  if (!isPlatformKey && inside !== 'catalog.') return mappingClasses[field.mapping].index ?? {}
  return field.name === 'id' && inside !== 'distributions.' ? { order: [''] } : {}
}

function columnOf(field: Field, inside: string, sortable: boolean): FieldColumn {
  const path = inside + field.name
  const single = field.single || languageMaps.has(field.mapping)
  const keepsOneValue = field.mapping === 'Nested' ? single : true
  return {
    name: field.name,
    path,
    rule: ruleOf(field, inside),
    children: fieldColumns(field.children, `${path}.`, sortable && keepsOneValue),
    sortable,
    isRoot: inside === '',
  }
}

/**
 * Compiles the columns of fields; `inside` is the dotted path of the enclosing field, with a trailing dot, `sortable` whether a
 * record has at most one value of that field.
 */
export const fieldColumns = (fields: Shape['fields'], inside = '', sortable = true): FieldColumns =>
  new Map(fields.map((field) => [field.name, columnOf(field, inside, sortable)]))

/** Lists all columns of a tree, outer ones first. */
export const flattenColumns = (columns: FieldColumns): readonly FieldColumn[] =>
  [...columns.values()].flatMap((column) => [column, ...flattenColumns(column.children)])

/** Returns the dotted names by which the texts of a column are sorted. */
export const orderNames = ({ rule, path, sortable }: FieldColumn): readonly string[] =>
  sortable ? (rule.order ?? []).map((key) => (key === '' ? path : `${path}.${key}`)) : []

/** Returns the dotted names of the numbers of a column. */
export function numberNames({ rule, path, sortable }: FieldColumn): readonly string[] {
  if (!sortable) return []
  if (rule.column === 'numbers') return scores.map((score) => `${path}.${score}`)
  return rule.column === 'number' ? [path] : []
}

/** Tells whether a column holds dates that records are filtered or sorted by; a record may have several. */
export const holdsDates = ({ rule }: FieldColumn): boolean =>
  rule.column === 'instant' || rule.column === 'period'

// Construction of a document.

/** Mutable parts of a document under construction. */
type IndexedFields = {
  readonly text: Record<string, Record<string, string[]>>
  readonly dates: Record<string, Document['dates'][string]>
  readonly numbers: Record<string, number>
  readonly flags: Record<string, boolean>
  boxes: Document['boxes']
  readonly order: Record<string, string>
}

/** Creates the parts of a document without values. */
export const emptyIndexedFields = (): IndexedFields => ({
  text: {},
  dates: {},
  numbers: {},
  flags: {},
  boxes: [],
  order: {},
})

/** Removes repeated texts of each field and language. */
export function removeDuplicateTexts({ text }: IndexedFields): void {
  for (const languages of Object.values(text))
    for (const [language, values] of Object.entries(languages))
      if (values.length > 1) languages[language] = [...new Set(values)]
}

/** Settings for reading the values of a record. */
type Reading = {
  /** Languages of the record's catalogue, the default language first. */
  readonly languages: readonly string[]
  /** Time zone in which days begin and end; UTC when absent. */
  readonly zone?: string
  /** Finds the concept with an IRI. */
  readonly conceptAt?: (iri: string) => Concept | undefined
}

/** Adds the values that the columns find in an object. */
export function indexFields(
  document: IndexedFields,
  columns: FieldColumns,
  object: JsonObject,
  reading: Reading,
): void {
  for (const name in object) {
    const column = columns.get(name)
    const json = object[name]
    if (column === undefined || json === undefined) continue
    collectTexts(document, column, json, reading)
    if (column.sortable) collectOrder(document.order, column, json, reading.languages)
    addColumn(document, column, json, reading.zone)
    if (column.children.size === 0) continue
    for (const each of elementsOf(json))
      if (isJsonObject(each)) indexFields(document, column.children, each, reading)
  }
}

function addColumn(
  document: IndexedFields,
  { path, rule, isRoot, sortable }: FieldColumn,
  json: Json,
  zone: string | undefined,
) {
  const kind = rule.column
  if (kind === 'boxes') {
    if (isRoot) document.boxes = [...document.boxes, ...boxesIn(json)].slice(0, maxAreas)
  } else if (kind === 'instant' || kind === 'period') {
    const spans = [
      ...(document.dates[path] ?? []),
      ...elementsOf(json).flatMap((value) => spanOf(value, zone)),
    ]
    if (spans.length > 0) document.dates[path] = atMostFour(spans, joinSpans)
  } else if (!sortable) return
  else if (kind === 'flag')
    document.flags[path] = json === true || (Array.isArray(json) && json.includes(true))
  else if (kind && isFiniteNumber(json)) document.numbers[path] = json
  else if (kind && isJsonObject(json))
    for (const [key, value] of Object.entries(json))
      if (isFiniteNumber(value)) document.numbers[`${path}.${key}`] = value
}

const isFiniteNumber = (json: unknown): json is number =>
  typeof json === 'number' && Number.isFinite(json)

/** Maximum number of spans or boxes of one field. */
const maxAreas = 4

/** Keeps at most four; the rest is joined into the fourth. */
const atMostFour = <T>(values: readonly T[], join: (others: readonly T[]) => T): readonly T[] =>
  values.length <= maxAreas
    ? values
    : [...values.slice(0, maxAreas - 1), join(values.slice(maxAreas - 1))]

// Instants and periods of a document as epoch milliseconds.

/** First and last instant. */
type Span = readonly [number, number]

/** Smallest and largest time of ECMAScript, used for an open side. */
const unboundedSpan: Span = [-8.64e15, 8.64e15]

const joinSpans = (spans: readonly Span[]): Span => [
  Math.min(...spans.map(([start]) => start)),
  Math.max(...spans.map(([, end]) => end)),
]

/** Returns the span of a date or period, none for another text; a year, month or day covers its whole duration at both ends. */
function spanOf(value: Json, zone: string | undefined): readonly Span[] {
  const rangeOf = (json: Json | undefined) =>
    typeof json === 'string' ? timeRangeOf(json, zone) : undefined
  if (!isJsonObject(value)) {
    const span = rangeOf(value)
    return span ? [[span.from, span.to]] : []
  }
  const { gte, lte } = precisePeriod(value)
  return [[rangeOf(gte)?.from ?? unboundedSpan[0], rangeOf(lte)?.to ?? unboundedSpan[1]]]
}

// Bounding boxes of GeoJSON geometries for the index.

const joinBoxes = (boxes: readonly Box[]): Box =>
  boundsOf(
    boxes.flatMap(([west, south, east, north]) => [
      [west, south],
      [east, north],
    ]),
  )

/** Returns the boxes of GeoJSON geometries, at most four. */
export const boxesIn = (json: Json): readonly Box[] =>
  atMostFour(elementsOf(json).flatMap(boxesOf), joinBoxes)

// Texts of a document by field and language, and the texts for sorting.

/** Adds a text to a field. */
export function addText(
  document: IndexedFields,
  field: string,
  language: string,
  text: string,
): void {
  ;((document.text[field] ??= {})[language] ??= []).push(text)
}

/** Returns the value of a key; '' = the holder itself. */
const valueAt = (holder: Json | undefined, key: string): Json | undefined =>
  key === '' ? holder : isJsonObject(holder) ? holder[key] : undefined

/** Language of a text that is no language map; `concept` is the one that its holder names. */
function languageOf(
  rule: TextLanguage,
  holder: Json,
  language: string,
  concept: Concept | undefined,
): string {
  if (rule === 'none' || (rule === 'code' && concept)) return otherBucket
  if (rule === 'en') return 'en'
  const ownLanguage = rule === 'own' ? valueAt(holder, 'language') : agentLanguage(holder)
  return typeof ownLanguage === 'string' ? ownLanguage : language
}

/** Adds the texts of a value to the column, and the other labels of concepts. */
function collectTexts(
  document: IndexedFields,
  { path, rule: { text } }: FieldColumn,
  json: Json,
  { languages: [language = 'en'], conceptAt }: Reading,
) {
  if (!text) return
  const isConcept = text.isConcept || text.language === 'code'
  for (const holder of elementsOf(json)) {
    const iri = isConcept ? valueAt(holder, 'resource') : undefined
    const concept = typeof iri === 'string' ? conceptAt?.(iri) : undefined
    if (text.isConcept && concept) addOtherLabels(document, path, concept, text.language)
    const translated = text.translated && valueAt(holder, text.translated)
    const inLanguages = isJsonObject(translated) ? translated : {}
    const all = text.keys.map((key) => valueAt(holder, key))
    for (const value of [inLanguages, ...all])
      if (isJsonObject(value))
        for (const tag in value) addText(document, path, tag, valueText(value[tag] ?? ''))
      else if (value !== undefined && !Object.values(inLanguages).includes(value)) {
        const valueLanguage = languageOf(text.language, holder, language, concept)
        addText(document, path, valueLanguage, valueText(value))
      }
  }
}

/** Adds the alternative and hidden labels of a concept; English ones alone where its label is in English. */
export function addOtherLabels(
  document: IndexedFields,
  field: string,
  { altLabel, hiddenLabel = {} }: Concept,
  language: TextLanguage,
): void {
  for (const labels of [altLabel, hiddenLabel])
    for (const tag in labels)
      if (language !== 'en' || tag === 'en')
        for (const label of labels[tag] ?? []) addText(document, field, tag, label)
}

/** Maximum number of code points of a text for sorting. */
const maxSortLength = 100
const orderText = (json: Json | undefined, language: string) =>
  sortText(cutCodePoints(valueText(json ?? ''), maxSortLength), language)

/** Adds the sort texts of a value: the first of several; for a language map one per language and a main one. */
function collectOrder(
  order: Record<string, string>,
  { path, rule }: FieldColumn,
  json: Json,
  languages: readonly string[],
): void {
  const [holder] = elementsOf(json)
  for (const key of rule.order ?? []) {
    const name = key === '' ? path : `${path}.${key}`
    const value = valueAt(holder, key)
    if (value === undefined) continue
    if (!isJsonObject(value)) {
      order[name] = orderText(value, languages[0] ?? 'en')
      continue
    }
    for (const tag in value) order[`${name}.${tag}`] = orderText(value[tag], tag)
    // Language for sorting when the request names none.
    const mainLanguage = [...languages, 'en', ...Object.keys(value)].find(
      (language) => language in value,
    )
    if (mainLanguage !== undefined) order[name] = orderText(value[mainLanguage], mainLanguage)
  }
}
