/** Turns the JSON of a record into what an index stores of it beside the JSON. */

import type { Box, Document } from '../../search-index/search-index.ts'
import { cutCodePoints } from '../../text/code-points.ts'
import { fold } from '../../text/fold.ts'
import { boundsOf, positionsOf } from '../../vocabularies/geometry.ts'
import { elementsOf, plainText } from '../mappings/mapping.ts'
import { isJsonObject, type Json, type JsonObject } from '../../text/json.ts'
import { endsExactly } from '../mappings/values.ts'
import type { TextLanguage } from '../mappings/classes.ts'
import type { FieldColumn, FieldColumns } from './columns.ts'

/** The parts of a document that are being filled. */
type Indexed = {
  readonly text: Texts
  readonly dates: Record<string, Document['dates'][string]>
  readonly numbers: Record<string, number>
  readonly flags: Record<string, boolean>
  boxes: Document['boxes']
  readonly order: Record<string, string>
}

export const nothingIndexed = (): Indexed => ({
  text: {},
  dates: {},
  numbers: {},
  flags: {},
  boxes: [],
  order: {},
})

function addNumbers(into: Indexed, column: FieldColumn, json: Json) {
  if (typeof json === 'number') into.numbers[column.path] = json
  else if (isJsonObject(json))
    for (const [key, value] of Object.entries(json))
      if (typeof value === 'number') into.numbers[`${column.path}.${key}`] = value
}

const isSome = (json: Json) => Array.isArray(json) && json.includes(true)

function addColumn(into: Indexed, column: FieldColumn, json: Json) {
  const kind = column.rule.column
  if (kind === undefined) return
  if (kind === 'boxes') {
    if (column.isRoot) into.boxes = [...into.boxes, ...boxesIn(json)].slice(0, mostAreas)
  } else if (kind === 'instant' || kind === 'period') {
    const known = into.dates[column.path] ?? []
    const found = elementsOf(json).flatMap((value) => spanOf(value, kind))
    const spans = atMostFour([...known, ...found], joined)
    if (spans.length > 0) into.dates[column.path] = spans
  } else if (!column.sortable) return
  else if (kind === 'number' || kind === 'numbers') addNumbers(into, column, json)
  else into.flags[column.path] = json === true || isSome(json)
}

/** Languages of the record's catalogue, the default language first. */
type Languages = readonly string[]

/** Adds everything that the columns find in an object. */
export function indexFields(
  into: Indexed,
  columns: FieldColumns,
  object: JsonObject,
  languages: Languages,
): void {
  for (const name in object) {
    const column = columns.get(name)
    const json = object[name]
    if (column === undefined || json === undefined) continue
    collectTexts(into.text, column, json, languages[0] ?? 'en')
    if (column.sortable && column.rule.order) collectOrder(into.order, column, json, languages)
    addColumn(into, column, json)
    if (column.children.size === 0) continue
    for (const each of elementsOf(json))
      if (isJsonObject(each)) indexFields(into, column.children, each, languages)
  }
}

/** Spans and boxes of one field. */
const mostAreas = 4

/** At most four; what is more is joined into the fourth. */
const atMostFour = <T>(all: readonly T[], join: (rest: readonly T[]) => T): readonly T[] =>
  all.length <= mostAreas ? all : [...all.slice(0, mostAreas - 1), join(all.slice(mostAreas - 1))]

// Instants and periods of a document as epoch milliseconds.

type Span = readonly [number, number]

/** The ends of time in ECMAScript; they stand for an open side. */
const always: Span = [-8.64e15, 8.64e15]
const day = 86_400_000

const joined = (spans: readonly Span[]): Span => [
  Math.min(...spans.map(([start]) => start)),
  Math.max(...spans.map(([, end]) => end)),
]

/** An end that is a mere date counts to the end of its day. */
function endOf(period: JsonObject): number {
  const text = period['lte']
  if (typeof text !== 'string') return always[1]
  const at = Date.parse(text)
  return text.endsWith('T00:00:00Z') && !endsExactly(period) ? at + day - 1 : at
}

/** The span that an instant or a period stands for. */
function spanOf(value: Json, column: 'instant' | 'period'): readonly Span[] {
  if (column === 'instant') {
    const at = typeof value === 'string' ? Date.parse(value) : Number.NaN
    return Number.isNaN(at) ? [] : [[at, at]]
  }
  if (!isJsonObject(value)) return []
  const { gte } = value
  return [[typeof gte === 'string' ? Date.parse(gte) : always[0], endOf(value)]]
}

// Bounding boxes of GeoJSON geometries for the index.

/** A box over the date line was written as two polygons that meet there. */
function boxesOf(geometry: Json): readonly Box[] {
  const parts =
    isJsonObject(geometry) && geometry['type'] === 'MultiPolygon' && geometry['coordinates']
  if (Array.isArray(parts) && parts.length === 2) {
    const boxes = parts.map((part: Json) => boundsOf(positionsOf(part)))
    const meets = boxes.some(([, , east]) => east === 180) && boxes.some(([west]) => west === -180)
    if (meets) return boxes
  }
  return [boundsOf(positionsOf(geometry))]
}

const around = (boxes: readonly Box[]): Box =>
  boundsOf(
    boxes.flatMap(([west, south, east, north]) => [
      [west, south],
      [east, north],
    ]),
  )

/** At most four boxes. */
export const boxesIn = (json: Json): readonly Box[] =>
  atMostFour(elementsOf(json).flatMap(boxesOf), around)

// Texts of a document by field and language, and the texts it is sorted by.

/** Field → language → texts, while they are being collected. */
type Texts = Record<string, Record<string, string[]>>

/** Stands for the language of texts that have none, such as identifiers. */
export const noLanguage = 'x'

export function addText(texts: Texts, field: string, language: string, text: string): void {
  const languages = (texts[field] ??= {})
  const values = (languages[language] ??= [])
  if (!values.includes(text)) values.push(text)
}

/** The value of a key; '' = the holder itself. */
const valueAt = (holder: Json, key: string): Json | undefined =>
  key === '' ? holder : isJsonObject(holder) ? holder[key] : undefined

function languageOf(rule: TextLanguage, holder: Json, language: string): string {
  if (rule === 'none') return noLanguage
  if (rule === 'en') return 'en'
  const own = rule === 'own' && isJsonObject(holder) ? holder['language'] : undefined
  return typeof own === 'string' ? own : language
}

/** Adds what a value of the column says; `language` is the record's default language. */
function collectTexts(texts: Texts, column: FieldColumn, json: Json, language: string): void {
  const { text } = column.rule
  if (!text) return
  for (const holder of elementsOf(json)) {
    for (const key of text.keys) {
      const value = valueAt(holder, key)
      if (value === undefined) continue
      if (!isJsonObject(value))
        addText(texts, column.path, languageOf(text.language, holder, language), plainText(value))
      else for (const tag in value) addText(texts, column.path, tag, plainText(value[tag] ?? ''))
    }
  }
}

const longest = 100
const sortText = (text: string) => cutCodePoints(fold(text), longest)

/** The language in which a record is sorted when none is named. */
function mainLanguage(map: JsonObject, languages: readonly string[]): string | undefined {
  return languages.find((language) => language in map) ?? ('en' in map ? 'en' : Object.keys(map)[0])
}

/** Adds the sort texts of a value: the first of several; of a language map each language and the main one. */
function collectOrder(
  order: Record<string, string>,
  column: FieldColumn,
  json: Json,
  languages: readonly string[],
): void {
  const [holder] = elementsOf(json)
  if (holder === undefined) return
  for (const key of column.rule.order ?? []) {
    const name = key === '' ? column.path : `${column.path}.${key}`
    const value = valueAt(holder, key)
    if (value === undefined) continue
    if (!isJsonObject(value)) {
      order[name] = sortText(plainText(value))
      continue
    }
    for (const tag in value) order[`${name}.${tag}`] = sortText(plainText(value[tag] ?? ''))
    const main = mainLanguage(value, languages)
    const text = main === undefined ? undefined : order[`${name}.${main}`]
    if (text !== undefined) order[name] = text
  }
}
