/** A store whose writes are watched: whether it takes any, and why it last took one not. */

import { Failure } from '../errors.ts'
import type { Metrics } from '../http/metrics.ts'
import type { GraphStore } from '../store/graph-store.ts'
import type { Disk } from './disk.ts'

type Reason = 'disk-full' | 'full' | 'away' | 'time'

type Writes = {
  /** Whether the store takes writes, as far as is known. */
  readonly writes: boolean
  readonly reason?: Reason
  /** The last one that failed; `at` is ISO 8601. */
  readonly lastWriteError?: { readonly at: string; readonly reason: Reason }
}

type WatchedStore = GraphStore & { readonly writing: () => Writes }

const reasons: Partial<Record<Failure['kind'], Reason>> = {
  'store-full': 'full',
  'store-unavailable': 'away',
  'time-limit': 'time',
}

/** `disk` is that of the embedded store, absent for others. What a write asks wrongly is no failure of the store. */
export function watchedStore(
  store: GraphStore,
  disk: Disk | undefined,
  numbers: Pick<Metrics, 'writeFailed'>,
): WatchedStore {
  let last: Writes['lastWriteError']
  let isFull = false
  const note = (error: unknown) => {
    const reason = error instanceof Failure ? reasons[error.kind] : undefined
    if (reason === undefined) return
    if (reason === 'away') disk?.suspect()
    const told = disk?.isFull() ? 'disk-full' : reason
    last = { at: new Date().toISOString(), reason: told }
    isFull = reason === 'full'
    numbers.writeFailed(told)
  }
  const watched = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      disk?.demandRoom()
      const done = await work()
      isFull = false
      return done
    } catch (error) {
      note(error)
      throw error
    }
  }
  return {
    ...store,
    write: (...given) => watched(() => store.write(...given)),
    writeEach: async (...given) => {
      const landings = await watched(() => store.writeEach(...given))
      for (const landing of landings) if ('failure' in landing) note(landing.failure)
      return landings
    },
    replaceStreamed: (...given) => watched(() => store.replaceStreamed(...given)),
    writing: () => {
      const reason = disk?.isFull() ? 'disk-full' : isFull ? 'full' : undefined
      return { writes: !reason, ...(reason && { reason }), ...(last && { lastWriteError: last }) }
    },
  }
}
