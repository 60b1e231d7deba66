/** `runs.sqlite`: its two tables, and the runs themselves as rows. */

import { openSqlite, type Row, type Sqlite } from '../../sqlite.ts'
import type { RunTally } from './run-report.ts'
import type { Run, RunFilter, RunStart } from './run.ts'

/**
 * `state` and `start` are JSON. `partial` runs want only some ids. `key` of an item is its source id, else its original
 * id: what the same record is known by in two runs. Times and leases are ms.
 */
const schema = `
  CREATE TABLE IF NOT EXISTS run (
    serial INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, pipe TEXT NOT NULL, catalogue TEXT, status TEXT NOT NULL,
    outcome TEXT, dry INTEGER NOT NULL, partial INTEGER NOT NULL, created INTEGER NOT NULL, ended INTEGER, owner TEXT NOT NULL,
    lease INTEGER NOT NULL, resumed INTEGER NOT NULL DEFAULT 0, start TEXT NOT NULL, state TEXT NOT NULL, checkpoint TEXT) STRICT;
  CREATE INDEX IF NOT EXISTS run_pipe ON run (pipe, serial);
  CREATE INDEX IF NOT EXISTS run_status ON run (status, serial);
  CREATE INDEX IF NOT EXISTS run_catalogue ON run (catalogue, serial);
  CREATE INDEX IF NOT EXISTS run_whole ON run (pipe, serial, outcome) WHERE status = 'finished' AND partial = 0;
  CREATE INDEX IF NOT EXISTS run_ended ON run (ended) WHERE ended IS NOT NULL;
  CREATE TABLE IF NOT EXISTS item (
    serial INTEGER PRIMARY KEY, run INTEGER NOT NULL, key TEXT, state TEXT NOT NULL, stage TEXT NOT NULL, told TEXT NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS item_run ON item (run);
  CREATE INDEX IF NOT EXISTS item_state ON item (run, state);
  CREATE INDEX IF NOT EXISTS item_key ON item (run, key) WHERE key IS NOT NULL;
`

/** Of the schema. */
export const runsFormat = 1

/** Opens the file, made when absent. */
export const openRunFile = (path: string): Sqlite =>
  openSqlite({ path, schema, format: runsFormat, shrinks: true })

/** A run with everything that is stored with it. */
export type StoredRun = {
  readonly serial: number
  readonly run: Run
  readonly tally: RunTally
  readonly start: RunStart
  readonly owner: string
  readonly lease: number
  /** How often the run was resumed. */
  readonly resumed: number
  readonly checkpoint?: Checkpoint
}

/** Everything up to here was written. `item` is the newest item then. */
type Checkpoint = {
  readonly cursor: string
  readonly item: number
  readonly counts: Run['counts']
  readonly progress: Run['progress']
  readonly tally: RunTally
}

const columns = 'serial, state, start, owner, lease, resumed, checkpoint'
const open = `status IN ('waiting', 'running')`

export class RunRows {
  readonly #file: Sqlite

  constructor(file: Sqlite) {
    this.#file = file
  }

  /** The serial of the new row. */
  insert(stored: Omit<StoredRun, 'serial' | 'resumed'>): number {
    const { run, start, owner, lease } = stored
    const isPartial = [start.only, start.retryOf, start.feed?.datasets].some((one) => one)
    return this.#file.run(
      `INSERT INTO run (id, pipe, catalogue, status, dry, partial, created, owner, lease, start, state)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      run.id,
      run.pipe,
      run.catalogue ?? null,
      run.status,
      Number(start.dryRun),
      Number(isPartial),
      Date.parse(run.created),
      owner,
      lease,
      JSON.stringify(start),
      stateOf(stored),
    ).serial
  }

  byId(id: string): StoredRun | undefined {
    return one(this.#file.first(`SELECT ${columns} FROM run WHERE id = ?`, id))
  }

  /** Newest first. */
  list({ pipe, status, catalogue, limit, offset }: RunFilter): readonly Run[] {
    const filters = Object.entries({ pipe, status, catalogue }).flatMap(([name, value]) =>
      value === undefined ? [] : [{ name, value }],
    )
    const where = filters.map(({ name }) => `${name} = ?`).join(' AND ')
    const rows = this.#file.rows(
      `SELECT state FROM run ${where && `WHERE ${where}`} ORDER BY serial DESC LIMIT ? OFFSET ?`,
      ...filters.map(({ value }) => value),
      limit,
      offset,
    )
    return rows.map((row) => parsed<State>(row['state']).run)
  }

  /** Whether the row was still this owner's and open. */
  update(stored: StoredRun): boolean {
    return this.#write(stored, `AND ${open} AND owner = ?`, [stored.owner])
  }

  /** Takes the row, whatever state it was in. */
  take(stored: StoredRun): void {
    this.#write(stored, '', [])
  }

  #write(stored: StoredRun, only: string, values: readonly string[]): boolean {
    const { run, owner, lease, resumed, serial } = stored
    const ended = run.endTime === undefined ? null : Date.parse(run.endTime)
    const { changes } = this.#file.run(
      `UPDATE run SET status = ?, outcome = ?, ended = ?, owner = ?, lease = ?, resumed = ?, state = ? WHERE serial = ? ${only}`,
      run.status,
      run.outcome ?? null,
      ended,
      owner,
      lease,
      resumed,
      stateOf(stored),
      serial,
      ...values,
    )
    return changes > 0
  }

  checkpoint(serial: number, checkpoint: Checkpoint): void {
    const text = JSON.stringify(checkpoint)
    this.#file.run('UPDATE run SET checkpoint = ? WHERE serial = ?', text, serial)
  }

  /** Renews all open runs of an owner; the serials that it still has. */
  renew(owner: string, lease: number): readonly number[] {
    this.#file.run(`UPDATE run SET lease = ? WHERE owner = ? AND ${open}`, lease, owner)
    const rows = this.#file.rows(`SELECT serial FROM run WHERE owner = ? AND ${open}`, owner)
    return rows.map((row) => Number(row['serial']))
  }

  /** Runs that have not ended. */
  open(): readonly StoredRun[] {
    return this.#file.rows(`SELECT ${columns} FROM run WHERE ${open}`).map(storedOf)
  }

  /** The newest finished run of a pipe before a serial that was about all records. */
  before(pipe: string, serial: number, outcomes: readonly string[]): StoredRun | undefined {
    const sql = `SELECT ${columns} FROM run INDEXED BY run_whole WHERE pipe = ? AND serial < ? AND status = 'finished' AND partial = 0
      AND outcome IN (${outcomes.map(() => '?').join(', ')}) ORDER BY serial DESC LIMIT 1`
    return one(this.#file.first(sql, pipe, serial, ...outcomes))
  }

  /** The first run that ended before a time. */
  endedBefore(time: number): number | undefined {
    const sql = 'SELECT serial FROM run WHERE ended < ? ORDER BY ended LIMIT 1'
    const row = this.#file.first(sql, time)
    return row && Number(row['serial'])
  }

  drop(serial: number): void {
    this.#file.run('DELETE FROM run WHERE serial = ?', serial)
  }
}

type State = Pick<StoredRun, 'run' | 'tally'>

const stateOf = ({ run, tally }: State): string => JSON.stringify({ run, tally })

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the text is what was written under that type
const parsed = <T>(text: unknown): T => JSON.parse(String(text))

const storedOf = (row: Row): StoredRun => ({
  serial: Number(row['serial']),
  ...parsed<State>(row['state']),
  start: parsed<RunStart>(row['start']),
  owner: String(row['owner']),
  lease: Number(row['lease']),
  resumed: Number(row['resumed']),
  ...(row['checkpoint'] !== null && { checkpoint: parsed<Checkpoint>(row['checkpoint']) }),
})

const one = (row: Row | undefined): StoredRun | undefined => row && storedOf(row)

/** The name of a process among those that may share a file; a container that starts again has the name that it had. */
export const ownerOf = (host: string, pid: number): string => `${host}:${pid}`

/** Whether an owner has certainly ended: a process of this host that is not alive. Nothing is known of other hosts. */
export function isGone(
  owner: string,
  here: { readonly host: string; readonly isAlive: (pid: number) => boolean },
): boolean {
  const [, host, pid] = /^(.*):(\d+)$/.exec(owner) ?? []
  return host === here.host && pid !== undefined && !here.isAlive(Number(pid))
}
