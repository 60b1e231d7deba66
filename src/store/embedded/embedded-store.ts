/** The embedded triplestore: Oxigraph and SQLite in a worker thread, for one process and about ten million triples. */

import type { MessagePort, Worker } from 'node:worker_threads'
import { startWorker } from '../../workers/pool.ts'
import type {
  Change,
  GraphStore,
  CommitResult,
  Loading,
  StoreHealth,
  Written,
} from '../graph-store.ts'
import type { Log } from '../../log.ts'
import { booleanOf, solutionRows } from '../sparql-results.ts'
import { Calls } from './writer-calls.ts'
import { boundedEngine, processBytes, writerBytes } from './engine.ts'
import type { WriterOpened, WriterSettings } from './messages.ts'
import { standardStoreLimits, type StoreLimits } from '../store-limits.ts'
import { Replicas } from '../public/replicas.ts'
import { PublicQueue } from '../public/query-queue.ts'
import { graphLines } from '../graph-lines.ts'
import { withDefaults } from '../../text/defaults.ts'

export type { StoreLimits } from '../store-limits.ts'

const product = 'embedded'

export type EmbeddedStoreOptions = {
  /** Made when absent; holds `store.db`. One process at a time. */
  readonly directory: string
  readonly log: Log
  readonly limits?: Partial<StoreLimits>
  /** Hears how far the loading is while the store opens. */
  readonly loading?: ((now: Loading) => void) | undefined
}

function launch(settings: WriterSettings, feed?: MessagePort): Worker {
  return startWorker({
    entry: new URL('./writer-worker.ts', import.meta.url),
    name: 'store writer',
    data: { ...settings, feed },
    transfer: feed ? [feed] : [],
  })
}

function report(log: Log, { unreadable, ...opened }: WriterOpened, ceiling: number): void {
  log.info({ ...opened, ceiling }, 'store.opened')
  if (unreadable.length > 0) log.error({ graphs: unreadable.slice(0, 20) }, 'store.read-failed')
  if (opened.quads > ceiling * 0.8) log.warn({ ...opened, ceiling }, 'store.filling')
}

async function eachOf(
  groups: readonly (readonly Change[])[],
  write: (changes: readonly Change[]) => Promise<readonly Written[]>,
): Promise<CommitResult[]> {
  const settled = await Promise.allSettled(groups.map((changes) => write(changes)))
  return settled.map((one) =>
    one.status === 'fulfilled' ? { written: one.value } : { failure: one.reason },
  )
}

/** What the protocol would answer, without a request around it: looking records up is half the work of an unchanged PUT. */
function ownQueries(calls: Calls): Pick<GraphStore, 'ask' | 'select' | 'construct'> {
  const run = (text: string, mediaType: string, signal: AbortSignal | undefined) =>
    calls.call('query', { text, shape: { mediaType } }, { signal })
  const [solutions, triples] = ['application/sparql-results+json', 'application/n-triples'] as const
  return {
    ask: async (query, signal) => booleanOf(await run(query, solutions, signal)),
    select: async (query, signal) => solutionRows(await run(query, solutions, signal)),
    construct: (query, signal) => run(query, triples, signal),
  }
}

async function healthOf(calls: Calls, { state: replica }: Replicas): Promise<StoreHealth> {
  const none = { quads: 0, graphs: 0, dead: 0 }
  if (!calls.isOpen) return { ready: false, product, ...none, replica: 'absent' }
  return { ready: true, product, ...(await calls.call('counts', {})), replica }
}

/** A smaller process builds public replicas only when somebody asks. */
const leastAhead = 512 * 2 ** 20

/** What strangers ask, on replicas of the data. */
function publicSide({ directory, log }: EmbeddedStoreOptions, limits: StoreLimits, calls: Calls) {
  const replicas: Replicas = new Replicas({
    directory,
    log,
    queryMs: limits.publicMs,
    memory: limits.publicMemory,
    most: limits.publicDoor.lanes,
    quads: async () => (await calls.call('counts', {})).quads,
    follow: (port) => calls.call('follow', { port, whole: false }, { ports: [port] }),
    changed: () => queue.free(),
  })
  const queue: PublicQueue = new PublicQueue({
    ...limits.publicDoor,
    lanes: () => replicas.lanes,
    buildMs: limits.publicBuildMs,
    closed: () => replicas.closed(),
  })
  const publicQuery: GraphStore['publicQuery'] = (request, signal) => {
    replicas.want()
    return queue.query(request, signal)
  }
  return { replicas, publicQuery }
}

/** Opens the store: resolves when the index is built from the durable copy (about 300,000 triples per second). */
export async function embeddedStore(options: EmbeddedStoreOptions): Promise<GraphStore> {
  const { directory, log } = options
  const limits = withDefaults(standardStoreLimits, options.limits)
  const settings: WriterSettings = {
    engine: boundedEngine(limits.memory > 0 ? limits.memory : writerBytes()),
    directory,
    maxQuads: limits.quads,
    maxAnswer: limits.answer,
  }
  const calls: Calls = new Calls({
    start: (feed) => launch(settings, feed),
    waiting: limits.waiting,
    callMs: limits.callMs,
    log,
    lost: () => replicas.end(),
    loading: options.loading,
  })
  const { replicas, publicQuery } = publicSide(options, limits, calls)
  report(log, await calls.opened, limits.quads)
  if (limits.publicAhead && processBytes() >= leastAhead) replicas.want()
  const write: GraphStore['write'] = (changes, signal) =>
    calls.call('write', { changes }, { signal })
  const read: GraphStore['read'] = (graph, { links = true } = {}, signal) =>
    calls.call('read', { graph, links }, { signal })
  return {
    ...ownQueries(calls),
    readLines: (graph, signal) => graphLines(read, graph, signal),
    read,
    readAll: (graphs, { links = true } = {}, signal) =>
      calls.call('readAll', { graphs, links }, { signal }),
    write,
    // The worker commits what waits for it as one transaction, so that groups need no packing here.
    writeEach: (groups, signal) => eachOf(groups, (changes) => write(changes, signal)),
    publicQuery,
    health: () => healthOf(calls, replicas),
    close: async () => {
      replicas.close()
      await calls.close()
    },
  }
}
