/** The limits of public queries, as the store wants them. */

import type { Limits } from '../../http/limits.ts'
import type { StoreLimits } from '../../store/limits.ts'

type Config = { readonly limits: Limits; readonly services: readonly string[] }

export const publicLimits = ({
  limits,
  services,
}: Config): Pick<StoreLimits, 'publicMs' | 'publicMemory' | 'publicAhead' | 'publicDoor'> => ({
  publicMs: limits.sparqlMs,
  publicMemory: limits.sparqlMemoryBytes,
  publicAhead: services.includes('sparql'),
  publicDoor: {
    rows: limits.sparqlRows,
    bytes: limits.sparqlBytes,
    perClient: limits.sparqlPerClient,
    waiting: limits.sparqlWaiting,
    lanes: limits.sparqlLanes,
  },
})
