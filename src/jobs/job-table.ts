/** Table of jobs (`jobs.sqlite`): waiting, running and the newest ended jobs. Only `JobRunner` opens it. */

import { openSqlite, type Row, type Sqlite } from '../sqlite.ts'
import type { Json } from '../text/json.ts'
import { type Job, type JobProgress, type JobState, jobStates } from './job.ts'
import { dayMs } from '../text/duration.ts'

/** `payload`, `progress`, `problem` and `result` are JSON, times milliseconds since 1970. `cancelling`: a running job was cancelled. */
const schema = `
  CREATE TABLE IF NOT EXISTS job (
    serial INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, key TEXT NOT NULL,
    payload TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'waiting', progress TEXT, run_at INTEGER NOT NULL,
    lease INTEGER NOT NULL DEFAULT 0, attempts INTEGER NOT NULL DEFAULT 0, problem TEXT, created_by TEXT NOT NULL,
    created INTEGER NOT NULL, started INTEGER, ended INTEGER, cancelling INTEGER NOT NULL DEFAULT 0, result TEXT) STRICT;
  CREATE INDEX IF NOT EXISTS job_state ON job (state, run_at, serial);
  CREATE INDEX IF NOT EXISTS job_ended ON job (ended) WHERE ended IS NOT NULL;
  CREATE TABLE IF NOT EXISTS opening (number INTEGER PRIMARY KEY) STRICT;
`

/** Format number of the table of jobs. */
export const jobsFormat = 1

/** Maximum number of ended jobs in the table, and milliseconds after which an ended job is deleted. */
const maxEnded = 1000
const maxAgeMs = 30 * dayMs

/** Which jobs a list shows; all kinds and states where they are absent. */
export type JobFilter = {
  readonly kind?: string | undefined
  readonly state?: JobState | undefined
  readonly limit: number
  readonly offset: number
}

/** Job to insert; it begins as `waiting`. */
export type NewJob = Pick<Job, 'id' | 'kind' | 'key' | 'payload' | 'runAt' | 'createdBy'> & {
  readonly progress?: JobProgress | undefined
  readonly createdAt: number
}

/** Final state of a job, or `waiting` for the next start of its kind. */
export type JobEnd = Pick<Job, 'id' | 'state' | 'attempts'> & {
  readonly progress?: JobProgress | undefined
  readonly problem?: Job['problem'] | undefined
  readonly result?: Json | undefined
}

/** The open table. */
export class JobTable {
  readonly #file: Sqlite
  readonly #now: () => number
  readonly #lease: number

  /**
   * Opens the file, and creates it when it is absent. Jobs in the state `running` belong to a process that has ended: they wait again,
   * or are cancelled when that was requested. `now` returns milliseconds since 1970.
   */
  constructor(path: string, now: () => number) {
    this.#now = now
    this.#file = openSqlite({ path, schema, format: jobsFormat })
    const hasResults = `SELECT 1 FROM pragma_table_info('job') WHERE name = 'result'`
    if (!this.#file.first(hasResults)) this.#file.run('ALTER TABLE job ADD COLUMN result TEXT')
    this.#lease = this.#file.transaction(() => openNext(this.#file, now()))
  }

  /** Adds a job that waits. */
  insert({ id, kind, key, payload, progress, runAt, createdBy, createdAt }: NewJob): void {
    const sql = `INSERT INTO job (id, kind, key, payload, progress, run_at, created_by, created)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
    const texts = [JSON.stringify(payload), textOf(progress)] as const
    this.#file.run(sql, id, kind, key, ...texts, runAt, createdBy, createdAt)
  }

  /** Changes a job that waits. */
  amend(id: string, { payload, runAt }: Pick<Job, 'payload' | 'runAt'>): void {
    const sql = `UPDATE job SET payload = ?, run_at = ? WHERE id = ? AND state = 'waiting'`
    this.#file.run(sql, JSON.stringify(payload), runAt, id)
  }

  get(id: string): Job | undefined {
    return jobIn(this.#file.first('SELECT * FROM job WHERE id = ?', id))
  }

  /** The oldest job of a kind and key in a state. */
  find(kind: string, key: string, state: JobState): Job | undefined {
    const sql = 'SELECT * FROM job WHERE state = ? AND kind = ? AND key = ? ORDER BY serial LIMIT 1'
    return jobIn(this.#file.first(sql, state, kind, key))
  }

  /** Newest first. */
  list({ kind, state, limit, offset }: JobFilter): readonly Job[] {
    const sql = `SELECT * FROM job WHERE kind = coalesce(?, kind) AND state = coalesce(?, state)
      ORDER BY serial DESC LIMIT ? OFFSET ?`
    return this.#file.rows(sql, kind ?? null, state ?? null, limit, offset).map(jobOf)
  }

  /** Numbers of jobs in each state; absent where there are none. */
  counts(): Readonly<Partial<Record<JobState, number>>> {
    const rows = this.#file.rows('SELECT state, count(*) AS n FROM job GROUP BY state')
    return Object.fromEntries(rows.map(({ state, n }) => [stateOf(state), Number(n)]))
  }

  /** Begins the job of these kinds that has been due for the longest time and whose key is free. */
  take(kinds: readonly string[]): Job | undefined {
    const now = this.#now()
    return jobIn(this.#file.first(takeNext, this.#lease, now, JSON.stringify(kinds), now))
  }

  saveProgress(id: string, progress: JobProgress): void {
    this.#file.run('UPDATE job SET progress = ? WHERE id = ?', textOf(progress), id)
  }

  /** Notes that a running job is to be cancelled, so that it is not taken up again after a crash. */
  noteCancelled(id: string): void {
    this.#file.run('UPDATE job SET cancelling = 1 WHERE id = ?', id)
  }

  /** Ends a job, or lets a running one wait again. Removes ended jobs that are too old or too many. */
  end({ id, state, attempts, progress, problem, result }: JobEnd): void {
    const sql = `UPDATE job SET state = ?, attempts = ?, progress = coalesce(?, progress),
      problem = coalesce(?, problem), result = ?, ended = ? WHERE id = ? AND ended IS NULL`
    const now = this.#now()
    const ended = state === 'waiting' ? null : now
    this.#file.transaction(() => {
      const texts = [textOf(progress), textOf(problem), textOf(result)] as const
      this.#file.run(sql, state, attempts, ...texts, ended, id)
      this.#file.run(removeOldest, now - maxAgeMs, maxEnded)
    })
  }

  close(): void {
    this.#file.close()
  }
}

const takeNext = `UPDATE job SET state = 'running', lease = ?, attempts = attempts + 1, started = ? WHERE serial = (
    SELECT serial FROM job AS next WHERE state = 'waiting' AND kind IN (SELECT value FROM json_each(?)) AND run_at <= ?
      AND NOT EXISTS (SELECT 1 FROM job AS other WHERE other.state = 'running' AND other.key = next.key)
    ORDER BY run_at, serial LIMIT 1)
  RETURNING *`

const removeOldest = `DELETE FROM job WHERE ended < ? OR serial IN (
    SELECT serial FROM job WHERE ended IS NOT NULL ORDER BY ended DESC, serial DESC LIMIT -1 OFFSET ?)`

/** Returns the number of this opening of the file (`Job.lease`), and ends or requeues the running jobs of earlier openings. */
function openNext(file: Sqlite, nowMs: number): number {
  const lease = Number(file.first('SELECT coalesce(max(number), 0) + 1 AS n FROM opening')?.['n'])
  file.run('DELETE FROM opening')
  file.run('INSERT INTO opening VALUES (?)', lease)
  const orphaned = `state = 'running' AND lease <> ?`
  file.run(
    `UPDATE job SET state = 'cancelled', ended = ? WHERE cancelling = 1 AND ${orphaned}`,
    nowMs,
    lease,
  )
  file.run(`UPDATE job SET state = 'waiting' WHERE ${orphaned}`, lease)
  return lease
}

const textOf = (value: object | Json | undefined): string | null =>
  value === undefined ? null : JSON.stringify(value)

const stateOf = (value: unknown): JobState => jobStates.find((state) => state === value) ?? 'failed'

const jobIn = (row: Row | undefined): Job | undefined => row && jobOf(row)

/** Reads a row; its JSON texts were written by `insert`, `saveProgress` and `end`. */
function jobOf(row: Row): Job {
  const payload: Json = JSON.parse(String(row['payload']))
  const progress: JobProgress | null = JSON.parse(String(row['progress']))
  const problem: Job['problem'] | null = JSON.parse(String(row['problem']))
  const result: Json = JSON.parse(String(row['result']))
  const { started, ended } = row
  return {
    id: String(row['id']),
    kind: String(row['kind']),
    key: String(row['key']),
    payload,
    state: stateOf(row['state']),
    ...(progress && { progress }),
    runAt: Number(row['run_at']),
    lease: Number(row['lease']),
    attempts: Number(row['attempts']),
    ...(problem && { problem }),
    ...(result !== null && { result }),
    createdBy: String(row['created_by']),
    createdAt: Number(row['created']),
    ...(started !== null && { startedAt: Number(started) }),
    ...(ended !== null && { endedAt: Number(ended) }),
  }
}
