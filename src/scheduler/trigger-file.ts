/** The file that keeps triggers over restarts: one SQLite table. */

import { openSqlite, type Row, type Sqlite } from '../sqlite.ts'
import type { KeptTrigger, Status, Timing, Request } from './trigger.ts'

const schema = `
  CREATE TABLE IF NOT EXISTS trigger (
    pipe TEXT NOT NULL, id TEXT NOT NULL, position INTEGER NOT NULL, enabled INTEGER NOT NULL, timing TEXT NOT NULL,
    request TEXT NOT NULL, since INTEGER NOT NULL, last INTEGER, PRIMARY KEY (pipe, id)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS launched (one INTEGER PRIMARY KEY CHECK (one = 1), at INTEGER NOT NULL) STRICT;
  INSERT OR IGNORE INTO launched SELECT 1, coalesce(max(last), 0) FROM trigger;
`

/** Of the schema. */
export const triggersFormat = 1

/** All kept triggers, pipe by pipe, in the order in which they were sent. */
type Kept = readonly KeptTrigger[]

export type TriggerFile = {
  all(): Kept
  /** Another number after every change by another connection. */
  version(): number
  put(trigger: KeptTrigger, position: number): void
  fired(trigger: Pick<KeptTrigger, 'pipe' | 'id'>, at: number): void
  /** Everything that fired until then was launched. */
  launched(at: number): void
  /** The time of the last `launched`. */
  launchedAt(): number
  clear(pipe?: string): void
  remove(pipe: string, id: string): void
} & Pick<Sqlite, 'transaction' | 'close'>

/** Opens the file, made when absent. */
export function openTriggerFile(path: string): TriggerFile {
  const file = openSqlite({ path, schema, format: triggersFormat })
  return {
    all: () => file.rows('SELECT * FROM trigger ORDER BY pipe, position, id').map(triggerOf),
    version: () => Number(file.first('PRAGMA data_version')?.['data_version']),
    put: ({ pipe, id, status, timing, configs, startMode, since, last }, position) => {
      const texts = [JSON.stringify(timing), JSON.stringify({ configs, startMode })] as const
      const sql = `INSERT OR REPLACE INTO trigger
        (pipe, id, position, enabled, timing, request, since, last) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
      const isEnabled = status === 'enabled' ? 1 : 0
      file.run(sql, pipe, id, position, isEnabled, ...texts, since, last ?? null)
    },
    fired: ({ pipe, id }, at) =>
      void file.run('UPDATE trigger SET last = ? WHERE pipe = ? AND id = ?', at, pipe, id),
    launched: (at) => void file.run('UPDATE launched SET at = ?', at),
    launchedAt: () => Number(file.first('SELECT at FROM launched')?.['at']),
    clear: (pipe) =>
      void file.run('DELETE FROM trigger WHERE ?1 IS NULL OR pipe = ?1', pipe ?? null),
    remove: (pipe, id) => void file.run('DELETE FROM trigger WHERE pipe = ? AND id = ?', pipe, id),
    transaction: (work, safety) => file.transaction(work, safety),
    close: () => file.close(),
  }
}

/** The texts are what `put` wrote. */
function triggerOf(row: Row): KeptTrigger {
  const timing: Timing = JSON.parse(String(row['timing']))
  const request: Request = JSON.parse(String(row['request']))
  const status: Status = row['enabled'] === 1 ? 'enabled' : 'disabled'
  const last = row['last'] === null ? {} : { last: Number(row['last']) }
  const [pipe, id] = [String(row['pipe']), String(row['id'])]
  return { pipe, id, status, timing, ...request, since: Number(row['since']), ...last }
}
