/** Opens a remote triplestore of any dialect and assembles its parts. */

import { Failure } from '../../errors.ts'
import { randomUUID } from 'node:crypto'
import type { Log } from '../../log.ts'
import type { StoreLimits } from '../store-limits.ts'
import type { GraphStore, ReadingStore } from '../graph-store.ts'
import { answerPublicQuery, type PublicEngine } from '../public/public-answer.ts'
import { PublicQueue, type QueryRunner } from '../public/query-queue.ts'
import { publicEngine } from './public-queries.ts'
import { KeyedLock } from '../../workers/keyed-lock.ts'
import { alternating } from './alternation.ts'
import { repeatEmptyReads } from './steady.ts'
import type { Dialect, StoreEndpoint } from './dialect.ts'
import { openEndpoint } from './store-endpoint.ts'
import { StoreLease, type LeaseOptions } from './store-lease.ts'
import { linkRule, readContent, type GraphReading, readMany, contentText } from './reading.ts'
import { retryUntilAvailable } from './starting.ts'
import { graphLines } from '../graph-lines.ts'
import { serviceClient, type ServiceClient } from '../../client/service.ts'
import { UpdateQueue } from './update-queue.ts'
import { GroupWriter, createWrites, type WritingContext } from './writing.ts'
import { fuseki } from './fuseki.ts'
import { sparql11 } from './sparql11.ts'
import { virtuoso } from '../virtuoso/virtuoso.ts'
import type { Pause } from '../../workers/pause.ts'

/** Options of a remote store. */
export type RemoteOptions = {
  readonly endpoints: {
    readonly query: string
    readonly update: string
    readonly auth?: { readonly username: string; readonly password: string } | undefined
  }
  readonly log: Log
  readonly limits: StoreLimits
  readonly isCatalogue: (graph: string) => boolean
  readonly now: () => number
  readonly random: () => number
  readonly pause: Pause
  /** Called with the reason while the store is waited for at the start, and with `undefined` afterwards. */
  readonly onWaiting?: ((detail: string | undefined) => void) | undefined
  /** Absent where no other process can write to the store. */
  readonly lease?: LeaseOptions
}

/** Milliseconds for opening a connection. */
const connectMs = 2000

/** Public queries at the same time; few, because the store has other clients. */
const lanes = 4

/** Opens the queue of public queries; the store itself ends those that take too long. */
function openPublicQueue(
  engine: PublicEngine,
  { publicLimits, publicBuildMs: buildMs }: StoreLimits,
) {
  const run: QueryRunner['run'] = (job) => answerPublicQuery(job, engine)
  const lanesOfStore = Array.from({ length: lanes }, (): QueryRunner => ({ isReady: true, run }))
  const unavailable = () => new Failure('store-unavailable', 'The store is not ready.')
  return new PublicQueue({ ...publicLimits, lanes: () => lanesOfStore, buildMs, unavailable })
}

function clientOf(dialect: Dialect, options: RemoteOptions): ServiceClient {
  const { endpoints, limits, log, now, random, pause } = options
  return serviceClient({
    service: { name: 'store', unavailable: 'store-unavailable' },
    auth: endpoints.auth,
    closesAfterError: dialect.closesAfterError,
    sockets: dialect.sockets,
    retryable: dialect.isRetryable,
    log,
    pause,
    random,
    now,
    limits: {
      connectMs,
      firstByteMs: limits.callMs,
      totalMs: limits.callMs,
      bytes: limits.answer,
    },
  })
}

type StartedStore = {
  readonly endpoint: StoreEndpoint
  readonly product: string
  readonly rows: number | undefined
  readonly lease: StoreLease | undefined
}

/** Endpoint that confirms the lease before each update. */
const withLease = (endpoint: StoreEndpoint, lease: StoreLease): StoreEndpoint => ({
  ...endpoint,
  update: async (text) => {
    await lease.requireHeld()
    await endpoint.update(text)
  },
})

type Connection = {
  readonly dialect: Dialect
  readonly client: ServiceClient
  readonly options: RemoteOptions
  readonly signal: AbortSignal
}

/** Makes the endpoint; nothing is sent. */
const endpointOf = ({ dialect, client, options, signal }: Connection): StoreEndpoint =>
  openEndpoint({
    dialect,
    service: client,
    queryEndpoint: options.endpoints.query,
    updateEndpoint: options.endpoints.update,
    callMs: options.limits.callMs,
    name: randomUUID,
    pause: (ms) => options.pause(ms, signal),
  })

const waitingOf = ({ options: { log, now, onWaiting, pause }, signal }: Connection) => ({
  log,
  now,
  signal,
  onWaiting,
  pause: (ms: number) => pause(ms, signal),
})

async function start(connection: Connection): Promise<StartedStore> {
  const { dialect, options, signal } = connection
  const { log, now } = options
  const endpoint = endpointOf(connection)
  const waiting = waitingOf(connection)
  const { product, rows } = await retryUntilAvailable(() => dialect.probe(endpoint), waiting)
  await retryUntilAvailable(async () => dialect.checkRights?.(endpoint), waiting)
  const recover = async () => {
    await dialect.waitForUpdates?.(endpoint)
    await dialect.recover?.(endpoint)
  }
  const lease =
    options.lease &&
    new StoreLease({
      ...options.lease,
      endpoint,
      pause: options.pause,
      log,
      now,
      random: options.random,
      recover,
    })
  await retryUntilAvailable(async () => options.lease?.checkStore?.(endpoint), waiting)
  // Updates of the previous holder may still be running.
  if (await lease?.acquire(signal))
    await retryUntilAvailable(async () => dialect.waitForUpdates?.(endpoint), waiting)
  // Only after the lease is acquired, because its former holder may be working on unfinished writes.
  const recovered = await retryUntilAvailable(async () => dialect.recover?.(endpoint), waiting)
  log.info({ product, recovered }, 'store.opened')
  return { endpoint: lease ? withLease(endpoint, lease) : endpoint, product, rows, lease }
}

function graphReads(reading: GraphReading): Pick<GraphStore, 'read' | 'readAll'> {
  const { isLink } = reading
  return {
    read: async (graph, { links = true } = {}, signal) => {
      const request = { graph, links }
      return contentText(await readContent(request, reading, signal), request, isLink)
    },
    readAll: async (graphs, { links = true } = {}, signal) => {
      const texts = new Map<string, string>()
      for (const [graph, content] of await readMany({ graphs, links }, reading, signal)) {
        const text = contentText(content, { graph, links }, isLink)
        if (text !== undefined) texts.set(graph, text)
      }
      return texts
    },
  }
}

/** Endpoint of the platform's own reads and writes; public queries use that of the store. */
const ownEndpoint = ({ showsPartialCommits }: Dialect, endpoint: StoreEndpoint): StoreEndpoint =>
  showsPartialCommits ? alternating({ ...endpoint, ...repeatEmptyReads(endpoint) }) : endpoint

type Graphs = Pick<GraphStore, 'read' | 'readAll' | 'write' | 'writeEach' | 'readLines'>

/** Reads and writes of graphs. Writes of the content of one graph run one after the other; writes of links may overlap. */
function graphsOf(reading: GraphReading, commit: WritingContext['commit']): Graphs {
  const { dialect, endpoint, isLink } = reading
  const locks = new KeyedLock()
  // A writer holds the lock of its graph, so it may finish interrupted writes there.
  const { recover } = dialect
  const writerReading: GraphReading = {
    ...reading,
    ...(recover && { finish: (graph) => recover(endpoint, graph) }),
  }
  const reader = graphReads(
    dialect.showsPartialCommits
      ? { ...reading, withoutWriters: (graph, read) => locks.share(graph, read) }
      : reading,
  )
  const settings: WritingContext = {
    dialect,
    isLink,
    locks,
    commit,
    read: (request) => readContent(request, writerReading),
    readMany: (graphs) => readMany({ graphs, links: false }, writerReading),
    waitForUpdates: () => dialect.waitForUpdates?.(endpoint) ?? Promise.resolve(),
  }
  const groupWriter = new GroupWriter(settings)
  const writes = createWrites(settings, groupWriter)
  return {
    ...reader,
    ...writes,
    readLines: (graph, signal) => graphLines(reader.read, graph, signal),
  }
}

const dialects: Readonly<Record<Dialect['name'], Dialect>> = { fuseki, sparql11, virtuoso }

/** Opens a store of a dialect; resolves when it answers, the lease (if any) is held, and interrupted writes are finished. */
export async function remoteStore(
  name: Dialect['name'],
  options: RemoteOptions,
  signal?: AbortSignal,
): Promise<GraphStore> {
  const dialect = dialects[name]
  const { limits, log } = options
  const client = clientOf(dialect, options)
  const end = new AbortController()
  const startSignal = signal ? AbortSignal.any([end.signal, signal]) : end.signal
  const connection = { dialect, client, options, signal: startSignal }
  const {
    endpoint: opened,
    product,
    rows,
    lease,
  } = await start(connection).catch(async (error: unknown) => {
    await client.close()
    throw error
  })
  const endpoint = ownEndpoint(dialect, opened)
  const reading: GraphReading = { dialect, endpoint, isLink: linkRule(options.isCatalogue), rows }
  const writer = new UpdateQueue({ dialect, endpoint, log })
  const publicQueue = openPublicQueue(
    publicEngine({ dialect, endpoint: opened, ms: limits.publicMs, rows }),
    limits,
  )
  return {
    ...graphsOf(reading, (edits) => writer.commit(edits)),
    ask: endpoint.ask,
    select: endpoint.select,
    construct: endpoint.construct,
    publicQuery: (request, callSignal) => publicQueue.query(request, callSignal),
    health: async () => ({
      ready: await opened.ask('ASK {}').catch(() => false),
      product,
      ...(lease && { lease: { held: lease.isHeld } }),
    }),
    close: async () => {
      await writer.close()
      await lease?.release()
      end.abort()
      await client.close()
    },
  }
}

/**
 * Opens a store of a dialect for a process that only reads beside the one that writes: no lease is taken, interrupted writes are left
 * to the writer, and no update is sent. Resolves when the store answers.
 */
export async function remoteReader(
  name: Dialect['name'],
  options: Omit<RemoteOptions, 'lease'>,
  signal?: AbortSignal,
): Promise<ReadingStore> {
  const dialect = dialects[name]
  const client = clientOf(dialect, options)
  const end = new AbortController()
  const startSignal = signal ? AbortSignal.any([end.signal, signal]) : end.signal
  const connection = { dialect, client, options, signal: startSignal }
  const endpoint = endpointOf(connection)
  const probe = () => dialect.probe(endpoint)
  const { product, rows } = await retryUntilAvailable(probe, waitingOf(connection)).catch(
    async (error: unknown) => {
      await client.close()
      throw error
    },
  )
  const { limits, log } = options
  log.info({ product }, 'store.opened')
  const reading: GraphReading = { dialect, endpoint, isLink: linkRule(options.isCatalogue), rows }
  const reads = graphReads(dialect.showsPartialCommits ? { ...reading, isChecked: true } : reading)
  const publicQueue = openPublicQueue(
    publicEngine({ dialect, endpoint, ms: limits.publicMs, rows }),
    limits,
  )
  return {
    ...reads,
    readLines: (graph, callSignal) => graphLines(reads.read, graph, callSignal),
    ask: endpoint.ask,
    select: endpoint.select,
    construct: endpoint.construct,
    publicQuery: (request, callSignal) => publicQueue.query(request, callSignal),
    health: async () => ({ ready: await endpoint.ask('ASK {}').catch(() => false), product }),
    close: async () => {
      end.abort()
      await client.close()
    },
  }
}
