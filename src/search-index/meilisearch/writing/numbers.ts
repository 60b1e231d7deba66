/** Numbers of record versions: each is given once, over all indices. */

import { z } from 'zod'
import { expected } from '../wire/answers.ts'
import type { attributes } from '../layout/names.ts'
import { orAbsent } from '../settings/indices.ts'
import type { Wire } from '../wire/wire.ts'

/** The largest value of a sortable number in these indices; 0 when there is none. */
export async function largest(
  wire: Wire,
  uids: readonly string[],
  attribute: typeof attributes.number | typeof attributes.version,
): Promise<number> {
  const answer = z.object({ results: z.array(z.record(z.string(), z.number())) })
  const wish = { fields: [attribute], sort: [`${attribute}:desc`], limit: 1 }
  const none = { results: [] }
  const found = uids.map(async (uid) => {
    const told = await orAbsent(wire.post(`/indexes/${uid}/documents/fetch`, wish), none)
    return expected(answer, told).results[0]?.[attribute] ?? 0
  })
  return Math.max(0, ...(await Promise.all(found)))
}
