/** Leases: rights that one process at a time has, and that end with the process. */

import { chmodSync, existsSync, mkdirSync, readFileSync, truncateSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Right to a file: held by one process at a time. */
export type Lease = {
  /** Whether this process has the lease; tries to get it, without waiting. */
  held(): boolean
  /** Gives the lease back and closes the file; `held` must not be called after it. */
  release(): void
}

/**
 * Opens a lease on a file (mode 600 in a directory of mode 700, made when absent); `held` takes it. The lease is a lock of
 * SQLite on the file: it does not expire while its holder is slow, and is free as soon as the holder ends.
 */
export function openLease(path: string): Lease {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  emptyUnlessOurs(path)
  const file = new DatabaseSync(path)
  chmodSync(path, 0o600)
  let isHeld = false
  return {
    held: () => {
      isHeld ||= tryLock(file)
      return isHeld
    },
    release: () => {
      isHeld = false
      file.close()
    },
  }
}

/**
 * Empties a file that is no database, which no process can hold. In place: a process that held it as a database still holds it.
 */
function emptyUnlessOurs(path: string): void {
  if (!existsSync(path)) return
  const beginning = readFileSync(path).subarray(0, magic.length).toString('latin1')
  if (beginning !== '' && beginning !== magic) truncateSync(path)
}

const magic = 'SQLite format 3\0'
const busyCode = 5

function tryLock(file: DatabaseSync): boolean {
  try {
    // A journal on the disk would need space there.
    file.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === busyCode) return false
    throw error
  }
}
