/**
 * A record as a document of Meilisearch: tokens to match, pairs of neighbours for phrases, values as written to rank by, codes of
 * facet values, numbers to filter and sort by, and the record itself as JSON text. The settings of its index name the same
 * attributes.
 */

import { bucketOf, otherBucket } from '../../text/language.ts'
import { stems } from '../../text/stems.ts'
import { tokenOf, words } from '../../text/tokens.ts'
import { idField } from '../field-reach.ts'
import type { IndexSettings, TextSettings } from '../index-settings.ts'
import type { Document } from '../search-index.ts'
import {
  attributes,
  boxOf,
  codesOf,
  dateOrderOf,
  facetCode,
  hasPairs,
  inBucket,
  keyOf,
  numberOf,
  ordered,
  orderOf,
  pairCode,
  pairsOf,
  periodOf,
  places,
  sentinel,
  stemmed,
  textsOf,
  tokensOf,
} from './attributes.ts'

export type EngineSettings = Readonly<Record<string, unknown>>

/** Facet values per facet of one answer: twice the usual size, so that ties can be put in order. */
export const facetValuesPerAnswer = 100

/** Fields in the order in which the engine prefers them by itself: those that weigh most come first. */
export const searchedFields = ({ texts }: TextSettings): readonly string[] =>
  texts.toSorted((a, b) => b.boost - a.boost).map(({ name }) => name)

const filterable = (comparison: boolean, ...attributePatterns: string[]) => ({
  attributePatterns,
  features: { facetSearch: false, filter: { equality: true, comparison } },
})

const common = {
  typoTolerance: { enabled: false },
  prefixSearch: 'disabled',
  proximityPrecision: 'byAttribute',
  pagination: { maxTotalHits: 1_000_000_000 },
  searchCutoffMs: 60_000,
}

/** Settings of an index of records. `note` is an attribute that no document has: facts about the index are stored with its settings. */
export function recordSettings(
  settings: IndexSettings,
  languages: readonly string[],
  note: string,
): EngineSettings {
  const { key, id, number, version, hash, record, orderedId, orderedIndex } = attributes
  const rules = ['words', 'typo', 'proximity', 'attribute', 'sort', 'exactness']
  return {
    displayedAttributes: [key, id, number, version, hash, record, note],
    searchableAttributes: [attributes.sentinel, ...searchedFields(settings).map(textsOf)],
    filterableAttributes: [
      filterable(false, '_f.*', '_g.*', '_k.*', key),
      filterable(true, number, '_n.*', orderedId),
    ],
    // In the order in which the server lists them.
    sortableAttributes: sortable(settings, languages).toSorted(),
    rankingRules: [...rules, `${orderedIndex}:asc`, `${orderedId}:asc`],
    ...common,
    faceting: { maxValuesPerFacet: facetValuesPerAnswer, sortFacetValuesBy: { '*': 'count' } },
  }
}

const sortable = (settings: IndexSettings, languages: readonly string[]): string[] => [
  attributes.number,
  attributes.version,
  attributes.orderedId,
  attributes.orderedIndex,
  ...settings.dates.flatMap((name) => [dateOrderOf(name, 'asc'), dateOrderOf(name, 'desc')]),
  ...[...settings.numbers, ...settings.flags].map(numberOf),
  ...settings.orders.flatMap((name) => [
    orderOf(name),
    ...languages.map((language) => orderOf(`${name}.${language}`)),
  ]),
]

/**
 * A document with every attribute that a search may name: Meilisearch refuses to sort by one, or to search in one, that no
 * document ever had.
 */
export function seedOf(settings: IndexSettings, languages: readonly string[]): EngineSettings {
  const seed: Record<string, unknown> = { [attributes.sentinel]: sentinel }
  for (const name of sortable(settings, languages))
    seed[name] = name.startsWith('_o.') ? sentinel : 0
  const buckets = [...languages, otherBucket].map((bucket) => [bucket, [sentinel]])
  for (const { name } of settings.texts) seed[textsOf(name)] = Object.fromEntries(buckets)
  return seed
}

/** Settings of a dictionary: nothing to search in, one attribute to filter by. */
export const dictionarySettings = (attribute: string): EngineSettings => ({
  searchableAttributes: ['_none'],
  filterableAttributes: [filterable(false, attribute)],
  ...common,
})

/** Layout of the documents of one index, and the receiver of the dictionary entries that must be written before them. */
export type Layout = {
  readonly settings: IndexSettings
  readonly languages: readonly string[]
  readonly onToken: (token: string) => void
  readonly onFacetValue: (code: string, value: FacetEntry) => void
}

/** Title of a facet value. */
export type FacetEntry = { readonly facet: string; readonly value: string; readonly title: string }

type Attributes = Record<string, unknown>

/** All attributes but the number and the version. */
export function storedOf(document: Document, layout: Layout): Attributes {
  const { id, index, hash, text } = document
  const { settings } = layout
  const into: Attributes = {
    [attributes.key]: keyOf(id),
    [attributes.id]: id,
    [attributes.hash]: hash,
    [attributes.sentinel]: sentinel,
    [attributes.orderedId]: ordered(id),
    [attributes.orderedIndex]: ordered(index),
  }
  addText(into, idField, { [otherBucket]: [id] }, layout)
  for (const { name } of settings.texts)
    if (name !== idField && text[name]) addText(into, name, text[name], layout)
  addFacets(into, document, layout)
  addNumbers(into, document, settings)
  addOrders(into, document, layout)
  into[attributes.record] = JSON.stringify(document.record)
  return into
}

/** Tokens per field that are indexed, in all its languages together; a longer text is found by its beginning. */
const longestText = 20_000

function addText(
  into: Attributes,
  field: string,
  texts: Document['text'][string],
  { languages, onToken }: Layout,
): void {
  const [tokens, pairs] = [new Set<string>(), new Set<string>()]
  const indexed: Record<string, string[]> = {}
  let left = longestText
  for (const [key, values] of Object.entries(texts)) {
    const bucket = bucketOf(key, languages)
    for (const value of values) {
      const found = wordsIn(bucket, value).slice(0, left)
      left -= found.length
      if (found.length === 0) continue
      ;(indexed[bucket] ??= []).push(value)
      for (const [i, { token, stems }] of found.entries()) {
        onToken(token)
        tokens.add(token).add(inBucket(bucket, token))
        for (const stem of stems) tokens.add(stemmed(stem))
        const next = hasPairs(field) && found[i + 1]
        if (next) pairs.add(pairCode(bucket, token, next.token))
      }
    }
  }
  if (tokens.size > 0) into[tokensOf(field)] = [...tokens]
  if (pairs.size > 0) into[pairsOf(field)] = [...pairs]
  if (tokens.size > 0 && field !== idField) into[textsOf(field)] = indexed
}

function addFacets(into: Attributes, { facets }: Document, layout: Layout): void {
  for (const { id: facet } of layout.settings.facets) {
    const codes = new Set<string>()
    for (const { id: value, title } of facets[facet] ?? []) {
      const code = facetCode(facet, value)
      codes.add(code)
      layout.onFacetValue(code, { facet, value, title })
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
  for (const name of settings.dates) {
    const periods = document.dates[name] ?? []
    if (periods.length === 0) continue
    for (const [place, [start, end]] of periods.slice(0, places.length).entries()) {
      const { from, to } = periodOf(name, place)
      Object.assign(into, { [from]: start, [to]: end })
    }
    into[dateOrderOf(name, 'asc')] = Math.min(...periods.map(([from]) => from))
    into[dateOrderOf(name, 'desc')] = Math.max(...periods.map(([, to]) => to))
  }
  for (const [place, box] of (settings.boxes ? document.boxes : []).entries())
    if (place < places.length) for (const [i, side] of boxOf(place).entries()) into[side] = box[i]
}

/** A sortable text has one sort text per configured language, its own or that of the main language. */
function addOrders(into: Attributes, { order }: Document, { settings, languages }: Layout): void {
  for (const name of settings.orders) {
    const main = order[name]
    if (main !== undefined) into[orderOf(name)] = ordered(main)
    for (const language of languages) {
      const text = order[`${name}.${language}`] ?? main
      if (text !== undefined) into[orderOf(`${name}.${language}`)] = ordered(text)
    }
  }
}

/** The words of a text in a bucket that have a token, in their order. */
const wordsIn = (bucket: string, text: string) =>
  words(text).flatMap((written) => {
    const token = tokenOf(written)
    return token === '' ? [] : [{ token, stems: stems(bucket, written) }]
  })
