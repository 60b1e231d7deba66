/** Facets on a cluster: aggregations of the values of documents, exact on several shards too. */

import { z } from 'zod'
import { compareCodePoints } from '../../text/code-points.ts'
import { facetDefinitions, withBands } from '../facet-answer.ts'
import type { FacetSettings, IndexName } from '../index-settings.ts'
import { parseAnswer } from '../remote/answers.ts'
import {
  type FacetEntry,
  facetItems,
  facetsOfAnswer,
  facetTitles,
  type FacetCounts,
  type FacetTitles,
} from '../remote/facet-titles.ts'
import { type IndexPart, partsOf } from '../remote/generation.ts'
import type { Facet, FacetItem, SearchRequest } from '../search-index.ts'
import { codeOfStored, fieldPaths } from './cluster-layout.ts'
import { type ClusterReads, clusterSearch, sendSearch } from './cluster-reads.ts'
import type { ClusterQuery } from './query-conditions.ts'

type FacetContext = { readonly context: ClusterReads; readonly titles: FacetTitles }
type Requested = NonNullable<SearchRequest['facets']>
type Aggregations = Readonly<Record<string, unknown>>

/** Values that a shard counts for each facet where there are several, and by how much more is asked for where that was not enough. */
const [perShard, more] = [1_000, 10]
/** Most buckets in one answer: the cluster refuses more than 65,535. */
const mostBuckets = 60_000

const valueSource = z.object({
  facet: z.string(),
  value: z.string(),
  title: z.string().default(''),
})

/** Most facet values of one search, which takes a fifth of the time of as many reads by key. */
const perSearch = 10_000

/** Makes the lookup of facet values on a cluster. */
export const clusterTitles = ({ client, names, changes, now }: ClusterReads): FacetTitles =>
  facetTitles({
    changes,
    now,
    read: async (codes, signal) => {
      const entries: (readonly [string, FacetEntry])[] = []
      for (let at = 0; at < codes.length; at += perSearch) {
        const some = codes.slice(at, at + perSearch)
        entries.push(...(await searchedEntries({ client, names }, some, signal)))
      }
      return entries
    },
  })

const entryHits = z.object({
  hits: z.object({ hits: z.array(z.object({ _id: z.string(), _source: valueSource })) }),
})

async function searchedEntries(
  { client, names }: Pick<ClusterReads, 'client' | 'names'>,
  codes: readonly string[],
  signal?: AbortSignal,
): Promise<readonly (readonly [string, FacetEntry])[]> {
  const body = {
    query: { ids: { values: codes } },
    size: codes.length,
    sort: ['_doc'],
    track_total_hits: false,
  }
  const answer = await sendSearch(client, [names.facetValues], body, signal)
  const { hits } = parseAnswer(entryHits, answer).hits
  return hits.map(({ _id: code, _source: entry }) => [code, entry])
}

type Sizes = { readonly size: number; readonly shardSize?: number }

const aggregationOf = (facet: FacetSettings, { size, shardSize }: Sizes) => ({
  terms: {
    field: fieldPaths.facet(facet.id),
    size,
    ...(shardSize !== undefined && { shard_size: Math.max(size, shardSize) }),
  },
})

/** Aggregations of a search, and those that need searches of their own, because there are too many values for one answer. */
export function facetAggregations(
  parts: readonly IndexPart[],
  { ids, size, global }: Requested,
  isSharded: boolean,
): readonly Aggregations[] {
  const settings = parts.map((part) => part.settings)
  const groups: Record<string, unknown>[] = []
  let buckets = mostBuckets
  for (const facet of facetDefinitions(settings, ids)) {
    const wanted = facet.bands ? facet.bands.length + 1 : size
    if (wanted <= 0) continue
    if (buckets + wanted > mostBuckets) {
      groups.push({})
      buckets = 0
    }
    buckets += wanted
    const sizes = { size: wanted, ...(isSharded && { shardSize: perShard }) }
    const [group] = groups.slice(-1)
    if (group) group[facetName(facet.id)] = aggregationOf(facet, sizes)
  }
  return global ? groups.map((aggs) => ({ all: { global: {}, aggs } })) : groups
}

/** Name of the aggregation of a facet; names must not have brackets. */
const facetName = (facet: string): string => fieldPaths.facet(facet).slice(2)

const termsShape = z.object({
  doc_count_error_upper_bound: z.number(),
  buckets: z.array(z.object({ key: z.string(), doc_count: z.number() })),
})
type Counted = z.infer<typeof termsShape>

type FacetQuery = {
  readonly parts: readonly IndexPart[]
  readonly query: ClusterQuery
  readonly requested: Requested
}

/** Facets of an answer from the aggregations of its search, with those that are counted by further ones. */
export async function clusterFacets(
  { parts, query, requested }: FacetQuery,
  found: readonly Aggregations[],
  { context, titles }: FacetContext,
  signal?: AbortSignal,
): Promise<readonly Facet[]> {
  const settings = parts.map((part) => part.settings)
  const all = Object.assign(
    {},
    ...found.map((one) => (requested.global ? Object(one['all']) : one)),
  )
  const counts = new Map<string, FacetCounts>()
  for (const facet of facetDefinitions(settings, requested.ids)) {
    const own = termsShape.safeParse(all[facetName(facet.id)]).data
    if (!own) continue
    const exact =
      own.doc_count_error_upper_bound > 0
        ? await countedExactly(facet, { parts, query, requested }, context, signal)
        : own
    counts.set(facet.id, countsOf(facet.id, exact))
  }
  const codes = [...counts.values()].flatMap((some) => [...some.keys()])
  const none: FacetCounts = new Map()
  return facetsOfAnswer(
    settings,
    (facet) => counts.get(facet) ?? none,
    await titles(codes, signal),
    requested,
  )
}

/** Counts a facet again with more values of each shard, until no count may lack some. */
async function countedExactly(
  facet: FacetSettings,
  { parts, query, requested: { size, global } }: FacetQuery,
  context: ClusterReads,
  signal?: AbortSignal,
): Promise<Counted> {
  const uids = parts.map(({ uid }) => uid)
  for (let shardSize = perShard * more; ; shardSize *= more) {
    const aggs = { own: aggregationOf(facet, { size, shardSize }) }
    const body = { size: 0, track_total_hits: false, aggs, ...(!global && { query }) }
    const { aggregations } = await clusterSearch(context, uids, body, signal)
    const counted = parseAnswer(termsShape, aggregations['own'])
    if (counted.doc_count_error_upper_bound === 0 || shardSize > 10_000_000) return counted
  }
}

const countsOf = (facet: string, { buckets }: Pick<Counted, 'buckets'>): FacetCounts =>
  new Map(buckets.map(({ key, doc_count: count }) => [codeOfStored(facet, key), count]))

const compositeShape = z.object({
  own: z.object({
    after_key: z.object({ value: z.string() }).optional(),
    buckets: z.array(z.object({ key: z.object({ value: z.string() }), doc_count: z.number() })),
  }),
})

/** Values of a facet in one page. */
const valuesPerPage = 50_000

/** All values of a facet in an index with their counts, ids ascending. */
export async function clusterFacetValues(
  index: IndexName,
  facet: string,
  { context, titles }: FacetContext,
  signal?: AbortSignal,
): Promise<readonly FacetItem[]> {
  const [part] = partsOf([index], context.searched)
  const definition = part?.settings.facets.find(({ id }) => id === facet)
  if (!part || !definition) return []
  const counts = new Map<string, number>()
  const sources = [{ value: { terms: { field: fieldPaths.facet(facet) } } }]
  for (let after: { readonly value: string } | undefined, isMore = true; isMore;) {
    const composite = { size: valuesPerPage, sources, ...(after && { after }) }
    const body = { size: 0, track_total_hits: false, aggs: { own: { composite } } }
    const { aggregations } = await clusterSearch(context, [part.uid], body, signal)
    const { own } = parseAnswer(compositeShape, aggregations)
    for (const { key, doc_count: count } of own.buckets)
      counts.set(codeOfStored(facet, key.value), count)
    after = own.after_key
    isMore = after !== undefined && own.buckets.length === valuesPerPage
  }
  const items = withBands(definition, facetItems(counts, await titles(counts.keys(), signal)))
  return items.toSorted((a, b) => compareCodePoints(a.id, b.id))
}
