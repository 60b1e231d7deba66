/**
 * Order of hits for Meilisearch: attributes to sort by, and weighted searches for words that order the documents of a match set by
 * relevance.
 */

import { idField, type SearchedField } from '../field-reach.ts'
import { fieldWeights, sortedText, sortKeysOf } from '../hit-order.ts'
import type { TextSettings } from '../index-settings.ts'
import type { Leaf } from '../query-tree.ts'
import type { EngineGeneration } from '../remote/generation.ts'
import type { OrderKey, SearchRequest } from '../search-index.ts'
import type { SearchedLeaf } from '../text-scores.ts'
import {
  attributes,
  dateSortAttribute,
  numberAttribute,
  sentinel,
  sortTextAttribute,
  textsAttribute,
} from './attributes.ts'
import { fieldsByBoost } from './stored-document.ts'

type OrderedIndex = Pick<EngineGeneration, 'settings' | 'languages'>

/** Attribute that an index is sorted by for a key; `undefined` if it cannot be sorted by it. */
export function sortAttributeOf(
  { name, direction }: OrderKey,
  { settings, languages }: OrderedIndex,
): string | undefined {
  if (settings.dates.includes(name)) return dateSortAttribute(name, direction)
  if (settings.numbers.includes(name) || settings.flags.includes(name)) return numberAttribute(name)
  const textOrder = sortedText(name, settings)
  if (!textOrder) return undefined
  const { field, language } = textOrder
  return sortTextAttribute(language !== undefined && languages.includes(language) ? name : field)
}

/** Sort keys of a request that all searched indices have. */
export const orderKeys = (
  request: Pick<SearchRequest, 'order' | 'tree'>,
  parts: readonly OrderedIndex[],
): readonly OrderKey[] =>
  sortKeysOf(
    request,
    (name) =>
      name === 'relevance' ||
      parts.every((part) => sortAttributeOf({ name, direction: 'asc' }, part) !== undefined),
  )

/**
 * Whether the first key is relevance. After other keys relevance is ignored, because Meilisearch cannot rank hits with equal sort
 * values.
 */
export const isRanked = (keys: readonly OrderKey[]): boolean => keys[0]?.name === 'relevance'

/**
 * Sort parameters of a request, without keys whose attribute differs between the indices. Equal hits are ordered by the name of
 * the index, then by id; after relevance the ranking rules of the indices do this.
 */
export function sortAttributes(
  keys: readonly OrderKey[],
  parts: readonly OrderedIndex[],
): readonly string[] {
  const sortedAttributes = keys.flatMap((key) => {
    const names = new Set(parts.map((part) => sortAttributeOf(key, part)))
    const [name] = names
    return name !== undefined && names.size === 1 ? [`${name}:${key.direction}`] : []
  })
  if (isRanked(keys)) return sortedAttributes
  return [...sortedAttributes, `${attributes.orderedIndex}:asc`, `${attributes.orderedId}:asc`]
}

/** Search that scores documents; scores are multiplied by its weight. */
export type Ranking = {
  readonly q: string
  /** Attributes to search; absent = all. */
  readonly attributes?: readonly string[]
  readonly weight: number
  /** Filter in place of that of the query. */
  readonly filter?: string
}

/** Index with the fields that the request searches. */
type RankedIndex = {
  readonly settings: TextSettings
  readonly fields: readonly SearchedField[]
  /** Filter for the documents of the match set that have all of some leaves. */
  readonly filterOf: (leaves: readonly Leaf[]) => string | undefined
}

/** Weights of a request by field, or field and language. */
type Boosts = Readonly<Record<string, number>>

/** Most words that rank, the rarest; of these so many are also searched in pairs. */
const [maxWords, pairedWords] = [6, 3]
/** Weight that is too small to change the order of documents with a ranking word. */
const leastWeight = 1e-9

/**
 * Search that finds every document, so that those without a ranking word remain hits. Scores of a search without words could not be
 * compared with others.
 */
const unrankedSearch: Ranking = {
  q: sentinel,
  attributes: [attributes.sentinel],
  weight: leastWeight,
}

/** Token of a word, or tokens of a phrase. */
type Word = readonly string[]

/** Text by which Meilisearch finds a leaf, and the weight of the leaf. */
export type RankedWord = { readonly word: Word; readonly leaf: Leaf; readonly rarity: number }

/**
 * Ranking searches for each index. Together they find all documents of the match set, so that totals and pages are right. `words` are
 * the rarest first. Empty for all indices if no word ranks.
 */
export function rankingsOf(
  words: readonly RankedWord[],
  boosts: Boosts,
  indices: readonly RankedIndex[],
): readonly (readonly Ranking[])[] {
  const isScored = words.length > 0 && indices.some(({ fields }) => textFields(fields).length > 0)
  if (!isScored) return indices.map(() => [])
  const isSimple = indices.every((rankedIndex) => isOrderedByWeight(boosts, rankedIndex))
  return indices.map((rankedIndex) =>
    isSimple
      ? searchesByWord(words.slice(0, maxWords), boosts, rankedIndex)
      : [...searchesByWeight(words, boosts, rankedIndex), unrankedSearch],
  )
}

const textFields = (places: readonly SearchedField[]) =>
  places.filter(({ field }) => field !== idField)

/**
 * Whether the weights of a request decrease in the order of the searchable attributes, so that the ranking of Meilisearch is the
 * requested one.
 */
function isOrderedByWeight(boosts: Boosts, { settings, fields }: RankedIndex): boolean {
  const searchedAttributes = new Set(textFields(fields).map(({ field }) => field))
  const weights = fieldsByBoost(settings)
    .filter((field) => searchedAttributes.has(field))
    .map(fieldWeights(boosts, settings))
  return weights.every((weight, i) => weight <= (weights[i - 1] ?? Infinity))
}

/**
 * Searches over all fields: one for each word and one for each pair of the rarest words, each among the documents that have them in any
 * form. Of the searches that find a document the one with the greatest weight decides, so that documents with several or
 * rare words come first: a single search with many words would only find those that have the first word. The sentinel as a phrase is
 * the only required part, because other forms are not in the text of the search; phrases are searched as words.
 */
function searchesByWord(
  words: readonly RankedWord[],
  boosts: Boosts,
  { settings, fields, filterOf }: RankedIndex,
): readonly Ranking[] {
  const weightOf = fieldWeights(boosts, settings)
  const weightedFields = textFields(fields).filter(({ field }) => weightOf(field) > 0)
  const fieldCount = settings.texts.filter(({ name }) => name !== idField).length
  const isAll = weightedFields.filter(({ bucket }) => bucket === undefined).length === fieldCount
  const searched = isAll ? undefined : [attributes.sentinel, ...namesOf(weightedFields)]
  const searchOf = (some: readonly RankedWord[]): Ranking => ({
    q: [`"${sentinel}"`, ...new Set(some.flatMap(({ word }) => word))].join(' '),
    attributes: searched,
    weight: some.reduce((sum, { rarity }) => sum + rarity, 0),
    filter: filterOf(some.map(({ leaf }) => leaf)),
  })
  if (words.length === 1) return [{ ...searchOf(words), weight: 1, filter: undefined }]
  const paired = words.slice(0, pairedWords)
  const pairs = paired.flatMap((word, i) => paired.slice(i + 1).map((other) => [word, other]))
  return [...[...pairs, ...words.map((word) => [word])].map(searchOf), unrankedSearch]
}

/** Searches for each group of fields with equal weight. */
function searchesByWeight(
  words: readonly RankedWord[],
  boosts: Boosts,
  { settings, fields }: RankedIndex,
): readonly Ranking[] {
  const quotedWord = ({ word }: RankedWord) =>
    word.length > 1 ? `"${word.join(' ')}"` : word.join('')
  const q = words.slice(0, maxWords).map(quotedWord).join(' ')
  const weightOf = fieldWeights(boosts, settings)
  const byWeight = Map.groupBy(textFields(fields), ({ field }) => weightOf(field))
  return [...byWeight].map(([weight, group]) => ({ q, attributes: namesOf(group), weight }))
}

const namesOf = (places: readonly SearchedField[]): readonly string[] =>
  places.map(({ field, bucket = '*' }) => `${textsAttribute(field)}.${bucket}`)

/**
 * Text by which Meilisearch finds a leaf: the word, in the form that the index has, or the phrase; `undefined` for patterns and unknown
 * words. A word is searched as typed, because Meilisearch folds accents itself, but not all letters as we do (`ß`).
 */
export function wordOf(leaf: Leaf, { phrases }: SearchedLeaf): Word | undefined {
  if (leaf.kind === 'wild') return undefined
  if (leaf.kind !== 'term') return 'token' in leaf ? [leaf.token] : leaf.tokens
  const first = phrases.find(({ share }) => share > 0)?.tokens
  const isTyped = first?.length === 1 && first[0] === leaf.token
  return isTyped ? [leaf.typed ?? leaf.token] : first
}
