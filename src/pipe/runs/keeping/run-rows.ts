/** The runs themselves as rows. */

import type { Tally } from '../report.ts'
import type { Run, RunFilter, RunStart } from '../run.ts'
import type { Row, Sqlite } from '../../../sqlite.ts'

/** A run with what is known of it beside its face. */
export type KeptRun = {
  readonly serial: number
  readonly run: Run
  readonly tally: Tally
  readonly start: RunStart
  readonly owner: string
  readonly lease: number
  readonly resumed: number
  readonly checkpoint?: Checkpoint
}

/** Everything up to here was written. `item` is the newest item then. */
type Checkpoint = {
  readonly cursor: string
  readonly item: number
  readonly counts: Run['counts']
  readonly progress: Run['progress']
  readonly tally: Tally
}

type State = Pick<KeptRun, 'run' | 'tally'>

export type RunRows = {
  insert(kept: Omit<KeptRun, 'serial' | 'resumed'>): number
  byId(id: string): KeptRun | undefined
  list(filter: RunFilter): readonly Run[]
  /** Whether the row was still this owner's and open. */
  update(kept: KeptRun): boolean
  /** Takes the row, whatever state it was in. */
  take(kept: KeptRun): void
  checkpoint(serial: number, checkpoint: Checkpoint): void
  /** Renews all open runs of an owner; the serials that it still has. */
  renew(owner: string, lease: number): readonly number[]
  /** Runs that have not ended. */
  open(): readonly KeptRun[]
  /** The newest finished run of a pipe before a serial that was about all records. */
  before(pipe: string, serial: number, outcomes: readonly string[]): KeptRun | undefined
  /** The first run that ended before a time. */
  endedBefore(time: number): number | undefined
  drop(serial: number): void
}

const columns = 'serial, state, start, owner, lease, resumed, checkpoint'
const open = `status IN ('waiting', 'running')`

export function runRows(file: Sqlite): RunRows {
  return {
    insert: (kept) => insert(file, kept),
    byId: (id) => one(file.first(`SELECT ${columns} FROM run WHERE id = ?`, id)),
    list: (filter) => listed(file, filter),
    update: (kept) => write(file, kept, { sql: `AND ${open} AND owner = ?`, values: [kept.owner] }),
    take: (kept) => void write(file, kept, { sql: '', values: [] }),
    checkpoint: (serial, checkpoint) =>
      void file.run(
        'UPDATE run SET checkpoint = ? WHERE serial = ?',
        JSON.stringify(checkpoint),
        serial,
      ),
    renew(owner, lease) {
      file.run(`UPDATE run SET lease = ? WHERE owner = ? AND ${open}`, lease, owner)
      const rows = file.rows(`SELECT serial FROM run WHERE owner = ? AND ${open}`, owner)
      return rows.map((row) => Number(row['serial']))
    },
    open: () => file.rows(`SELECT ${columns} FROM run WHERE ${open}`).map(kept),
    before: (pipe, serial, outcomes) =>
      one(
        file.first(
          `SELECT ${columns} FROM run INDEXED BY run_whole WHERE pipe = ? AND serial < ? AND status = 'finished' AND partial = 0
            AND outcome IN (${outcomes.map(() => '?').join(', ')}) ORDER BY serial DESC LIMIT 1`,
          pipe,
          serial,
          ...outcomes,
        ),
      ),
    endedBefore: (time) => {
      const row = file.first('SELECT serial FROM run WHERE ended < ? ORDER BY ended LIMIT 1', time)
      return row && Number(row['serial'])
    },
    drop: (serial) => void file.run('DELETE FROM run WHERE serial = ?', serial),
  }
}

function insert(file: Sqlite, kept: Omit<KeptRun, 'serial' | 'resumed'>): number {
  const { run, start } = kept
  return file.run(
    `INSERT INTO run (id, pipe, catalogue, status, dry, partial, created, owner, lease, start, state)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    run.id,
    run.pipe,
    run.catalogue ?? null,
    run.status,
    Number(start.dryRun),
    Number(isPartial(start)),
    Date.parse(run.created),
    kept.owner,
    kept.lease,
    JSON.stringify(start),
    stateOf(kept),
  ).serial
}

const isPartial = ({ only, retryOf, feed }: RunStart): boolean =>
  [only, retryOf, feed?.datasets].some((part) => part !== undefined)

function write(
  file: Sqlite,
  kept: KeptRun,
  only: { readonly sql: string; readonly values: readonly string[] },
): boolean {
  const { run } = kept
  const changes = file.run(
    `UPDATE run SET status = ?, outcome = ?, ended = ?, owner = ?, lease = ?, resumed = ?, state = ? WHERE serial = ? ${only.sql}`,
    run.status,
    run.outcome ?? null,
    run.endTime === undefined ? null : Date.parse(run.endTime),
    kept.owner,
    kept.lease,
    kept.resumed,
    stateOf(kept),
    kept.serial,
    ...only.values,
  )
  return changes.changes > 0
}

function listed(file: Sqlite, filter: RunFilter): readonly Run[] {
  const { pipe, status, catalogue } = filter
  const wanted = Object.entries({ pipe, status, catalogue }).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value }],
  )
  const where = wanted.map(({ name }) => `${name} = ?`).join(' AND ')
  const rows = file.rows(
    `SELECT state FROM run ${where && `WHERE ${where}`} ORDER BY serial DESC LIMIT ? OFFSET ?`,
    ...wanted.map(({ value }) => value),
    filter.limit,
    filter.offset,
  )
  return rows.map((row) => parsedState(row['state']).run)
}

const stateOf = ({ run, tally }: State): string => JSON.stringify({ run, tally })
const parsedState = (text: unknown): State => JSON.parse(String(text))
const parsedStart = (text: unknown): RunStart => JSON.parse(String(text))
const parsedCheckpoint = (text: unknown): Checkpoint => JSON.parse(String(text))

const kept = (row: Row): KeptRun => ({
  serial: Number(row['serial']),
  ...parsedState(row['state']),
  start: parsedStart(row['start']),
  owner: String(row['owner']),
  lease: Number(row['lease']),
  resumed: Number(row['resumed']),
  ...(row['checkpoint'] !== null && { checkpoint: parsedCheckpoint(row['checkpoint']) }),
})

const one = (row: Row | undefined): KeptRun | undefined => row && kept(row)
