/** Answers `/health` and decides whether this process should get requests. */

import type { Log } from '../log.ts'
import type { Health } from '../http/root.ts'
import type { GraphStore, StoreHealth } from '../store/graph-store.ts'
import { backgroundLoop } from '../workers/background-loop.ts'
import type { Pause } from '../workers/pause.ts'
import { lastBackup } from './backups.ts'
import { damagedFiles } from './data-files.ts'
import type { Engines, StartContext } from './engines.ts'
import { version } from './platform-context.ts'
import { engineHealth } from './search-engine.ts'
import type { Services } from './services.ts'

/** Start of the process, ISO 8601. */
const started = new Date(Date.now() - performance.now()).toISOString()

type RoleConfig = Pick<StartContext['config'], 'writerUrls'>

/** Role of the process in `/health`. */
export const roleOf = ({ writerUrls }: RoleConfig): 'writer' | 'reader' =>
  writerUrls.length > 0 ? 'reader' : 'writer'

/** Health before the services are open; details are for trusted clients. */
export function startingHealth(
  { config, waiting }: Pick<StartContext, 'waiting'> & { readonly config: RoleConfig },
  isTrusted: boolean,
): Health {
  const role = roleOf(config)
  const dependency = waiting.current()
  if (!dependency) return { status: 'starting', version, started, role, progress: waiting.progress }
  const { what, since, detail } = dependency
  const waitingFor = { what, since, ...(isTrusted && { detail }) }
  return { status: 'waiting', version, started, role, waitingFor }
}

/** Health of open services: `degraded` while store or engine is unavailable or accepts no writes. */
export async function runningHealth(
  engines: Omit<Engines, 'close'>,
  { reconciled, scheduler }: Pick<Services, 'reconciled' | 'scheduler'>,
  isStopping: boolean,
): Promise<Health> {
  const { store: graphs, index: engine, profile, projection, config, disk, jobs } = engines
  const [store, index] = await Promise.all([graphs.health(), engineHealth(engine)])
  const writing = graphs.writing()
  const isReady = store.ready && writing.writes && index.ready && index.writes !== false
  return {
    status: isStopping ? 'stopping' : isReady ? 'up' : 'degraded',
    version,
    started,
    role: roleOf(config),
    store: { ...store, ...writing },
    index,
    embedder: engines.embedding?.health(),
    disk: { free: disk.free() },
    profile: { id: profile.id, hash: profile.hash },
    pending: projection.pending(),
    rebuilding: projection.rebuilding(),
    damaged: damagedFiles(config.dataDir),
    reconciled: reconciled() ?? null,
    scheduler: scheduler?.(),
    jobs: jobs.counts(),
    backup: { last: (await lastBackup(config.dataDir))?.time ?? null },
  }
}

/** Health of a reader: `degraded` while store, engine or writer is unavailable. */
export async function readerHealth(
  {
    store: graphs,
    index: engine,
    embedding,
    profile,
  }: Pick<Engines, 'index' | 'embedding' | 'profile'> & {
    readonly store: Pick<GraphStore, 'health'>
  },
  isWriterUp: boolean,
  isStopping: boolean,
): Promise<Health> {
  const [store, index] = await Promise.all([graphs.health(), engineHealth(engine)])
  const isGood = store.ready && index.ready && isWriterUp
  return {
    status: isStopping ? 'stopping' : isGood ? 'up' : 'degraded',
    version,
    started,
    role: 'reader',
    writer: { ready: isWriterUp },
    store,
    index,
    embedder: embedding?.health(),
    profile: { id: profile.id, hash: profile.hash },
  }
}

/** Milliseconds between two questions to the store, and without an answer until the process is not ready. */
const [askMs, awayMs] = [2000, 30_000]

type Time = {
  /** Milliseconds of a clock that only goes forward. */
  readonly elapsed: () => number
  readonly pause: Pause
  readonly log: Log
}

/** Readiness of the process for requests. */
export type Readiness = {
  readonly isReady: () => boolean
  readonly isStopping: () => boolean
  /** Health of the store when it was asked last; `undefined` while it does not answer. */
  readonly storeHealth: () => StoreHealth | undefined
  /** Ends readiness at once; resolves when the store is not asked any more. */
  readonly stop: () => Promise<void>
}

/**
 * Watches the store: ready while it answered within the last 30 s and no other process has its lease. An unavailable engine does
 * not matter: it fails searches only.
 */
export function readiness(
  store: Pick<GraphStore, 'ask' | 'health'>,
  { elapsed, pause, log }: Time,
): Readiness {
  let answeredAt = elapsed()
  let isStopping = false
  let health: StoreHealth | undefined
  let hasAnsweredLast = true
  const look = async (signal: AbortSignal) => {
    // The requests that need the store log why it does not answer.
    const hasAnswered = await store.ask('ASK {}', signal).then(
      () => true,
      () => false,
    )
    if (!hasAnswered) hasAnsweredLast = false
    if (!hasAnswered) return
    answeredAt = elapsed()
    health = await store.health()
    hasAnsweredLast = true
  }
  const loop = backgroundLoop('store.look-failed', askMs, look, { pause, log })
  return {
    isReady: () => !isStopping && health?.lease?.held !== false && elapsed() - answeredAt < awayMs,
    isStopping: () => isStopping,
    storeHealth: () => (hasAnsweredLast ? health : undefined),
    stop: () => {
      isStopping = true
      return loop.stop()
    },
  }
}
