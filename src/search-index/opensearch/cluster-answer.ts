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
import { orderHead } from '../remote/head-order.ts'
import type { Answer, Entry, Hit, SearchRequest } from '../search-index.ts'
import type { TokenisedValue } from '../text-scores.ts'
import { clusterFacets, facetAggregations } from './cluster-facets.ts'
import { recordKey, type StoredTexts } from './cluster-layout.ts'
import { type ClusterPlan, type ClusterRequest, planOnCluster } from './cluster-plan.ts'
import {
  type ClusterHit,
  type ClusterReads,
  clusterSearch,
  documentsByKey,
  fieldsOfHits,
  sendSearch,
} from './cluster-reads.ts'
import { relatedMembers, relatedOnCluster, type RelatedRecords } from './cluster-related.ts'
import type { ClusterVectors } from './cluster-vectors.ts'
import { anyOf, type ClusterQuery, records } from './query-conditions.ts'

/** Number of first hits that our scores order. The cluster scores nearly as we do: with 200 the order of judged queries was no better. */
export const clusterHead = 60

/** Context of searches: access to the cluster, the lookup of facet values, and the vectors. */
export type ClusterAnswers = {
  readonly context: ClusterReads
  readonly titles: FacetTitles
  readonly vectors: ClusterVectors
}

/** Hit with the index that it is of, and its score. */
export type RankedHit = ClusterHit & { readonly part: IndexPart; readonly score: number }

/** Searches and returns a page of hits, the exact count, and the requested facets. */
export async function answerOnCluster(
  { offset, limit, ...request }: SearchRequest,
  answers: ClusterAnswers,
  signal?: AbortSignal,
): Promise<Answer> {
  const isRead = request.include?.length !== 0
  const found = await searchOnCluster(
    request,
    { offset, limit, isRead },
    { ...answers, search: clusterSearch },
    signal,
  )
  const { count, hits, facets, related } = found
  return {
    count,
    ...(related && { related: related.hits.length }),
    hits: hits.map((hit) => ({ ...hitOf(hit, request), ...relatedMembers(related, hit.key) })),
    facets,
  }
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
  readonly related?: RelatedRecords | undefined
}

/** Runs a search and returns its hits with scores. */
export async function searchOnCluster(
  request: ClusterRequest,
  span: HitSpan,
  searching: Searching,
  signal?: AbortSignal,
): Promise<SearchResult> {
  const { context, search } = searching
  const plan = await planOnCluster(request, context, signal)
  const { parts, query, scored } = plan
  const { facets: requested } = request
  if (parts.length === 0) return { count: 0, hits: [], plan, ...(requested && { facets: [] }) }
  const related = await relatedOnCluster(request, plan, searching, signal)
  const uids = parts.map(({ uid }) => uid)
  const groups = requested ? facetAggregations(parts, requested, context.isSharded) : []
  // Facets count related hits too, which the search does not find.
  const isJoined = (related?.hits.length ?? 0) > 0
  const counted = isJoined && related ? anyOf([query, related.query]) : query
  const [first, ...further] = isJoined ? [undefined, ...groups] : groups
  const body = { ...searchBody(plan), ...windowOf(plan, span, related), aggs: first ?? {} }
  const found = await search(context, uids, body, signal)
  const count = found.total + (related?.hits.length ?? 0)
  if (count === 0 && request.words === 'most')
    return searchOnCluster({ ...request, words: undefined }, span, searching, signal)
  const hits = await rankedHits(plan, span, partHits(parts, found.hits), related)
  const aggregations = [found.aggregations]
  for (const aggs of further) {
    const more = { query: counted, size: 0, track_total_hits: false, aggs }
    aggregations.push((await search(context, uids, more, signal)).aggregations)
  }
  const facets =
    requested &&
    (await clusterFacets({ parts, query: counted, requested }, aggregations, searching, signal))
  const isScored = scored !== undefined || related !== undefined
  return {
    count,
    hits: isScored ? hits : hits.map((hit) => ({ ...hit, score: 0 })),
    plan,
    related,
    ...(facets && { facets }),
  }
}

/** Query, order and exact count of a search. */
export const searchBody = (plan: ClusterPlan) => ({
  query:
    plan.scoring.length > 0
      ? { bool: { filter: [plan.query], should: plan.scoring } }
      : ({ bool: { filter: [plan.query] } } satisfies ClusterQuery),
  sort: plan.sort,
  track_total_hits: true,
})

/** Whether our scores order the hits of a span, with those that join them. */
const isInHead = (
  { scored }: ClusterPlan,
  { offset, limit }: Pick<HitSpan, 'offset' | 'limit'>,
  related: RelatedRecords | undefined,
): boolean =>
  (scored !== undefined || related !== undefined) &&
  limit > 0 &&
  offset < clusterHead + (related?.hits.length ?? 0)

/** Window of the cluster for a span: where our scores order the first hits, all of these. */
function windowOf(plan: ClusterPlan, span: HitSpan, related: RelatedRecords | undefined) {
  const { offset, limit, isRead } = span
  const isHead = isInHead(plan, span, related)
  return {
    ...fieldsOfHits({ record: isRead && limit > 0, texts: isHead }),
    from: isHead ? 0 : Math.max(0, offset - (related?.hits.length ?? 0)),
    size: isHead ? Math.max(clusterHead, offset + limit) : limit,
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
  span: Pick<HitSpan, 'offset' | 'limit'>,
  hits: readonly RankedHit[],
  related: RelatedRecords | undefined,
): Promise<readonly RankedHit[]> {
  if (!isInHead(plan, span, related)) return hits
  const ordered = await orderedHead(plan, hits, related)
  return ordered.slice(span.offset, span.offset + span.limit)
}

/** Sorts the first hits, and those that join them, by our scores, equal ones by the other keys. */
async function orderedHead(
  plan: ClusterPlan,
  hits: readonly RankedHit[],
  related: RelatedRecords | undefined,
): Promise<readonly RankedHit[]> {
  const compare = comparisonOf(plan)
  const head = hits.slice(0, clusterHead).toSorted((a, b) => compare(a.sort, b.sort))
  const joining = partHits(plan.parts, related?.hits ?? [])
  const texts = new Map([...hits, ...joining].map((hit) => [hit.key, hit]))
  const ordered = await orderHead<string, RankedHit>([...head, ...hits.slice(clusterHead)], {
    size: clusterHead,
    queries: plan.scored ?? new Map(),
    related: joining,
    closeness: related?.closeness,
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
  const orders = plan.sort.map((clause) => JSON.stringify(clause).includes('"desc"'))
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
    query: records,
    size: uids.length * limit,
    sort: [{ i: 'asc' }],
    ...(after !== '' && { search_after: [after] }),
    _source: false,
    docvalue_fields: ['i', 'v', 'h'],
    track_total_hits: false,
  }
  const answer = await sendSearch(client, uids, body, signal)
  const entries = new Map<string, Entry>()
  for (const { _index: uid, fields } of parseAnswer(entryShape, answer).hits.hits) {
    const [id = '', version = 0, hash = ''] = [fields.i[0], fields.v[0], fields.h[0]]
    if (uid === own.uid || !entries.has(id)) entries.set(id, { id, version, hash })
  }
  return [...entries.values()].slice(0, limit)
}
