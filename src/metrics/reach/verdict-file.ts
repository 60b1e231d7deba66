/** What is known of URLs, in a file of its own: the last verdict on each, when it was asked, and what runs have spent. */

import { createHash } from 'node:crypto'
import { openSqlite, type Row, type Sqlite } from '../../sqlite.ts'

/**
 * `verdict`: `url` is the SHA-256 of the URL, so that no token in a URL lies about here; `status` is absent when there was
 * never a verdict; `checked` is when it was given, `due` when another one is wanted, `tried` when the URL was last asked,
 * 0 for never; `catalogue` is where it was met then. `run`: when a run began, and how many URLs it has asked. Times are ms.
 */
const schema = `
  CREATE TABLE IF NOT EXISTS verdict (
    url BLOB PRIMARY KEY, status INTEGER, checked INTEGER NOT NULL, due INTEGER NOT NULL, tried INTEGER NOT NULL,
    catalogue TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS verdict_age ON verdict (catalogue, tried, due);
  CREATE TABLE IF NOT EXISTS run (id TEXT PRIMARY KEY, began INTEGER NOT NULL, asked INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`

/** Of the schema. */
export const verdictsFormat = 1

/** A URL as the file knows it. */
export type UrlKey = Buffer

export const urlKeyOf = (url: URL): UrlKey => createHash('sha256').update(url.href).digest()

export type Known = {
  readonly status: number | undefined
  readonly checked: number
  readonly due: number
  readonly tried: number
  readonly catalogue: string
}

type Begun = { readonly began: number; readonly asked: number }

export type VerdictFile = {
  known(key: UrlKey): Known | undefined
  /** Keeps it, and counts it for the run that has asked. */
  keep(key: UrlKey, known: Known, run?: string): void
  /** The run as it stands; a new one begins now. */
  run(id: string, now: number): Begun
  /** When the n-th of those that are due in a catalogue was tried, the oldest first; absent when there are fewer. */
  nthDue(catalogue: string, n: number, now: number): number | undefined
  /** Verdicts with this status are due now. */
  expire(status: number, now: number): void
  close(): void
}

const dayMs = 86_400_000
/** What was not asked in so long stands in no dataset any more. */
const forgottenMs = 365 * dayMs
/** No run is resumed after so long. */
const runForgottenMs = 14 * dayMs

export function openVerdictFile(path: string, now: number): VerdictFile {
  const file = openSqlite({ path, schema, format: verdictsFormat })
  forget(file, now - forgottenMs)
  return {
    known: (key) => {
      const row = file.first(
        'SELECT status, checked, due, tried, catalogue FROM verdict WHERE url = ?',
        key,
      )
      return row && knownOf(row)
    },
    keep: (key, known, run) => keep(file, key, known, run),
    run: (id, time) => {
      const { changes } = file.run('INSERT OR IGNORE INTO run VALUES (?, ?, 0)', id, time)
      if (changes > 0) file.run('DELETE FROM run WHERE began < ?', time - runForgottenMs)
      const row = file.first('SELECT began, asked FROM run WHERE id = ?', id)
      return { began: Number(row?.['began'] ?? time), asked: Number(row?.['asked'] ?? 0) }
    },
    nthDue: (catalogue, n, time) => {
      const row = file.first(
        'SELECT tried FROM verdict WHERE catalogue = ? AND due <= ? ORDER BY tried LIMIT 1 OFFSET ?',
        catalogue,
        time,
        n - 1,
      )
      return row && Number(row['tried'])
    },
    expire: (status, time) => {
      file.run('UPDATE verdict SET due = ? WHERE status = ? AND due > ?', time, status, time)
    },
    close: () => file.close(),
  }
}

/** Catalogue by catalogue, each by the index: the whole file is not read for it. */
function forget(file: Sqlite, before: number): void {
  const next = 'SELECT min(catalogue) AS catalogue FROM verdict WHERE catalogue > ?'
  const unasked = 'DELETE FROM verdict WHERE catalogue = ? AND tried = 0 AND due < ?'
  const asked = 'DELETE FROM verdict WHERE catalogue = ? AND tried > 0 AND tried < ?'
  const first = file.first('SELECT min(catalogue) AS catalogue FROM verdict')
  for (let row = first; typeof row?.['catalogue'] === 'string';) {
    const { catalogue } = row
    file.run(unasked, catalogue, before)
    file.run(asked, catalogue, before)
    row = file.first(next, catalogue)
  }
}

function keep(file: Sqlite, key: UrlKey, known: Known, run: string | undefined): void {
  const { status = null, checked, due, tried, catalogue } = known
  file.transaction(() => {
    file.run(
      'INSERT OR REPLACE INTO verdict VALUES (?, ?, ?, ?, ?, ?)',
      key,
      status,
      checked,
      due,
      tried,
      catalogue,
    )
    if (run !== undefined) file.run('UPDATE run SET asked = asked + 1 WHERE id = ?', run)
  })
}

const knownOf = (row: Row): Known => ({
  status: row['status'] === null ? undefined : Number(row['status']),
  checked: Number(row['checked']),
  due: Number(row['due']),
  tried: Number(row['tried']),
  catalogue: String(row['catalogue']),
})
