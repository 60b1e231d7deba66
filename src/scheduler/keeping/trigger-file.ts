/** The file that keeps triggers over restarts: one SQLite table. */

import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { KeptTrigger, Status, Timing, Request } from '../trigger.ts'

const schema = `
  PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS trigger (
    pipe TEXT NOT NULL, id TEXT NOT NULL, position INTEGER NOT NULL, enabled INTEGER NOT NULL, timing TEXT NOT NULL,
    request TEXT NOT NULL, since INTEGER NOT NULL, last INTEGER, PRIMARY KEY (pipe, id)) STRICT, WITHOUT ROWID;
  PRAGMA user_version = 1;
`

/** All kept triggers, pipe by pipe, in the order in which they were sent. */
type Kept = readonly KeptTrigger[]

export type TriggerFile = {
  all(): Kept
  /** Another number after every change by another connection. */
  version(): number
  put(trigger: KeptTrigger, position: number): void
  fired(trigger: Pick<KeptTrigger, 'pipe' | 'id'>, at: number): void
  clear(pipe?: string): void
  remove(pipe: string, id: string): void
  /**
   * One transaction, with nobody else writing. `durable` also survives a power cut, `quick` the end of the process. What
   * throws inside leaves nothing.
   */
  transaction<T>(safety: keyof typeof synchronous, work: () => T): T
  close(): void
}

const synchronous = { durable: 'FULL', quick: 'NORMAL' } as const

/** Opens the file, made when absent (directory 700, file 600). */
export function openTriggerFile(path: string): TriggerFile {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const file = new DatabaseSync(path, { timeout: 5000 })
  chmodSync(path, 0o600)
  file.exec(schema)
  const select = file.prepare('SELECT * FROM trigger ORDER BY pipe, position, id')
  const version = file.prepare('PRAGMA data_version')
  const insert = file.prepare(`INSERT OR REPLACE INTO trigger
    (pipe, id, position, enabled, timing, request, since, last) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
  const fired = file.prepare('UPDATE trigger SET last = ? WHERE pipe = ? AND id = ?')
  const remove = file.prepare('DELETE FROM trigger WHERE pipe = ? AND id = ?')
  const clear = file.prepare('DELETE FROM trigger WHERE ?1 IS NULL OR pipe = ?1')
  return {
    all: () => select.all().map(triggerOf),
    version: () => Number(version.get()?.['data_version']),
    put: ({ pipe, id, status, timing, configs, startMode, since, last }, position) => {
      const texts = [JSON.stringify(timing), JSON.stringify({ configs, startMode })] as const
      insert.run(pipe, id, position, status === 'enabled' ? 1 : 0, ...texts, since, last ?? null)
    },
    fired: ({ pipe, id }, at) => void fired.run(at, pipe, id),
    clear: (pipe) => void clear.run(pipe ?? null),
    remove: (pipe, id) => void remove.run(pipe, id),
    transaction: (safety, work) => transaction(file, safety, work),
    close: () => file.close(),
  }
}

function transaction<T>(file: DatabaseSync, safety: keyof typeof synchronous, work: () => T): T {
  file.exec(`PRAGMA synchronous = ${synchronous[safety]}; BEGIN IMMEDIATE`)
  try {
    const result = work()
    file.exec('COMMIT')
    return result
  } catch (error) {
    if (file.isTransaction) file.exec('ROLLBACK')
    throw error
  }
}

/** The texts are what `put` wrote. */
function triggerOf(row: Readonly<Record<string, unknown>>): KeptTrigger {
  const timing: Timing = JSON.parse(String(row['timing']))
  const request: Request = JSON.parse(String(row['request']))
  const status: Status = row['enabled'] === 1 ? 'enabled' : 'disabled'
  const last = row['last'] === null ? {} : { last: Number(row['last']) }
  const [pipe, id] = [String(row['pipe']), String(row['id'])]
  return { pipe, id, status, timing, ...request, since: Number(row['since']), ...last }
}
