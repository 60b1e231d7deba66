/** Plan of a search on a cluster: one query for all indices, what scores its hits, and their order. */

import { fieldWeights, sortedText, sortKeysOf } from '../hit-order.ts'
import { leavesOf, type Leaf } from '../query-tree.ts'
import type { IndexPart } from '../remote/generation.ts'
import { partsOf } from '../remote/generation.ts'
import { distinctUnits, scoredQuery, type Unit } from '../remote/ranking-query.ts'
import { matchedTree, rankingUnits, rarityOf, rarityOfMost, unitScore } from '../scoring.ts'
import type { OrderKey, SearchRequest } from '../search-index.ts'
import type { ScoredQuery } from '../text-scores.ts'
import { fieldPaths } from './cluster-layout.ts'
import { clusterCounts, type ClusterReads } from './cluster-reads.ts'
import { type ClusterMatch, clusterMatch, inEach, leafQuery } from './leaf-queries.ts'
import { allOf, type ClusterQuery, everything, isNothing } from './query-conditions.ts'

/** Search without its range. */
export type ClusterRequest = Omit<SearchRequest, 'offset' | 'limit'>

/** Plan of a search. */
export type ClusterPlan = {
  readonly parts: readonly IndexPart[]
  /** Sort keys to apply. */
  readonly keys: readonly OrderKey[]
  /** Query that all hits match. */
  readonly query: ClusterQuery
  /** Queries that score the hits, so that those come first that may have the best of our scores. */
  readonly scoring: readonly ClusterQuery[]
  /** Query that the first hits of each index are scored by; absent if they are not ordered by relevance. */
  readonly scored?: ReadonlyMap<IndexPart, ScoredQuery>
  /** Sort clauses of the keys. */
  readonly sort: readonly Readonly<Record<string, unknown>>[]
}

/** Makes the plan of a search. */
export async function planOnCluster(
  request: ClusterRequest,
  context: ClusterReads,
  signal?: AbortSignal,
): Promise<ClusterPlan> {
  const parts = partsOf(request.indices, context.searched)
  const keys = sortKeysOf(
    request,
    (name) =>
      name === 'relevance' ||
      parts.every((part) => sortPath({ name, direction: 'asc' }, part) !== undefined),
  )
  const terms = [...new Set(leavesOf(matchedTree(request)))].filter((leaf) => leaf.kind === 'term')
  const matches: ClusterMatch[] = []
  for (const part of parts) {
    const targets = await context.words.targetsOf(terms, part.languages, signal)
    const byTerm = new Map<Leaf, (typeof targets)[number]>(
      terms.map((term, i) => [term, targets[i] ?? []]),
    )
    matches.push(clusterMatch(request, part, byTerm))
  }
  const isRanked = keys[0]?.name === 'relevance'
  const units = isRanked || request.words === 'most' ? rankingUnits(request.tree) : []
  const counted = units.length > 0 ? await countedUnits(matches, units, context, signal) : undefined
  const matched = matches.map((match) => ({
    part: match.part,
    query:
      request.words === 'most' && counted
        ? allOf([match.query, hasMostWords(counted.get(match.part) ?? [])])
        : match.query,
  }))
  const query = inEach(matched)
  if (!isRanked || !counted) {
    const others = keys.filter(({ name }) => name !== 'relevance')
    return { parts, keys: others, query, scoring: [], sort: sortClauses(others, parts, false) }
  }
  const scored = new Map(
    matches
      .filter((match) => !isNothing(match.query))
      .map(({ part }) => {
        const known = (counted.get(part) ?? []).filter(({ count }) => count > 0)
        const ofPart = known.map(({ searched, rarity }) => ({ ...searched, rarity }))
        return [part, scoredQuery(request, part, units, ofPart)]
      }),
  )
  const scoring = scoringQueries(request, counted, scored)
  return { parts, keys, query, scored, scoring, sort: sortClauses(keys, parts, true) }
}

/** Path that an index is sorted by for a key; `undefined` if it cannot be sorted by it. */
function sortPath(
  { name, direction }: OrderKey,
  { settings, languages }: Pick<IndexPart, 'settings' | 'languages'>,
): string | undefined {
  if (settings.dates.includes(name))
    return direction === 'asc' ? fieldPaths.firstDate(name) : fieldPaths.lastDate(name)
  if (settings.numbers.includes(name)) return fieldPaths.number(name)
  if (settings.flags.includes(name)) return fieldPaths.flag(name)
  const text = sortedText(name, settings)
  if (!text) return undefined
  const { field, language } = text
  return fieldPaths.order(language !== undefined && languages.includes(language) ? name : field)
}

/** Values in place of missing dates and numbers: JavaScript cannot read those of the cluster. */
const [lastDate, lastNumber] = [8_650_000_000_000_000, 1.7e308]

/** Sort clauses of keys, without keys whose path differs between the indices; equal hits by the name of the index, then by id. */
function sortClauses(
  keys: readonly OrderKey[],
  parts: readonly IndexPart[],
  isScored: boolean,
): ClusterPlan['sort'] {
  const clauses = keys.flatMap((key) => {
    const { name, direction } = key
    if (name === 'relevance') return []
    const [path, ...others] = new Set(parts.map((part) => sortPath(key, part)))
    if (path === undefined || others.length > 0) return []
    const sign = direction === 'asc' ? 1 : -1
    const missing = path.startsWith('o.')
      ? '_last'
      : sign * (path.startsWith('n.') ? lastNumber : lastDate)
    return [{ [path]: { order: direction, missing } }]
  })
  return [...(isScored ? [{ _score: 'desc' }] : []), ...clauses, { x: 'asc' }, { i: 'asc' }]
}

/** Number of a sort value: none for texts and in place of a missing value. */
export const sortNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Math.abs(value) < lastNumber && Math.abs(value) !== lastDate
    ? value
    : undefined

type CountedUnit = Unit & { readonly count: number; readonly rarity: number }
type CountedUnits = ReadonlyMap<IndexPart, readonly CountedUnit[]>

/** Distinct units of a query in each index with their numbers of documents and rarities. */
async function countedUnits(
  matches: readonly ClusterMatch[],
  units: readonly Leaf[],
  context: ClusterReads,
  signal?: AbortSignal,
): Promise<CountedUnits> {
  const distinct = matches.map(({ leaves }) => distinctUnits(units, leaves))
  const requests = matches.flatMap(({ part: { uid } }, i) => [
    { uid, query: everything },
    ...(distinct[i] ?? []).map(({ searched }) => ({ uid, query: leafQuery(searched) })),
  ])
  const counts = (await clusterCounts(context, requests, signal)).values()
  return new Map(
    matches.map(({ part }, i) => {
      const records = counts.next().value ?? 0
      const ofPart = (distinct[i] ?? []).map((unit): CountedUnit => {
        const count = counts.next().value ?? 0
        return { ...unit, count, rarity: rarityOf(records, count) }
      })
      return [part, ofPart] as const
    }),
  )
}

/** Part of the least score that rounding may take: the cluster adds scores with seven digits. */
const rounding = 1e-6

const constant = (filter: ClusterQuery, boost: number): ClusterQuery => ({
  constant_score: { filter, boost },
})

/** Condition that a document has units with a fifth of the rarity of all. */
function hasMostWords(units: readonly CountedUnit[]): ClusterQuery {
  const least = rarityOfMost(units.map(({ rarity }) => rarity))
  if (least <= 0) return everything
  const should = units.map(({ searched, rarity }) => constant(leafQuery(searched), rarity))
  return { function_score: { query: { bool: { should } }, min_score: least * (1 - rounding) } }
}

/** Most units that score in the cluster, the rarest, and most fields of each that weigh differently. */
const [mostUnits, mostFields] = [12, 3]
/** Part of the score of the cluster for frequencies of words. */
const frequencyPart = 0.3
/** Most forms of a word whose frequency counts. */
const mostForms = 8

function scoringQueries(
  request: Pick<SearchRequest, 'boosts' | 'typed'>,
  counted: CountedUnits,
  scored: ReadonlyMap<IndexPart, ScoredQuery>,
): readonly ClusterQuery[] {
  const queries: ClusterQuery[] = []
  for (const [part, units] of counted) {
    const known = units.filter(({ count }) => count > 0)
    const rarest = known.toSorted((a, b) => b.rarity - a.rarity).slice(0, mostUnits)
    const bound = (query: ClusterQuery) =>
      counted.size > 1 ? allOf([{ term: { x: part.index } }, query]) : query
    const weightOf = fieldWeights(request.boosts, part.settings)
    const total = rarest.reduce((sum, { rarity }) => sum + rarity, 0)
    for (const { searched, rarity } of rarest) {
      queries.push(constant(bound(leafQuery(searched)), rarity))
      const weighty = searched.fields
        .map((place) => ({ place, weight: weightOf(place.field) }))
        .filter(({ weight }) => weight > 1)
        .toSorted((a, b) => b.weight - a.weight)
      for (const { place, weight } of weighty.slice(0, mostFields)) {
        const query = leafQuery({ ...searched, fields: [place], isEverywhere: false })
        const boost = unitScore(rarity, weight, 1) - unitScore(rarity, 1, 1)
        if (boost > 0 && !isNothing(query)) queries.push(constant(bound(query), boost))
      }
      for (const { tokens } of searched.phrases
        .filter(({ share }) => share > 0)
        .slice(0, mostForms))
        if (tokens.length === 1)
          queries.push({ term: { ta: { value: tokens[0] ?? '', boost: frequencyPart } } })
    }
    for (const pair of (scored.get(part)?.neighbours ?? []).slice(0, mostUnits))
      queries.push(
        constant(bound(leafQuery(pair)), Math.max(total / Math.max(1, rarest.length), 0.01)),
      )
    if (request.typed && request.typed.length > 0 && total > 0)
      queries.push(constant(bound({ term: { w: request.typed.join(' ') } }), 2 * total))
  }
  // Equal queries of several indices score once.
  return [...new Map(queries.map((query) => [JSON.stringify(query), query])).values()].filter(
    (query) => !isNothing(Object(query['constant_score'])['filter'] ?? {}),
  )
}
