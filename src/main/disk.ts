/**
 * Watches the space on the disk of the data directory, and whether the store accepts writes. A reserve lets the platform start on
 * a full disk.
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
import type { Log } from '../log.ts'
import type { GraphStore, PublicAnswer } from '../store/graph-store.ts'
import { backgroundLoop } from '../workers/background-loop.ts'
import { reportNumber, reportSeconds } from '../workers/numbers.ts'
import type { Pause } from '../workers/pause.ts'
import type { Storage } from './storage.ts'

/** State of the disk of the data directory: full from a start or a failed write without space until there is space again. */
export type Disk = {
  readonly isFull: () => boolean
  /** Bytes that this process can still write; 0 without the directory. */
  readonly free: () => number
  /** Throws `store-unavailable` while the disk is full: reads need the rest for their files. */
  readonly demandRoom: () => void
  /** Reports a failed write, after which the space is checked unless that was done a moment ago. */
  readonly suspect: () => void
  readonly stop: () => Promise<void>
}

const MB = 2 ** 20
/** Bytes without which the disk counts as full. */
const leastBytes = MB
/** Size of the reserve that a start on a full disk releases so that it can open its files. */
const reserveBytes = 16 * MB
/** Milliseconds between two checks of files and of a full disk, and at least between two after failed writes. */
const lookMs = 2000
/** Seconds after which a refused client should try again. */
const retryAfter = 30

type Options = {
  readonly directory: string
  readonly log: Log
  readonly pause: Pause
  readonly storage: Pick<Storage, 'look'>
}

/** Watches the disk, and keeps a reserve in the directory while there is space for it. */
export function openDisk({ directory, log, pause, storage }: Options): Disk {
  const [reserve, probe] = [join(directory, 'reserve'), join(directory, 'probe')]
  const hasReserve = () => existsSync(reserve) && statSync(reserve).size === reserveBytes
  let isFull = false
  let checkedAt = -Infinity

  const hasRoom = () => {
    const hasSpace = writeFilled(probe, leastBytes)
    rmSync(probe, { force: true })
    return hasSpace
  }
  /** Whether there is space again; the reserve is written first. */
  const isMended = () =>
    hasRoom() && (hasReserve() || writeFilled(reserve, reserveBytes)) && hasRoom()
  const look = () => {
    storage.look()
    if (!isFull || !isMended()) return
    isFull = false
    log.warn('disk.has-room-again')
  }
  const reportFull = () => {
    if (isFull) return
    isFull = true
    log.error({ directory, free: freeIn(directory) }, 'disk.full')
  }

  if (!hasRoom()) {
    rmSync(reserve, { force: true })
    reportFull()
  } else if (!hasReserve() && !writeFilled(reserve, reserveBytes)) log.warn('disk.nearly-full')
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
      // The check takes a moment, and many writes fail together.
      if (isFull || performance.now() - checkedAt < lookMs) return
      checkedAt = performance.now()
      if (!hasRoom()) reportFull()
    },
    stop: loop.stop,
  }
}

const freeIn = (directory: string): number => {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}

/** Errors of the operating system for missing space, an exceeded quota or file size, and a failed device (`EIO`). */
const lackOfRoom = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO'])

/**
 * Whether a file of that size can be written; otherwise it is removed. Its bytes are random because some disks compress others.
 * Throws errors that do not mean a lack of space.
 */
function writeFilled(path: string, bytes: number): boolean {
  try {
    const file = openSync(path, 'w', 0o600)
    try {
      const piece = randomFillSync(Buffer.alloc(Math.min(bytes, MB)))
      for (let written = 0; written < bytes; written += piece.length) {
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

// Watched writes of a store.

/**
 * Reason why writes fail: the data directory is lost, its disk is full, the store is full, it is unavailable, or it took too
 * long.
 */
type Reason = 'storage-lost' | 'disk-full' | 'full' | 'away' | 'time'

type Writes = {
  /** Whether the store accepts writes, as far as is known. */
  readonly writes: boolean
  /** Reason for which it accepts none. */
  readonly reason?: Reason
  /** Last failed write; `at` is ISO 8601. */
  readonly lastWriteError?: { readonly at: string; readonly reason: Reason }
}

type WatchedStore = GraphStore & {
  readonly writing: () => Writes
  /** Counts a write that failed before it reached the store, such as one whose version could not be noted. */
  readonly recordFailure: (error: unknown) => void
}

const reasons: Partial<Record<Failure['kind'], Reason>> = {
  'store-full': 'full',
  'store-unavailable': 'away',
  'time-limit': 'time',
}

/**
 * Wraps a store: refuses writes while the disk is full or the storage is lost, and remembers the last failure. A write also fails
 * when the storage was lost meanwhile. `disk` is absent for a store on a server. Mistakes in a write are no failures of the
 * store.
 */
export function watchedStore(
  store: GraphStore,
  { disk, storage }: { readonly disk: Disk | undefined; readonly storage: Storage },
): WatchedStore {
  let lastError: Writes['lastWriteError']
  let isFull = false
  const recordFailure = (error: unknown) => {
    const reason = error instanceof Failure ? reasons[error.kind] : undefined
    if (reason === undefined) return
    if (reason === 'away' && !storage.isLost()) disk?.suspect()
    const cause = storage.isLost() ? 'storage-lost' : disk?.isFull() ? 'disk-full' : reason
    lastError = { at: new Date().toISOString(), reason: cause }
    isFull = reason === 'full'
    reportNumber('cartulary_store_write_failures_total', [cause])
  }
  const runWrite = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      storage.demand()
      disk?.demandRoom()
      const result = await timed('write', work)
      storage.demand()
      isFull = false
      return result
    } catch (error) {
      recordFailure(error)
      throw error
    }
  }
  return {
    ...store,
    read: (...args) => timed('read', () => store.read(...args)),
    readAll: (...args) => timed('read', () => store.readAll(...args)),
    ask: (...args) => timed('select', () => store.ask(...args)),
    select: (...args) => timed('select', () => store.select(...args)),
    construct: (...args) => timed('construct', () => store.construct(...args)),
    publicQuery: (...args) => countQuery(() => store.publicQuery(...args)),
    recordFailure,
    write: (...args) => runWrite(() => store.write(...args)),
    writeEach: async (...args) => {
      const outcomes = await runWrite(() => store.writeEach(...args))
      for (const outcome of outcomes) if ('failure' in outcome) recordFailure(outcome.failure)
      return outcomes
    },
    writing: () => {
      const fullReason = disk?.isFull() ? 'disk-full' : isFull ? 'full' : undefined
      const reason = storage.isLost() ? 'storage-lost' : fullReason
      return { writes: !reason, reason, lastWriteError: lastError }
    },
  }
}

const timed = <T>(call: 'read' | 'select' | 'construct' | 'write', work: () => Promise<T>) =>
  reportSeconds('cartulary_store_call_duration_seconds', [call], work)

/** Outcomes of public queries in `/metrics` by the kind of their failure. */
const queryOutcomes: Partial<Record<Failure['kind'], string>> = {
  'time-limit': 'timeout',
  'query-too-complex': 'memory',
  'too-many-requests': 'refused',
  'malformed-query': 'malformed',
}

async function countQuery(query: () => Promise<PublicAnswer>): Promise<PublicAnswer> {
  let outcome = 'other'
  try {
    const answer = await query()
    outcome = answer.cut ? 'cut' : 'answered'
    return answer
  } catch (error) {
    if (error instanceof Failure) outcome = queryOutcomes[error.kind] ?? 'other'
    throw error
  } finally {
    reportNumber('cartulary_sparql_queries_total', [outcome])
  }
}
