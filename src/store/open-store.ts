/** Opens the configured triplestore: the embedded one, or a remote one. */

import { join } from 'node:path'
import { Failure, StartRefused } from '../errors.ts'
import type { StatementRule } from './embedded/statement-rule.ts'
import type { Log } from '../log.ts'
import { inOwnTurn } from '../workers/event-loop.ts'
import type { GraphStore, Loading, ReadingStore } from './graph-store.ts'
import { standardStoreLimits, type StoreLimits } from './store-limits.ts'
import type { LeaseOptions } from './remote/store-lease.ts'
import { retryUntilAvailable } from './remote/starting.ts'
import type { Pause } from '../workers/pause.ts'
import { withDefaults } from '../text/defaults.ts'

/** Remote triplestore. Endpoints are absolute URLs. */
export type StoreConfig = {
  readonly dialect: 'fuseki' | 'virtuoso' | 'sparql11'
  readonly queryEndpoint: string
  readonly updateEndpoint: string
  /** Endpoint of the Graph Store Protocol, which is ignored; older configurations contain it. */
  readonly graphEndpoint?: string
  readonly username?: string
  readonly password?: string
}

type OpenOptions = {
  /** Directory of the embedded store; ignored by remote stores. */
  readonly directory: string
  readonly log: Log
  readonly limits?: Partial<StoreLimits>
  /** Whether a graph is that of a catalogue: its `dcat:dataset` and `dcat:record` lines are links. Only remote stores ask. */
  readonly isCatalogue: (graph: string) => boolean
  /** Statements that only public queries match. Only the embedded store asks. */
  readonly rule?: StatementRule
  /** Clock in milliseconds; by default `performance.now()`. */
  readonly now?: () => number
  /** Random number from 0 to 1, which spreads the pauses between attempts. */
  readonly random?: () => number
  readonly pause: Pause
  /** Options of the lease of a remote store; absent where no other process can write. */
  readonly lease?: LeaseOptions
  /** Called with the reason while the start waits for the store, and with `undefined` afterwards. */
  readonly onWaiting?: (detail: string | undefined) => void
  /** Called with the progress while the embedded store is loaded. */
  readonly loading?: (now: Loading) => void
}

/** Waits for the store, logging the progress, finishes interrupted writes, then resolves. */
export async function openStore(
  config: StoreConfig | undefined,
  options: OpenOptions,
  signal?: AbortSignal,
): Promise<GraphStore> {
  const { directory, log, limits = {}, rule, loading } = options
  if (!config) {
    // Imported here, because processes with a remote store do not need the engine.
    const { embeddedStore } = await import('./embedded/embedded-store.ts')
    return embeddedStore({ directory, log, limits, rule, loading }).then(
      (store) => ({ ...store, ...yieldingReads(store) }),
      (error: unknown) => {
        throw isDamage(error) ? damagedFailure(directory, error) : error
      },
    )
  }
  const remote = { ...remoteOptions(config, options), lease: options.lease }
  // Imported here for the same reason.
  const { remoteStore } = await import('./remote/remote-store.ts')
  const store = await remoteStore(config.dialect, remote, signal)
  return { ...store, ...yieldingReads(store) }
}

/** Opens a remote store for a process that only reads beside the one that writes; resolves when it answers. */
export async function openReadingStore(
  config: StoreConfig,
  options: Omit<OpenOptions, 'directory' | 'lease' | 'loading'>,
): Promise<ReadingStore> {
  const { remoteReader } = await import('./remote/remote-store.ts')
  const store = await remoteReader(config.dialect, remoteOptions(config, options))
  return { ...store, ...yieldingReads(store) }
}

/** Options of a remote store. */
function remoteOptions(
  { queryEndpoint, updateEndpoint, username, password }: StoreConfig,
  { log, limits = {}, isCatalogue, now, random, pause, onWaiting }: Omit<OpenOptions, 'directory'>,
) {
  const auth = username !== undefined && password !== undefined ? { username, password } : undefined
  return {
    endpoints: { query: queryEndpoint, update: updateEndpoint, auth },
    log,
    limits: withDefaults(standardStoreLimits, limits),
    isCatalogue,
    now: now ?? (() => performance.now()),
    random: random ?? (() => 0.5),
    pause,
    onWaiting,
  }
}

/** Reads that return only one long text in each turn of the event loop, because readers parse it on the main thread at once. */
const yieldingReads = (
  store: ReadingStore,
): Pick<ReadingStore, 'read' | 'construct' | 'readAll'> => ({
  read: async (...args) => inOwnTurn(await store.read(...args)),
  construct: async (...args) => inOwnTurn(await store.construct(...args)),
  readAll: async (...args) => {
    const texts = await store.readAll(...args)
    for (const text of texts.values()) await inOwnTurn(text)
    return texts
  },
})

/** Whether an error reports a damaged page or compressed text in `store.db`. */
const isDamage = (error: unknown): error is Failure & { readonly cause: Error } => {
  const cause = error instanceof Failure ? error.cause : undefined
  if (!(cause instanceof Error)) return false
  if ('errcode' in cause) return [11, 26].includes(Number(cause.errcode) & 0xff)
  return 'code' in cause && cause.code === 'Z_DATA_ERROR'
}

const damagedFailure = (directory: string, { cause }: { readonly cause: Error }) =>
  new StartRefused(
    `${join(directory, 'store.db')} is damaged (${cause.message}). Restore a backup of the store; there is no other way to its records.`,
    { cause },
  )

/** Runs a step of the start, and repeats it while the store is unavailable; resolves with its result. */
export const runWithStore = <T>(
  work: () => Promise<T>,
  { log, pause, onWaiting }: Pick<OpenOptions, 'log' | 'pause' | 'onWaiting'>,
): Promise<T> =>
  retryUntilAvailable(work, {
    log,
    pause: (ms) => pause(ms, new AbortController().signal),
    now: () => performance.now(),
    signal: undefined,
    onWaiting,
  })
