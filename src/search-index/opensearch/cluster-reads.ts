/** Reads of a cluster: searches with their hits, counts, documents by key, and rows of the index of terms. */

import { z } from 'zod'
import { parseAnswer } from '../remote/answers.ts'
import type { ReadState } from '../remote/server-index.ts'
import type { StateCache } from '../remote/state-cache.ts'
import type { FindTerms, TermQuery } from '../remote/word-targets.ts'
import { type ClusterClient, refused } from './cluster-client.ts'
import type { ClusterNames } from './cluster-layout.ts'
import { allOf, type ClusterQuery, oneOf, records } from './query-conditions.ts'

/** Context of reads: the cluster, and the indices that are searched. */
export type ClusterReads = ReadState & {
  readonly client: ClusterClient
  readonly names: ClusterNames
  /** Numbers of documents by index and condition. */
  readonly counts: StateCache<number>
  /** Whether indices have several shards, so that counts of facets and scores of shards have to be joined. */
  readonly isSharded: boolean
}

const oneText = z.array(z.string()).length(1)
const hitShape = z.object({
  _index: z.string(),
  _id: z.string(),
  _score: z.number().nullish(),
  _source: z.object({ r: z.string() }).optional(),
  fields: z.object({ i: oneText, x: oneText, y: oneText.optional() }),
  sort: z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])).default([]),
})

/** Hit of a search: index and id of its record, and what was asked for beside these. */
export type ClusterHit = {
  readonly key: string
  readonly uid: string
  readonly index: string
  readonly id: string
  readonly record?: string | undefined
  /** Texts for scores, as `StoredTexts`. */
  readonly texts?: string | undefined
  readonly sort: readonly (string | number | boolean | null)[]
}

const searchShape = z.object({
  hits: z.object({ total: z.object({ value: z.number() }).optional(), hits: z.array(hitShape) }),
  aggregations: z.record(z.string(), z.unknown()).default({}),
  pit_id: z.string().optional(),
})

/** Hits of a search with their exact number. */
export type ClusterHits = {
  readonly total: number
  readonly hits: readonly ClusterHit[]
  readonly aggregations: Readonly<Record<string, unknown>>
}

/** Query for records alone, with the scores of a query. */
const ofRecords = (query: unknown = records) => ({ bool: { must: [query], filter: [records] } })

/** Sends a search of some indices, or of the point in time in the body; rejects if some of their shards are away. */
export function sendSearch(
  client: ClusterClient,
  uids: readonly string[] | undefined,
  body: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<unknown> {
  const path = uids ? `/${uids.map(encodeURIComponent).join(',')}/_search` : '/_search'
  // Without this a search over shards that are away has too few hits.
  const query = { allow_partial_search_results: false }
  return client.call({ method: 'POST', path, query, body }, signal)
}

/** Searches some indices, or those of the point in time in the body, for records. */
export async function clusterSearch(
  { client }: Pick<ClusterReads, 'client'>,
  uids: readonly string[] | undefined,
  body: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<ClusterHits> {
  const answer = await sendSearch(
    client,
    uids,
    { ...body, query: ofRecords(body['query']) },
    signal,
  )
  const { hits, aggregations } = parseAnswer(searchShape, answer)
  return {
    total: hits.total?.value ?? 0,
    aggregations,
    hits: hits.hits.map(({ _index: uid, _id, _source, fields, sort }) => ({
      key: `${uid} ${_id}`,
      uid,
      index: fields.x[0] ?? '',
      id: fields.i[0] ?? '',
      record: _source?.r,
      texts: fields.y?.[0],
      sort,
    })),
  }
}

/** Members of a search that ask for index and id of hits, and with `texts` for those of their texts. */
export const fieldsOfHits = (wanted: { readonly record: boolean; readonly texts?: boolean }) => ({
  _source: wanted.record,
  docvalue_fields: ['i', 'x'],
  ...(wanted.texts === true && { stored_fields: ['y'] }),
})

const multiShape = z.object({
  responses: z.array(
    z.looseObject({
      status: z.number().default(200),
      error: z.unknown().optional(),
      hits: z.unknown().optional(),
      _shards: z.object({ total: z.number(), successful: z.number() }).optional(),
    }),
  ),
})

/** Several searches in one call. */
async function clusterSearches(
  { client }: Pick<ClusterReads, 'client'>,
  searches: readonly { readonly uid: string; readonly body: Readonly<Record<string, unknown>> }[],
  signal?: AbortSignal,
): Promise<readonly unknown[]> {
  const lines = searches.flatMap(({ uid, body }) => [
    JSON.stringify({ index: uid, allow_partial_search_results: false }),
    JSON.stringify(body),
  ])
  const answer = await client.call({ method: 'POST', path: '/_msearch', lines }, signal)
  return parseAnswer(multiShape, answer).responses.map((response) => {
    const { status, _shards: shards } = response
    if (status >= 400) throw refused(status, response)
    if (shards && shards.successful < shards.total) throw refused(503, response)
    return response
  })
}

/** Documents to count: those of an index that meet a condition. */
export type ClusterCount = { readonly uid: string; readonly query: ClusterQuery }

const totalShape = z.object({ hits: z.object({ total: z.object({ value: z.number() }) }) })

/** Counts of each request, by one call. */
export async function freshCounts(
  context: Pick<ClusterReads, 'client'>,
  requests: readonly ClusterCount[],
  signal?: AbortSignal,
): Promise<readonly number[]> {
  if (requests.length === 0) return []
  const searches = requests.map(({ uid, query }) => {
    return { uid, body: { query: ofRecords(query), size: 0, track_total_hits: true } }
  })
  const answers = await clusterSearches(context, searches, signal)
  return answers.map((answer) => parseAnswer(totalShape, answer).hits.total.value)
}

/** Counts of each request; they are cached until something is written. */
export async function clusterCounts(
  context: Pick<ClusterReads, 'client' | 'counts'>,
  requests: readonly ClusterCount[],
  signal?: AbortSignal,
): Promise<readonly number[]> {
  const { counts: cache } = context
  const state = cache.state()
  const keyOf = ({ uid, query }: ClusterCount) => `${uid} ${JSON.stringify(query)}`
  const known = new Map(requests.map((each) => [keyOf(each), cache.get(keyOf(each))]))
  const unknown = requests.filter((each) => known.get(keyOf(each)) === undefined)
  for (const [i, count] of (await freshCounts(context, unknown, signal)).entries()) {
    const [key] = unknown.slice(i, i + 1).map(keyOf)
    if (key === undefined) continue
    known.set(key, count)
    cache.set(key, count, state)
  }
  return requests.map((each) => known.get(keyOf(each)) ?? 0)
}

const documentsShape = z.object({
  docs: z.array(
    z.object({
      _id: z.string(),
      found: z.boolean().default(false),
      _version: z.number().optional(),
      _source: z.record(z.string(), z.unknown()).optional(),
      error: z.unknown().optional(),
    }),
  ),
})

/** Stored document. */
export type ClusterDocument = {
  readonly version: number
  readonly source: Readonly<Record<string, unknown>>
}

/** Ids in one call. */
const keysPerCall = 5000

/** Documents of an index with some keys, whether or not they are searchable yet; `source`: members to return. */
export async function documentsByKey(
  { client }: Pick<ClusterReads, 'client'>,
  uid: string,
  keys: readonly string[],
  {
    source,
    signal,
  }: { readonly source: string | false; readonly signal?: AbortSignal | undefined },
): Promise<ReadonlyMap<string, ClusterDocument>> {
  const found = new Map<string, ClusterDocument>()
  for (let at = 0; at < keys.length; at += keysPerCall) {
    const body = { ids: keys.slice(at, at + keysPerCall) }
    const query = { _source: source }
    const path = `/${encodeURIComponent(uid)}/_mget`
    const answer = await client.call({ method: 'POST', path, query, body }, signal)
    for (const document of parseAnswer(documentsShape, answer).docs) {
      // On an index that is away this has the status 200, and would look like a document that does not exist.
      if (document.error !== undefined) throw refused(errorStatus(document.error), document)
      const { _id, _version: version = 0, _source = {} } = document
      if (document.found) found.set(_id, { version, source: _source })
    }
  }
  return found
}

const indexMissing = z.object({ type: z.literal('index_not_found_exception') })
const errorStatus = (error: unknown) => (indexMissing.safeParse(error).success ? 404 : 503)

const termShape = z.object({
  hits: z.object({
    hits: z.array(
      z.object({
        _source: z.object({
          term: z.string(),
          bucket: z.string(),
          stems: z.array(z.string()).default([]),
        }),
      }),
    ),
  }),
})

/** Most rows of the index of terms for one query; the window of an index. */
const mostRows = 20_000

/** Makes the function that finds rows of the index of terms, by one call for all queries. */
export const clusterTerms =
  (client: ClusterClient, { terms }: ClusterNames): FindTerms =>
  async (queries, signal) => {
    const searches = queries.map((query) => ({
      uid: terms,
      body: {
        query: termQuery(query),
        size: Math.min(query.limit, mostRows),
        _source: ['term', 'bucket', 'stems'],
        sort: ['_doc'],
        track_total_hits: false,
      },
    }))
    const answers = await clusterSearches({ client }, searches, signal)
    return answers.map((answer) =>
      parseAnswer(termShape, answer).hits.hits.map(({ _source }) => _source),
    )
  }

function termQuery({ attribute, values, beginning = '', buckets }: TermQuery): ClusterQuery {
  return allOf([
    ...(buckets ? [oneOf('bucket', buckets)] : []),
    values
      ? oneOf(attribute, values)
      : beginning === ''
        ? { exists: { field: attribute } }
        : { prefix: { [attribute]: { value: beginning } } },
  ])
}
