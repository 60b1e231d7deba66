/** What codes of facet values stand for, looked up once while nothing is written. */

import { z } from 'zod'
import type { Reading } from './reading.ts'
import { fetched } from './reading.ts'
import type { Value } from './facets.ts'

/** A document of the index of facet values; `id` is the code. */
const valueRow = z.object({
  id: z.string(),
  facet: z.string(),
  value: z.string(),
  title: z.string(),
})

/** Milliseconds after which another process may have changed a title. */
const freshMs = 2_000
const mostRemembered = 50_000

export type FacetValues = (
  codes: readonly string[],
  signal?: AbortSignal,
) => Promise<ReadonlyMap<string, Value>>

export function facetValues(reading: Reading): FacetValues {
  let known = new Map<string, Value>()
  let since = { changes: -1, at: 0 }
  return async (codes, signal) => {
    const { changes, now, uids } = reading
    if (since.changes !== changes() || now() - since.at > freshMs || known.size > mostRemembered) {
      known = new Map()
      since = { changes: changes(), at: now() }
    }
    const here = known
    const ids = [...new Set(codes)].filter((code) => !here.has(code))
    if (ids.length > 0) {
      const what = { ids, row: valueRow, limit: ids.length }
      const { results } = await fetched(reading, uids.facetValues, what, signal)
      for (const { id, ...value } of results) here.set(id, value)
    }
    return here
  }
}
