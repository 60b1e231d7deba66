/**
 * Document of a record in Meilisearch, and the settings of its index. A document has tokens to match, pairs of adjacent tokens for
 * phrases, original texts for ranking, codes of facet values, numbers to filter and sort by, and the record as JSON text.
 */

import { idField } from '../field-reach.ts'
import type { IndexSettings, TextSettings } from '../index-settings.ts'
import type { FacetEntry } from '../remote/facet-titles.ts'
import { indexedValues } from '../remote/indexed-texts.ts'
import { facetCode } from '../remote/names.ts'
import type { IndexedWord } from '../remote/term-rows.ts'
import type { Document } from '../search-index.ts'
import { otherBucket } from '../../text/language.ts'
import {
  attributes,
  boxAttributes,
  dateSortAttribute,
  documentKey,
  everyField,
  facetAttribute,
  hasPairs,
  numberAttribute,
  pairCode,
  pairsAttribute,
  periodAttributes,
  sentinel,
  slots,
  sortableText,
  sortTextAttribute,
  textsAttribute,
  tokenInBucket,
  tokensAttribute,
} from './attributes.ts'

/** Settings of an index of Meilisearch, as in its API. */
export type EngineSettings = Readonly<Record<string, unknown>>

/** Values of a facet in one answer of the server: twice the usual size, so that values with equal counts can be sorted. */
export const facetValuesPerAnswer = 100

/** Text fields in descending order of their weights, the order in which Meilisearch prefers searchable attributes. */
export const fieldsByBoost = ({ texts }: TextSettings): readonly string[] =>
  texts.toSorted((a, b) => b.boost - a.boost).map(({ name }) => name)

const filterable = (comparison: boolean, ...attributePatterns: string[]) => ({
  attributePatterns,
  features: { facetSearch: false, filter: { equality: true, comparison } },
})

const commonSettings = {
  typoTolerance: { enabled: false },
  prefixSearch: 'disabled',
  proximityPrecision: 'byAttribute',
  pagination: { maxTotalHits: 1_000_000_000 },
  searchCutoffMs: 60_000,
}

/** Settings of an index of records. `note` is text that is stored as the name of an attribute that no document has. */
export function recordSettings(
  settings: IndexSettings,
  languages: readonly string[],
  note: string,
): EngineSettings {
  const { key, id, number, version, hash, record, orderedId, orderedIndex } = attributes
  const rules = ['words', 'typo', 'proximity', 'attribute', 'sort', 'exactness']
  return {
    displayedAttributes: [key, id, number, version, hash, record, note],
    searchableAttributes: [attributes.sentinel, ...fieldsByBoost(settings).map(textsAttribute)],
    filterableAttributes: [
      filterable(false, '_f.*', '_g.*', '_k.*', key),
      filterable(true, number, '_n.*', orderedId),
    ],
    // Sorted as the server returns them, so that they can be compared.
    sortableAttributes: sortable(settings, languages).toSorted(),
    rankingRules: [...rules, `${orderedIndex}:asc`, `${orderedId}:asc`],
    ...commonSettings,
    faceting: { maxValuesPerFacet: facetValuesPerAnswer, sortFacetValuesBy: { '*': 'count' } },
  }
}

const sortable = (settings: IndexSettings, languages: readonly string[]): string[] => [
  attributes.number,
  attributes.version,
  attributes.orderedId,
  attributes.orderedIndex,
  ...settings.dates.flatMap((name) => [
    dateSortAttribute(name, 'asc'),
    dateSortAttribute(name, 'desc'),
  ]),
  ...[...settings.numbers, ...settings.flags].map(numberAttribute),
  ...settings.orders.flatMap((name) => [
    sortTextAttribute(name),
    ...languages.map((language) => sortTextAttribute(`${name}.${language}`)),
  ]),
]

/**
 * Document with every attribute that a search may name: Meilisearch refuses to sort by or search in an attribute that no document has
 * had.
 */
export function seedOf(settings: IndexSettings, languages: readonly string[]): EngineSettings {
  const seed: Record<string, unknown> = { [attributes.sentinel]: sentinel }
  for (const name of sortable(settings, languages))
    seed[name] = name.startsWith('_o.') ? sentinel : 0
  const buckets = [...languages, otherBucket].map((bucket) => [bucket, [sentinel]])
  for (const { name } of settings.texts) seed[textsAttribute(name)] = Object.fromEntries(buckets)
  return seed
}

/** Settings of a dictionary, which is only filtered, by these attributes. */
export const dictionarySettings = (...attributes: string[]): EngineSettings => ({
  searchableAttributes: ['_none'],
  filterableAttributes: [filterable(false, ...attributes)],
  ...commonSettings,
})

/** Settings for the documents of one index, and callbacks for the dictionary entries that must be written before them. */
export type Layout = {
  readonly settings: IndexSettings
  readonly languages: readonly string[]
  readonly onWord: (word: IndexedWord) => void
  readonly onFacetValue: (code: string, value: FacetEntry) => void
}

type Attributes = Record<string, unknown>

/** Makes the document of a record, without its number and version. */
export function engineDocument(document: Document, layout: Layout): Attributes {
  const { id, index, hash, text } = document
  const { settings } = layout
  const target: Attributes = {
    [attributes.key]: documentKey(id),
    [attributes.id]: id,
    [attributes.hash]: hash,
    [attributes.sentinel]: sentinel,
    [attributes.orderedId]: sortableText(id),
    [attributes.orderedIndex]: sortableText(index),
  }
  const allTokens = new Set(addText(target, idField, { [otherBucket]: [id] }, layout))
  for (const { name } of settings.texts)
    if (name !== idField && text[name])
      for (const token of addText(target, name, text[name], layout)) allTokens.add(token)
  if (allTokens.size > 0) target[tokensAttribute(everyField)] = [...allTokens]
  addFacets(target, document, layout)
  addNumbers(target, document, settings)
  addOrders(target, document, layout)
  target[attributes.record] = JSON.stringify(document.record)
  return target
}

/** Adds the attributes of a field and returns its tokens. */
function addText(
  target: Attributes,
  field: string,
  texts: Document['text'][string],
  { languages, onWord }: Layout,
): ReadonlySet<string> {
  const [tokens, pairs] = [new Set<string>(), new Set<string>()]
  const indexed: Record<string, string[]> = {}
  for (const { bucket, value, words } of indexedValues(texts, languages)) {
    ;(indexed[bucket] ??= []).push(value)
    for (const [i, word] of words.entries()) {
      const { token } = word
      onWord(word)
      tokens.add(token).add(tokenInBucket(bucket, token))
      const next = hasPairs(field) && words[i + 1]
      if (next) pairs.add(pairCode(bucket, token, next.token))
    }
  }
  if (tokens.size > 0) target[tokensAttribute(field)] = [...tokens]
  if (pairs.size > 0) target[pairsAttribute(field)] = [...pairs]
  if (tokens.size > 0 && field !== idField) target[textsAttribute(field)] = indexed
  return tokens
}

function addFacets(target: Attributes, { facets }: Document, layout: Layout): void {
  for (const { id: facet } of layout.settings.facets) {
    const codes = new Set<string>()
    for (const { id: value, title } of facets[facet] ?? []) {
      const code = facetCode(facet, value)
      codes.add(code)
      layout.onFacetValue(code, { facet, value, title })
    }
    if (codes.size > 0) target[facetAttribute(facet)] = [...codes]
  }
}

function addNumbers(target: Attributes, document: Document, settings: IndexSettings): void {
  for (const name of settings.numbers) {
    const value = document.numbers[name]
    if (value !== undefined && Number.isFinite(value)) target[numberAttribute(name)] = value
  }
  for (const name of settings.flags) {
    const value = document.flags[name]
    if (value !== undefined) target[numberAttribute(name)] = value ? 1 : 0
  }
  for (const name of settings.dates) {
    const periods = document.dates[name] ?? []
    if (periods.length === 0) continue
    for (const [place, [start, end]] of periods.slice(0, slots.length).entries()) {
      const { from, to } = periodAttributes(name, place)
      Object.assign(target, { [from]: start, [to]: end })
    }
    target[dateSortAttribute(name, 'asc')] = Math.min(...periods.map(([from]) => from))
    target[dateSortAttribute(name, 'desc')] = Math.max(...periods.map(([, to]) => to))
  }
  for (const [place, box] of (settings.boxes ? document.boxes : []).entries())
    if (place < slots.length)
      for (const [i, side] of boxAttributes(place).entries()) target[side] = box[i]
}

/** Adds the sort texts of each sortable field: one for each configured language, or that of the main language in its place. */
function addOrders(target: Attributes, { order }: Document, { settings, languages }: Layout): void {
  for (const name of settings.orders) {
    const defaultText = order[name]
    if (defaultText !== undefined) target[sortTextAttribute(name)] = sortableText(defaultText)
    for (const language of languages) {
      const text = order[`${name}.${language}`] ?? defaultText
      if (text !== undefined) target[sortTextAttribute(`${name}.${language}`)] = sortableText(text)
    }
  }
}
