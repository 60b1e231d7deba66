/** One search from request to answer, inside one snapshot. */

import { orderOf } from '../../order.ts'
import type { Leaf } from '../../query-tree.ts'
import type { Answer, Facet, OrderKey, SearchRequest } from '../../search-index.ts'
import { sizeOf } from '../columns/bitmap.ts'
import type { FacetDictionary } from '../columns/facet-dictionary.ts'
import { keepFiltered } from '../matching/filter.ts'
import type { FullText } from '../matching/full-text.ts'
import type { Leaves } from '../matching/leaves.ts'
import { match } from '../matching/match.ts'
import type { Occurrences } from '../matching/occurrences.ts'
import { planOf } from '../matching/plan.ts'
import { canOrderBy, keysOf } from '../ordering/keys.ts'
import { merge, type Merged, type Ordered } from '../ordering/merge.ts'
import { scoresOf } from '../ordering/ranking.ts'
import { sortColumn } from '../ordering/sort-value.ts'
import { top } from '../ordering/top.ts'
import { countFacets, type Part } from './facets.ts'
import type { Records } from './records.ts'
import { endOf, type Found, type Remembered } from './remembered.ts'
import { readSlice, sliceOf, type Opened, type Snapshot, type SnapshotRequest } from './snapshot.ts'
import type { Versions } from './versions.ts'
import type { View } from './view.ts'

export type Tools = {
  readonly fullText: FullText
  readonly occurrences: Occurrences
  readonly leaves: Leaves
  readonly facets: FacetDictionary
  readonly records: Records
  readonly versions: Versions
  readonly remembered: Remembered
  /** Throws when the answer is no longer wanted. */
  readonly check: () => void
}

export function search(request: SearchRequest, views: readonly View[], tools: Tools): Answer {
  const { remembered, versions } = tools
  const known = remembered.get(request) ?? first(request, views, tools)
  const { count, snapshot, facets, shortened } = known
  const { offset, include, score } = request
  const slice = sliceOf(snapshot, offset, Math.max(offset, endOf(request)))
  const { hits } = readSlice({ ...slice, ...(include && { include }), score }, versions)
  return { count, hits, ...(facets && { facets }), ...(shortened && { shortened }) }
}

/** Hits that are put in order with those of a page: the next pages have them. */
const ahead = 100

function first(request: SearchRequest, views: readonly View[], tools: Tools): Found {
  const { parts, facets } = found(request, views, tools)
  const end = endOf(request)
  const snapshot =
    end > 0 ? snapshotOf(request, { parts, tools, end: Math.max(ahead, end) }) : noHits
  const made: Found = {
    count: parts.reduce((sum, part) => sum + sizeOf(part.set), 0),
    snapshot,
    ...(facets && { facets }),
    ...shortened(tools),
  }
  tools.remembered.set(request, made)
  return made
}

const noHits: Snapshot = { spans: [], numbers: new Uint32Array(0), byScore: false }

/** All hits as numbers, the first page of them as records. */
export function open(request: SnapshotRequest, views: readonly View[], tools: Tools): Opened {
  const { parts, facets } = found(request, views, tools)
  const snapshot = snapshotOf(request, { parts, tools, end: Infinity })
  const { include, limit, score } = request
  const first = { ...sliceOf(snapshot, 0, limit), ...(include && { include }), score }
  return {
    ...readSlice(first, tools.versions),
    snapshot,
    ...(facets && { facets }),
    ...shortened(tools),
  }
}

function found(request: SnapshotRequest, views: readonly View[], tools: Tools) {
  tools.leaves.begin()
  const parts = views.map((view) => matched(request, view, tools))
  tools.check()
  const facets = request.facets && facetsOf(request.facets, parts, tools)
  tools.check()
  return { parts, facets }
}

const shortened = ({ leaves: { cut } }: Tools) => (cut.size > 0 ? { shortened: [...cut] } : {})

function matched(request: SnapshotRequest, view: View, tools: Tools): Part {
  const phrases = (leaf: Leaf) => tools.leaves.phrases(leaf, request.fields, view)
  const set = match(planOf(request.tree, phrases), view, tools)
  const isFiltered = Object.keys(request.filter).length > 0
  const all = isFiltered ? { all: set.slice() } : {}
  return { view, set: keepFiltered(set, request.filter, view, tools.facets), ...all }
}

function facetsOf(
  wanted: NonNullable<SearchRequest['facets']>,
  parts: readonly Part[],
  { facets }: Tools,
): Facet[] {
  const counted = wanted.global ? parts.map(({ view }) => ({ view, set: view.live })) : parts
  return countFacets(counted, facets, wanted)
}

function snapshotOf(request: SnapshotRequest, wanted: Wanted): Snapshot {
  const order = orderFor(request, wanted.parts)
  const merged = orderedBy(order, request, wanted)
  const { lists, numbers, of } = merged
  const [first] = order
  const byScore = first?.by === 'relevance'
  return {
    spans: lists.map(
      ({
        view: {
          generation: { index, generation, settings },
        },
      }) => {
        const column = first && sortColumn(first, settings)
        return { index, generation, ...(column && { column }) }
      },
    ),
    numbers,
    ...(of && { of }),
    ...((byScore || request.score) && { scores: scoresIn(merged) }),
    byScore,
  }
}

const scoresIn = ({ lists, numbers, of }: Merged): Float32Array =>
  Float32Array.from(numbers, (n, i) => lists[of?.[i] ?? 0]?.scores?.[n] ?? 0)

const orderFor = (request: SnapshotRequest, parts: readonly Part[]) =>
  orderOf(request, (name) => parts.every((part) => canOrderBy(name, part.view.generation.settings)))

type Wanted = { readonly parts: readonly Part[]; readonly tools: Tools; readonly end: number }

/** The first hits of all indices in their order, up to `end`. */
function orderedBy(
  order: readonly OrderKey[],
  request: SnapshotRequest,
  { parts, tools, end }: Wanted,
): Merged {
  const ranked = request.score || order.some((key) => key.by === 'relevance')
  const lists: Ordered[] = parts.map((part) => {
    const { view, set } = part
    const phrases = (leaf: Leaf) => tools.leaves.phrases(leaf, request.fields, view)
    const scores = ranked ? scoresOf(request, part, { ...tools, phrases }) : undefined
    const keys = keysOf(order, view, scores)
    const numbers = top(set, end, keys, view.ids.places())
    tools.check()
    return { view, numbers, keys, scores }
  })
  return merge(lists, end, tools.check)
}
