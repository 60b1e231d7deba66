/** All values of a facet, however many there are. */

import { z } from 'zod'
import { compareCodePoints } from '../../text/code-points.ts'
import { withBands } from '../facet-answer.ts'
import type { FacetItem } from '../search-index.ts'
import type { IndexName } from '../index-settings.ts'
import { codesOf } from './attributes.ts'
import { quoted } from './condition.ts'
import { countsOf, itemsOf, type FacetValues } from './facet-distribution.ts'
import { hitsOf } from './engine-search.ts'
import { fetched, partsOf, type Part, type Reading } from './documents.ts'

/** A distribution with fewer codes is whole. */
const mostCodes = 100
const rowsPerCall = 10_000
const queriesPerCall = 500

const codeRow = z.object({ id: z.string(), facet: z.string() })
const totals = z.object({ results: z.array(z.object({ estimatedTotalHits: z.number() })) })

type Tools = { readonly reading: Reading; readonly values: FacetValues }
type Counted = readonly (readonly [string, number])[]

/** Ids ascending. */
export async function valuesOf(
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
  part: Part,
  facet: string,
  reading: Reading,
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
