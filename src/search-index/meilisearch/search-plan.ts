/** Plan of a search: the query of each index, and how the hits are ordered. */

import { type Leaf, leavesOf } from '../query-tree.ts'
import { type IndexPart, partsOf } from '../remote/generation.ts'
import { fieldsReached } from '../remote/searched-leaf.ts'
import { rarityOfMost } from '../scoring.ts'
import type { OrderKey, SearchRequest } from '../search-index.ts'
import type { ScoredQuery } from '../text-scores.ts'
import { and, filterText, or } from './condition.ts'
import type { IndexQuery, ReadContext } from './engine-reads.ts'
import { type MatchSet, matchSet } from './matching.ts'
import { rankedUnits, type SearchedPart, unitRarities } from './ranked-units.ts'
import { isRanked, orderKeys, rankingsOf, sortAttributes } from './ranking.ts'
import { expandPatterns } from './term-patterns.ts'

/** Search without its range. */
export type Query = Omit<SearchRequest, 'offset' | 'limit'>

export type Plan = {
  readonly parts: readonly IndexPart[]
  /** Sort keys to apply, and the sort parameters of the queries. */
  readonly keys: readonly OrderKey[]
  readonly sort: readonly string[]
  /** Queries of the indices in which something may match. */
  readonly queries: readonly IndexQuery[]
  /** Query that the first hits of each index are scored by; absent if they are not ordered by relevance. */
  readonly scored?: ReadonlyMap<IndexPart, ScoredQuery>
  readonly truncatedPatterns: readonly string[]
}

/** Makes the plan of a search. Rejects with `query-too-complex`. */
export async function planQueries(
  request: Query,
  context: ReadContext,
  signal?: AbortSignal,
): Promise<Plan> {
  const parts = partsOf(request.indices, context.searched)
  const requested = orderKeys(request, parts)
  const expanding = expandPatterns(leavesOf(request.tree), context, signal)
  const { termsByPattern, truncatedPatterns } = await expanding
  const matching: (SearchedPart & MatchSet)[] = []
  for (const part of parts) {
    const matchContext = { readContext: context, signal, termsByPattern }
    const matched = await matchSet(request, part, matchContext)
    const set =
      request.words === 'most'
        ? withMostWords(matched, await unitRarities(request, { part, ...matched }, context, signal))
        : matched
    if (set.condition.kind !== 'none') matching.push({ part, ...set })
  }
  const units = isRanked(requested)
    ? await rankedUnits(request, matching, context, signal)
    : undefined
  const ranked = matching.map(({ part: { settings, languages }, conditionOf }) => ({
    settings,
    fields: fieldsReached(request.fields, settings, languages),
    filterOf: (some: readonly Leaf[]) => filterText(conditionOf(some)),
  }))
  const rankings = rankingsOf(units?.words ?? [], request.boosts, ranked)
  const queries = matching.map(({ part, condition }, i): IndexQuery => {
    return { part, filter: filterText(condition), rankings: rankings[i] ?? [] }
  })
  // Without a ranking word all scores of the server are equal, so that the keys after relevance decide.
  const others = requested.filter(({ name }) => name !== 'relevance')
  const isScoredByEngine = queries.some((query) => query.rankings.length > 0)
  return {
    parts,
    keys: units ? requested : others,
    sort: sortAttributes(isScoredByEngine ? requested : others, parts),
    queries,
    ...(units && { scored: units.queries }),
    truncatedPatterns,
  }
}

/** Most combinations of units in a condition. */
const maxCombinations = 64

/**
 * Part of a match set with most of the words (`SearchRequest.words`): the documents that have a combination of units with enough
 * rarity. Where there are too many combinations, those that do not lack all units but the most frequent ones.
 */
function withMostWords(set: MatchSet, rarities: ReadonlyMap<Leaf, number>): MatchSet {
  const units = [...rarities].sort((a, b) => b[1] - a[1])
  const least = rarityOfMost([...rarities.values()])
  const sufficient = combinationsOf(units, least) ?? necessaryUnits(units, least)
  const condition = or(sufficient.map(set.conditionOf))
  const conditionOf = (some: readonly Leaf[]) => {
    const isSufficient = sufficient.some((leaves) => leaves.every((leaf) => some.includes(leaf)))
    return isSufficient ? set.conditionOf(some) : and([set.conditionOf(some), condition])
  }
  return { ...set, condition, conditionOf }
}

type Weighed = readonly (readonly [leaf: Leaf, rarity: number])[]

/** Smallest combinations of units, rarest first, with a sum of `least`; `undefined` if there are too many. */
function combinationsOf(units: Weighed, least: number): readonly (readonly Leaf[])[] | undefined {
  const found: (readonly Leaf[])[] = []
  let remaining = units.reduce((sum, [, rarity]) => sum + rarity, 0)
  for (const [i, [leaf, rarity]] of units.entries()) {
    if (remaining < least) break
    remaining -= rarity
    const others = rarity >= least ? [[]] : combinationsOf(units.slice(i + 1), least - rarity)
    if (!others || found.length + others.length > maxCombinations) return undefined
    found.push(...others.map((some) => [leaf, ...some]))
  }
  return found
}

/** Units without the most frequent ones, whose sum is less than `least`. */
function necessaryUnits(units: Weighed, least: number): readonly (readonly Leaf[])[] {
  let frequent = 0
  const others = units.toReversed().filter(([, rarity]) => {
    frequent += rarity
    return frequent >= least
  })
  return others.toReversed().map(([leaf]) => [leaf])
}
