/** A remote triplestore: what all dialects have in common, put together. */

import { Failure } from '../../errors.ts'
import { randomUUID } from 'node:crypto'
import type { Log } from '../../log.ts'
import type { StoreLimits } from '../store-limits.ts'
import type { GraphStore } from '../graph-store.ts'
import { publicAnswer, type PublicEngine } from '../public/public-answer.ts'
import { PublicQueue, type QueryRunner } from '../public/query-queue.ts'
import { publicEngine } from './public-queries.ts'
import { KeyedLock } from '../../workers/keyed-lock.ts'
import { steady } from './steady.ts'
import type { Dialect, StoreEndpoint, Edit } from './dialect.ts'
import { openEndpoint } from './store-endpoint.ts'
import { StoreLease, type LeaseOptions } from './store-lease.ts'
import { linkRule, readContent, type GraphReading, readMany, contentText } from './reading.ts'
import { onceThere } from './starting.ts'
import { graphLines } from '../graph-lines.ts'
import { serviceClient, type ServiceClient } from '../../client/service.ts'
import { UpdateQueue } from './update-queue.ts'
import { Landings, writing, type WritingContext } from './writing.ts'
import { fuseki } from './fuseki.ts'
import { sparql11 } from './sparql11.ts'
import { virtuoso } from '../virtuoso/virtuoso.ts'
import type { Pause } from '../../workers/pause.ts'

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
  /** Hears what is waited for at the start, and `undefined` when it is there. */
  readonly onWaiting?: ((detail: string | undefined) => void) | undefined
  /** Absent where nobody else can write to the store. */
  readonly lease?: LeaseOptions
}

/** Until a connection stands, in ms. */
const connectMs = 2000

/** Public queries that run at the same time: the store has other clients. */
const lanes = 4

/** What strangers ask; the store ends what takes too long by itself. */
function publicSide(engine: PublicEngine, { publicDoor, publicBuildMs: buildMs }: StoreLimits) {
  const run: QueryRunner['run'] = (job) => publicAnswer(job, engine)
  const all = Array.from({ length: lanes }, (): QueryRunner => ({ isReady: true, run }))
  const closed = () => new Failure('store-unavailable', 'The store is not ready.')
  return new PublicQueue({ ...publicDoor, lanes: () => all, buildMs, closed })
}

function clientOf(dialect: Dialect, options: RemoteOptions): ServiceClient {
  const { endpoints, limits, log, now, random, pause } = options
  return serviceClient({
    service: { name: 'store', unavailable: 'store-unavailable' },
    auth: endpoints.auth,
    destroyAfterError: dialect.destroyAfterError,
    sockets: dialect.sockets,
    retryable: dialect.retryable,
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

type Started = {
  readonly endpoint: StoreEndpoint
  readonly product: string
  readonly rows: number | undefined
  readonly lease: StoreLease | undefined
}

/** Sends no update that might meet one of another process. */
const guarded = (endpoint: StoreEndpoint, lease: StoreLease): StoreEndpoint => ({
  ...endpoint,
  update: async (text) => {
    await lease.demand()
    await endpoint.update(text)
  },
})

async function started(
  dialect: Dialect,
  client: ServiceClient,
  options: RemoteOptions,
  signal: AbortSignal,
): Promise<Started> {
  const { endpoints, log, now } = options
  const pause = (ms: number) => options.pause(ms, signal)
  const endpoint = openEndpoint({
    dialect,
    service: client,
    queryEndpoint: endpoints.query,
    updateEndpoint: endpoints.update,
    callMs: options.limits.callMs,
    name: randomUUID,
    pause,
  })
  const waiting = { log, pause, now, signal, onWaiting: options.onWaiting }
  const { product, rows } = await onceThere(() => dialect.probe(endpoint), waiting)
  const recover = async () => {
    await dialect.settle?.(endpoint)
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
  await onceThere(async () => options.lease?.check?.(endpoint), waiting)
  // What the one before has sent may still be on its way.
  if (await lease?.take(signal)) await onceThere(async () => dialect.settle?.(endpoint), waiting)
  // Only now: what looks unfinished may be in the hands of the one who has the lease.
  const recovered = await onceThere(async () => dialect.recover?.(endpoint), waiting)
  log.info({ product, recovered }, 'store.opened')
  return { endpoint: lease ? guarded(endpoint, lease) : endpoint, product, rows, lease }
}

function reads(reading: GraphReading): Pick<GraphStore, 'read' | 'readAll'> {
  const { isLink } = reading
  return {
    read: async (graph, { links = true } = {}, signal) => {
      const wanted = { graph, links }
      return contentText(await readContent(wanted, reading, signal), wanted, isLink)
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

function steadied({ torn }: Dialect, endpoint: StoreEndpoint, writer: UpdateQueue) {
  const land = (edits: readonly Edit[]) => writer.land(edits)
  return torn ? steady(endpoint, land) : { ...endpoint, land }
}

type Graphs = Pick<GraphStore, 'read' | 'readAll' | 'write' | 'writeEach' | 'readLines'>

/** Reading and writing of graphs. Writes of one graph run one after the other. */
function graphsOf(reading: GraphReading, land: WritingContext['land']): Graphs {
  const { dialect, endpoint, isLink } = reading
  const locks = new KeyedLock()
  // A writer holds the lock of its graph: no other writer is at work on what is unfinished there.
  const { recover } = dialect
  const own: GraphReading = {
    ...reading,
    ...(recover && { finish: (graph) => recover(endpoint, graph) }),
  }
  const reader = reads(
    dialect.torn ? { ...reading, apart: (graph, read) => locks.share(graph, read) } : reading,
  )
  const settings: WritingContext = {
    dialect,
    isLink,
    locks,
    land,
    read: (wanted) => readContent(wanted, own),
    readMany: (graphs) => readMany({ graphs, links: false }, own),
    settle: () => dialect.settle?.(endpoint) ?? Promise.resolve(),
  }
  const landings = new Landings(settings)
  const writes = writing(settings, landings)
  return {
    ...reader,
    ...writes,
    readLines: (graph, signal) => graphLines(reader.read, graph, signal),
  }
}

const dialects: Readonly<Record<Dialect['name'], Dialect>> = { fuseki, sparql11, virtuoso }

/** Opens a store of that dialect: resolves when it answers and is in order. */
export async function remoteStore(
  name: Dialect['name'],
  options: RemoteOptions,
  signal?: AbortSignal,
): Promise<GraphStore> {
  const dialect = dialects[name]
  const { limits, log } = options
  const client = clientOf(dialect, options)
  const end = new AbortController()
  const ending = signal ? AbortSignal.any([end.signal, signal]) : end.signal
  const { endpoint, product, rows, lease } = await started(dialect, client, options, ending).catch(
    async (error: unknown) => {
      await client.close()
      throw error
    },
  )
  const reading: GraphReading = { dialect, endpoint, isLink: linkRule(options.isCatalogue), rows }
  const writer = new UpdateQueue({ dialect, endpoint, log })
  const { ask, select, land } = steadied(dialect, endpoint, writer)
  const strangers = publicSide(
    publicEngine({ dialect, endpoint, ms: limits.publicMs, rows }),
    limits,
  )
  return {
    ...graphsOf(reading, land),
    ask,
    select,
    construct: endpoint.construct,
    publicQuery: (request, asking) => strangers.query(request, asking),
    health: async () => ({
      ready: await endpoint.ask('ASK {}').catch(() => false),
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
