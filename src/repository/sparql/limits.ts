/** The limits of public queries, as the store wants them. */

import type { Limits } from '../../http/limits.ts'
import type { StoreLimits } from '../../store/limits.ts'

export const publicLimits = (
  limits: Limits,
): Pick<StoreLimits, 'publicMs' | 'publicMemory' | 'publicDoor'> => ({
  publicMs: limits.sparqlMs,
  publicMemory: limits.sparqlMemoryBytes,
  publicDoor: {
    rows: limits.sparqlRows,
    bytes: limits.sparqlBytes,
    perClient: limits.sparqlPerClient,
    waiting: limits.sparqlWaiting,
  },
})
