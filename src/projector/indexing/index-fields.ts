/** Turns the JSON of a record into what an index stores of it beside the JSON. */

import type { Document } from '../../search-index/search-index.ts'
import { isObject, listOf, type Json, type JsonObject } from '../mappings/json.ts'
import { boxesIn } from './boxes.ts'
import type { Column, Columns } from './columns.ts'
import { atMostFour, spansIn } from './instants.ts'
import { collectOrder, collectTexts, type Texts } from './texts.ts'

/** The parts of a document that are being filled. */
export type Indexed = {
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

function addNumbers(into: Indexed, column: Column, json: Json) {
  if (typeof json === 'number') into.numbers[column.path] = json
  else if (isObject(json))
    for (const [key, value] of Object.entries(json))
      if (typeof value === 'number') into.numbers[`${column.path}.${key}`] = value
}

const isSome = (json: Json) => Array.isArray(json) && json.includes(true)

function addColumn(into: Indexed, column: Column, json: Json) {
  const kind = column.rule.column
  if (kind === undefined) return
  if (kind === 'boxes') {
    if (column.isRoot) into.boxes = [...into.boxes, ...boxesIn(json)].slice(0, 4)
  } else if (kind === 'instant' || kind === 'period') {
    const known = into.dates[column.path] ?? []
    const spans = atMostFour([...known, ...spansIn(json, kind)])
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
  columns: Columns,
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
    for (const each of listOf(json))
      if (isObject(each)) indexFields(into, column.children, each, languages)
  }
}
