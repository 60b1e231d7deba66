/**
 * Order of hits for Meilisearch: attributes to sort by, and weighted searches for words that order the documents of a match set by
 * relevance.
 */

import type { SearchedField } from '../field-reach.ts'
import { idField } from '../field-reach.ts'
import { fieldWeights, sortKeysOf, sortedText } from '../hit-order.ts'
import type { TextSettings } from '../index-settings.ts'
import { type Leaf, type QueryTree, rankingLeaves } from '../query-tree.ts'
import type { OrderKey, SearchRequest } from '../search-index.ts'
import {
  attributes,
  dateSortAttribute,
  numberAttribute,
  sortTextAttribute,
  sentinel,
  textsAttribute,
} from './attributes.ts'
import type { EngineGeneration } from './engine-state.ts'
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
}

/** Index with the fields that the request searches. */
type RankedIndex = {
  readonly settings: TextSettings
  readonly fields: readonly SearchedField[]
}

/** Weights of a request by field, or field and language. */
type Boosts = Readonly<Record<string, number>>

/** Most words of a query that Meilisearch reads. */
const maxWords = 10
/** Most rotations, each of which is a search. */
const maxRotations = 4
/** Number of optional words up to which one search is enough, because the required words rank documents without the first optional ones. */
const maxExtraWords = 2
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

/**
 * Ranking searches for each index. Together they find all documents of the match set, so that totals and pages are right. Empty for all
 * indices if no word ranks.
 */
export function rankingsOf(
  words: Words,
  boosts: Boosts,
  indices: readonly RankedIndex[],
): readonly (readonly Ranking[])[] {
  const hasWords = words.required.length + words.optional.length > 0
  const isScored = hasWords && indices.some(({ fields }) => textFields(fields).length > 0)
  if (!isScored) return indices.map(() => [])
  const isSimple = indices.every((rankedIndex) => isOrderedByWeight(boosts, rankedIndex))
  return indices.map((rankedIndex) =>
    isSimple
      ? simpleSearches(words, boosts, rankedIndex)
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
 * Searches over all fields: one, or one for each rotation of the optional words. The sentinel as a phrase is the only required part, so
 * that documents with other forms of the words remain hits; phrases are therefore searched as words.
 */
function simpleSearches(
  { required, optional }: Words,
  boosts: Boosts,
  { settings, fields }: RankedIndex,
): readonly Ranking[] {
  const weightOf = fieldWeights(boosts, settings)
  const weightedFields = textFields(fields).filter(({ field }) => weightOf(field) > 0)
  const fieldCount = settings.texts.filter(({ name }) => name !== idField).length
  const isAll = weightedFields.filter(({ bucket }) => bucket === undefined).length === fieldCount
  const searched = isAll ? undefined : [attributes.sentinel, ...namesOf(weightedFields)]
  const isSingle = required.length > 0 && optional.length <= maxExtraWords
  const searches = (isSingle ? [optional] : rotationsOf(optional)).map((rotation) => {
    const tokens = new Set([...required, ...rotation].flat())
    return [`"${sentinel}"`, ...[...tokens].slice(0, maxWords - 1)].join(' ')
  })
  return [...new Set(searches)].map((q): Ranking => ({ q, attributes: searched, weight: 1 }))
}

/** Searches for each group of fields with equal weight, one for each rotation of the words. */
function searchesByWeight(
  { required, optional }: Words,
  boosts: Boosts,
  { settings, fields }: RankedIndex,
): readonly Ranking[] {
  const quotedWord = (word: Word) => (word.length > 1 ? `"${word.join(' ')}"` : word.join(''))
  const words = [...required, ...optional].slice(0, maxWords)
  const queries = rotationsOf(words).map((rotation) => rotation.map(quotedWord).join(' '))
  const weightOf = fieldWeights(boosts, settings)
  const byWeight = Map.groupBy(textFields(fields), ({ field }) => weightOf(field))
  return [...byWeight].flatMap(([weight, group]) =>
    queries.map((q): Ranking => ({ q, attributes: namesOf(group), weight })),
  )
}

/** Rotations of words, in which each of the first four words comes first once: Meilisearch drops words from the end. */
const rotationsOf = (words: readonly Word[]): readonly (readonly Word[])[] =>
  words.slice(0, maxRotations).map((_, i) => [...words.slice(i), ...words.slice(0, i)])

const namesOf = (places: readonly SearchedField[]): readonly string[] =>
  places.map(({ field, bucket = '*' }) => `${textsAttribute(field)}.${bucket}`)

/** Token of a word, or tokens of a phrase. */
type Word = readonly string[]

/** Distinct words and phrases of a query, without wildcards. */
type Words = {
  /** Words that every document of the match set has, in any form. */
  readonly required: readonly Word[]
  /** Words that a document of the match set may lack. */
  readonly optional: readonly Word[]
}

/** Words of a query that count for relevance. */
export function wordsOf(tree: QueryTree): Words {
  const required = wordsByText(requiredLeaves(tree))
  const optional = [...wordsByText(rankingLeaves(tree))].filter(([name]) => !required.has(name))
  return { required: [...required.values()], optional: optional.map(([, word]) => word) }
}

function requiredLeaves(tree: QueryTree): readonly Leaf[] {
  if (tree.kind === 'and') return tree.operands.flatMap(requiredLeaves)
  return tree.kind === 'or' ? [] : rankingLeaves(tree)
}

const wordsByText = (leaves: readonly Leaf[]): ReadonlyMap<string, Word> =>
  new Map(leaves.flatMap(wordOf).map((word) => [word.join(' '), word]))

function wordOf(leaf: Leaf): readonly Word[] {
  if (leaf.kind === 'wild') return []
  if (leaf.kind !== 'phrase') return [[leaf.token]]
  return leaf.tokens.length > 0 ? [leaf.tokens] : []
}
