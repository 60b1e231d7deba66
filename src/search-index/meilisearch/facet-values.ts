/** Facets of an answer: adds the counts of facet codes over all indices and replaces codes by values with their titles. */

import { z } from 'zod'
import { withBands } from '../facet-answer.ts'
import type { IndexName } from '../index-settings.ts'
import { parseAnswer } from '../remote/answers.ts'
import {
  type FacetCounts,
  facetItems,
  type FacetTitles,
  facetTitles,
} from '../remote/facet-titles.ts'
import { type IndexPart, partsOf } from '../remote/generation.ts'
import type { FacetItem } from '../search-index.ts'
import { compareCodePoints } from '../../text/code-points.ts'
import { facetAttribute } from './attributes.ts'
import { quoted } from './condition.ts'
import {
  type Distribution,
  fetchDocuments,
  fetchHits,
  type ReadContext,
  type Rows,
} from './engine-reads.ts'
import { facetValuesPerAnswer } from './stored-document.ts'

/** Document of the index of facet values; `id` is the code. */
const valueRow = z.object({
  id: z.string(),
  facet: z.string(),
  value: z.string(),
  title: z.string(),
})

/** Makes the lookup of facet values on Meilisearch. */
export const titlesOnEngine = (context: ReadContext): FacetTitles =>
  facetTitles({
    changes: context.changes,
    now: context.now,
    read: async (ids, signal) => {
      const request = { ids, row: valueRow, limit: ids.length }
      const { results } = await fetchDocuments(context, context.uids.facetValues, request, signal)
      return results.map(({ id, ...value }) => [id, value] as const)
    },
  })

/** Counts of a facet in all distributions. */
export const countsIn =
  (distributions: readonly Distribution[]) =>
  (facet: string): FacetCounts => {
    const counts = new Map<string, number>()
    for (const distribution of distributions)
      for (const [code, count] of Object.entries(distribution[facetAttribute(facet)] ?? {}))
        counts.set(code, (counts.get(code) ?? 0) + count)
    return counts
  }

/** All values of a facet in an index with their counts, ids ascending. */
export async function allFacetValues(
  index: IndexName,
  facet: string,
  { context, titles }: { readonly context: ReadContext; readonly titles: FacetTitles },
  signal?: AbortSignal,
): Promise<readonly FacetItem[]> {
  const [part] = partsOf([index], context.searched)
  const facetSettings = part?.settings.facets.find(({ id }) => id === facet)
  if (!part || !facetSettings) return []
  const window = { sort: [], offset: 0, limit: 0, row: z.object({}), facets: { ids: [facet] } }
  const { distributions } = await fetchHits([{ part, rankings: [] }], window, context, signal)
  const distributionCounts = countsIn(distributions)(facet)
  // A distribution with fewer codes than the limit is complete.
  const isComplete = distributionCounts.size < facetValuesPerAnswer
  const counts = isComplete ? distributionCounts : await countAll(part, facet, context, signal)
  const items = withBands(facetSettings, facetItems(counts, await titles(counts.keys(), signal)))
  return items.toSorted((a, b) => compareCodePoints(a.id, b.id))
}

const [rowsPerCall, queriesPerCall] = [10_000, 500]
/** Documents that are read in the time of one search. */
const documentsPerSearch = 20

/** Counts the documents of every code of a facet: by a search for each code, or by reading all documents where these are few. */
async function countAll(
  { uid }: IndexPart,
  facet: string,
  context: ReadContext,
  signal?: AbortSignal,
): Promise<FacetCounts> {
  const { facetValues } = context.uids
  const totalOf = async (index: string, filter?: string) =>
    (await fetchDocuments(context, index, { row: z.object({}), filter, limit: 0 }, signal)).total
  const codes = await totalOf(facetValues, filterOf(facet))
  return (await totalOf(uid)) < codes * documentsPerSearch
    ? countInDocuments(uid, facet, context, signal)
    : countOneByOne(uid, facet, context, signal)
}

const filterOf = (facet: string) => `facet = ${quoted(facet)}`

const codeRow = z.object({ id: z.string(), facet: z.string() })

/** Codes that a facet ever had in any index. */
async function codesOf(
  facet: string,
  context: ReadContext,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const request = { row: codeRow, filter: filterOf(facet) }
  const codes: string[] = []
  for await (const row of rowsOf(context.uids.facetValues, request, context, signal))
    if (row.facet === facet) codes.push(row.id)
  return codes
}

/** Counts the codes of a facet in all documents of an index. */
async function countInDocuments(
  uid: string,
  facet: string,
  context: ReadContext,
  signal?: AbortSignal,
): Promise<FacetCounts> {
  const attribute = facetAttribute(facet)
  const row = z.object({ [attribute]: z.array(z.string()).default([]) })
  const counts = new Map<string, number>()
  for await (const found of rowsOf(uid, { row }, context, signal))
    for (const code of new Set(found[attribute])) counts.set(code, (counts.get(code) ?? 0) + 1)
  return counts
}

/** All documents of an index that fit, read in pages. */
async function* rowsOf<Row>(
  uid: string,
  request: { readonly row: Rows<Row>; readonly filter?: string },
  context: ReadContext,
  signal?: AbortSignal,
): AsyncGenerator<Row> {
  for (let [offset, total] = [0, 1]; offset < total; offset += rowsPerCall) {
    const page = await fetchDocuments(
      context,
      uid,
      { ...request, offset, limit: rowsPerCall },
      signal,
    )
    yield* page.results
    total = page.total
  }
}

const totals = z.object({ results: z.array(z.object({ estimatedTotalHits: z.number() })) })

/** Counts the documents of every code that the facet ever had, by a search for each, many of them in one call. */
async function countOneByOne(
  uid: string,
  facet: string,
  context: ReadContext,
  signal?: AbortSignal,
): Promise<FacetCounts> {
  const counts = new Map<string, number>()
  const codes = await codesOf(facet, context, signal)
  for (let at = 0; at < codes.length; at += queriesPerCall) {
    const batch = codes.slice(at, at + queriesPerCall)
    const queries = batch.map((code) => ({
      indexUid: uid,
      filter: `${facetAttribute(facet)} = ${quoted(code)}`,
      limit: 0,
    }))
    const answer = await context.client.post('/multi-search', { queries }, signal)
    for (const [i, { estimatedTotalHits }] of parseAnswer(totals, answer).results.entries())
      counts.set(batch[i] ?? '', estimatedTotalHits)
  }
  return counts
}
