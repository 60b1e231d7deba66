/** What `/health` tells of this process, and whether it should get requests. */

import type { Log } from '../log.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Health } from '../http/root.ts'
import type { GraphStore } from '../store/graph-store.ts'
import { backgroundLoop } from '../workers/background-loop.ts'
import type { Pause } from '../workers/pause.ts'
import { damagedFiles } from './data-files.ts'
import type { Engines, StartContext } from './engines.ts'
import { version } from './platform-context.ts'
import { engineHealth } from './search-engine.ts'
import type { Services } from './services.ts'

/** ISO 8601; of the process. */
const started = new Date(Date.now() - performance.now()).toISOString()

/** The only one there is: whoever runs, writes. */
const role = 'writer'

/** Before the first answer of a service. */
export function startingHealth(
  { waiting }: Pick<StartContext, 'waiting'>,
  isTrusted: boolean,
): Health {
  const awaited = waiting.current()
  if (!awaited) return { status: 'starting', version, started, role, progress: waiting.progress }
  const { what, since, detail } = awaited
  const waitingFor = { what, since, ...(isTrusted && { detail }) }
  return { status: 'waiting', version, started, role, waitingFor }
}

/** `degraded` while store or engine is away, or the store takes no writes: searches and reads may still be answered. */
export async function runningHealth(
  { store: graphs, index: engine, profile, projection, config, disk }: Omit<Engines, 'close'>,
  { reconciled, scheduler, jobs }: Pick<Services, 'reconciled' | 'scheduler' | 'jobs'>,
  isStopping: boolean,
): Promise<Health> {
  const [store, index] = await Promise.all([graphs.health(), engineHealth(engine)])
  const writing = graphs.writing()
  const isWhole = store.ready && index.ready && writing.writes
  return {
    status: isStopping ? 'stopping' : isWhole ? 'up' : 'degraded',
    version,
    started,
    role,
    store: { ...store, ...writing },
    index,
    disk: { free: disk.free() },
    profile: { id: profile.id, hash: profile.hash },
    pending: projection.pending(),
    rebuilding: projection.rebuilding(),
    damaged: damagedFiles(config.dataDir),
    reconciled: reconciled() ?? null,
    scheduler: scheduler?.(),
    jobs: jobs.counts(),
  }
}

/** The same for `/metrics`. */
export function showState({ config, disk, store }: Engines, { gauge }: Metrics): void {
  const statements = async (name: 'quads' | 'dead') =>
    (await store.health().catch(() => undefined))?.[name]
  const damaged = 'Files that were set aside because they were damaged.'
  gauge('cartulary_damaged_files', damaged, () => damagedFiles(config.dataDir).length)
  const free = 'Bytes that can still be written where the data directory lies.'
  gauge('cartulary_data_disk_free_bytes', free, disk.free)
  const writable = 'Whether the store takes writes, as far as is known.'
  gauge('cartulary_store_writable', writable, () => Number(store.writing().writes))
  if (config.triplestore) return
  gauge('cartulary_store_quads', 'Statements in the embedded store.', () => statements('quads'))
  const dead =
    'Deleted statements that still take memory of the embedded store, until a copy without them takes over.'
  gauge('cartulary_store_dead_quads', dead, () => statements('dead'))
}

/** Between two questions whether the store is there, and how long it may be away before requests should go elsewhere. */
const [askMs, awayMs] = [2000, 30_000]

type Time = {
  /** Milliseconds of a clock that only goes forward. */
  readonly elapsed: () => number
  readonly pause: Pause
  readonly log: Log
}

export type Readiness = {
  readonly isReady: () => boolean
  readonly isStopping: () => boolean
  /** Not ready from now on; resolves when the store is not asked any more. */
  readonly stop: () => Promise<void>
}

/** Ready until it stops, while no other gateway has the store, and as long as the store has answered within half a minute; an engine that is away costs searches only. */
export function readiness(
  store: Pick<GraphStore, 'ask' | 'health'>,
  { elapsed, pause, log }: Time,
): Readiness {
  let last = elapsed()
  let isStopping = false
  let isMute = false
  const look = async (signal: AbortSignal) => {
    // Why it does not answer is told by whoever needs an answer.
    const is = await store.ask('ASK {}', signal).then(
      () => true,
      () => false,
    )
    if (!is) return
    last = elapsed()
    isMute = (await store.health()).lease?.held === false
  }
  const loop = backgroundLoop('store.look-failed', askMs, look, { pause, log })
  return {
    isReady: () => !isStopping && !isMute && elapsed() - last < awayMs,
    isStopping: () => isStopping,
    stop: () => {
      isStopping = true
      return loop.stop()
    },
  }
}
