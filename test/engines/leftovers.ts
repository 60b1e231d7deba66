/** What a crash may have left in a store, seen from behind the platform's back. */

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { logger } from '../../src/log.ts'
import { openEndpoint } from '../../src/store/remote/store-endpoint.ts'
import { sparql11 } from '../../src/store/remote/sparql11.ts'
import { serviceClient } from '../../src/client/service.ts'
import type { EngineConfig } from '../support/engines/engine.ts'

const system = '<urn:cartulary:system>'
const control = 'urn:cartulary:control#'

const queries = {
  'is still being written': `SELECT ?x { GRAPH ${system} { ?x <${control}writing> ?to } }`,
  'is a staging graph': `SELECT DISTINCT ?x { GRAPH ?x { ?s ?p ?o } FILTER(STRSTARTS(STR(?x), "urn:cartulary:staging")) }`,
  'is noted and not there': `SELECT DISTINCT ?x { GRAPH ${system} { ?x <${control}spelling> ?line }
    FILTER NOT EXISTS { GRAPH ?x { ?s ?p ?o } } }`,
} as const

/** Sentences about what should have gone with the write that it belonged to; empty when all is tidy. */
export async function leftovers(config: EngineConfig): Promise<string[]> {
  const { username, password } = config
  const wire = serviceClient({
    service: { name: 'store', unavailable: 'store-unavailable' },
    ...(username !== undefined && password !== undefined && { auth: { username, password } }),
    closesAfterError: true,
    sockets: 2,
    retryable: () => false,
    log: logger('silent'),
    pause: (ms, signal) => sleep(ms, undefined, { signal }),
    random: () => 0.5,
    now: () => performance.now(),
    limits: { connectMs: 5000, firstByteMs: 60_000, totalMs: 60_000, bytes: 2 ** 26 },
  })
  try {
    const { queryEndpoint, updateEndpoint } = config
    const { select } = openEndpoint({
      dialect: sparql11,
      service: wire,
      queryEndpoint,
      updateEndpoint,
      name: randomUUID,
      pause: (ms) => sleep(ms),
    })
    const found: string[] = []
    for (const [what, query] of Object.entries(queries)) {
      found.push(...(await select(query)).map((row) => `${row['x']?.value} ${what}`))
    }
    return found
  } finally {
    await wire.close()
  }
}
