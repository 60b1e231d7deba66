/** Shared by all reads of Meilisearch: the indices of a request, documents by filter or key, and searches for hits and counts. */

import { z } from 'zod'
import type { Log } from '../../log.ts'
import type { IndexName } from '../index-settings.ts'
import { codesOf, type Uids } from './attributes.ts'
import { isRefusal, type EngineClient } from './engine-client.ts'
import type { Answering } from './engine-state.ts'
import type { Ranking } from './ranking.ts'

/** The server and what of it answers, as readers need it. */
export type ReadContext = {
  readonly client: EngineClient
  readonly uids: Uids
  /** `undefined` for an index that is not configured. */
  readonly answering: (index: IndexName) => Answering | undefined
  /** Grows with every write of this process. */
  readonly changes: () => number
  /** Milliseconds. */
  readonly now: () => number
  /** Terms that one wildcard stands for. */
  readonly wildcardTerms: number
  readonly log: Log
}

/** One index of a request. */
export type IndexPart = Answering & { readonly index: IndexName }

/** The indices of a request, each once; those that do not exist hold nothing. */
export const partsOf = (
  indices: readonly IndexName[],
  { answering }: ReadContext,
): readonly IndexPart[] =>
  [...new Set(indices)].flatMap((index) => {
    const own = answering(index)
    return own ? [{ ...own, index }] : []
  })

/** Rows of a call: their attributes are what is asked for. */
export type Rows<Row> = z.ZodType<Row> & { readonly shape: Readonly<Record<string, unknown>> }

type Fetching<Row> = {
  readonly row: Rows<Row>
  /** Further attributes, for rows that are loose. */
  readonly more?: readonly string[]
  readonly filter?: string
  readonly ids?: readonly string[]
  readonly sort?: readonly string[]
  readonly offset?: number
  readonly limit: number
}

/** Documents as they are stored, and how many there are in all. */
export async function fetched<Row>(
  { client }: Pick<ReadContext, 'client'>,
  uid: string,
  { row, more = [], ...request }: Fetching<Row>,
  signal?: AbortSignal,
): Promise<{ readonly results: readonly Row[]; readonly total: number }> {
  const body = { ...request, fields: [...Object.keys(row.shape), ...more] }
  const answer = await client.post(`/indexes/${uid}/documents/fetch`, body, signal)
  return z.object({ results: z.array(row), total: z.number() }).parse(answer)
}

/** Query of one index. */
export type IndexQuery = {
  readonly part: IndexPart
  /** `undefined` = all documents. */
  readonly filter?: string
  /** Empty in all indices or in none. */
  readonly rankings: readonly Ranking[]
}

/** Hits are `row`s. */
export type HitWindow<Row> = {
  readonly row: Rows<Row>
  readonly sort: readonly string[]
  readonly offset: number
  readonly limit: number
  /** Facets to count: absent = none, without ids = all. */
  readonly facets?: { readonly ids?: readonly string[] | undefined }
}

/** Attribute → code → count, in one index. */
export type Distribution = Readonly<Record<string, Readonly<Record<string, number>>>>

export type EngineHits<Row> = {
  readonly total: number
  readonly hits: readonly { readonly hit: Row; readonly part: IndexPart; readonly score: number }[]
  /** One per query. */
  readonly distributions: readonly Distribution[]
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** A thousand counts in every answer: checked without a schema for each, which would copy them all. */
const distribution = z.custom<Distribution>(
  (value) =>
    isObject(value) &&
    Object.values(value).every(
      (counts: unknown) =>
        isObject(counts) && Object.values(counts).every((count) => typeof count === 'number'),
    ),
)

const place = z.object({ indexUid: z.string(), weightedRankingScore: z.number() })
const federatedAnswer = z.object({
  hits: z.array(z.looseObject({ _federation: place })),
  estimatedTotalHits: z.number(),
  facetsByIndex: z.record(z.string(), z.object({ distribution })).default({}),
})
const plainAnswer = z.object({
  hits: z.array(z.looseObject({ _rankingScore: z.number().default(0) })),
  estimatedTotalHits: z.number(),
  facetDistribution: distribution.default({}),
})

/** Hits, total and facet counts of one state of all queried indices, in one call. */
export async function hitsOf<Row>(
  queries: readonly IndexQuery[],
  window: HitWindow<Row>,
  context: Pick<ReadContext, 'client'>,
  signal?: AbortSignal,
): Promise<EngineHits<Row>> {
  const [first] = queries
  if (!first) return { total: 0, hits: [], distributions: [] }
  // Of one index and one ranking: many times as fast as several searches when the window is large or far behind.
  const isPlain = queries.length === 1 && first.rankings.length <= 1
  try {
    return isPlain
      ? await plainHits(first, window, context, signal)
      : await federatedHits(queries, window, context, signal)
  } catch (error) {
    // A field that no document has had any text in yet cannot be searched: then nothing is worth a rank there.
    const isUnknownField = isRefusal(error, 'invalid_search_attributes_to_search_on')
    if (!isUnknownField || queries.every(({ rankings }) => rankings.length === 0)) throw error
    const unranked = queries.map((one) => ({ ...one, rankings: [] }))
    return hitsOf(unranked, window, context, signal)
  }
}

/** Parameters that both kinds of searches share. */
const queryOf = <Row>(
  { filter }: IndexQuery,
  { row, sort }: HitWindow<Row>,
  ranking: Ranking | undefined,
) => ({
  filter,
  attributesToRetrieve: Object.keys(row.shape),
  ...(sort.length > 0 && { sort }),
  ...(ranking && { q: ranking.q, attributesToSearchOn: ranking.on }),
})

const codesIn = <Row>({ settings }: IndexPart, { facets }: HitWindow<Row>): readonly string[] =>
  settings.facets.flatMap(({ id }) => ((facets?.ids?.includes(id) ?? true) ? [codesOf(id)] : []))

async function plainHits<Row>(
  query: IndexQuery,
  window: HitWindow<Row>,
  { client }: Pick<ReadContext, 'client'>,
  signal?: AbortSignal,
): Promise<EngineHits<Row>> {
  const { part, rankings } = query
  const { offset, limit, row, facets } = window
  const body = {
    offset,
    limit,
    ...queryOf(query, window, rankings[0]),
    ...(rankings.length > 0 && { showRankingScore: true }),
    ...(facets && { facets: codesIn(part, window) }),
  }
  const answer = await client.post(`/indexes/${part.uid}/search`, body, signal)
  const { hits, estimatedTotalHits: total, facetDistribution } = plainAnswer.parse(answer)
  return {
    total,
    hits: hits.map(({ _rankingScore: score, ...hit }) => ({ hit: row.parse(hit), part, score })),
    distributions: [facetDistribution],
  }
}

async function federatedHits<Row>(
  queries: readonly IndexQuery[],
  window: HitWindow<Row>,
  { client }: Pick<ReadContext, 'client'>,
  signal?: AbortSignal,
): Promise<EngineHits<Row>> {
  const { offset, limit, row, facets } = window
  const codes = queries.map(({ part }) => [part.uid, codesIn(part, window)])
  const federation = { offset, limit, ...(facets && { facetsByIndex: Object.fromEntries(codes) }) }
  const all = queries.flatMap((query) =>
    (query.rankings.length === 0 ? [undefined] : query.rankings).map((ranking) => ({
      indexUid: query.part.uid,
      ...queryOf(query, window, ranking),
      federationOptions: { weight: ranking?.weight ?? 1 },
    })),
  )
  const answer = await client.post('/multi-search', { federation, queries: all }, signal)
  const { hits, estimatedTotalHits: total, facetsByIndex } = federatedAnswer.parse(answer)
  const parts = new Map(queries.map(({ part }) => [part.uid, part]))
  return {
    total,
    hits: hits.flatMap(({ _federation: { indexUid, weightedRankingScore: score }, ...hit }) => {
      const part = parts.get(indexUid)
      return part ? [{ hit: row.parse(hit), part, score }] : []
    }),
    distributions: queries.map(({ part }) => facetsByIndex[part.uid]?.distribution ?? {}),
  }
}
