/** Searching the engine: one call for hits, total and facet counts of one state of all searched indices. */

import { z } from 'zod'
import { isRefusal } from './engine-failures.ts'
import { codesOf } from './attributes.ts'
import type { Ranking } from './ranking-searches.ts'
import { distribution, facetsOf, type Distribution } from './facet-distribution.ts'
import { fieldsOf, type IndexPart, type ReadContext, type Rows } from './documents.ts'

/** What is looked for in one index. */
export type IndexQuery = {
  readonly part: IndexPart
  /** `undefined` = all documents. */
  readonly filter: string | undefined
  /** Empty in all indices or in none. */
  readonly rankings: readonly Ranking[]
}

/** Hits are `row`s. */
export type Window<Row> = {
  readonly row: Rows<Row>
  readonly sort: readonly string[]
  readonly offset: number
  readonly limit: number
  /** Facets to count: absent = none, empty = all. */
  readonly facets?: { readonly ids?: readonly string[] }
}

export type FoundHits<Row> = {
  readonly total: number
  readonly hits: readonly { readonly hit: Row; readonly part: IndexPart; readonly score: number }[]
  /** One per wanted index. */
  readonly distributions: readonly Distribution[]
}

const place = z.object({ indexUid: z.string(), weightedRankingScore: z.number() })
const merged = z.object({
  hits: z.array(z.looseObject({ _federation: place })),
  estimatedTotalHits: z.number(),
  facetsByIndex: z.record(z.string(), z.object({ distribution })).optional(),
})

const alone = z.object({
  hits: z.array(z.looseObject({ _rankingScore: z.number().optional() })),
  estimatedTotalHits: z.number(),
  facetDistribution: distribution.optional(),
})

export async function hitsOf<Row>(
  wanted: readonly IndexQuery[],
  window: Window<Row>,
  reading: Pick<ReadContext, 'wire'>,
  signal?: AbortSignal,
): Promise<FoundHits<Row>> {
  try {
    return await asked(wanted, window, reading, signal)
  } catch (error) {
    // A field that no document has had any text in yet cannot be searched: then nothing is worth a rank there.
    if (!isUnknownField(error) || wanted.every(({ rankings }) => rankings.length === 0)) throw error
    const unranked = wanted.map((one) => ({ ...one, rankings: [] }))
    return asked(unranked, window, reading, signal)
  }
}

const isUnknownField = (error: unknown): boolean =>
  isRefusal(error, 'invalid_search_attributes_to_search_on')

async function asked<Row>(
  wanted: readonly IndexQuery[],
  window: Window<Row>,
  { wire }: Pick<ReadContext, 'wire'>,
  signal?: AbortSignal,
): Promise<FoundHits<Row>> {
  const [first] = wanted
  if (!first) return { total: 0, hits: [], distributions: [] }
  if (wanted.length > 1 || first.rankings.length > 1) {
    const body = bodyOf(wanted, window)
    return foundIn(await wire.post('/multi-search', body, signal), wanted, window.row)
  }
  const path = `/indexes/${first.part.uid}/search`
  return foundAlone(await wire.post(path, plain(first, window), signal), first.part, window.row)
}

/** Of one index and one ranking: many times as fast as several searches when the window is large or far behind. */
function plain<Row>(
  { part, filter, rankings: [ranking] }: IndexQuery,
  { row, sort, facets, ...window }: Window<Row>,
): unknown {
  return {
    ...window,
    ...(filter !== undefined && { filter }),
    attributesToRetrieve: fieldsOf(row),
    ...(sort.length > 0 && { sort }),
    ...(ranking && { ...rankedBy(ranking), showRankingScore: true }),
    ...(facets && { facets: codesIn(part, facets) }),
  }
}

const rankedBy = ({ q, on }: Ranking) => ({ q, ...(on && { attributesToSearchOn: on }) })

const codesIn = (
  part: IndexPart,
  { ids }: { readonly ids?: readonly string[] },
): readonly string[] => facetsOf(part, ids).map(({ id }) => codesOf(id))

function bodyOf<Row>(wanted: readonly IndexQuery[], window: Window<Row>): unknown {
  const { offset, limit, row, sort, facets } = window
  const query = (one: IndexQuery, ranking?: Ranking) => ({
    indexUid: one.part.uid,
    ...(one.filter !== undefined && { filter: one.filter }),
    attributesToRetrieve: fieldsOf(row),
    ...(sort.length > 0 && { sort }),
    ...(ranking && rankedBy(ranking)),
    federationOptions: { weight: ranking?.weight ?? 1 },
  })
  const queries = wanted.flatMap((one) =>
    one.rankings.length === 0 ? [query(one)] : one.rankings.map((ranking) => query(one, ranking)),
  )
  const counted = facets && {
    facetsByIndex: Object.fromEntries(wanted.map(({ part }) => [part.uid, codesIn(part, facets)])),
  }
  return { federation: { offset, limit, ...counted }, queries }
}

function foundAlone<Row>(answer: unknown, part: IndexPart, row: Rows<Row>): FoundHits<Row> {
  const { hits, estimatedTotalHits, facetDistribution = {} } = alone.parse(answer)
  const own = hits.map(({ _rankingScore: score = 0, ...hit }) => ({
    hit: row.parse(hit),
    part,
    score,
  }))
  return { total: estimatedTotalHits, hits: own, distributions: [facetDistribution] }
}

function foundIn<Row>(
  answer: unknown,
  wanted: readonly IndexQuery[],
  row: Rows<Row>,
): FoundHits<Row> {
  const { hits, estimatedTotalHits, facetsByIndex = {} } = merged.parse(answer)
  const parts = new Map(wanted.map(({ part }) => [part.uid, part]))
  const own = hits.flatMap(({ _federation: { indexUid, weightedRankingScore: score }, ...hit }) => {
    const part = parts.get(indexUid)
    return part ? [{ hit: row.parse(hit), part, score }] : []
  })
  const distributions = wanted.map(({ part }) => facetsByIndex[part.uid]?.distribution ?? {})
  return { total: estimatedTotalHits, hits: own, distributions }
}
