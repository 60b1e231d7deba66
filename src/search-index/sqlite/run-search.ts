/**
 * Execution of a search in a reader, inside one transaction: match set of the query tree, filter, facet counts, order of the hits up to
 * the end of the page, records of the page.
 */

import { sortKeysOf } from '../hit-order.ts'
import { matchedTree } from '../scoring.ts'
import type { Leaf } from '../query-tree.ts'
import type { Answer, Facet, OrderKey, SearchRequest } from '../search-index.ts'
import { sizeOf } from './bitmap.ts'
import { countFacets, type FacetDictionary } from './facet-counts.ts'
import type { FullText } from './full-text.ts'
import type { LeafPhrases } from './leaf-phrases.ts'
import { keepFiltered, matchSetOf, withMostWords } from './match-set.ts'
import { fusedScores, joinNearest } from './nearest.ts'
import {
  readSlice,
  sliceOf,
  type Snapshot,
  type SnapshotAnswer,
  type SnapshotRequest,
} from './stored-records.ts'
import { scoresOf, wholeTitles } from './scores.ts'
import { canOrderBy, keysOf } from './top-hits.ts'
import type { StoredRecords } from './stored-records.ts'
import { mergeHits, topHits, type MergedHits, type OrderedHits } from './top-hits.ts'
import type { MatchedPart, GenerationView } from './view.ts'

/** Parts of a reader that searches use. */
export type ReaderContext = {
  readonly fullText: FullText
  readonly leaves: LeafPhrases
  readonly facets: FacetDictionary
  readonly records: StoredRecords
  /** Throws if the call was cancelled. */
  readonly check: () => void
}

/** Searches and returns a page of hits, the exact count, and the requested facets. */
export function runSearch(
  request: SearchRequest,
  views: readonly GenerationView[],
  context: ReaderContext,
): Answer {
  const { offset, limit } = request
  const end = limit > 0 ? offset + limit : 0
  const { parts, ...extras } = matchAll(request, views, context)
  const snapshot = end > 0 ? snapshotOf(request, parts, { context, end }) : noHits
  const { hits } = page(request, sliceOf(snapshot, offset, Math.max(offset, end)), context)
  return {
    count: parts.reduce((sum, { set }) => sum + sizeOf(set), 0),
    hits,
    ...relatedIn(parts),
    ...extras,
  }
}

/** Number of related records; none if no vectors were compared. */
function relatedIn(parts: readonly MatchedPart[]): Pick<Answer, 'related'> {
  const isCompared = parts.some(({ related }) => related !== undefined)
  return isCompared
    ? { related: parts.reduce((sum, { related }) => sum + (related?.size ?? 0), 0) }
    : {}
}

const noHits: Snapshot = { spans: [], numbers: new Uint32Array(0) }

/** Searches and returns all hits as record numbers, and the first page of records. */
export function openSnapshot(
  request: SnapshotRequest,
  views: readonly GenerationView[],
  context: ReaderContext,
): SnapshotAnswer {
  const { parts, ...extras } = matchAll(request, views, context)
  const snapshot = snapshotOf(request, parts, { context, end: Infinity })
  const first = page(request, sliceOf(snapshot, 0, request.limit), context)
  return { ...first, snapshot, ...extras }
}

const page = ({ include, score }: SnapshotRequest, slice: Snapshot, { records }: ReaderContext) =>
  readSlice({ ...slice, include, score }, records)

function matchAll(
  request: SnapshotRequest,
  views: readonly GenerationView[],
  context: ReaderContext,
): { readonly parts: readonly MatchedPart[] } & Pick<Answer, 'facets' | 'truncatedPatterns'> {
  const { leaves, check } = context
  leaves.startRequest()
  const matching = views.map((view) => matchIn(view, request, context))
  const most = request.words === 'most' ? mostWordsIn(matching, request, context) : matching
  const joined = withNearest(most, request, context)
  const parts = joined.some(({ set }) => sizeOf(set) > 0) ? joined : matching
  check()
  const facets = request.facets && facetsOf(request.facets, parts, context)
  check()
  return {
    parts,
    facets,
    ...(leaves.truncatedPatterns.size > 0 && { truncatedPatterns: [...leaves.truncatedPatterns] }),
  }
}

function matchIn(
  view: GenerationView,
  request: SnapshotRequest,
  context: ReaderContext,
): MatchedPart {
  const set = matchSetOf(matchedTree(request), matchContext(view, request, context))
  return { view, set: keepFiltered(set, request.filter, view, context.facets) }
}

const matchContext = (view: GenerationView, request: SnapshotRequest, context: ReaderContext) => ({
  view,
  fullText: context.fullText,
  facets: context.facets,
  phrases: phrasesIn(view, request, context),
})

/** The records with most of the words; all that match take their place if there are none, and no related ones. */
const mostWordsIn = (
  parts: readonly MatchedPart[],
  request: SnapshotRequest,
  context: ReaderContext,
): readonly MatchedPart[] =>
  parts.map(({ view, set }) => {
    return { view, set: withMostWords(set, request.tree, matchContext(view, request, context)) }
  })

/** Matched parts with the records that are close in meaning to the query. */
function withNearest(
  matched: readonly MatchedPart[],
  { meaning, filter }: SnapshotRequest,
  { facets, check }: ReaderContext,
): readonly MatchedPart[] {
  if (!meaning) return matched
  const filtered = matched.map(({ view }) => ({
    view,
    set: keepFiltered(view.live.slice(), filter, view, facets),
  }))
  return joinNearest(matched, filtered, meaning, check) ?? matched
}

const phrasesIn =
  (view: GenerationView, { fields }: SnapshotRequest, { leaves }: ReaderContext) =>
  (leaf: Leaf) =>
    leaves.phrasesOf(leaf, fields, view)

function facetsOf(
  requested: NonNullable<SearchRequest['facets']>,
  parts: readonly MatchedPart[],
  { facets }: ReaderContext,
): Facet[] {
  const countedParts = requested.global
    ? parts.map(({ view }) => ({ view, set: view.live }))
    : parts
  return countFacets(countedParts, facets, requested)
}

type Ordering = { readonly context: ReaderContext; readonly end: number }

function snapshotOf(
  request: SnapshotRequest,
  parts: readonly MatchedPart[],
  ordering: Ordering,
): Snapshot {
  const settings = parts.map(({ view }) => view.generation.settings)
  const order = sortKeysOf(request, (name) =>
    settings.every((indexSettings) => canOrderBy(name, indexSettings)),
  )
  const { lists, numbers, listIndexes: spanIndexes } = orderedBy(order, request, parts, ordering)
  const listOf = (i: number) => lists[spanIndexes?.[i] ?? 0]
  const [sortedBy] = order
  const isScored = request.score || sortedBy?.name === 'relevance'
  return {
    spans: lists.map(({ view: { generation } }) => ({
      index: generation.index,
      generation: generation.number,
    })),
    numbers,
    spanIndexes,
    ...(lists.some(({ related }) => related) && {
      related: Uint8Array.from(numbers, (n, i) => Number(listOf(i)?.related?.has(n) ?? false)),
    }),
    ...(lists.some(({ closeness }) => closeness) && {
      closeness: Float32Array.from(numbers, (n, i) => listOf(i)?.closeness?.get(n) ?? 0),
    }),
    ...(isScored && {
      scores: Float32Array.from(numbers, (n, i) => listOf(i)?.scores?.[n] ?? 0),
    }),
    sortedBy,
  }
}

/** The first `end` hits of all indices, sorted by `order`. */
function orderedBy(
  order: readonly OrderKey[],
  request: SnapshotRequest,
  parts: readonly MatchedPart[],
  { context, end }: Ordering,
): MergedHits {
  const { check } = context
  const isRanked = request.score || order.some((key) => key.name === 'relevance')
  const scores = isRanked ? scoresIn(parts, request, context) : []
  const lists = parts.map(({ view, set, related, closeness }, i): OrderedHits => {
    const keys = keysOf(order, view, scores[i])
    const numbers = topHits(set, end, keys, view.ids.positions())
    check()
    return { view, numbers, keys, scores: scores[i], related, closeness }
  })
  return mergeHits(lists, end, check)
}

/** Scores of the records of each part by number: by words, and by meaning too if it was compared. */
function scoresIn(
  parts: readonly MatchedPart[],
  request: SnapshotRequest,
  context: ReaderContext,
): readonly (Float32Array | undefined)[] {
  const { fullText, check } = context
  const scores = parts.map(({ view }) =>
    scoresOf(request, view, { fullText, phrases: phrasesIn(view, request, context), check }),
  )
  const { meaning, typed } = request
  return meaning && parts.some(({ closeness }) => closeness)
    ? fusedScores(parts, scores, meaning.weight, (view) => wholeTitles(typed, view, fullText))
    : scores
}
