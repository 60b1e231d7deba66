/** A right that one process at a time has; the operating system takes it back when that process ends. */

import { chmodSync, existsSync, mkdirSync, readFileSync, truncateSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export type Lease = {
  /** Whether this process has the right, trying to get it. */
  held(): boolean
  release(): void
}

/**
 * A lease on a file (mode 600 in a directory of mode 700, made when absent). It is a lock of SQLite on that file and not a time
 * in it: it cannot run out while its holder is slow, and another process gets it at once when the holder was killed.
 */
export function openLease(path: string): Lease {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  emptyUnlessOurs(path)
  const file = new DatabaseSync(path)
  chmodSync(path, 0o600)
  let held = false
  return {
    held: () => {
      held ||= taken(file)
      return held
    },
    release: () => {
      held = false
      file.close()
    },
  }
}

/** Nobody can have the right to a file that is no database. In place: who had it when it was one has it still. */
function emptyUnlessOurs(path: string): void {
  if (!existsSync(path)) return
  const head = readFileSync(path).subarray(0, magic.length).toString('latin1')
  if (head !== '' && head !== magic) truncateSync(path)
}

const magic = 'SQLite format 3\0'
const busy = 5

function taken(file: DatabaseSync): boolean {
  try {
    // A journal on the disk would need room there.
    file.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === busy) return false
    throw error
  }
}
