/** Opening the index file, and telling a damaged one from other troubles. */

import type { DatabaseSync } from 'node:sqlite'
import { ForeignFile, openFile } from '../../sqlite.ts'

/** What is not in here is in the system's cache. A writer goes through the tables in the order of its documents. */
const cacheKb = { writer: 6144, reader: 16_384 } as const

/**
 * A connection in WAL mode. The index can be rebuilt, so `synchronous=NORMAL` is enough: a power cut may lose the last
 * commits, never consistency.
 */
export function openDatabase(path: string, role: 'writer' | 'reader'): DatabaseSync {
  // One of another layout is written anew, whoever wrote it.
  const db = openFile(path)
  try {
    if (role === 'writer')
      db.exec('PRAGMA page_size=4096; PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=4000')
    db.exec('PRAGMA synchronous=NORMAL; PRAGMA temp_store=MEMORY')
    db.exec(`PRAGMA cache_size=-${cacheKb[role]}`)
    if (role === 'reader') db.exec('PRAGMA query_only=1')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

const corrupt = 11
const cannotOpen = 14
const notADatabase = 26

/** Full, locked, out of memory, not permitted: what says nothing about the file. */
const worldly = new Set([5, 6, 7, 8, 9, 10, 13])

/** Whether a file that could not even be opened is at fault: what is wrong with it may look like anything. */
export const isUnusable = (error: unknown): boolean =>
  isDamage(error) ||
  !(error instanceof Error && 'errcode' in error && worldly.has(Number(error.errcode) & 0xff))

/** Whether SQLite said that the file itself is at fault, or a record in it is no longer what was written. */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof SyntaxError || error instanceof ForeignFile) return true
  if ('code' in error && error.code === 'Z_DATA_ERROR') return true
  if (!('errcode' in error)) return false
  const code = Number(error.errcode) & 0xff
  return code === corrupt || code === notADatabase || code === cannotOpen
}
