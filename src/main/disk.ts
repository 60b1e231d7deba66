/**
 * Room on the disk of the data directory: found out when it is used up, and enough of it kept for a start that serves reads; and
 * whether the store takes writes.
 */

import { randomFillSync } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  rmSync,
  statSync,
  statfsSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../errors.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Log } from '../log.ts'
import type { GraphStore } from '../store/graph-store.ts'
import { backgroundLoop } from '../workers/background-loop.ts'
import type { Pause } from '../workers/pause.ts'
import type { Storage } from './storage.ts'

/** The disk of the data directory, watched from the first sign that it is full until there is room again. */
export type Disk = {
  readonly isFull: () => boolean
  /** Bytes that this process may still write. */
  readonly free: () => number
  /** Throws while the disk is full: what is left is for reads, whose files need some of it. */
  readonly demandRoom: () => void
  /** A write has failed: perhaps for want of room. */
  readonly suspect: () => void
  readonly stop: () => Promise<void>
}

const MB = 2 ** 20
/** What a write may need at least. */
const leastBytes = MB
/** Given away at the start on a full disk: opening the files takes some. */
const reserveBytes = 16 * MB
const lookMs = 2000
const retryAfter = 30

type Options = {
  readonly directory: string
  readonly log: Log
  readonly pause: Pause
  readonly storage: Pick<Storage, 'look'>
}

/** Keeps a reserve in the directory while there is room for it. */
export function openDisk({ directory, log, pause, storage }: Options): Disk {
  const [reserve, probe] = [join(directory, 'reserve'), join(directory, 'probe')]
  const hasReserve = () => existsSync(reserve) && statSync(reserve).size === reserveBytes
  let isFull = false
  let looked = -Infinity

  const hasRoom = () => {
    const is = filled(probe, leastBytes)
    rmSync(probe, { force: true })
    return is
  }
  /** The reserve comes back before anybody writes again. */
  const isMended = () => hasRoom() && (hasReserve() || filled(reserve, reserveBytes)) && hasRoom()
  const look = () => {
    storage.look()
    if (!isFull || !isMended()) return
    isFull = false
    log.warn('disk.has-room-again')
  }
  const full = () => {
    if (isFull) return
    isFull = true
    log.error({ directory, free: freeIn(directory) }, 'disk.full')
  }

  if (!hasRoom()) {
    rmSync(reserve, { force: true })
    full()
  } else if (!hasReserve() && !filled(reserve, reserveBytes)) log.warn('disk.nearly-full')
  const loop = backgroundLoop('disk.look-failed', lookMs, look, { log, pause })
  return {
    isFull: () => isFull,
    free: () => (existsSync(directory) ? freeIn(directory) : 0),
    demandRoom: () => {
      if (!isFull) return
      const detail = 'The disk of the store is full: it answers reads, and takes no writes.'
      throw new Failure('store-unavailable', detail, { retryAfter })
    },
    suspect: () => {
      // It takes a moment, and many writes fail together.
      if (isFull || performance.now() - looked < lookMs) return
      looked = performance.now()
      if (!hasRoom()) full()
    },
    stop: loop.stop,
  }
}

const freeIn = (directory: string): number => {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}

/** For want of room, of a quota, or of what a file may have. */
const lackOfRoom = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO'])

/** Whether a file of that size can be made; otherwise nothing of it stays. Random bytes: some disks need no room for others. */
function filled(path: string, bytes: number): boolean {
  try {
    const file = openSync(path, 'w', 0o600)
    try {
      const piece = randomFillSync(Buffer.alloc(Math.min(bytes, MB)))
      for (let at = 0; at < bytes; at += piece.length) {
        if (writeSync(file, piece) < piece.length) throw new Error('no room')
      }
      fsyncSync(file)
      return true
    } finally {
      closeSync(file)
    }
  } catch (error) {
    rmSync(path, { force: true })
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'ENOSPC'
    if (lackOfRoom.has(code)) return false
    throw error
  }
}

// A store whose writes are watched: whether it takes any, and why it last took one not.

type Reason = 'storage-lost' | 'disk-full' | 'full' | 'away' | 'time'

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

/**
 * `disk` is that of the embedded store, absent for others; nothing is acknowledged while the storage is lost. What a write asks
 * wrongly is no failure of the store.
 */
export function watchedStore(
  store: GraphStore,
  { disk, storage }: { readonly disk: Disk | undefined; readonly storage: Storage },
  numbers: Pick<Metrics, 'writeFailed'>,
): WatchedStore {
  let last: Writes['lastWriteError']
  let isFull = false
  const note = (error: unknown) => {
    const reason = error instanceof Failure ? reasons[error.kind] : undefined
    if (reason === undefined) return
    if (reason === 'away' && !storage.isLost()) disk?.suspect()
    const cause = storage.isLost() ? 'storage-lost' : disk?.isFull() ? 'disk-full' : reason
    last = { at: new Date().toISOString(), reason: cause }
    isFull = reason === 'full'
    numbers.writeFailed(cause)
  }
  const watched = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      storage.demand()
      disk?.demandRoom()
      const done = await work()
      storage.demand()
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
    writing: () => {
      const room = disk?.isFull() ? 'disk-full' : isFull ? 'full' : undefined
      const reason = storage.isLost() ? 'storage-lost' : room
      return { writes: !reason, ...(reason && { reason }), ...(last && { lastWriteError: last }) }
    },
  }
}
