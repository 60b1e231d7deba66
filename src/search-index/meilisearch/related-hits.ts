/** Documents that join the hits of a search on Meilisearch, because they are close in meaning to the query. */

import { z } from 'zod'
import { closenessOf } from '../fusion.ts'
import type { FacetTitles } from '../remote/facet-titles.ts'
import type { IndexPart } from '../remote/generation.ts'
import { filterText } from './condition.ts'
import {
  type Distribution,
  type EngineHits,
  fetchDocuments,
  fetchHits,
  type IndexQuery,
  type ReadContext,
} from './engine-reads.ts'
import type { EngineVectors, NearDocument } from './engine-vectors.ts'
import { hasNumberAmong } from './filter-conditions.ts'
import type { Plan, Query } from './search-plan.ts'

const numberRow = z.object({ n: z.number() })

/** Context of searches: access to the server, the lookup of facet values, and the vectors. */
export type AnswerContext = {
  readonly context: ReadContext
  readonly titles: FacetTitles
  readonly vectors: EngineVectors
}

/** Hits that only `SearchRequest.meaning` finds, and the closeness of all near documents. */
export type RelatedHits = {
  readonly related: EngineHits<{ readonly n: number; readonly i: string }>['hits']
  readonly closeness: {
    readonly weight: number
    readonly near: readonly (NearDocument & { readonly closeness: number })[]
  }
}

/** Finds the documents that are close in meaning; `undefined` if no vectors were compared. */
export async function relatedHits(
  { meaning, filter }: Query,
  { parts, queries }: Plan,
  { context, vectors }: AnswerContext,
  signal?: AbortSignal,
): Promise<RelatedHits | undefined> {
  if (!meaning) return undefined
  const near = await vectors.nearest(parts, meaning.vector, filter, signal)
  if (near.length === 0) return undefined
  const joining = near.slice(0, meaning.most)
  const matched = new Set<number>()
  for (const query of queries) {
    const numbers = joining.flatMap(({ part, hit }) => (part === query.part ? [hit.n] : []))
    if (numbers.length === 0) continue
    const among = filterText(hasNumberAmong(numbers))
    const request = {
      row: numberRow,
      filter: query.filter === undefined ? among : `(${query.filter}) AND ${among}`,
      limit: numbers.length,
    }
    const { results } = await fetchDocuments(context, query.part.uid, request, signal)
    for (const { n } of results) matched.add(n)
  }
  const related = joining.flatMap(({ part, hit }) =>
    matched.has(hit.n) ? [] : [{ part, hit, score: 0 }],
  )
  const closeness = closenessOf(near.map(({ similarity }) => similarity))
  const close = near.map((one, i) => ({ ...one, closeness: closeness[i] ?? 0 }))
  return { related, closeness: { weight: meaning.weight, near: close } }
}

type CountedHits = Pick<RelatedHits, 'related'> & {
  readonly plan: Plan
  /** Facets to count; absent = all. */
  readonly ids: readonly string[] | undefined
}

/** Facet counts of the hits of a plan and of related ones. */
export async function distributionsWith(
  { related, plan: { parts, queries }, ids }: CountedHits,
  context: Pick<ReadContext, 'client'>,
  signal?: AbortSignal,
): Promise<readonly Distribution[]> {
  const queryOf = (part: IndexPart): readonly IndexQuery[] => {
    const query = queries.find((each) => each.part === part)
    const numbers = related.flatMap((hit) => (hit.part === part ? [hit.hit.n] : []))
    if (numbers.length === 0) return query ? [{ ...query, rankings: [] }] : []
    const among = filterText(hasNumberAmong(numbers))
    if (!query) return [{ part, filter: among, rankings: [] }]
    const filter = query.filter === undefined ? undefined : `(${query.filter}) OR ${among}`
    return [{ part, rankings: [], ...(filter !== undefined && { filter }) }]
  }
  const counting = { row: z.object({}), sort: [], offset: 0, limit: 0, facets: { ids } }
  return (await fetchHits(parts.flatMap(queryOf), counting, context, signal)).distributions
}
