/** The embedded triplestore: Oxigraph and SQLite in a worker thread, for one process and about ten million triples. */

import { Worker } from 'node:worker_threads'
import type { Log } from '../log.ts'
import { sparqlClient } from './client.ts'
import { Calls } from './embedded/calls.ts'
import type { WriterSettings } from './embedded/messages.ts'
import { fetchOf, protocolOf } from './embedded/serve.ts'
import type { GraphStore } from './graph-store.ts'

export type StoreLimits = {
  /** Time for one of our own calls in ms. */
  readonly callMs: number
  /** Characters of one answer to our own queries. */
  readonly answer: number
  /** Triples in all; writes that add are refused above. */
  readonly quads: number
  /** Calls that may wait for the worker. */
  readonly waiting: number
}

const defaults: StoreLimits = {
  callMs: 60_000,
  answer: 256 * 1024 * 1024,
  quads: 10_000_000,
  waiting: 20_000,
}

export type EmbeddedOptions = {
  /** Made when absent; holds `store.db`. One process at a time. */
  readonly directory: string
  readonly log: Log
  readonly limits?: Partial<StoreLimits>
}

/** Opens the store: resolves when the index is built from the durable copy (about 300,000 triples per second). */
export async function embeddedStore(options: EmbeddedOptions): Promise<GraphStore> {
  const { directory, log } = options
  const limits = { ...defaults, ...options.limits }
  const settings: WriterSettings = { directory, maxQuads: limits.quads, maxAnswer: limits.answer }
  const calls = new Calls({
    start: () =>
      new Worker(new URL('./embedded/worker.ts', import.meta.url), {
        workerData: settings,
        execArgv: [],
      }),
    waiting: limits.waiting,
    callMs: limits.callMs,
    log,
    lost: () => undefined,
  })
  const { unreadable, ...opened } = await calls.opened
  log.info({ ...opened, ceiling: limits.quads }, 'store.opened')
  if (unreadable.length > 0) log.error({ graphs: unreadable.slice(0, 20) }, 'store.unreadable')
  return {
    ...sparqlClient({ queryEndpoint: 'http://store.invalid/query', fetch: fetchOf(calls) }),
    read: (graph, { links = true } = {}, signal) =>
      calls.call('read', { graph, links }, { signal }),
    readAll: (graphs, { links = true } = {}, signal) =>
      calls.call('readAll', { graphs, links }, { signal }),
    write: (changes, signal) => calls.call('write', { changes }, { signal }),
    protocol: protocolOf(calls),
    publicQuery: () => Promise.reject(new Error('not built yet')),
    health: async () => {
      if (!calls.isOpen) return { ready: false, quads: 0, graphs: 0, replica: 'absent' }
      return { ready: true, ...(await calls.call('counts', {})), replica: 'absent' }
    },
    close: () => calls.close(),
  }
}
