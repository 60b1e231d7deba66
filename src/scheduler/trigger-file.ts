/** Persistent triggers (`triggers.sqlite`): one row per trigger, and the time up to which all firings were launched. */

import { openSqlite, type Row, type Sqlite } from '../sqlite.ts'
import type { TriggerRequest, StoredTrigger, Timing } from './trigger.ts'

/** Schema. Times are in ms since 1970; `timing` and `request` (configs and start mode) are JSON. */
const schema = `
  CREATE TABLE IF NOT EXISTS trigger (
    pipe TEXT NOT NULL, id TEXT NOT NULL, position INTEGER NOT NULL, enabled INTEGER NOT NULL, timing TEXT NOT NULL,
    request TEXT NOT NULL, since INTEGER NOT NULL, last INTEGER, PRIMARY KEY (pipe, id)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS launched (one INTEGER PRIMARY KEY CHECK (one = 1), at INTEGER NOT NULL) STRICT;
  INSERT OR IGNORE INTO launched SELECT 1, coalesce(max(last), 0) FROM trigger;
`

/** Version of the schema. */
export const triggersFormat = 1

export type TriggerFile = ReturnType<typeof openTriggerFile>

/** Opens the file, or creates it. */
export function openTriggerFile(path: string) {
  const file: Sqlite = openSqlite({ path, schema, format: triggersFormat })
  return {
    /** All stored triggers, or those of a pipe, by pipe and in the order of the request. */
    all: (pipe?: string): readonly StoredTrigger[] =>
      file
        .rows(
          'SELECT * FROM trigger WHERE ?1 IS NULL OR pipe = ?1 ORDER BY pipe, position, id',
          pipe ?? null,
        )
        .map(triggerOf),
    /** A number that changes after every write by another connection. */
    version: () => Number(file.first('PRAGMA data_version')?.['data_version']),
    put: (trigger: StoredTrigger, position: number): void => {
      const { pipe, id, status, timing, configs, startMode, since, last = null } = trigger
      const texts = [JSON.stringify(timing), JSON.stringify({ configs, startMode })] as const
      const sql = `INSERT OR REPLACE INTO trigger
        (pipe, id, position, enabled, timing, request, since, last) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
      file.run(sql, pipe, id, position, Number(status === 'enabled'), ...texts, since, last)
    },
    /** Stores the time of the last firing of a trigger. */
    markFired: ({ pipe, id }: StoredTrigger, at: number) =>
      void file.run('UPDATE trigger SET last = ? WHERE pipe = ? AND id = ?', at, pipe, id),
    /** Records that all firings until `at` were launched. */
    markLaunched: (at: number) => void file.run('UPDATE launched SET at = ?', at),
    /** Time that `markLaunched` stored last. */
    launchedAt: () => Number(file.first('SELECT at FROM launched')?.['at']),
    /** Removes all triggers, or those of a pipe. */
    clear: (pipe?: string) =>
      void file.run('DELETE FROM trigger WHERE ?1 IS NULL OR pipe = ?1', pipe ?? null),
    remove: (pipe: string, id: string) =>
      void file.run('DELETE FROM trigger WHERE pipe = ? AND id = ?', pipe, id),
    transaction: <T>(work: () => T, safety?: Parameters<Sqlite['transaction']>[1]) =>
      file.transaction(work, safety),
    close: () => file.close(),
  }
}

/** Parses a row. */
function triggerOf(row: Row): StoredTrigger {
  const timing: Timing = JSON.parse(String(row['timing']))
  const request: TriggerRequest = JSON.parse(String(row['request']))
  return {
    pipe: String(row['pipe']),
    id: String(row['id']),
    status: row['enabled'] === 1 ? 'enabled' : 'disabled',
    timing,
    ...request,
    since: Number(row['since']),
    last: row['last'] === null ? undefined : Number(row['last']),
  }
}
