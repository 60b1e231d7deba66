/** Documents that join the hits of a search on a cluster, because they are close in meaning to the query. */

import { closenessOf } from '../fusion.ts'
import type { Closeness } from '../remote/head-order.ts'
import type { Hit, SearchRequest } from '../search-index.ts'
import { recordKey } from './cluster-layout.ts'
import type { ClusterPlan } from './cluster-plan.ts'
import { type ClusterHit, type ClusterReads, clusterSearch, fieldsOfHits } from './cluster-reads.ts'
import type { ClusterVectors, NearRecord } from './cluster-vectors.ts'
import { allOf, anyOf, type ClusterQuery, oneOf } from './query-conditions.ts'

/** Hits that only `SearchRequest.meaning` finds, and the closeness of all near documents. */
export type RelatedRecords = {
  readonly hits: readonly ClusterHit[]
  /** Query that they match. */
  readonly query: ClusterQuery
  readonly closeness: Closeness<string>
}

type RelatedContext = { readonly context: ClusterReads; readonly vectors: ClusterVectors }

/** Finds the documents that are close in meaning; `undefined` if no vectors were compared. */
export async function relatedOnCluster(
  { meaning, filter }: Pick<SearchRequest, 'meaning' | 'filter'>,
  plan: ClusterPlan,
  { context, vectors }: RelatedContext,
  signal?: AbortSignal,
): Promise<RelatedRecords | undefined> {
  if (!meaning || plan.parts.length === 0) return undefined
  const near = await vectors.nearest(plan.parts, meaning.vector, filter, signal)
  if (near.length === 0) return undefined
  const uids = plan.parts.map(({ uid }) => uid)
  const joining = near.slice(0, meaning.most)
  const find = async (query: ClusterQuery, isRead: boolean) => {
    const size = joining.length * uids.length
    const fields = fieldsOfHits({ record: isRead, texts: isRead })
    const body = { query: { bool: { filter: [query] } }, size, sort: plan.sort, ...fields }
    return size > 0 ? (await clusterSearch(context, uids, body, signal)).hits : []
  }
  const matched = new Set((await find(allOf([plan.query, among(joining)]), false)).map(keyOf))
  const query = among(joining.filter((record) => !matched.has(nearKey(record))))
  const close = closenessOf(near.map(({ similarity }) => similarity))
  const closeness = near.map((record, i) => ({ key: nearKey(record), closeness: close[i] ?? 0 }))
  return {
    hits: await find(query, true),
    query,
    closeness: { weight: meaning.weight, near: closeness },
  }
}

const keyOf = ({ key }: ClusterHit): string => key

/** Key of the hit that a near record is. */
const nearKey = ({ part, id }: NearRecord): string => `${part.uid} ${recordKey(id)}`

/** Condition that a document is one of some records. */
const among = (records: readonly NearRecord[]): ClusterQuery =>
  anyOf(
    [...Map.groupBy(records, ({ part }) => part.index)].map(([index, some]) =>
      allOf([
        oneOf('x', [index]),
        oneOf(
          'i',
          some.map(({ id }) => id),
        ),
      ]),
    ),
  )

/** Members of a hit about its meaning; none if no vectors were compared. */
export function relatedMembers(
  related: RelatedRecords | undefined,
  key: string,
): Pick<Hit, 'related' | 'closeness'> {
  if (!related) return {}
  const closeness = related.closeness.near.find((one) => one.key === key)?.closeness ?? 0
  return { ...(related.hits.some((hit) => hit.key === key) && { related: true }), closeness }
}
