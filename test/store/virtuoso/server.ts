/** The Virtuoso that a run was given (`VIRTUOSO_URL`, `VIRTUOSO_USER`, `VIRTUOSO_PASSWORD`), as a store and as a bare endpoint. */

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { logger } from '../../../src/log.ts'
import type { StoreConfig } from '../../../src/store/open-store.ts'
import type { GraphStore } from '../../../src/store/graph-store.ts'
import type { StoreEndpoint } from '../../../src/store/remote/dialect.ts'
import { openEndpoint } from '../../../src/store/remote/store-endpoint.ts'
import { serviceClient, type ServiceClient } from '../../../src/client/service.ts'
import { virtuoso } from '../../../src/store/virtuoso/virtuoso.ts'
import { openRemote } from '../opening.ts'

const address = process.env['VIRTUOSO_URL']

/** Without a server the suites say that they were skipped. */
export const isAbsent = address === undefined

export const config: StoreConfig = {
  dialect: 'virtuoso',
  queryEndpoint: `${address}/sparql-auth`,
  updateEndpoint: `${address}/sparql-auth`,
  username: process.env['VIRTUOSO_USER'] ?? 'dba',
  password: process.env['VIRTUOSO_PASSWORD'] ?? 'dba',
}

export const open = (changed: Partial<StoreConfig> = {}): Promise<GraphStore> =>
  openRemote({ ...config, ...changed })

export type Bare = { readonly endpoint: StoreEndpoint; readonly close: ServiceClient['close'] }

/** A endpoint without anything behind it: what is sent through it is all that is sent. */
export function bareDoor(): Bare {
  const { username = '', password = '' } = config
  const wire = serviceClient({
    service: { name: 'store', unavailable: 'store-unavailable' },
    auth: { username, password },
    closesAfterError: true,
    sockets: 4,
    retryable: virtuoso.isRetryable,
    log: logger('silent'),
    pause: async (ms, signal) => {
      await sleep(ms, undefined, { signal }).catch(() => undefined)
    },
    random: Math.random,
    now: () => performance.now(),
    limits: { connectMs: 5000, firstByteMs: 60_000, totalMs: 60_000, bytes: 2 ** 28 },
  })
  const endpoint = openEndpoint({
    dialect: virtuoso,
    service: wire,
    queryEndpoint: config.queryEndpoint,
    updateEndpoint: config.updateEndpoint,
    callMs: 60_000,
    name: randomUUID,
    pause: (ms) => sleep(ms),
  })
  return { endpoint, close: wire.close }
}

/** What dies at the n-th update: before it is sent, or when its answer should come. */
export function dying(
  endpoint: StoreEndpoint,
  at: number,
  when: 'before' | 'after',
): StoreEndpoint {
  let count = 0
  const gone = () => Promise.reject(new Error('the process has ended'))
  return {
    ...endpoint,
    update: async (text) => {
      count += 1
      if (count > at || (count === at && when === 'before')) await gone()
      await endpoint.update(text)
      if (count === at) await gone()
    },
  }
}

/** A endpoint that counts the updates that went through. */
export function counting(endpoint: StoreEndpoint): {
  readonly endpoint: StoreEndpoint
  readonly count: () => number
} {
  let count = 0
  const update: StoreEndpoint['update'] = (text) => {
    count += 1
    return endpoint.update(text)
  }
  return { endpoint: { ...endpoint, update }, count: () => count }
}
