/** The limits of public queries, as the store wants them. */

import type { Limits } from '../../http/limits.ts'
import type { StoreLimits } from '../../store/limits.ts'

export const publicLimits = (limits: Limits): Pick<StoreLimits, 'publicMs' | 'publicDoor'> => ({
  publicMs: limits.sparqlMs,
  publicDoor: {
    rows: limits.sparqlRows,
    bytes: limits.sparqlBytes,
    perClient: limits.sparqlPerClient,
    waiting: limits.sparqlWaiting,
  },
})
