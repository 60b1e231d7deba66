/** A record as a document of Meilisearch. */

import type { Document } from '../../search-index.ts'
import type { IndexSettings } from '../../index-settings.ts'
import { facetCode } from './codes.ts'
import {
  attributes,
  boxOf,
  codesOf,
  dateOrderOf,
  numberOf,
  orderOf,
  periodOf,
  places,
  sentinel,
} from './names.ts'
import { keyOf, ordered } from './spelling.ts'
import { textAttributes } from './texts.ts'
import type { Learn, Words } from './words.ts'

/** How the documents of one index are made. */
export type Layout = {
  readonly settings: IndexSettings
  readonly languages: readonly string[]
  readonly words: Words
}

/** Told what the dictionaries must know before the document is written. */
export type Told = {
  readonly learn: Learn
  readonly value: (code: string, facet: string, value: string, title: string) => void
}

type Attributes = Record<string, unknown>

/** All attributes but the number and the version. */
export function storedOf(document: Document, layout: Layout, told: Told): Attributes {
  const { settings, languages, words } = layout
  const { id, index, hash } = document
  const fields = new Set(settings.texts.map(({ name }) => name))
  const into: Attributes = {
    [attributes.key]: keyOf(id),
    [attributes.id]: id,
    [attributes.hash]: hash,
    [attributes.sentinel]: sentinel,
    [attributes.orderedId]: ordered(id),
    [attributes.orderedIndex]: ordered(index),
    ...textAttributes(document, { fields, languages, words, learn: told.learn }),
  }
  addFacets(into, document, settings, told)
  addNumbers(into, document, settings)
  addOrders(into, document, { settings, languages })
  into[attributes.record] = JSON.stringify(document.record)
  return into
}

function addFacets(into: Attributes, document: Document, settings: IndexSettings, told: Told) {
  for (const { id: facet } of settings.facets) {
    const codes = new Set<string>()
    for (const { id, title } of document.facets[facet] ?? []) {
      const code = facetCode(facet, id)
      codes.add(code)
      told.value(code, facet, id, title)
    }
    if (codes.size > 0) into[codesOf(facet)] = [...codes]
  }
}

function addNumbers(into: Attributes, document: Document, settings: IndexSettings): void {
  for (const name of settings.numbers) {
    const value = document.numbers[name]
    if (value !== undefined && Number.isFinite(value)) into[numberOf(name)] = value
  }
  for (const name of settings.flags) {
    const value = document.flags[name]
    if (value !== undefined) into[numberOf(name)] = value ? 1 : 0
  }
  for (const name of settings.dates) addPeriods(into, name, document.dates[name] ?? [])
  if (!settings.boxes) return
  for (const place of places) {
    const box = document.boxes[place]
    if (!box) continue
    const { west, south, east, north } = boxOf(place)
    Object.assign(into, { [west]: box[0], [south]: box[1], [east]: box[2], [north]: box[3] })
  }
}

function addPeriods(
  into: Attributes,
  name: string,
  periods: readonly (readonly [number, number])[],
): void {
  if (periods.length === 0) return
  for (const place of places) {
    const period = periods[place]
    if (!period) continue
    const { from, to } = periodOf(name, place)
    into[from] = period[0]
    into[to] = period[1]
  }
  into[dateOrderOf(name, 'asc')] = Math.min(...periods.map(([from]) => from))
  into[dateOrderOf(name, 'desc')] = Math.max(...periods.map(([, to]) => to))
}

/** A sortable text has one sort text per configured language, its own or that of the main language. */
function addOrders(
  into: Attributes,
  { order }: Document,
  { settings, languages }: Pick<Layout, 'settings' | 'languages'>,
): void {
  for (const name of settings.orders) {
    const own = order[name]
    if (own !== undefined) into[orderOf(name)] = ordered(own)
    for (const language of languages) {
      const text = order[`${name}.${language}`] ?? own
      if (text !== undefined) into[orderOf(`${name}.${language}`)] = ordered(text)
    }
  }
}
