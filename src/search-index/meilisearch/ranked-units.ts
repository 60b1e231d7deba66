/**
 * Units of a query (`rankingUnits`) with their rarities in each index, for our scores and for the order of words in ranking
 * searches.
 */

import type { Leaf } from '../query-tree.ts'
import type { IndexPart } from '../remote/generation.ts'
import {
  distinctUnits,
  type RankedRequest,
  scoredQuery,
  type Unit,
} from '../remote/ranking-query.ts'
import { rankingUnits, rarityOf } from '../scoring.ts'
import type { ScoredQuery, SearchedLeaf } from '../text-scores.ts'
import { everyDocument, or } from './condition.ts'
import type { CountRequest } from './document-counts.ts'
import type { ReadContext } from './engine-reads.ts'
import { leafCondition } from './leaf-conditions.ts'
import { type RankedWord, wordOf } from './ranking.ts'

/** Index of a request with the leaves that are searched in it. */
export type SearchedPart = {
  readonly part: IndexPart
  readonly leaves: ReadonlyMap<Leaf, SearchedLeaf>
}

/** Query to score in each index, and the words of its known units, rarest first. */
type RankedUnits = {
  readonly queries: ReadonlyMap<IndexPart, ScoredQuery>
  readonly words: readonly RankedWord[]
}

/**
 * Counts the records with each unit, in each index by one call for all. Of a phrase of more than two words those with its pairs are
 * counted. Without units no query is made.
 */
export async function rankedUnits(
  request: RankedRequest,
  parts: readonly SearchedPart[],
  { counts }: Pick<ReadContext, 'counts'>,
  signal?: AbortSignal,
): Promise<RankedUnits | undefined> {
  const units = rankingUnits(request.tree)
  if (units.length === 0) return undefined
  const distinct = parts.map(({ leaves }) => distinctUnits(units, leaves))
  const requests = parts.map(({ part }, i) =>
    countRequests(part, distinct[i] ?? [], request.fields),
  )
  const numbers = (await counts.countsOf(requests.flat(), signal)).values()
  const numbersOfParts = requests.map((some) => some.map(() => numbers.next().value ?? 0))
  const ranked = new Map<string, RankedWord & { readonly total: number }>()
  const queries = new Map<IndexPart, ScoredQuery>()
  for (const [i, { part }] of parts.entries()) {
    const [records = 0, ...withUnits] = numbersOfParts[i] ?? []
    const known = (distinct[i] ?? []).flatMap(({ leaf, searched }, at) => {
      const withUnit = withUnits[at] ?? 0
      if (withUnit === 0) return []
      const rarity = rarityOf(records, withUnit)
      const word = wordOf(leaf, searched)
      const key = String(word)
      const total = withUnit + (ranked.get(key)?.total ?? 0)
      if (word) ranked.set(key, { rarity, ...ranked.get(key), word, leaf, total })
      return [{ ...searched, rarity }]
    })
    queries.set(part, scoredQuery(request, part, units, known))
  }
  return { queries, words: [...ranked.values()].sort((a, b) => a.total - b.total) }
}

/** Distinct units of a query with their rarities in an index, unknown ones included. */
export async function unitRarities(
  request: RankedRequest,
  { part, leaves }: SearchedPart,
  { counts }: Pick<ReadContext, 'counts'>,
  signal?: AbortSignal,
): Promise<ReadonlyMap<Leaf, number>> {
  const units = distinctUnits(rankingUnits(request.tree), leaves)
  const requests = countRequests(part, units, request.fields)
  const [records = 0, ...withUnits] = await counts.countsOf(requests, signal)
  return new Map(units.map(({ leaf }, i) => [leaf, rarityOf(records, withUnits[i] ?? 0)]))
}

/** Requests for the number of all documents of an index, then for those with each unit. */
const countRequests = (
  { uid, languages }: IndexPart,
  units: readonly Unit[],
  fields: readonly string[] | undefined,
): readonly CountRequest[] => [
  { uid, name: 'all', condition: () => everyDocument },
  ...units.map(({ leaf, searched }): CountRequest => ({
    uid,
    name: JSON.stringify([leaf, fields]),
    condition: () => {
      const { certain, possible } = leafCondition(searched, languages)
      return or([certain, possible])
    },
  })),
]
