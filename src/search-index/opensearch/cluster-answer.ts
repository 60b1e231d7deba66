/** Execution of searches on a cluster, and reading of records and entries by id. */

import { z } from 'zod'
import { compareCodePoints } from '../../text/code-points.ts'
import { otherBucket } from '../../text/language.ts'
import { tokens } from '../../text/tokens.ts'
import { idField } from '../field-reach.ts'
import { includeText } from '../include.ts'
import type { IndexName } from '../index-settings.ts'
import { parseAnswer } from '../remote/answers.ts'
import type { FacetTitles } from '../remote/facet-titles.ts'
import type { IndexPart } from '../remote/generation.ts'
import { headSize, orderHead } from '../remote/head-order.ts'
import type { Answer, Entry, Hit, OrderKey, SearchRequest } from '../search-index.ts'
import type { TokenisedValue } from '../text-scores.ts'
import { clusterFacets, facetAggregations } from './cluster-facets.ts'
import { recordKey, type StoredTexts } from './cluster-layout.ts'
import { type ClusterPlan, type ClusterRequest, planSearch, sortClauses } from './cluster-plan.ts'
import {
  type ClusterHit,
  type ClusterReads,
  clusterSearch,
  documentsByKey,
  hitFields,
} from './cluster-reads.ts'
import type { ClusterQuery } from './query-conditions.ts'

/** Context of searches: access to the cluster, and the lookup of facet values. */
export type ClusterAnswers = { readonly context: ClusterReads; readonly titles: FacetTitles }

/** Hit with the index that it is of, and its score. */
export type RankedHit = ClusterHit & { readonly part: IndexPart; readonly score: number }

/** Searches and returns a page of hits, the exact count, and the requested facets. */
export async function answerOnCluster(
  { offset, limit, ...request }: SearchRequest,
  answers: ClusterAnswers,
  signal?: AbortSignal,
): Promise<Answer> {
  const isRead = request.include?.length !== 0
  const { count, hits, facets } = await runSearch(
    request,
    { offset, limit, isRead },
    { ...answers, search: clusterSearch },
    signal,
  )
  return { count, hits: hits.map((hit) => hitOf(hit, request)), facets }
}

/** Hit of an answer. */
export const hitOf = (
  { part, id, score, record }: RankedHit,
  request: Pick<SearchRequest, 'score' | 'include'>,
): Hit => ({
  index: part.index,
  id,
  ...(request.score && { score }),
  record: record === undefined ? '{}' : includeText(record, request.include),
})

/** Range of hits; `isRead`: with their records. */
type HitSpan = { readonly offset: number; readonly limit: number; readonly isRead: boolean }

type Searching = ClusterAnswers & { readonly search: typeof clusterSearch }

type SearchResult = Pick<Answer, 'count' | 'facets'> & {
  readonly hits: readonly RankedHit[]
  readonly plan: ClusterPlan
  readonly keys: readonly OrderKey[]
}

/** Runs a search and returns its hits with scores. */
export async function runSearch(
  request: ClusterRequest,
  span: HitSpan,
  searching: Searching,
  signal?: AbortSignal,
): Promise<SearchResult> {
  const { context, search } = searching
  const plan = await planSearch(request, context, signal)
  const { parts, keys, query, scored } = plan
  if (parts.length === 0)
    return { count: 0, hits: [], plan, keys, ...(request.facets && { facets: [] }) }
  const uids = parts.map(({ uid }) => uid)
  const [first = {}, ...further] = request.facets
    ? facetAggregations(parts, request.facets, context.isSharded)
    : []
  const window = windowOf(plan, span)
  const body = { ...searchBody(plan), ...window, aggs: first }
  const found = await search(context, uids, body, signal)
  if (found.total === 0 && request.words === 'most')
    return runSearch({ ...request, words: undefined }, span, searching, signal)
  const hits = await rankedHits(plan, span, partHits(parts, found.hits))
  const aggregations = [found.aggregations]
  for (const aggs of further) {
    const more = { query, size: 0, track_total_hits: false, aggs }
    aggregations.push((await search(context, uids, more, signal)).aggregations)
  }
  const requested = request.facets
  return {
    count: found.total,
    hits: scored ? hits : hits.map((hit) => ({ ...hit, score: 0 })),
    plan,
    keys,
    ...(requested && {
      facets: await clusterFacets({ parts, query, requested }, aggregations, searching, signal),
    }),
  }
}

/** Query, order and exact count of a search. */
export const searchBody = (plan: ClusterPlan) => ({
  query:
    plan.scoring.length > 0
      ? { bool: { filter: [plan.query], should: plan.scoring } }
      : ({ bool: { filter: [plan.query] } } satisfies ClusterQuery),
  sort: sortClauses(plan),
  track_total_hits: true,
})

/** Window of the cluster for a span: where our scores order the first hits, all of these. */
function windowOf({ scored }: ClusterPlan, { offset, limit, isRead }: HitSpan) {
  const isInHead = scored !== undefined && limit > 0 && offset < headSize
  return {
    ...hitFields({ record: isRead && limit > 0, texts: isInHead }),
    from: isInHead ? 0 : offset,
    size: isInHead ? Math.max(headSize, offset + limit) : limit,
  }
}

/** Hits with the parts that they are of. */
export const partHits = (
  parts: readonly IndexPart[],
  hits: readonly ClusterHit[],
): readonly RankedHit[] =>
  hits.flatMap((hit) => {
    const part = parts.find(({ uid }) => uid === hit.uid)
    return part ? [{ ...hit, part, score: 0 }] : []
  })

async function rankedHits(
  plan: ClusterPlan,
  { offset, limit }: Pick<HitSpan, 'offset' | 'limit'>,
  hits: readonly RankedHit[],
): Promise<readonly RankedHit[]> {
  if (!plan.scored || limit === 0 || offset >= headSize) return hits
  return (await orderedHead(plan, hits)).slice(offset, offset + limit)
}

/** Sorts the first hits by our scores, equal ones by the other keys. */
export async function orderedHead(
  plan: ClusterPlan,
  hits: readonly RankedHit[],
): Promise<readonly RankedHit[]> {
  const compare = comparisonOf(plan)
  const head = hits.slice(0, headSize).toSorted((a, b) => compare(a.sort, b.sort))
  const texts = new Map(hits.map((hit) => [hit.key, hit]))
  const ordered = await orderHead<string, RankedHit>([...head, ...hits.slice(headSize)], {
    queries: plan.scored ?? new Map(),
    related: [],
    closeness: undefined,
    textsOf: (_, wanted) =>
      Promise.resolve(
        new Map(
          wanted.flatMap((key) => {
            const hit = texts.get(key)
            return hit ? [[key, storedValues(hit)] as const] : []
          }),
        ),
      ),
  })
  return ordered ?? hits
}

type SortValues = ClusterHit['sort']

/** Comparison of sort values after the score: those of keys, then index and id ascending; missing texts last. */
function comparisonOf(plan: ClusterPlan): (a: SortValues, b: SortValues) => number {
  const orders = sortClauses(plan).map((clause) => JSON.stringify(clause).includes('"desc"'))
  return (a, b) => {
    for (let place = 1; place < Math.max(a.length, b.length); place++) {
      const [left, right] = [a[place] ?? null, b[place] ?? null]
      if (left === right) continue
      if (left === null) return 1
      if (right === null) return -1
      const difference =
        typeof left === 'number' && typeof right === 'number'
          ? left - right
          : compareCodePoints(String(left), String(right))
      if (difference !== 0) return orders[place] === true ? -difference : difference
    }
    return 0
  }
}

const textsShape = z.record(z.string(), z.record(z.string(), z.array(z.string())))

/** Values of the id and of all fields of a hit. */
function storedValues({ id, texts = '{}' }: ClusterHit): readonly TokenisedValue[] {
  const stored: StoredTexts = parseAnswer(textsShape, JSON.parse(texts))
  return [
    { field: idField, bucket: otherBucket, tokens: tokens(id) },
    ...Object.entries(stored).flatMap(([field, buckets]) =>
      Object.entries(buckets).flatMap(([bucket, values]) =>
        values.map((value) => ({ field, bucket, tokens: value.split(' ') })),
      ),
    ),
  ]
}

/** Reads the JSON text of a record; `undefined` if it does not exist. */
export async function recordOnCluster(
  context: ClusterReads,
  index: IndexName,
  id: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const searched = context.searched(index)
  if (!searched) return undefined
  const key = recordKey(id)
  const found = await documentsByKey(context, searched.uid, [key], { source: 'r', signal })
  const record = found.get(key)?.source['r']
  return typeof record === 'string' ? record : undefined
}

const entryShape = z.object({
  hits: z.object({
    hits: z.array(
      z.object({
        _index: z.string(),
        fields: z.object({
          i: z.array(z.string()),
          v: z.array(z.number()),
          h: z.array(z.string()).default([]),
        }),
      }),
    ),
  }),
})

/** Entries with ids greater than `after`, in order. Of a record in two generations the entry of the searched one is returned. */
export async function entriesOnCluster(
  { client, searched }: ClusterReads,
  index: IndexName,
  { after, limit }: { readonly after: string; readonly limit: number },
  signal?: AbortSignal,
): Promise<readonly Entry[]> {
  const own = searched(index)
  if (!own) return []
  const uids = own.next ? [own.uid, own.next.uid] : [own.uid]
  const path = `/${uids.map(encodeURIComponent).join(',')}`
  // What a filling has written is not searchable yet.
  if (own.next) await client.call({ method: 'POST', path: `${path}/_refresh` }, signal)
  const body = {
    size: uids.length * limit,
    sort: [{ i: 'asc' }],
    ...(after !== '' && { search_after: [after] }),
    _source: false,
    docvalue_fields: ['i', 'v', 'h'],
    track_total_hits: false,
  }
  const query = { allow_partial_search_results: false }
  const answer = await client.call({ method: 'POST', path: `${path}/_search`, query, body }, signal)
  const entries = new Map<string, Entry>()
  for (const { _index: uid, fields } of parseAnswer(entryShape, answer).hits.hits) {
    const [id = '', version = 0, hash = ''] = [fields.i[0], fields.v[0], fields.h[0]]
    if (uid === own.uid || !entries.has(id)) entries.set(id, { id, version, hash })
  }
  return [...entries.values()].slice(0, limit)
}
