/**
 * Relevance of a record for a query for all engines: BM25 over the words of the query,
 * more for words that are adjacent in the record too, and more for a record with exactly this title (`reference/relevance.md` 2).
 */

import { stopWordsOf } from '../text/stop-words.ts'
import { rankingLeaves, type Leaf, type QueryTree } from './query-tree.ts'
import type { SearchRequest } from './search-index.ts'

/**
 * Constants of BM25: saturation by frequency, and influence of the length of a record, which is small because descriptions
 * differ in length for no reason of relevance.
 */
const [k1, b] = [0.9, 0.4]
/** Part of the score by which records with all words side by side are better than records with none. */
const neighbourWeight = 2

/**
 * Part of the rarity of all units that those of a record need, for it to have most of the words: a fifth, which one of five equal
 * ones is, however their sum is rounded.
 */
const leastPart = 0.2 - 1e-12

/** Field whose values are titles. */
export const titleField = 'title'

/** Weight of a unit (a ranking leaf) by the number of records and of those that have it. */
export const rarityOf = (records: number, withUnit: number): number =>
  Math.log(1 + Math.max(0, records - withUnit + 0.5) / (withUnit + 0.5))

/**
 * Score of a unit in a record. `frequency` is weighted by field; `length` is the number of words of the record as part of the
 * mean.
 */
export const unitScore = (rarity: number, frequency: number, length: number): number =>
  (rarity * frequency * (k1 + 1)) / (frequency + k1 * (1 - b + b * length))

/** Factor for `pairs` of neighbouring units that are adjacent in a record. */
export const neighbourFactor = (pairs: number, units: number): number =>
  units > 1 ? 1 + (neighbourWeight * pairs) / (units - 1) : 1

/**
 * Leaves of a query that rank (its units), in their order, repeated ones included: without stop words, unless there is nothing
 * else.
 */
export function rankingUnits(tree: QueryTree): readonly Leaf[] {
  const leaves = rankingLeaves(tree)
  const stopWords = stopWordsOf(leaves.flatMap(tokensOf))
  const units = leaves.filter((leaf) => !('token' in leaf) || !stopWords.has(leaf.token))
  return units.length > 0 ? units : leaves
}

const tokensOf = (leaf: Leaf): readonly string[] =>
  leaf.kind === 'term' || leaf.kind === 'exact' ? [leaf.token] : []

/** Tree that the hits of a request match. */
export const matchedTree = ({ tree, words }: Pick<SearchRequest, 'tree' | 'words'>): QueryTree =>
  words === 'all' ? { kind: 'and', operands: [tree, ...rankingUnits(tree)] } : tree

/** Rarity that the units of a record have at least if it has most of the words of a query, whose units have these rarities. */
export const rarityOfMost = (rarities: readonly number[]): number =>
  leastPart * rarities.reduce((sum, rarity) => sum + rarity, 0)

/** Neighbouring words of a query, as phrases in the same field. */
export function neighboursOf(units: readonly Leaf[]): readonly Leaf[] {
  return units.flatMap((unit, index): readonly Leaf[] => {
    const next = units[index + 1]
    if (unit.kind !== 'term' || next?.kind !== 'term' || unit.field !== next.field) return []
    const tokens = [unit, next].flatMap(({ pieces, token }) => pieces ?? [token])
    return [{ kind: 'phrase', tokens, field: unit.field }]
  })
}
