/** Execution of searches on Meilisearch, and reading of records and entries by id. */

import { z } from 'zod'
import { includeText } from '../include.ts'
import type { IndexName } from '../index-settings.ts'
import { parseAnswer } from '../remote/answers.ts'
import { facetsOfAnswer } from '../remote/facet-titles.ts'
import type { IndexPart } from '../remote/generation.ts'
import { orderHead } from '../remote/head-order.ts'
import type { Answer, Entry, Facet, Hit, OrderKey, SearchRequest } from '../search-index.ts'
import { compareCodePoints } from '../../text/code-points.ts'
import { attributes, documentKey } from './attributes.ts'
import { filterText } from './condition.ts'
import {
  type EngineHits,
  fetchDocuments,
  fetchHits,
  type HitWindow,
  type IndexQuery,
  type ReadContext,
  type Rows,
} from './engine-reads.ts'
import { countsIn } from './facet-values.ts'
import { hasNumberAmong, idAfter } from './filter-conditions.ts'
import { recordTextsOf } from './record-texts.ts'
import {
  type AnswerContext,
  distributionsWith,
  relatedHits,
  type RelatedHits,
} from './related-hits.ts'
import { type Plan, planQueries, type Query } from './search-plan.ts'

const recordRow = z.object({ i: z.string(), r: z.string() })
const idRow = recordRow.pick({ i: true })

/** Range of the hits, and the attributes to return. */
type Span<Row> = Pick<HitWindow<Row>, 'offset' | 'limit' | 'row'>

/** Searches and returns a page of hits, the exact count, and the requested facets. */
export async function answerSearch(
  { offset, limit, ...request }: SearchRequest,
  answerContext: AnswerContext,
  signal?: AbortSignal,
): Promise<Answer> {
  // Most of an answer is the text of the records, which is not requested when only ids are needed.
  const row: Rows<{ i: string; r?: string }> = request.include?.length === 0 ? idRow : recordRow
  const answer = await runQuery(request, { offset, limit, row }, answerContext, signal)
  const { count, hits, facets, truncatedPatterns, joined } = answer
  return {
    count,
    ...(joined && { related: joined.related.length }),
    hits: hits.map(({ hit, part, score }): Hit => ({
      index: part.index,
      id: hit.i,
      ...(request.score && { score }),
      ...closenessMembers(joined, part, hit.i),
      record: hit.r === undefined ? '{}' : includeText(hit.r, request.include),
    })),
    facets,
    truncatedPatterns,
  }
}

/** Members of a hit about its meaning; none if no vectors were compared. */
function closenessMembers(
  joined: RelatedHits | undefined,
  part: IndexPart,
  id: string,
): Pick<Hit, 'related' | 'closeness'> {
  if (!joined) return {}
  const isHit = ({ part: own, hit }: Pick<RelatedHits['related'][number], 'part' | 'hit'>) =>
    own === part && hit.i === id
  const closeness = joined.closeness.near.find(isHit)?.closeness ?? 0
  return { ...(joined.related.some(isHit) && { related: true }), closeness }
}

type QueryResult<Row> = Omit<Answer, 'hits' | 'related'> & {
  readonly joined?: RelatedHits
  readonly hits: EngineHits<Row>['hits']
  readonly parts: readonly IndexPart[]
  /** Sort keys that were applied. */
  readonly keys: readonly OrderKey[]
}

/** Most runs of a query of which documents are replaced or removed before they are read; in the last one they are left out. */
const maxRuns = 3

/** Runs a query and returns the hits with the attributes of `Row`. */
export async function runQuery<Row>(
  request: Query,
  span: Span<Row>,
  answerContext: AnswerContext,
  signal?: AbortSignal,
): Promise<QueryResult<Row>> {
  const { context } = answerContext
  for (let run = 1; ; run++) {
    const plan = await planQueries(request, context, signal)
    const joined = await relatedHits(request, plan, answerContext, signal)
    const search = { request, span, joined, isLast: run >= maxRuns }
    const found = await findHits(plan, search, context, signal)
    if (!found) continue
    const { parts, keys, truncatedPatterns } = plan
    const { total: count, hits } = found
    if (count === 0 && request.words === 'most')
      return runQuery({ ...request, words: undefined }, span, answerContext, signal)
    return {
      count,
      hits,
      parts,
      keys,
      ...(joined && { joined }),
      ...(request.facets && {
        facets: await countedFacets(
          request.facets,
          { ...found, related: joined?.related, plan },
          answerContext,
          signal,
        ),
      }),
      ...(truncatedPatterns.length > 0 && { truncatedPatterns }),
    }
  }
}

type Search<Row> = {
  readonly request: Query
  readonly span: Span<Row>
  readonly joined: RelatedHits | undefined
  /** Whether hits that cannot be read are left out; else the search is to be repeated. */
  readonly isLast: boolean
}

/** Number of first hits that our scores order; the server orders by the rarity of words alone. */
const headSize = 200

const hitRow = z.object({ n: z.number(), i: z.string() })

/** Hits of a plan; `undefined` if documents were replaced or removed before they were read. */
async function findHits<Row>(
  { sort, queries, scored }: Plan,
  { request: { facets }, span, joined, isLast }: Search<Row>,
  context: ReadContext,
  signal: AbortSignal | undefined,
): Promise<EngineHits<Row> | undefined> {
  const { offset, limit } = span
  const { related = [], closeness } = joined ?? {}
  const isOrdered = scored !== undefined || joined !== undefined
  const isInHead = isOrdered && limit > 0 && offset < headSize + related.length
  const counting = facets && !facets.global ? { facets: { ids: facets.ids } } : {}
  const order = { sort, ...counting }
  if (!isInHead) {
    const after = { ...span, ...order, offset: Math.max(0, offset - related.length) }
    const found = await fetchHits(queries, after, context, signal)
    if (!isOrdered) return found
    const total = found.total + related.length
    return { ...found, total, hits: found.hits.map((hit) => ({ ...hit, score: 0 })) }
  }
  const window = { ...order, row: hitRow, offset: 0, limit: Math.max(headSize, offset + limit) }
  const found = await fetchHits(queries, window, context, signal)
  const ordered = await orderHead(keyed(found.hits), {
    size: headSize,
    queries: scored ?? new Map(),
    related: keyed(related),
    closeness: closeness && { ...closeness, near: keyed(closeness.near) },
    textsOf: (part, numbers) => recordTextsOf(part, numbers, context, signal),
  })
  if (!ordered && !isLast) return undefined
  const page = (ordered ?? found.hits).slice(offset, offset + limit)
  const hits = await readHits(page, span.row, context, signal)
  return hits.length < page.length && !isLast
    ? undefined
    : { ...found, total: found.total + related.length, hits }
}

/** Hits with their numbers as keys. */
const keyed = <Hit extends { readonly hit: { readonly n: number } }>(hits: readonly Hit[]) =>
  hits.map((hit) => ({ ...hit, key: hit.hit.n }))

/** Reads the attributes of `Row` of hits by their numbers; without those that do not exist any more. */
async function readHits<Row>(
  page: EngineHits<z.infer<typeof hitRow>>['hits'],
  row: Rows<Row>,
  context: ReadContext,
  signal: AbortSignal | undefined,
): Promise<EngineHits<Row>['hits']> {
  const names = Object.keys(row.shape)
  if (names.every((name) => name in hitRow.shape))
    return page.map((hit) => ({ ...hit, hit: parseAnswer(row, hit.hit) }))
  const rows = new Map<number, unknown>()
  for (const [{ uid }, hits] of Map.groupBy(page, ({ part }) => part)) {
    const request = {
      row: z.looseObject({ n: z.number() }),
      extraAttributes: names,
      filter: filterText(hasNumberAmong(hits.map(({ hit }) => hit.n))),
      limit: hits.length,
    }
    const { results } = await fetchDocuments(context, uid, request, signal)
    for (const result of results) rows.set(result.n, result)
  }
  return page.flatMap((hit) => {
    const found = rows.get(hit.hit.n)
    return found === undefined ? [] : [{ ...hit, hit: parseAnswer(row, found) }]
  })
}

/** Facets of an answer; `distributions` are those of the hits without related ones. */
async function countedFacets(
  requested: NonNullable<Query['facets']>,
  found: Pick<EngineHits<unknown>, 'distributions'> & {
    readonly plan: Plan
    readonly related: RelatedHits['related'] | undefined
  },
  answerContext: AnswerContext,
  signal: AbortSignal | undefined,
): Promise<readonly Facet[]> {
  const { context, titles } = answerContext
  const { plan, related = [] } = found
  const { parts } = plan
  const distributionsOfAll = async () => {
    const unfiltered = parts.map((part): IndexQuery => ({ part, rankings: [] }))
    const noHits = { sort: [], offset: 0, limit: 0, row: z.object({}) }
    const facetsOnly = { ...noHits, facets: { ids: requested.ids } }
    return (await fetchHits(unfiltered, facetsOnly, context, signal)).distributions
  }
  const distributionsOfHits = async () =>
    related.length > 0
      ? distributionsWith({ related, plan, ids: requested.ids }, context, signal)
      : found.distributions
  const counts = await (requested.global ? distributionsOfAll() : distributionsOfHits())
  const codes = counts.flatMap((distribution) => Object.values(distribution).flatMap(Object.keys))
  return facetsOfAnswer(
    parts.map(({ settings }) => settings),
    countsIn(counts),
    await titles(codes, signal),
    requested,
  )
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
