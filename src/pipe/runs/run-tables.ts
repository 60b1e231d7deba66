/** `runs.sqlite`: the table of runs and the table of their items. */

import { openSqlite, type Row, type Sqlite } from '../../sqlite.ts'
import type {
  IdDifference,
  ItemFilter,
  Run,
  RunFilter,
  RunItem,
  RunStart,
  RunTally,
} from './run.ts'

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
type Checkpoint = Pick<Run, 'counts' | 'progress'> & {
  readonly cursor: string
  readonly item: number
  readonly tally: RunTally
}

const columns = 'serial, state, start, owner, lease, resumed, checkpoint'
const open = `status IN ('waiting', 'running')`
/** States in which a record was written: what stays when a run starts again. */
const written = `('created', 'updated', 'removed', 'restored')`
/** The same record in the other run. */
const same = 'SELECT 1 FROM item o INDEXED BY item_key WHERE o.run = ?2 AND o.key = i.key'
const sliceRows = 500

/** What the same record is known by in two runs. */
export const itemKey = (item: Pick<RunItem, 'sourceId' | 'originalId'>): string | undefined =>
  item.sourceId ?? item.originalId

/** Methods that write several rows want the caller's transaction. */
export class RunTables {
  readonly #file: Sqlite

  /** Opens the file, made when absent. */
  constructor(path: string) {
    this.#file = openSqlite({ path, schema, format: runsFormat, shrinks: true })
  }

  transaction<T>(work: () => T): T {
    return this.#file.transaction(work)
  }

  close(): void {
    this.#file.close()
  }

  /** The new row. */
  insert(fresh: Omit<StoredRun, 'serial' | 'resumed'>): StoredRun {
    const { run, start, owner, lease } = fresh
    const isPartial = [start.only, start.retryOf, start.feed?.datasets].some((one) => one)
    const sql = `INSERT INTO run (id, pipe, catalogue, status, dry, partial, created, owner, lease, start, state)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
    const face = [run.id, run.pipe, run.catalogue ?? null, run.status, Number(start.dryRun)]
    const inner = [Number(isPartial), Date.parse(run.created), owner, lease]
    const texts = [JSON.stringify(start), stateOf(fresh)]
    const { serial } = this.#file.run(sql, ...face, ...inner, ...texts)
    return { ...fresh, serial, resumed: 0 }
  }

  byId(id: string): StoredRun | undefined {
    return storedOf(this.#file.first(`SELECT ${columns} FROM run WHERE id = ?`, id))
  }

  /** Newest first. */
  list({ pipe, status, catalogue, limit, offset }: RunFilter): readonly Run[] {
    const filters = Object.entries({ pipe, status, catalogue }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    )
    const where = filters.map(([name]) => `${name} = ?`).join(' AND ')
    const sql = `SELECT state FROM run ${where && `WHERE ${where}`} ORDER BY serial DESC LIMIT ? OFFSET ?`
    const rows = this.#file.rows(sql, ...filters.map(([, value]) => value), limit, offset)
    return rows.map((row) => parsed<State>(row['state']).run)
  }

  /** Writes the row, unless another process has it by now (`from`: its owner then); whether it was written. */
  update({ run, tally, owner, lease, resumed, serial }: StoredRun, from?: string): boolean {
    const endTime = run.endTime === undefined ? null : Date.parse(run.endTime)
    const sql = `UPDATE run SET status = ?, outcome = ?, ended = ?, owner = ?, lease = ?, resumed = ?, state = ?
      WHERE serial = ? ${from === undefined ? '' : `AND ${open} AND owner = ?`}`
    const values = [run.status, run.outcome ?? null, endTime, owner, lease, resumed]
    const only = from === undefined ? [] : [from]
    return this.#file.run(sql, ...values, stateOf({ run, tally }), serial, ...only).changes > 0
  }

  /** Notes that everything up to now was written; `item` is that of the newest one. */
  checkpoint(serial: number, checkpoint: Omit<Checkpoint, 'item'>): void {
    const newest = this.#file.first('SELECT max(serial) AS newest FROM item WHERE run = ?', serial)
    const text = JSON.stringify({ ...checkpoint, item: Number(newest?.['newest'] ?? 0) })
    this.#file.run('UPDATE run SET checkpoint = ? WHERE serial = ?', text, serial)
  }

  /** Renews all open runs of an owner; the ids of those that it still has. */
  renew(owner: string, lease: number): ReadonlySet<string> {
    this.#file.run(`UPDATE run SET lease = ? WHERE owner = ? AND ${open}`, lease, owner)
    const rows = this.#file.rows(`SELECT id FROM run WHERE owner = ? AND ${open}`, owner)
    return new Set(rows.map((row) => String(row['id'])))
  }

  /** Runs that have not ended. */
  open(): readonly StoredRun[] {
    const rows = this.#file.rows(`SELECT ${columns} FROM run WHERE ${open}`)
    return rows.flatMap((row) => storedOf(row) ?? [])
  }

  /** The newest finished run of a pipe before a serial that was about all records. */
  before(pipe: string, serial: number, outcomes: readonly string[]): StoredRun | undefined {
    const sql = `SELECT ${columns} FROM run INDEXED BY run_whole WHERE pipe = ? AND serial < ? AND status = 'finished' AND partial = 0
      AND outcome IN (${outcomes.map(() => '?').join(', ')}) ORDER BY serial DESC LIMIT 1`
    return storedOf(this.#file.first(sql, pipe, serial, ...outcomes))
  }

  /** Deletes the first run that ended before a time, or so many of its items; whether there was one. */
  prune(time: number, mostItems: number): boolean {
    const oldest = 'SELECT serial FROM run WHERE ended < ? ORDER BY ended LIMIT 1'
    const serial = this.#file.first(oldest, time)?.['serial']
    if (serial === undefined) return false
    this.#file.transaction(() => {
      const sql = `DELETE FROM item WHERE serial IN (SELECT serial FROM item INDEXED BY item_run WHERE run = ? LIMIT ?)`
      if (this.#file.run(sql, Number(serial), mostItems).changes < mostItems) {
        this.#file.run('DELETE FROM run WHERE serial = ?', Number(serial))
      }
    })
    return true
  }

  addItems(run: number, items: readonly RunItem[]): void {
    const sql = 'INSERT INTO item (run, key, state, stage, told) VALUES (?, ?, ?, ?, ?)'
    for (const item of items) {
      this.#file.run(sql, run, itemKey(item) ?? null, item.state, item.stage, JSON.stringify(item))
    }
  }

  /** Slice by slice, each a statement of its own: a slow reader holds neither memory nor the file. */
  *items(run: number, filter: ItemFilter): Generator<RunItem> {
    const { state = null, stage = null, record = null, finding = null } = filter
    const sql = `SELECT serial, told FROM item INDEXED BY ${state === null ? 'item_run' : 'item_state'}
      WHERE run = ?1 AND serial > ?2 AND ${state === null ? '?3 IS NULL' : 'state = ?3'} AND (?4 IS NULL OR stage = ?4)
      AND (?7 IS NULL OR key = ?7 OR told ->> 'platformId' = ?7 OR told ->> 'originalId' = ?7)
      AND (?8 IS NULL OR EXISTS (SELECT 1 FROM json_each(told, '$.findings') AS one WHERE one.value ->> 'slug' = ?8))
      ORDER BY serial LIMIT ?5 OFFSET ?6`
    let { limit: left = Infinity, offset = 0 } = filter
    let last = 0
    while (left > 0) {
      const most = Math.min(sliceRows, left)
      const rows = this.#file.rows(sql, run, last, state, stage, most, offset, record, finding)
      for (const row of rows) yield parsed<RunItem>(row['told'])
      if (rows.length < most) return
      left -= rows.length
      offset = 0
      last = Number(rows.at(-1)?.['serial'])
    }
  }

  /** Whether the record of this key failed in a run, or was written by it. */
  has(run: number, key: string, what: 'failed' | 'written'): boolean {
    const states = what === 'failed' ? `('failed')` : written
    const sql = `SELECT 1 FROM item INDEXED BY item_key WHERE run = ? AND key = ? AND state IN ${states} LIMIT 1`
    return this.#file.first(sql, run, key) !== undefined
  }

  /** Deletes items after one that were not written; how many are left of each state. */
  rewind(run: number, after: number): Readonly<Record<string, number>> {
    const since = 'run = ? AND serial > ?'
    this.#file.run(`DELETE FROM item WHERE ${since} AND state NOT IN ${written}`, run, after)
    const counts = `SELECT state, count(*) AS n FROM item WHERE ${since} GROUP BY state`
    const left = this.#file.rows(counts, run, after)
    return Object.fromEntries(left.map((row) => [String(row['state']), Number(row['n'])]))
  }

  /**
   * Keys that failed in one run, and in the other did not (`newly`) or were written or found unchanged (`fixed`); the first ten
   * by arrival.
   */
  failures(failedIn: number, other: number, which: 'newly' | 'fixed'): IdDifference {
    const condition =
      which === 'newly'
        ? `NOT EXISTS (${same} AND o.state = 'failed')`
        : `EXISTS (${same} AND o.state IN ('created', 'updated', 'unchanged'))`
    const sql = `SELECT i.key AS key, min(i.serial) AS first, count(*) OVER () AS n FROM item i INDEXED BY item_state
      WHERE i.run = ?1 AND i.state = 'failed' AND i.key IS NOT NULL AND ${condition} GROUP BY i.key ORDER BY first LIMIT 10`
    const rows = this.#file.rows(sql, failedIn, other)
    return { count: Number(rows[0]?.['n'] ?? 0), ids: rows.map((row) => String(row['key'])) }
  }
}

type State = Pick<StoredRun, 'run' | 'tally'>

const stateOf = ({ run, tally }: State): string => JSON.stringify({ run, tally })

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the text is what was written under that type
const parsed = <T>(text: unknown): T => JSON.parse(String(text))

const storedOf = (row: Row | undefined): StoredRun | undefined =>
  row && {
    serial: Number(row['serial']),
    ...parsed<State>(row['state']),
    start: parsed<RunStart>(row['start']),
    owner: String(row['owner']),
    lease: Number(row['lease']),
    resumed: Number(row['resumed']),
    ...(row['checkpoint'] !== null && { checkpoint: parsed<Checkpoint>(row['checkpoint']) }),
  }

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
