/**
 * A record as a document of Meilisearch: tokens to match, pairs of neighbours for phrases, values as written to rank by, codes of
 * facet values, numbers to filter and sort by, and the record itself as JSON text.
 */

import { bucketOf, otherBucket } from '../../text/language.ts'
import { stems } from '../../text/stems.ts'
import { tokenOf, words } from '../../text/tokens.ts'
import { idField } from '../field-reach.ts'
import type { IndexSettings } from '../index-settings.ts'
import type { Document } from '../search-index.ts'
import {
  attributes,
  boxOf,
  codesOf,
  dateOrderOf,
  facetCode,
  hasPairs,
  keyOf,
  numberOf,
  ordered,
  orderOf,
  pairCode,
  pairsOf,
  periodOf,
  places,
  sentinel,
  textsOf,
  tokensOf,
} from './attributes.ts'

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

/** Tokens per field that are indexed; a longer text is found by its beginning. */
const longestText = 20_000

type TextRules = {
  /** Names of the text fields. */
  readonly fields: ReadonlySet<string>
  readonly languages: readonly string[]
  readonly words: Words
  readonly learn: Learn
}

type Found = { readonly tokens: Set<string>; readonly pairs: Set<string> }

/** Attribute → value, only where there is some. */
function textAttributes(document: Document, rules: TextRules): Record<string, unknown> {
  const into: Record<string, unknown> = {}
  add(into, { field: idField, keys: { [otherBucket]: [document.id] } }, rules)
  for (const [field, keys] of Object.entries(document.text)) {
    if (field === idField || !rules.fields.has(field)) continue
    const values = add(into, { field, keys }, rules)
    if (values.size > 0) into[textsOf(field)] = Object.fromEntries(values)
  }
  return into
}

type Field = {
  readonly field: string
  readonly keys: Readonly<Record<string, readonly string[]>>
}

/** The values of a field by bucket. The limit is one of a field in all its languages. */
function add(
  into: Record<string, unknown>,
  { field, keys }: Field,
  rules: TextRules,
): Map<string, string[]> {
  const found = new Map<string, Found>()
  const texts = new Map<string, string[]>()
  let left = longestText
  for (const [key, values] of Object.entries(keys)) {
    const bucket = bucketOf(key, rules.languages)
    const { tokens, pairs } = found.get(bucket) ?? { tokens: new Set(), pairs: new Set() }
    for (const value of values) {
      const list = rules.words(bucket, value, rules.learn)
      const kept = list.length > left ? list.slice(0, left) : list
      left -= kept.length
      if (kept.length === 0) continue
      for (const token of kept) tokens.add(token)
      if (hasPairs(field)) addPairs(pairs, kept)
      const before = texts.get(bucket)
      if (before) before.push(value)
      else texts.set(bucket, [value])
    }
    if (tokens.size > 0) found.set(bucket, { tokens, pairs })
  }
  for (const [bucket, { tokens, pairs }] of found) {
    into[tokensOf(field, bucket)] = [...tokens]
    if (pairs.size > 0) into[pairsOf(field, bucket)] = [...pairs]
  }
  return texts
}

function addPairs(pairs: Set<string>, tokens: readonly string[]): void {
  for (const [i, token] of tokens.entries()) {
    const next = tokens[i + 1]
    if (next !== undefined) pairs.add(pairCode(token, next))
  }
}

/** The same object for the same word of a bucket, as long as it is remembered. */
export type Word = {
  readonly token: string
  readonly bucket: string
  readonly stems: readonly string[]
}

type Learn = (word: Word) => void

/** Turns texts into tokens, in their order; each is told to `learn`. */
export type Words = (bucket: string, text: string, learn: Learn) => string[]

const remembered = 500_000

/** Words come again and again: what was seen is remembered, in bounded memory. */
export function wordsSeen(): Words {
  const seen = new Map<string, Map<string, Word>>()
  let count = 0
  const seenIn = (bucket: string): Map<string, Word> => {
    if (count > remembered) {
      seen.clear()
      count = 0
    }
    const known = seen.get(bucket) ?? new Map<string, Word>()
    seen.set(bucket, known)
    return known
  }
  return (bucket, text, learn) => {
    const known = seenIn(bucket)
    const found: string[] = []
    for (const written of words(text)) {
      let word = known.get(written)
      if (!word) {
        word = { token: tokenOf(written), bucket, stems: stems(bucket, written) }
        known.set(written, word)
        count++
      }
      if (word.token === '') continue
      learn(word)
      found.push(word.token)
    }
    return found
  }
}
