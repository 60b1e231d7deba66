/** One search from request to answer, and records by id. */

import { z } from 'zod'
import { compareCodePoints } from '../../text/code-points.ts'
import { includeText } from '../include.ts'
import type { IndexName } from '../index-settings.ts'
import { leavesOf } from '../query-tree.ts'
import type { Answer, Entry, Hit, OrderKey, SearchRequest } from '../search-index.ts'
import { attributes, keyOf } from './attributes.ts'
import { textOf } from './condition.ts'
import {
  fetched,
  hitsOf,
  partsOf,
  type EngineHits,
  type HitWindow,
  type IndexPart,
  type IndexQuery,
  type ReadContext,
  type Rows,
} from './engine-reads.ts'
import { facetsOfAnswer, type FacetTitles } from './facet-values.ts'
import { isBehind } from './filter-conditions.ts'
import { expansionsOf, matchedBy, placesOf } from './matching.ts'
import { isRanked, orderKeys, rankingsOf, sortOf, wordsOf } from './ranking.ts'

const recordRow = z.object({ i: z.string(), r: z.string() })
const idRow = recordRow.pick({ i: true })

export type SearchContext = { readonly context: ReadContext; readonly titles: FacetTitles }

/** Where in the order, and which attributes. */
type Span<Row> = Pick<HitWindow<Row>, 'offset' | 'limit' | 'row'>
type Query = Omit<SearchRequest, 'offset' | 'limit'>

/** A page of hits, an exact count, and facets where they are asked for. */
export async function search(
  { offset, limit, ...request }: SearchRequest,
  using: SearchContext,
  signal?: AbortSignal,
): Promise<Answer> {
  // The text of a record is most of what comes over the wire: for ids alone it is not asked for.
  const row: Rows<{ i: string; r?: string }> = request.include?.length === 0 ? idRow : recordRow
  const answer = await queried(request, { offset, limit, row }, using, signal)
  const { count, hits, facets, shortened } = answer
  return {
    count,
    hits: hits.map(({ hit, part, score }): Hit => ({
      index: part.index,
      id: hit.i,
      ...(request.score && { score }),
      record: hit.r === undefined ? '{}' : includeText(hit.r, request.include),
    })),
    facets,
    shortened,
  }
}

type Queried<Row> = Omit<Answer, 'hits'> & {
  readonly hits: EngineHits<Row>['hits']
  readonly parts: readonly IndexPart[]
  /** The keys that counted. */
  readonly keys: readonly OrderKey[]
}

/** Hits as `Row`s of attributes. */
export async function queried<Row>(
  request: Query,
  span: Span<Row>,
  { context, titles }: SearchContext,
  signal?: AbortSignal,
): Promise<Queried<Row>> {
  const { parts, keys, queries, shortened } = await planned(request, context, signal)
  const { facets } = request
  const own = facets && !facets.global ? { facets: { ids: facets.ids } } : {}
  const window = { ...span, sort: sortOf(keys, parts), ...own }
  const { total, hits, distributions } = await hitsOf(queries, window, context, signal)
  const counted = async () => {
    if (!facets?.global) return distributions
    const all = parts.map((part): IndexQuery => ({ part, rankings: [] }))
    const nothing = { sort: [], offset: 0, limit: 0, row: z.object({}) }
    const whole = { ...nothing, facets: { ids: facets.ids } }
    return (await hitsOf(all, whole, context, signal)).distributions
  }
  const facetsFrom = async (wanted: NonNullable<Query['facets']>) => {
    const counts = await counted()
    const codes = counts.flatMap((one) => Object.values(one).flatMap(Object.keys))
    return facetsOfAnswer(parts, counts, await titles(codes, signal), wanted)
  }
  return {
    count: total,
    hits,
    parts,
    keys,
    ...(facets && { facets: await facetsFrom(facets) }),
    ...(shortened.length > 0 && { shortened }),
  }
}

/** Plans the query of each index in which something may match. */
async function planned(request: Query, context: ReadContext, signal?: AbortSignal) {
  const parts = partsOf(request.indices, context)
  const given = orderKeys(request, parts)
  const { expanded, shortened } = await expansionsOf(leavesOf(request.tree), context, signal)
  const matching: { readonly part: IndexPart; readonly filter: string | undefined }[] = []
  for (const part of parts) {
    const condition = await matchedBy(request, part, { reading: context, signal, expanded })
    if (condition.kind !== 'none') matching.push({ part, filter: textOf(condition) })
  }
  const ranked = matching.map(({ part: { settings, languages } }) => ({
    settings,
    places: placesOf(request.fields, settings, languages),
  }))
  const words = isRanked(given) ? wordsOf(request.tree) : { wanted: [], possible: [] }
  const rankings = rankingsOf(words, request.boosts, ranked)
  const queries = matching.map((one, i): IndexQuery => ({ ...one, rankings: rankings[i] ?? [] }))
  // Where no word can be ranked by, all scores are equal: the keys after relevance decide.
  const isScored = queries.some(({ rankings }) => rankings.length > 0)
  const keys = isScored ? given : given.filter(({ by }) => by !== 'relevance')
  return { parts, keys, queries, shortened }
}

/** The JSON text of a record. */
export async function recordOf(
  context: ReadContext,
  index: IndexName,
  id: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const answering = context.answering(index)
  if (!answering) return undefined
  const request = { ids: [keyOf(id)], row: recordRow, limit: 1 }
  const { results } = await fetched(context, answering.uid, request, signal)
  return results.find(({ i }) => i === id)?.r
}

const entryRow = z.object({ i: z.string(), version: z.number(), hash: z.string() })

/** Ids after `after` in their order; of two versions of one record the one that answers counts. */
export async function entriesOf(
  context: ReadContext,
  index: IndexName,
  { after, limit }: { readonly after: string; readonly limit: number },
  signal?: AbortSignal,
): Promise<readonly Entry[]> {
  const answering = context.answering(index)
  const all = new Map<string, Entry>()
  for (const uid of [answering?.next?.uid, answering?.uid]) {
    if (uid === undefined) continue
    const request = {
      ...(after !== '' && { filter: textOf(isBehind(after)) }),
      row: entryRow,
      sort: [`${attributes.orderedId}:asc`],
      limit,
    }
    const { results } = await fetched(context, uid, request, signal)
    for (const { i, version, hash } of results) all.set(i, { id: i, version, hash })
  }
  const inOrder = [...all.values()].sort((a, b) => compareCodePoints(a.id, b.id))
  return inOrder.slice(0, limit)
}
