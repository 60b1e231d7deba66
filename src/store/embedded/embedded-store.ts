/** The embedded triplestore: Oxigraph and SQLite in a worker thread, for one process and about ten million triples. */

import type { MessagePort, Worker } from 'node:worker_threads'
import { backgroundLoop } from '../../workers/background-loop.ts'
import { pause } from '../../workers/pause.ts'
import { startWorker } from '../../workers/pool.ts'
import type {
  GraphChange,
  GraphStore,
  CommitResult,
  Loading,
  StoreHealth,
  Written,
} from '../graph-store.ts'
import type { StatementRule } from './statement-rule.ts'
import type { Log } from '../../log.ts'
import { booleanOf, solutionRows } from '../sparql-results.ts'
import { WriterCalls } from './writer-calls.ts'
import { boundedEngine, writerBytes } from './engine.ts'
import type { WriterOpened, WriterSettings } from './messages.ts'
import { standardStoreLimits, type StoreLimits } from '../store-limits.ts'
import { currentMemory, type Memory } from '../public/copy-memory.ts'
import { Replicas } from '../public/replicas.ts'
import { PublicQueue } from '../public/query-queue.ts'
import { graphLines } from '../graph-lines.ts'
import { withDefaults } from '../../text/defaults.ts'

export type { StoreLimits } from '../store-limits.ts'

const product = 'embedded'

/** Options of the embedded store. */
export type EmbeddedStoreOptions = {
  /** Directory of `store.db`, created if absent; for one process at a time. */
  readonly directory: string
  readonly log: Log
  readonly limits?: Partial<StoreLimits>
  /** Statements that the index of the writer leaves out, which saves the memory of one copy of them; by default none. */
  readonly rule?: StatementRule | undefined
  /** Reads the memory of this process. */
  readonly memory?: () => Memory
  /** Called with the progress while the store is loaded. */
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

function logOpening(log: Log, { unreadable, ...opened }: WriterOpened, ceiling: number): void {
  log.info({ ...opened, ceiling }, 'store.opened')
  if (unreadable.length > 0) log.error({ graphs: unreadable.slice(0, 20) }, 'store.read-failed')
  if (opened.quads > ceiling * 0.8) log.warn({ ...opened, ceiling }, 'store.filling')
}

async function writeGroups(
  groups: readonly (readonly GraphChange[])[],
  write: (changes: readonly GraphChange[]) => Promise<readonly Written[]>,
): Promise<CommitResult[]> {
  const outcomes = await Promise.allSettled(groups.map((changes) => write(changes)))
  return outcomes.map((outcome) =>
    outcome.status === 'fulfilled' ? { written: outcome.value } : { failure: outcome.reason },
  )
}

/** Queries of the platform, which the writing worker answers. */
function internalQueries(calls: WriterCalls): Pick<GraphStore, 'ask' | 'select' | 'construct'> {
  const run = (text: string, mediaType: string, signal: AbortSignal | undefined) =>
    calls.call('query', { text, shape: { mediaType } }, { signal })
  const [solutions, triples] = ['application/sparql-results+json', 'application/n-triples'] as const
  return {
    ask: async (query, signal) => booleanOf(await run(query, solutions, signal)),
    select: async (query, signal) => solutionRows(await run(query, solutions, signal)),
    construct: (query, signal) => run(query, triples, signal),
  }
}

async function healthOf(calls: WriterCalls, { state: replica }: Replicas): Promise<StoreHealth> {
  const noCounts = { quads: 0, graphs: 0, dead: 0 }
  if (!calls.isOpen) return { ready: false, product, ...noCounts, replica: 'absent' }
  return { ready: true, product, ...(await calls.call('counts', {})), replica }
}

/** Milliseconds between two looks at the memory of the process. */
const memoryMs = 1000

/** Public queries, which run on replicas. */
function openPublicQueries(
  { directory, log, memory = currentMemory }: EmbeddedStoreOptions,
  limits: StoreLimits,
  calls: WriterCalls,
) {
  const replicas: Replicas = new Replicas({
    directory,
    log,
    queryMs: limits.publicMs,
    configuredBytes: limits.publicMemory,
    memory,
    maxCopies: Math.min(limits.publicCopies, limits.publicLimits.lanes),
    idleMs: limits.publicIdleMs,
    quads: async () => (await calls.call('counts', {})).quads,
    follow: (port) => calls.call('follow', { port, includesSystemGraph: false }, { ports: [port] }),
    onChange: () => queue.startWaiting(),
  })
  const queue: PublicQueue = new PublicQueue({
    ...limits.publicLimits,
    lanes: () => replicas.lanes,
    buildMs: limits.publicBuildMs,
    unavailable: () => replicas.unavailable(),
    onShortage: () => replicas.request(true),
  })
  const publicQuery: GraphStore['publicQuery'] = (request, signal) => {
    replicas.request()
    return queue.query(request, signal)
  }
  const every = (ms: number, work: () => Promise<void> | void) =>
    backgroundLoop('replica.look-failed', ms, work, { log, pause })
  const loops = [
    every(limits.publicIdleMs / 10, () => replicas.endIdle()),
    every(memoryMs, () => replicas.checkMemory()),
  ]
  const close = async () => {
    await Promise.all(loops.map((loop) => loop.stop()))
    await replicas.close()
  }
  return { replicas, publicQuery, close }
}

/** Opens the store; resolves when the index is built from the file (about 300,000 triples per second). */
export async function embeddedStore(options: EmbeddedStoreOptions): Promise<GraphStore> {
  const { directory, log } = options
  const limits = withDefaults(standardStoreLimits, options.limits)
  const settings: WriterSettings = {
    engine: boundedEngine(limits.memory > 0 ? limits.memory : writerBytes()),
    directory,
    rule: options.rule,
    maxQuads: limits.quads,
    maxAnswer: limits.answer,
  }
  const calls: WriterCalls = new WriterCalls({
    start: (feed) => launch(settings, feed),
    waiting: limits.waiting,
    callMs: limits.callMs,
    log,
    pause,
    onLost: () => replicas.end(),
    onLoading: options.loading,
  })
  const { replicas, publicQuery, close } = openPublicQueries(options, limits, calls)
  logOpening(log, await calls.opened, limits.quads)
  const write: GraphStore['write'] = (changes, signal) =>
    calls.call('write', { changes }, { signal })
  const read: GraphStore['read'] = (graph, { links = true } = {}, signal) =>
    calls.call('read', { graph, links }, { signal })
  return {
    ...internalQueries(calls),
    readLines: (graph, signal) => graphLines(read, graph, signal),
    read,
    readAll: (graphs, { links = true } = {}, signal) =>
      calls.call('readAll', { graphs, links }, { signal }),
    write,
    // The worker commits all waiting writes in one transaction, so groups need not be packed here.
    writeEach: (groups, signal) => writeGroups(groups, (changes) => write(changes, signal)),
    publicQuery,
    health: () => healthOf(calls, replicas),
    close: async () => {
      await close()
      await calls.close()
    },
  }
}
