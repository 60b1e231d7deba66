/** Facets of an answer: adds the counts of facet codes over all indices and replaces codes by values with their titles. */

import { z } from 'zod'
import { compareCodePoints } from '../../text/code-points.ts'
import { byCount, facetDefinitions, withBands } from '../facet-answer.ts'
import type { IndexName } from '../index-settings.ts'
import type { Facet, FacetItem } from '../search-index.ts'
import { facetAttribute } from './attributes.ts'
import { quoted } from './condition.ts'
import { parseAnswer } from './engine-client.ts'
import {
  fetchDocuments,
  fetchHits,
  partsOf,
  type Distribution,
  type IndexPart,
  type ReadContext,
} from './engine-reads.ts'
import { facetValuesPerAnswer, type FacetEntry } from './stored-document.ts'
import { countLookups } from '../../workers/bounded-cache.ts'

/** Looks up facet values by code; unknown codes are absent. */
export type FacetTitles = (
  codes: Iterable<string>,
  signal?: AbortSignal,
) => Promise<ReadonlyMap<string, FacetEntry>>

/** Document of the index of facet values; `id` is the code. */
const valueRow = z.object({
  id: z.string(),
  facet: z.string(),
  value: z.string(),
  title: z.string(),
})

/** Most cached values, and most milliseconds that they are cached, because another process may write. */
const [mostCached, mostCachedMs] = [50_000, 2_000]

/** Makes a lookup of facet values with a cache, which is emptied after each write and after two seconds. */
export function facetTitles(context: ReadContext): FacetTitles {
  let cache = new Map<string, FacetEntry>()
  let cacheState = { changes: -1, at: 0 }
  return async (codes, signal) => {
    const { changes, now, uids } = context
    const isOld = cacheState.changes !== changes() || now() - cacheState.at > mostCachedMs
    if (isOld || cache.size > mostCached) {
      // A lookup that is running adds its values to the old map.
      cache = new Map()
      cacheState = { changes: changes(), at: now() }
    }
    const values = cache
    const requested = new Set(codes)
    const ids = [...requested].filter((code) => !values.has(code))
    countLookups('facet-values', requested.size - ids.length, ids.length)
    if (ids.length > 0) {
      const request = { ids, row: valueRow, limit: ids.length }
      const { results } = await fetchDocuments(context, uids.facetValues, request, signal)
      for (const { id, ...value } of results) values.set(id, value)
    }
    return values
  }
}

/** Facets in order of first appearance, or of `ids`; counts of equal values are added. */
export function facetsOfAnswer(
  parts: readonly Pick<IndexPart, 'settings'>[],
  distributions: readonly Distribution[],
  values: ReadonlyMap<string, FacetEntry>,
  { ids, size }: { readonly ids?: readonly string[]; readonly size: number },
): Facet[] {
  const settings = parts.map((part) => part.settings)
  return facetDefinitions(settings, ids).map((facet) => {
    const items = withBands(facet, itemsOf(countsOf(facet.id, distributions), values))
    const limit = facet.bands ? Infinity : size
    return { id: facet.id, title: facet.title, items: items.toSorted(byCount).slice(0, limit) }
  })
}

type Counts = ReadonlyMap<string, number>

/** Counts of a facet over all indices by code. */
function countsOf(facet: string, distributions: readonly Distribution[]): Counts {
  const counts = new Map<string, number>()
  for (const distribution of distributions)
    for (const [code, count] of Object.entries(distribution[facetAttribute(facet)] ?? {}))
      counts.set(code, (counts.get(code) ?? 0) + count)
  return counts
}

/** Values with titles and counts, without unknown codes and values without records. */
const itemsOf = (counts: Counts, values: ReadonlyMap<string, FacetEntry>): FacetItem[] =>
  [...counts].flatMap(([code, count]) => {
    const entry = values.get(code)
    return entry && count > 0 ? [{ id: entry.value, title: entry.title, count }] : []
  })

/** All values of a facet in an index with their counts, ids ascending. */
export async function allFacetValues(
  index: IndexName,
  facet: string,
  { context, titles }: { readonly context: ReadContext; readonly titles: FacetTitles },
  signal?: AbortSignal,
): Promise<readonly FacetItem[]> {
  const [part] = partsOf([index], context)
  const facetSettings = part?.settings.facets.find(({ id }) => id === facet)
  if (!part || !facetSettings) return []
  const window = { sort: [], offset: 0, limit: 0, row: z.object({}), facets: { ids: [facet] } }
  const { distributions } = await fetchHits([{ part, rankings: [] }], window, context, signal)
  const distributionCounts = countsOf(facet, distributions)
  // A distribution with fewer codes than the limit is complete.
  const isComplete = distributionCounts.size < facetValuesPerAnswer
  const counts = isComplete ? distributionCounts : await countOneByOne(part, facet, context, signal)
  const items = withBands(facetSettings, itemsOf(counts, await titles(counts.keys(), signal)))
  return items.toSorted((a, b) => compareCodePoints(a.id, b.id))
}

const [rowsPerCall, queriesPerCall] = [10_000, 500]
const codeRow = z.object({ id: z.string(), facet: z.string() })
const totals = z.object({ results: z.array(z.object({ estimatedTotalHits: z.number() })) })

/** Counts the documents of every code that the facet ever had, by a search for each, many of them in one call. */
async function countOneByOne(
  { uid }: IndexPart,
  facet: string,
  context: ReadContext,
  signal?: AbortSignal,
): Promise<Counts> {
  const counts = new Map<string, number>()
  const codes: string[] = []
  const filter = `facet = ${quoted(facet)}`
  for (let [offset, total] = [0, 1]; offset < total; offset += rowsPerCall) {
    const request = { row: codeRow, filter, offset, limit: rowsPerCall }
    const page = await fetchDocuments(context, context.uids.facetValues, request, signal)
    codes.push(...page.results.filter((row) => row.facet === facet).map(({ id }) => id))
    total = page.total
  }
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
