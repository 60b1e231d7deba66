/** Reads of Meilisearch: indices of a request, documents by filter or key, and searches for hits and facet counts. */

import { z } from 'zod'
import { parseAnswer } from '../remote/answers.ts'
import type { IndexPart } from '../remote/generation.ts'
import type { ReadState } from '../remote/server-index.ts'
import { facetAttribute, type Uids } from './attributes.ts'
import type { DocumentCounts } from './document-counts.ts'
import { type EngineClient, isRefusal } from './engine-client.ts'
import type { Ranking } from './ranking.ts'

/** Context of reads: the server, and the indices that are searched. */
export type ReadContext = ReadState & {
  readonly client: EngineClient
  readonly uids: Uids
  /** Numbers of documents. */
  readonly counts: DocumentCounts
  /** Most terms that are searched for one wildcard pattern. */
  readonly wildcardTerms: number
}

/** Schema of a row; the attributes in its shape are requested from the server. */
export type Rows<Row> = z.ZodType<Row> & { readonly shape: Readonly<Record<string, unknown>> }

type FetchRequest<Row> = {
  readonly row: Rows<Row>
  /** Other attributes to request, for schemas of loose objects. */
  readonly extraAttributes?: readonly string[]
  readonly filter?: string
  readonly ids?: readonly string[]
  readonly sort?: readonly string[]
  readonly offset?: number
  readonly limit: number
}

/** Reads stored documents, and the number of all documents that fit. */
export async function fetchDocuments<Row>(
  { client }: Pick<ReadContext, 'client'>,
  uid: string,
  { row, extraAttributes = [], ...request }: FetchRequest<Row>,
  signal?: AbortSignal,
): Promise<{ readonly results: readonly Row[]; readonly total: number }> {
  const body = { ...request, fields: [...Object.keys(row.shape), ...extraAttributes] }
  const answer = await client.post(`/indexes/${uid}/documents/fetch`, body, signal)
  return parseAnswer(z.object({ results: z.array(row), total: z.number() }), answer)
}

/** Query of one index. */
export type IndexQuery = {
  readonly part: IndexPart
  /** Text in the filter language; `undefined` = all documents. */
  readonly filter?: string
  /** Ranking searches; empty in all indices of a request or in none. */
  readonly rankings: readonly Ranking[]
}

/** Range, order and attributes of the hits to return. */
export type HitWindow<Row> = {
  readonly row: Rows<Row>
  readonly sort: readonly string[]
  readonly offset: number
  readonly limit: number
  /** Facets to count: absent = none, without `ids` = all. */
  readonly facets?: { readonly ids?: readonly string[] | undefined }
}

/** Facet counts of one index: attribute → code → number of documents. */
export type Distribution = Readonly<Record<string, Readonly<Record<string, number>>>>

/** Hits of a search with their total and facet counts. */
export type EngineHits<Row> = {
  readonly total: number
  readonly hits: readonly { readonly hit: Row; readonly part: IndexPart; readonly score: number }[]
  /** Facet counts of each query. */
  readonly distributions: readonly Distribution[]
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Schema of facet counts. It checks a thousand counts in each answer without copying them. */
const distribution = z.custom<Distribution>(
  (value) =>
    isObject(value) &&
    Object.values(value).every(
      (counts: unknown) =>
        isObject(counts) && Object.values(counts).every((count) => typeof count === 'number'),
    ),
)

const hitOrigin = z.object({ indexUid: z.string(), weightedRankingScore: z.number() })
const federatedAnswer = z.object({
  hits: z.array(z.looseObject({ _federation: hitOrigin })),
  estimatedTotalHits: z.number(),
  facetsByIndex: z.record(z.string(), z.object({ distribution })).default({}),
})
const plainAnswer = z.object({
  hits: z.array(z.looseObject({ _rankingScore: z.number().default(0) })),
  estimatedTotalHits: z.number(),
  facetDistribution: distribution.default({}),
})

/** Reads hits, total and facet counts of all queries in one call, so that they are of one state of the server. */
export async function fetchHits<Row>(
  queries: readonly IndexQuery[],
  window: HitWindow<Row>,
  context: Pick<ReadContext, 'client'>,
  signal?: AbortSignal,
): Promise<EngineHits<Row>> {
  const [first] = queries
  if (!first) return { total: 0, hits: [], distributions: [] }
  // A plain search is many times faster than a federated one when `offset` or `limit` is large.
  const isPlain = queries.length === 1 && first.rankings.length <= 1
  try {
    return isPlain
      ? await fetchPlainHits(first, window, context, signal)
      : await fetchFederatedHits(queries, window, context, signal)
  } catch (error) {
    // Meilisearch refuses to search an attribute that no document has had: then no word ranks.
    const isUnknownField = isRefusal(error, 'invalid_search_attributes_to_search_on')
    if (!isUnknownField || queries.every(({ rankings }) => rankings.length === 0)) throw error
    const unranked = queries.map((query) => ({ ...query, rankings: [] }))
    return fetchHits(unranked, window, context, signal)
  }
}

/** Parameters that plain and federated searches share. */
const queryOf = <Row>(
  { filter }: IndexQuery,
  { row, sort }: HitWindow<Row>,
  ranking: Ranking | undefined,
) => ({
  filter: ranking?.filter ?? filter,
  attributesToRetrieve: Object.keys(row.shape),
  ...(sort.length > 0 && { sort }),
  ...(ranking && { q: ranking.q, attributesToSearchOn: ranking.attributes }),
})

const facetAttributesOf = <Row>(
  { settings }: IndexPart,
  { facets }: HitWindow<Row>,
): readonly string[] =>
  settings.facets.flatMap(({ id }) =>
    (facets?.ids?.includes(id) ?? true) ? [facetAttribute(id)] : [],
  )

async function fetchPlainHits<Row>(
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
    ...(facets && { facets: facetAttributesOf(part, window) }),
  }
  const answer = await client.post(`/indexes/${part.uid}/search`, body, signal)
  const { hits, estimatedTotalHits: total, facetDistribution } = parseAnswer(plainAnswer, answer)
  return {
    total,
    hits: hits.map(({ _rankingScore: score, ...hit }) => ({
      hit: parseAnswer(row, hit),
      part,
      score,
    })),
    distributions: [facetDistribution],
  }
}

async function fetchFederatedHits<Row>(
  queries: readonly IndexQuery[],
  window: HitWindow<Row>,
  { client }: Pick<ReadContext, 'client'>,
  signal?: AbortSignal,
): Promise<EngineHits<Row>> {
  const { offset, limit, row, facets } = window
  const attributesByUid = queries.map(({ part }) => [part.uid, facetAttributesOf(part, window)])
  const federation = {
    offset,
    limit,
    ...(facets && { facetsByIndex: Object.fromEntries(attributesByUid) }),
  }
  const searches = queries.flatMap((query) =>
    (query.rankings.length === 0 ? [undefined] : query.rankings).map((ranking) => ({
      indexUid: query.part.uid,
      ...queryOf(query, window, ranking),
      federationOptions: { weight: ranking?.weight ?? 1 },
    })),
  )
  const answer = await client.post('/multi-search', { federation, queries: searches }, signal)
  const { hits, estimatedTotalHits: total, facetsByIndex } = parseAnswer(federatedAnswer, answer)
  const parts = new Map(queries.map(({ part }) => [part.uid, part]))
  return {
    total,
    hits: hits.flatMap(({ _federation: { indexUid, weightedRankingScore: score }, ...hit }) => {
      const part = parts.get(indexUid)
      return part ? [{ hit: parseAnswer(row, hit), part, score }] : []
    }),
    distributions: queries.map(({ part }) => facetsByIndex[part.uid]?.distribution ?? {}),
  }
}
