/** What codes of facet values stand for, looked up once while nothing is written. */

import { z } from 'zod'
import { fresh } from './fresh.ts'
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

const mostRemembered = 50_000

export type FacetValues = (
  codes: readonly string[],
  signal?: AbortSignal,
) => Promise<ReadonlyMap<string, Value>>

export function facetValues(reading: Reading): FacetValues {
  const known = fresh<Value>(reading, mostRemembered)
  return async (codes, signal) => {
    const here = known()
    const ids = [...new Set(codes.filter((code) => !here.has(code)))]
    if (ids.length > 0) {
      const what = { ids, row: valueRow, limit: ids.length }
      const { results } = await fetched(reading, reading.uids.facetValues, what, signal)
      for (const { id, ...value } of results) here.set(id, value)
    }
    return here
  }
}
