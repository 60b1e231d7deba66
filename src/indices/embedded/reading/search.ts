/** One search from request to answer, inside one snapshot. */

import { orderOf } from '../../order.ts'
import type { Leaf } from '../../query-tree.ts'
import { rankingLeaves } from '../../ranking-leaves.ts'
import type { Answer, Facet, SearchRequest } from '../../search-index.ts'
import { sizeOf } from '../columns/bitmap.ts'
import type { FacetDictionary } from '../columns/facet-dictionary.ts'
import { keepFiltered } from '../matching/filter.ts'
import type { FullText } from '../matching/full-text.ts'
import type { Leaves, Phrases } from '../matching/leaves.ts'
import { match } from '../matching/match.ts'
import { planOf } from '../matching/plan.ts'
import { canOrderBy, keysOf } from '../ordering/keys.ts'
import { merge, type Ordered } from '../ordering/merge.ts'
import { scoresOf } from '../ordering/ranking.ts'
import { top } from '../ordering/top.ts'
import { countFacets, type Part } from './facets.ts'
import type { Records } from './records.ts'
import type { View } from './view.ts'

export type Tools = {
  readonly fullText: FullText
  readonly leaves: Leaves
  readonly facets: FacetDictionary
  readonly records: Records
  /** Throws when the answer is no longer wanted. */
  readonly check: () => void
}

export function search(request: SearchRequest, views: readonly View[], tools: Tools): Answer {
  tools.leaves.cut = new Set()
  const parts = views.map((view) => ({ view, set: matched(request, view, tools) }))
  tools.check()
  const facets = request.facets && facetsOf(request.facets, parts, tools)
  tools.check()
  const hits = request.limit > 0 ? hitsOf(request, parts, tools) : []
  const { cut } = tools.leaves
  return {
    count: parts.reduce((sum, part) => sum + sizeOf(part.set), 0),
    hits,
    ...(facets && { facets }),
    ...(cut.size > 0 && { shortened: [...cut] }),
  }
}

function matched(request: SearchRequest, view: View, tools: Tools) {
  const phrases = (leaf: Leaf) => tools.leaves.phrases(leaf, request.fields, view)
  const set = match(planOf(request.tree, phrases), view, tools)
  return keepFiltered(set, request.filter, view, tools.facets)
}

function facetsOf(
  wanted: NonNullable<SearchRequest['facets']>,
  parts: readonly Part[],
  { facets }: Tools,
): Facet[] {
  const counted = wanted.global ? parts.map(({ view }) => ({ view, set: view.live })) : parts
  return countFacets(counted, facets, wanted)
}

function hitsOf(request: SearchRequest, parts: readonly Part[], tools: Tools) {
  const order = orderOf(request, (name) =>
    parts.every((part) => canOrderBy(name, part.view.generation.settings)),
  )
  const ranked = request.score || order.some((key) => key.by === 'relevance')
  const end = request.offset + request.limit
  const lists: Ordered[] = parts.map(({ view, set }) => {
    const leaves = ranked ? phrasesOf(request, view, tools) : []
    const { fullText } = tools
    const { boosts } = request
    const scores = ranked ? scoresOf(leaves, set, view, { fullText, boosts }) : undefined
    const keys = keysOf(order, view, scores)
    const numbers = top(set, end, keys, view.ids.places())
    tools.check()
    return { view, numbers, keys, scores }
  })
  return merge(lists, end)
    .slice(request.offset)
    .map(({ list: { view, scores }, n }) => ({
      index: view.generation.index,
      id: tools.records.id(view, n),
      ...(request.score && { score: scores?.[n] ?? 0 }),
      record: tools.records.text(view, n, request.include),
    }))
}

/** What the leaves that rank look for in one index; without those that can match nothing there. */
const phrasesOf = (request: SearchRequest, view: View, { leaves }: Tools): Phrases[] =>
  rankingLeaves(request.tree).flatMap((leaf) => leaves.phrases(leaf, request.fields, view) ?? [])
