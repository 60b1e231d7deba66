/** File of URL statuses: the last status of each URL, when it was checked, and the spent budgets of runs. */

import { createHash } from 'node:crypto'
import { openSqlite } from '../../sqlite.ts'
import { isReachable } from '../indicators.ts'
import { dayMs } from '../../text/duration.ts'

/**
 * Table `verdict`: `url` is the SHA-256 of the URL, so that no token in a URL is stored here; `status` is NULL before the first
 * result; `checked` is the time of the status, `due` when the URL is to be checked again, `tried` when its last check ended, with
 * or without a result (0 for never), `catalogue` that of the dataset for which it was last to be checked. `failure`: time of the
 * first failure since the URL last worked. `run`: start of a run and number of the URLs that it requested. Times are milliseconds
 * since 1970.
 */
const schema = `
  CREATE TABLE IF NOT EXISTS verdict (
    url BLOB PRIMARY KEY, status INTEGER, checked INTEGER NOT NULL, due INTEGER NOT NULL, tried INTEGER NOT NULL,
    catalogue TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS verdict_age ON verdict (catalogue, tried, due);
  CREATE TABLE IF NOT EXISTS failure (url BLOB PRIMARY KEY, since INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS run (id TEXT PRIMARY KEY, began INTEGER NOT NULL, asked INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`

/** Format number of the file. */
export const urlStatusFormat = 2

/** Key of a URL in the file. */
export type UrlKey = Buffer

/** The key of a URL without user info and fragment. */
export const urlKeyOf = (url: URL): UrlKey => createHash('sha256').update(url.href).digest()

/** Row of a URL; times in ms, 0 for never. */
export type UrlStatusRow = {
  readonly status: number | undefined
  readonly checked: number
  /** Time of the first failure since the URL last worked; `store` ignores it and derives it from the status. */
  readonly since?: number
  readonly due: number
  readonly tried: number
  readonly catalogue: string
}

/** The open file. */
export type UrlStatusFile = ReturnType<typeof openUrlStatusFile>

/** Milliseconds without a check after which a row is deleted, because no dataset has the URL any more. */
const forgottenMs = 365 * dayMs
/** Milliseconds after which the row of a run is deleted, because it will not be resumed. */
const runForgottenMs = 14 * dayMs

/** Opens the file and deletes old rows. Throws what `openSqlite` throws. */
export function openUrlStatusFile(path: string, now: number) {
  const file = openSqlite({ path, schema, format: urlStatusFormat })
  file.run('DELETE FROM verdict WHERE iif(tried = 0, due, tried) < ?', now - forgottenMs)
  file.run('DELETE FROM failure WHERE url NOT IN (SELECT url FROM verdict)')
  return {
    read: (key: UrlKey): UrlStatusRow | undefined => {
      const row = file.first(
        'SELECT * FROM verdict LEFT JOIN failure USING (url) WHERE url = ?',
        key,
      )
      return (
        row && {
          status: row['status'] === null ? undefined : Number(row['status']),
          checked: Number(row['checked']),
          since: typeof row['since'] === 'number' ? row['since'] : undefined,
          due: Number(row['due']),
          tried: Number(row['tried']),
          catalogue: String(row['catalogue']),
        }
      )
    },
    /** Stores the row of a URL; with `run`, counts a request of that run. */
    store: (key: UrlKey, values: UrlStatusRow, run?: string): void => {
      const { status = null, checked, due, tried, catalogue } = values
      const row = [key, status, checked, due, tried, catalogue]
      file.transaction(() => {
        file.run('INSERT OR REPLACE INTO verdict VALUES (?, ?, ?, ?, ?, ?)', ...row)
        if (status !== null && !isReachable(status))
          file.run('INSERT OR IGNORE INTO failure VALUES (?, ?)', key, checked)
        else file.run('DELETE FROM failure WHERE url = ?', key)
        if (run !== undefined) file.run('UPDATE run SET asked = asked + 1 WHERE id = ?', run)
      })
    },
    /** When a run began and how many URLs it has requested; a new run begins now. */
    run: (id: string, time: number) => {
      const { changes } = file.run('INSERT OR IGNORE INTO run VALUES (?, ?, 0)', id, time)
      if (changes > 0) file.run('DELETE FROM run WHERE began < ?', time - runForgottenMs)
      const row = file.first('SELECT began, asked FROM run WHERE id = ?', id)
      return { startMs: Number(row?.['began'] ?? time), requestCount: Number(row?.['asked'] ?? 0) }
    },
    /**
     * When the n-th of the due URLs of a catalogue was tried, those that were tried longest ago first; `undefined` when there are
     * fewer.
     */
    nthDue: (catalogue: string, n: number, time: number): number | undefined => {
      const due = 'SELECT tried FROM verdict WHERE catalogue = ? AND due <= ? ORDER BY tried'
      const row = file.first(`${due} LIMIT 1 OFFSET ?`, catalogue, time, n - 1)
      return row && Number(row['tried'])
    },
    /** Makes all URLs that have this status due now. */
    expire: (status: number, time: number): void =>
      void file.run('UPDATE verdict SET due = ? WHERE status = ? AND due > ?', time, status, time),
    close: () => file.close(),
  }
}
