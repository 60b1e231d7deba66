/** The reading half of the engine: searches and cursors, records by id, and all values of a facet, however many there are. */

import { z } from 'zod'
import { compareCodePoints } from '../../text/code-points.ts'
import type { CursorLimits } from '../cursors.ts'
import { withBands } from '../facet-answer.ts'
import type { IndexName } from '../index-settings.ts'
import type { Entry, FacetItem, SearchIndex } from '../search-index.ts'
import { attributes, codesOf, keyOf } from './attributes.ts'
import { quoted, textOf } from './condition.ts'
import { fetched, type IndexPart, partsOf, type ReadContext } from './documents.ts'
import { hitsOf } from './engine-search.ts'
import { countsOf, facetValues, type FacetValues, itemsOf } from './facet-distribution.ts'
import { isBehind } from './filter-conditions.ts'
import { MeilisearchCursors } from './meilisearch-cursors.ts'
import type { Keeping } from './replaced-versions.ts'
import { search } from './search-answer.ts'

type Reads = Pick<SearchIndex, 'search' | 'get' | 'entries' | 'values' | 'open' | 'page'> & {
  readonly keeping: Keeping
}

export function reads(reading: ReadContext, limits: CursorLimits): Reads {
  const tools = { reading, values: facetValues(reading) }
  const cursors = new MeilisearchCursors(tools, limits)
  return {
    search: (request, signal) => search(request, tools, signal),
    get: (index, id, signal) => recordOf(reading, index, id, signal),
    entries: (index, after, limit, signal) => entriesOf(reading, index, { after, limit }, signal),
    values: (index, facet, signal) => valuesOf(index, facet, tools, signal),
    open: (request, signal) => cursors.open(request, signal),
    page: (cursor, wish, signal) => cursors.page(cursor, wish, signal),
    keeping: cursors,
  }
}

const recordRow = z.object({ i: z.string(), r: z.string() })
const entryRow = z.object({ i: z.string(), version: z.number(), hash: z.string() })

async function recordOf(
  reading: ReadContext,
  index: IndexName,
  id: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const answering = reading.answering(index)
  if (!answering) return undefined
  const what = { ids: [keyOf(id)], row: recordRow, limit: 1 }
  const { results } = await fetched(reading, answering.uid, what, signal)
  return results.find(({ i }) => i === id)?.r
}

/** Of two versions of one record the one that answers counts. */
async function entriesOf(
  reading: ReadContext,
  index: IndexName,
  { after, limit }: { readonly after: string; readonly limit: number },
  signal?: AbortSignal,
): Promise<readonly Entry[]> {
  const answering = reading.answering(index)
  if (!answering) return []
  const all = new Map<string, Entry>()
  for (const uid of [answering.next?.uid, answering.uid]) {
    if (uid === undefined) continue
    const what = {
      ...(after !== '' && { filter: textOf(isBehind(after)) }),
      row: entryRow,
      sort: [`${attributes.orderedId}:asc`],
      limit,
    }
    const { results } = await fetched(reading, uid, what, signal)
    for (const { i, version, hash } of results) all.set(i, { id: i, version, hash })
  }
  const inOrder = [...all.values()].sort((a, b) => compareCodePoints(a.id, b.id))
  return inOrder.slice(0, limit)
}

/** A distribution with fewer codes is whole. */
const mostCodes = 100
const rowsPerCall = 10_000
const queriesPerCall = 500

const codeRow = z.object({ id: z.string(), facet: z.string() })
const totals = z.object({ results: z.array(z.object({ estimatedTotalHits: z.number() })) })

type Tools = { readonly reading: ReadContext; readonly values: FacetValues }
type Counted = readonly (readonly [string, number])[]

/** Ids ascending. */
async function valuesOf(
  index: IndexName,
  facet: string,
  { reading, values }: Tools,
  signal?: AbortSignal,
): Promise<readonly FacetItem[]> {
  const [part] = partsOf([index], reading)
  const own = part?.settings.facets.find(({ id }) => id === facet)
  if (!part || !own) return []
  const window = { sort: [], offset: 0, limit: 0, row: z.object({}) }
  const all = [{ part, filter: undefined, rankings: [] }]
  const { distributions } = await hitsOf(
    all,
    { ...window, facets: { ids: [facet] } },
    reading,
    signal,
  )
  const some: Counted = countsOf(facet, distributions)
  const counts =
    some.length < mostCodes ? some : await countedOneByOne(part, facet, reading, signal)
  const known = await values(
    counts.map(([code]) => code),
    signal,
  )
  const shown = withBands(own, itemsOf(counts, known))
  return shown.toSorted((a, b) => compareCodePoints(a.id, b.id))
}

/** Every code that the facet ever had, and how many documents have it: one small search each, many in one call. */
async function countedOneByOne(
  part: IndexPart,
  facet: string,
  reading: ReadContext,
  signal?: AbortSignal,
): Promise<Counted> {
  const codes: string[] = []
  for (let offset = 0; ;) {
    const filter = `facet = ${quoted(facet)}`
    const page = { row: codeRow, filter, offset, limit: rowsPerCall }
    const { results } = await fetched(reading, reading.uids.facetValues, page, signal)
    codes.push(...results.filter((row) => row.facet === facet).map(({ id }) => id))
    offset += results.length
    if (results.length < rowsPerCall) break
  }
  const counted: [string, number][] = []
  for (let at = 0; at < codes.length; at += queriesPerCall) {
    const some = codes.slice(at, at + queriesPerCall)
    const query = (code: string) => ({
      indexUid: part.uid,
      filter: `${codesOf(facet)} = ${quoted(code)}`,
      limit: 0,
    })
    const answer = await reading.wire.post('/multi-search', { queries: some.map(query) }, signal)
    const { results } = totals.parse(answer)
    for (const [i, { estimatedTotalHits }] of results.entries()) {
      if (estimatedTotalHits > 0) counted.push([some[i] ?? '', estimatedTotalHits])
    }
  }
  return counted
}
