/** Execution of searches on Meilisearch, and reading of records and entries by id. */

import { z } from 'zod'
import { compareCodePoints } from '../../text/code-points.ts'
import { includeText } from '../include.ts'
import type { IndexName } from '../index-settings.ts'
import { leavesOf } from '../query-tree.ts'
import type { Answer, Entry, Hit, OrderKey, SearchRequest } from '../search-index.ts'
import { attributes, documentKey } from './attributes.ts'
import { filterText } from './condition.ts'
import {
  fetchDocuments,
  fetchHits,
  partsOf,
  type EngineHits,
  type HitWindow,
  type IndexPart,
  type IndexQuery,
  type ReadContext,
  type Rows,
} from './engine-reads.ts'
import { facetsOfAnswer, type FacetTitles } from './facet-values.ts'
import { idAfter } from './filter-conditions.ts'
import { fieldsReached, matchSet } from './matching.ts'
import { isRanked, orderKeys, rankingsOf, sortAttributes, wordsOf } from './ranking.ts'
import { expandPatterns } from './term-patterns.ts'

const recordRow = z.object({ i: z.string(), r: z.string() })
const idRow = recordRow.pick({ i: true })

/** Context of searches: access to the server, and the lookup of facet values. */
export type AnswerContext = { readonly context: ReadContext; readonly titles: FacetTitles }

/** Range of the hits, and the attributes to return. */
type Span<Row> = Pick<HitWindow<Row>, 'offset' | 'limit' | 'row'>
type Query = Omit<SearchRequest, 'offset' | 'limit'>

/** Searches and returns a page of hits, the exact count, and the requested facets. */
export async function answerSearch(
  { offset, limit, ...request }: SearchRequest,
  answerContext: AnswerContext,
  signal?: AbortSignal,
): Promise<Answer> {
  // Most of an answer is the text of the records, which is not requested when only ids are needed.
  const row: Rows<{ i: string; r?: string }> = request.include?.length === 0 ? idRow : recordRow
  const answer = await runQuery(request, { offset, limit, row }, answerContext, signal)
  const { count, hits, facets, truncatedPatterns } = answer
  return {
    count,
    hits: hits.map(({ hit, part, score }): Hit => ({
      index: part.index,
      id: hit.i,
      ...(request.score && { score }),
      record: hit.r === undefined ? '{}' : includeText(hit.r, request.include),
    })),
    facets,
    truncatedPatterns,
  }
}

type QueryResult<Row> = Omit<Answer, 'hits'> & {
  readonly hits: EngineHits<Row>['hits']
  readonly parts: readonly IndexPart[]
  /** Sort keys that were applied. */
  readonly keys: readonly OrderKey[]
}

/** Runs a query and returns the hits with the attributes of `Row`. */
export async function runQuery<Row>(
  request: Query,
  span: Span<Row>,
  { context, titles }: AnswerContext,
  signal?: AbortSignal,
): Promise<QueryResult<Row>> {
  const { parts, keys, queries, truncatedPatterns } = await planQueries(request, context, signal)
  const { facets } = request
  const facetRequest = facets && !facets.global ? { facets: { ids: facets.ids } } : {}
  const window = { ...span, sort: sortAttributes(keys, parts), ...facetRequest }
  const { total, hits, distributions } = await fetchHits(queries, window, context, signal)
  const distributionsToCount = async () => {
    if (!facets?.global) return distributions
    const unfiltered = parts.map((part): IndexQuery => ({ part, rankings: [] }))
    const noHits = { sort: [], offset: 0, limit: 0, row: z.object({}) }
    const facetsOnly = { ...noHits, facets: { ids: facets.ids } }
    return (await fetchHits(unfiltered, facetsOnly, context, signal)).distributions
  }
  const facetsFrom = async (requested: NonNullable<Query['facets']>) => {
    const counts = await distributionsToCount()
    const codes = counts.flatMap((distribution) => Object.values(distribution).flatMap(Object.keys))
    return facetsOfAnswer(parts, counts, await titles(codes, signal), requested)
  }
  return {
    count: total,
    hits,
    parts,
    keys,
    ...(facets && { facets: await facetsFrom(facets) }),
    ...(truncatedPatterns.length > 0 && { truncatedPatterns }),
  }
}

/** Makes the query of each index in which something may match. */
async function planQueries(request: Query, context: ReadContext, signal?: AbortSignal) {
  const parts = partsOf(request.indices, context)
  const requested = orderKeys(request, parts)
  const { termsByPattern, truncatedPatterns } = await expandPatterns(
    leavesOf(request.tree),
    context,
    signal,
  )
  const matching: { readonly part: IndexPart; readonly filter: string | undefined }[] = []
  for (const part of parts) {
    const { condition } = await matchSet(request, part, {
      readContext: context,
      signal,
      termsByPattern,
    })
    if (condition.kind !== 'none') matching.push({ part, filter: filterText(condition) })
  }
  const ranked = matching.map(({ part: { settings, languages } }) => ({
    settings,
    fields: fieldsReached(request.fields, settings, languages),
  }))
  const words = isRanked(requested) ? wordsOf(request.tree) : { required: [], optional: [] }
  const rankings = rankingsOf(words, request.boosts, ranked)
  const queries = matching.map((match, i): IndexQuery => ({
    ...match,
    rankings: rankings[i] ?? [],
  }))
  // Without a ranking word all scores are equal, so that the keys after relevance decide.
  const isScored = queries.some(({ rankings }) => rankings.length > 0)
  const keys = isScored ? requested : requested.filter(({ name }) => name !== 'relevance')
  return { parts, keys, queries, truncatedPatterns }
}

/** Reads the JSON text of a record; `undefined` if it does not exist. */
export async function fetchRecord(
  context: ReadContext,
  index: IndexName,
  id: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const searched = context.searched(index)
  if (!searched) return undefined
  const request = { ids: [documentKey(id)], row: recordRow, limit: 1 }
  const { results } = await fetchDocuments(context, searched.uid, request, signal)
  return results.find(({ i }) => i === id)?.r
}

const entryRow = z.object({ i: z.string(), version: z.number(), hash: z.string() })

/** Entries with ids greater than `after`, in order. Of a record in two generations the entry of the searched one is returned. */
export async function fetchEntries(
  context: ReadContext,
  index: IndexName,
  { after, limit }: { readonly after: string; readonly limit: number },
  signal?: AbortSignal,
): Promise<readonly Entry[]> {
  const searched = context.searched(index)
  const entries = new Map<string, Entry>()
  for (const uid of [searched?.next?.uid, searched?.uid]) {
    if (uid === undefined) continue
    const request = {
      ...(after !== '' && { filter: filterText(idAfter(after)) }),
      row: entryRow,
      sort: [`${attributes.orderedId}:asc`],
      limit,
    }
    const { results } = await fetchDocuments(context, uid, request, signal)
    for (const { i, version, hash } of results) entries.set(i, { id: i, version, hash })
  }
  const sorted = [...entries.values()].sort((a, b) => compareCodePoints(a.id, b.id))
  return sorted.slice(0, limit)
}
