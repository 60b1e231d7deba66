/** Opens the triplestore that is configured: the embedded one, or a remote one. */

import { join } from 'node:path'
import { Failure, StartRefused } from '../errors.ts'
import type { Log } from '../log.ts'
import { inOwnTurn } from '../workers/event-loop.ts'
import type { GraphStore, Loading } from './graph-store.ts'
import { standardStoreLimits, type StoreLimits } from './store-limits.ts'
import type { LeaseOptions } from './remote/store-lease.ts'
import { onceThere } from './remote/starting.ts'
import type { Pause } from '../workers/pause.ts'
import { withDefaults } from '../text/defaults.ts'

/** A triplestore in a process of its own. Endpoints are absolute URLs. */
export type StoreConfig = {
  readonly dialect: 'fuseki' | 'virtuoso' | 'sparql11'
  readonly queryEndpoint: string
  readonly updateEndpoint: string
  /** Of the Graph Store Protocol, which is not needed: older configurations name it. */
  readonly graphEndpoint?: string
  readonly username?: string
  readonly password?: string
}

type OpenOptions = {
  /** Of the embedded store; others have no use for it. */
  readonly directory: string
  readonly log: Log
  readonly limits?: Partial<StoreLimits>
  /** Whether a graph is a catalogue's: its `dcat:dataset` and `dcat:record` lines are links. */
  readonly isCatalogue: (graph: string) => boolean
  /** Milliseconds; of the process by default. */
  readonly now?: () => number
  /** 0 ≤ x < 1; spreads the pauses between tries. */
  readonly random?: () => number
  readonly pause: Pause
  /** The right to write to a remote store; absent where nobody else can have it. */
  readonly lease?: LeaseOptions
  /** Hears what is waited for, and `undefined` when it is there. */
  readonly onWaiting?: (detail: string | undefined) => void
  /** Hears how far the loading of the embedded store is. */
  readonly loading?: (now: Loading) => void
}

/** Waits for the store with a line of progress, finishes what a crash left there, then resolves. */
export async function openStore(
  config: StoreConfig | undefined,
  options: OpenOptions,
  signal?: AbortSignal,
): Promise<GraphStore> {
  const { directory, log, limits = {}, isCatalogue, pause, loading } = options
  if (!config) {
    // Only now: a process on another store has no use for its engine.
    const { embeddedStore } = await import('./embedded/embedded-store.ts')
    return embeddedStore({ directory, log, limits, loading }).then(spaced, (error: unknown) => {
      throw isDamage(error) ? damaged(directory, error) : error
    })
  }
  const { dialect, queryEndpoint, updateEndpoint, username, password } = config
  const auth = username !== undefined && password !== undefined ? { username, password } : undefined
  const remote = {
    endpoints: { query: queryEndpoint, update: updateEndpoint, auth },
    log,
    limits: withDefaults(standardStoreLimits, limits),
    isCatalogue,
    now: options.now ?? (() => performance.now()),
    random: options.random ?? (() => 0.5),
    pause,
    lease: options.lease,
    onWaiting: options.onWaiting,
  }
  // Only now, for the same reason.
  const { remoteStore } = await import('./remote/remote-store.ts')
  return spaced(await remoteStore(dialect, remote, signal))
}

/** Gives long graphs to one reader in each turn of the event loop: what is read is parsed and written on the main thread. */
const spaced = (store: GraphStore): GraphStore => ({
  ...store,
  read: async (...given) => inOwnTurn(await store.read(...given)),
  construct: async (...given) => inOwnTurn(await store.construct(...given)),
  readAll: async (...given) => {
    const texts = await store.readAll(...given)
    for (const text of texts.values()) await inOwnTurn(text)
    return texts
  },
})

/** Whether a text in the file is no longer what was written, or a page of it. */
const isDamage = (error: unknown): error is Failure & { readonly cause: Error } => {
  const cause = error instanceof Failure ? error.cause : undefined
  if (!(cause instanceof Error)) return false
  if ('errcode' in cause) return [11, 26].includes(Number(cause.errcode) & 0xff)
  return 'code' in cause && cause.code === 'Z_DATA_ERROR'
}

const damaged = (directory: string, { cause }: { readonly cause: Error }) =>
  new StartRefused(
    `${join(directory, 'store.db')} is damaged (${cause.message}). Restore a backup of the store; there is no other way to its records.`,
    { cause },
  )

/** What `work` gives, tried again while the store is away: for steps of the start, which nobody else would repeat. */
export const withStore = <T>(
  work: () => Promise<T>,
  { log, pause, onWaiting }: Pick<OpenOptions, 'log' | 'pause' | 'onWaiting'>,
): Promise<T> =>
  onceThere(work, {
    log,
    pause: (ms) => pause(ms, new AbortController().signal),
    now: () => performance.now(),
    signal: undefined,
    onWaiting,
  })
