/**
 * One search from request to answer, inside one snapshot: the match set of the tree, narrowed by the filter, counted by facets,
 * put in order as far as the page goes, and the records of the page.
 */

import { orderOf } from '../hit-order.ts'
import type { Leaf } from '../query-tree.ts'
import type { Answer, Facet, OrderKey, SearchRequest } from '../search-index.ts'
import { sizeOf } from './bitmap.ts'
import { countFacets, type FacetDictionary } from './facet-counts.ts'
import { scoresOf, type FullText } from './full-text.ts'
import type { LeafPhrases } from './leaf-phrases.ts'
import { keepFiltered, matchSet } from './match-set.ts'
import {
  readSlice,
  sliceOf,
  type Snapshot,
  type SnapshotAnswer,
  type SnapshotRequest,
} from './stored-records.ts'
import { canOrderBy, keysOf } from './top-hits.ts'
import type { StoredRecords } from './stored-records.ts'
import { merge, top, type Merged, type Ordered } from './top-hits.ts'
import type { Part, View } from './view.ts'

export type SearchContext = {
  readonly fullText: FullText
  readonly leaves: LeafPhrases
  readonly facets: FacetDictionary
  readonly records: StoredRecords
  /** Throws when the answer is no longer needed. */
  readonly check: () => void
}

/** A page of hits, an exact count, and facets where they are asked for. */
export function search(
  request: SearchRequest,
  views: readonly View[],
  context: SearchContext,
): Answer {
  const { offset, limit } = request
  const end = limit > 0 ? offset + limit : 0
  const { parts, ...extras } = matched(request, views, context)
  const snapshot = end > 0 ? snapshotOf(request, parts, { context, end }) : noHits
  const { hits } = page(request, sliceOf(snapshot, offset, Math.max(offset, end)), context)
  return {
    count: parts.reduce((sum, { set }) => sum + sizeOf(set), 0),
    hits,
    ...extras,
  }
}

const noHits: Snapshot = { spans: [], numbers: new Uint32Array(0) }

/** All hits as numbers, the first page of them as records. */
export function open(
  request: SnapshotRequest,
  views: readonly View[],
  context: SearchContext,
): SnapshotAnswer {
  const { parts, ...extras } = matched(request, views, context)
  const snapshot = snapshotOf(request, parts, { context, end: Infinity })
  const first = page(request, sliceOf(snapshot, 0, request.limit), context)
  return { ...first, snapshot, ...extras }
}

const page = ({ include, score }: SnapshotRequest, slice: Snapshot, { records }: SearchContext) =>
  readSlice({ ...slice, include, score }, records)

function matched(
  request: SnapshotRequest,
  views: readonly View[],
  context: SearchContext,
): { readonly parts: readonly Part[] } & Pick<Answer, 'facets' | 'shortened'> {
  const { leaves, check } = context
  leaves.begin()
  const parts = views.map((view) => matchedIn(view, request, context))
  check()
  const facets = request.facets && facetsOf(request.facets, parts, context)
  check()
  return {
    parts,
    facets,
    ...(leaves.cut.size > 0 && { shortened: [...leaves.cut] }),
  }
}

function matchedIn(view: View, request: SnapshotRequest, context: SearchContext): Part {
  const { fullText, facets } = context
  const phrases = phrasesIn(view, request, context)
  const set = matchSet(request.tree, { view, fullText, facets, phrases })
  return { view, set: keepFiltered(set, request.filter, view, facets) }
}

const phrasesIn =
  (view: View, { fields }: SnapshotRequest, { leaves }: SearchContext) =>
  (leaf: Leaf) =>
    leaves.of(leaf, fields, view)

function facetsOf(
  wanted: NonNullable<SearchRequest['facets']>,
  parts: readonly Part[],
  { facets }: SearchContext,
): Facet[] {
  const counted = wanted.global ? parts.map(({ view }) => ({ view, set: view.live })) : parts
  return countFacets(counted, facets, wanted)
}

type Ordering = { readonly context: SearchContext; readonly end: number }

function snapshotOf(
  request: SnapshotRequest,
  parts: readonly Part[],
  ordering: Ordering,
): Snapshot {
  const settings = parts.map(({ view }) => view.generation.settings)
  const order = orderOf(request, (name) => settings.every((one) => canOrderBy(name, one)))
  const { lists, numbers, of } = orderedBy(order, request, parts, ordering)
  const listOf = (i: number) => lists[of?.[i] ?? 0]
  const [sortedBy] = order
  const isScored = request.score || sortedBy?.by === 'relevance'
  return {
    spans: lists.map(({ view: { generation: one } }) => ({
      index: one.index,
      generation: one.generation,
    })),
    numbers,
    of,
    ...(isScored && {
      scores: Float32Array.from(numbers, (n, i) => listOf(i)?.scores?.[n] ?? 0),
    }),
    sortedBy,
  }
}

/** The first hits of all indices in their order, up to `end`. */
function orderedBy(
  order: readonly OrderKey[],
  request: SnapshotRequest,
  parts: readonly Part[],
  { context, end }: Ordering,
): Merged {
  const { fullText, check } = context
  const isRanked = request.score || order.some((key) => key.by === 'relevance')
  const lists = parts.map(({ view, set }): Ordered => {
    const phrases = phrasesIn(view, request, context)
    const scores = isRanked ? scoresOf(request, view, { fullText, phrases }) : undefined
    const keys = keysOf(order, view, scores)
    const numbers = top(set, end, keys, view.ids.places())
    check()
    return { view, numbers, keys, scores }
  })
  return merge(lists, end, check)
}
