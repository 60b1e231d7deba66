/** Searching the engine: one call for hits, total and facet counts of one state of all searched indices. */

import { isRefusal } from '../wire/failures.ts'
import { attributes, codesOf, sentinel } from '../layout/names.ts'
import type { Ranking } from '../ranking/rankings.ts'
import { facetsOf, type Distribution } from './facets.ts'
import type { Part, Reading } from './reading.ts'

/** What is looked for in one index. */
export type Wanted = {
  readonly part: Part
  /** `undefined` = all documents. */
  readonly filter: string | undefined
  readonly rankings: readonly Ranking[]
}

export type Window = {
  readonly sort: readonly string[]
  readonly offset: number
  readonly limit: number
  /** Attributes of the hits. */
  readonly fields: readonly string[]
  /** Facets to count: absent = none, empty = all. */
  readonly facets?: { readonly ids?: readonly string[] }
}

export type Found<Row> = {
  readonly total: number
  readonly hits: readonly (Row & { readonly part: Part; readonly score: number })[]
  /** One per wanted index. */
  readonly distributions: readonly Distribution[]
}

type Merged = {
  readonly hits: readonly { readonly _federation: Place }[]
  readonly estimatedTotalHits: number
  readonly facetsByIndex?: Readonly<Record<string, { readonly distribution: Distribution }>>
}
type Place = { readonly indexUid: string; readonly weightedRankingScore: number }

/** Too little to put a document before one that any word says something about. */
const leastWeight = 1e-9

export async function hitsOf<Row>(
  wanted: readonly Wanted[],
  window: Window,
  { wire }: Pick<Reading, 'wire'>,
  signal?: AbortSignal,
): Promise<Found<Row>> {
  if (wanted.length === 0) return { total: 0, hits: [], distributions: [] }
  try {
    const body = bodyOf(wanted, window)
    const merged = (await wire.post('/multi-search', body, signal)) as Merged
    return foundIn<Row>(merged, wanted)
  } catch (error) {
    // A field that no document has had any text in yet cannot be searched: then nothing is worth a rank there.
    if (!isUnknownField(error) || wanted.every(({ rankings }) => rankings.length === 0)) throw error
    const plain = wanted.map((one) => ({ ...one, rankings: [] }))
    return hitsOf(plain, window, { wire }, signal)
  }
}

const isUnknownField = (error: unknown): boolean =>
  isRefusal(error, 'invalid_search_attributes_to_search_on')

function bodyOf(wanted: readonly Wanted[], window: Window): unknown {
  const { offset, limit, fields, sort } = window
  const isRanked = wanted.some(({ rankings }) => rankings.length > 0)
  const query = (one: Wanted, more: object, weight = 1) => ({
    indexUid: one.part.uid,
    ...(one.filter !== undefined && { filter: one.filter }),
    attributesToRetrieve: fields,
    ...(sort.length > 0 && { sort }),
    ...more,
    federationOptions: { weight },
  })
  const queries = wanted.flatMap((one) => {
    if (!isRanked) return [query(one, {})]
    const ranked = one.rankings.map(({ q, on, weight }) =>
      query(one, { q, attributesToSearchOn: on }, weight),
    )
    // Every document of the set is a hit of this one: totals and pages are those of the set.
    const rest = { q: sentinel, attributesToSearchOn: [attributes.sentinel] }
    return [...ranked, query(one, rest, leastWeight)]
  })
  const counted = window.facets && {
    facetsByIndex: Object.fromEntries(
      wanted.map(({ part }) => [
        part.uid,
        facetsOf(part, window.facets?.ids).map(({ id }) => codesOf(id)),
      ]),
    ),
  }
  return { federation: { offset, limit, ...counted }, queries }
}

function foundIn<Row>(merged: Merged, wanted: readonly Wanted[]): Found<Row> {
  const parts = new Map(wanted.map(({ part }) => [part.uid, part]))
  const hits = merged.hits.flatMap((hit) => {
    const part = parts.get(hit._federation.indexUid)
    const score = hit._federation.weightedRankingScore
    return part ? [{ ...(hit as unknown as Row), part, score }] : []
  })
  const distributions = wanted.map(
    ({ part }) => merged.facetsByIndex?.[part.uid]?.distribution ?? {},
  )
  return { total: merged.estimatedTotalHits, hits, distributions }
}
