/** The settings of our indices, as Meilisearch writes them. */

import { otherBucket } from '../../text/language.ts'
import type { IndexSettings } from '../index-settings.ts'
import { attributes, dateOrderOf, numberOf, orderOf, sentinel, textsOf } from './attributes.ts'

export type EngineSettings = Readonly<Record<string, unknown>>

/** Facet values per facet of one answer: twice the usual size, so that ties can be put in order. */
const facetValues = 100

/** Fields in the order in which the engine prefers them by itself: those that weigh most come first. */
export const searchedFields = ({ texts }: Pick<IndexSettings, 'texts'>): readonly string[] =>
  texts.toSorted((a, b) => b.boost - a.boost).map(({ name }) => name)

const features = (comparison: boolean) => ({
  facetSearch: false,
  filter: { equality: true, comparison },
})

const equal = (...attributePatterns: string[]) => ({ attributePatterns, features: features(false) })
const compared = (...attributePatterns: string[]) => ({
  attributePatterns,
  features: features(true),
})

/**
 * Of an index of records. `mark` is an attribute that no document has: it names the generation, and goes with it when two
 * indices are swapped.
 */
export function recordSettings(
  settings: IndexSettings,
  languages: readonly string[],
  mark: string,
): EngineSettings {
  const { key, id, number, version, hash, record, orderedId, orderedIndex } = attributes
  return {
    displayedAttributes: [key, id, number, version, hash, record, mark],
    searchableAttributes: [attributes.sentinel, ...searchedFields(settings).map(textsOf)],
    filterableAttributes: [equal('_f.*', '_g.*', '_k.*', key), compared(number, '_n.*', orderedId)],
    // In the order that the server answers them in.
    sortableAttributes: sortable(settings, languages).toSorted(),
    rankingRules: [
      'words',
      'typo',
      'proximity',
      'attribute',
      'sort',
      'exactness',
      `${orderedIndex}:asc`,
      `${orderedId}:asc`,
    ],
    ...common,
    faceting: { maxValuesPerFacet: facetValues, sortFacetValuesBy: { '*': 'count' } },
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
  const seed: Record<string, unknown> = {}
  for (const name of sortable(settings, languages))
    seed[name] = name.startsWith('_o.') ? sentinel : 0
  const buckets = [...languages, otherBucket].map((bucket) => [bucket, [sentinel]])
  for (const { name } of settings.texts) seed[textsOf(name)] = Object.fromEntries(buckets)
  seed[attributes.sentinel] = sentinel
  return seed
}

/** Of a dictionary: nothing to search in, some attributes to filter by. */
export const dictionarySettings = (filterable: readonly string[]): EngineSettings => ({
  searchableAttributes: ['_none'],
  filterableAttributes: filterable.length > 0 ? [equal(...filterable)] : [],
  ...common,
})

const common = {
  typoTolerance: { enabled: false },
  prefixSearch: 'disabled',
  proximityPrecision: 'byAttribute',
  pagination: { maxTotalHits: 1_000_000_000 },
  searchCutoffMs: 60_000,
}
