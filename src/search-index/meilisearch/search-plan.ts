/** Plan of a search: the query of each index, and how the hits are ordered. */

import { leavesOf, type Leaf } from '../query-tree.ts'
import type { OrderKey, SearchRequest } from '../search-index.ts'
import type { ScoredQuery } from '../text-scores.ts'
import { filterText } from './condition.ts'
import { partsOf, type IndexPart, type IndexQuery, type ReadContext } from './engine-reads.ts'
import { fieldsReached, type MatchSet, matchSet } from './matching.ts'
import { rankedUnits, type SearchedPart } from './ranked-units.ts'
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
  const parts = partsOf(request.indices, context)
  const requested = orderKeys(request, parts)
  const expanding = expandPatterns(leavesOf(request.tree), context, signal)
  const { termsByPattern, truncatedPatterns } = await expanding
  const matching: (SearchedPart & MatchSet)[] = []
  for (const part of parts) {
    const matchContext = { readContext: context, signal, termsByPattern }
    const set = await matchSet(request, part, matchContext)
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
