/** SQLite tables of runs and their items (`runs.sqlite`), for the run history and its live runs; names of their owners. */

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
 * Schema. `state`, `start`, `checkpoint` and the last column of `item` are JSON. `partial`: the run was restricted to some records.
 * `key` of an item identifies its record across runs: the source id, else the original id. Times and leases are in ms since 1970.
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

/** Version of the schema. */
export const runsFormat = 1

/** A row of the table of runs. */
export type StoredRun = {
  readonly serial: number
  readonly run: Run
  readonly tally: RunTally
  readonly start: RunStart
  readonly owner: string
  /** End of the lease in ms since 1970. */
  readonly lease: number
  /** Number of times that the run was resumed. */
  readonly resumptions: number
  readonly checkpoint?: Checkpoint
}

/** Counts of a run when everything before `cursor` was written; `item` is the serial of the newest item at that time. */
type Checkpoint = Pick<Run, 'counts' | 'progress'> & {
  readonly cursor: string
  readonly item: number
  readonly tally: RunTally
}

const columns = 'serial, state, start, owner, lease, resumed, checkpoint'
const isActive = `status IN ('waiting', 'running')`
/** Item states in which a record was written; these items stay when the run is resumed. */
const writtenStates = `('created', 'updated', 'removed', 'restored')`
/** Subquery for the item of the same record in another run. */
const itemInOtherRun = 'SELECT 1 FROM item o INDEXED BY item_key WHERE o.run = ?2 AND o.key = i.key'
const sliceRows = 500

/** Key that identifies the record of an item across runs. */
export const itemKey = (item: Pick<RunItem, 'sourceId' | 'originalId'>): string | undefined =>
  item.sourceId ?? item.originalId

/** Access to the tables. Methods that write several rows need a transaction of the caller. */
export class RunTables {
  readonly #file: Sqlite

  /** Opens the file, or creates it. */
  constructor(path: string) {
    this.#file = openSqlite({ path, schema, format: runsFormat, shrinks: true })
  }

  transaction<T>(work: () => T): T {
    return this.#file.transaction(work)
  }

  close(): void {
    this.#file.close()
  }

  /** Inserts a run and returns its row. */
  insert(entry: Omit<StoredRun, 'serial' | 'resumptions'>): StoredRun {
    const { run, start, owner, lease } = entry
    const isPartial = [start.only, start.retryOf, start.feed?.datasets].some((value) => value)
    const sql = `INSERT INTO run (id, pipe, catalogue, status, dry, partial, created, owner, lease, start, state)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
    const identity = [run.id, run.pipe, run.catalogue ?? null, run.status, Number(start.dryRun)]
    const ownership = [Number(isPartial), Date.parse(run.created), owner, lease]
    const texts = [JSON.stringify(start), stateOf(entry)]
    const { serial } = this.#file.run(sql, ...identity, ...ownership, ...texts)
    return { ...entry, serial, resumptions: 0 }
  }

  byId(id: string): StoredRun | undefined {
    return storedOf(this.#file.first(`SELECT ${columns} FROM run WHERE id = ?`, id))
  }

  /** Lists runs, newest first. */
  list({ pipe, status, catalogue, limit, offset }: RunFilter): readonly Run[] {
    const filters = Object.entries({ pipe, status, catalogue }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    )
    const where = filters.map(([name]) => `${name} = ?`).join(' AND ')
    const sql = `SELECT state FROM run ${where && `WHERE ${where}`} ORDER BY serial DESC LIMIT ? OFFSET ?`
    const rows = this.#file.rows(sql, ...filters.map(([, value]) => value), limit, offset)
    return rows.map((row) => parseAs<State>(row['state']).run)
  }

  /** Updates a row; with `expectedOwner` only if the run is active and has this owner. Returns whether it was written. */
  update(
    { run, tally, owner, lease, resumptions, serial }: StoredRun,
    expectedOwner?: string,
  ): boolean {
    const endTime = run.endTime === undefined ? null : Date.parse(run.endTime)
    const sql = `UPDATE run SET status = ?, outcome = ?, ended = ?, owner = ?, lease = ?, resumed = ?, state = ?
      WHERE serial = ? ${expectedOwner === undefined ? '' : `AND ${isActive} AND owner = ?`}`
    const values = [run.status, run.outcome ?? null, endTime, owner, lease, resumptions]
    const owners = expectedOwner === undefined ? [] : [expectedOwner]
    return this.#file.run(sql, ...values, stateOf({ run, tally }), serial, ...owners).changes > 0
  }

  /** Stores a checkpoint at the newest item. */
  checkpoint(serial: number, checkpoint: Omit<Checkpoint, 'item'>): void {
    const newest = this.#file.first('SELECT max(serial) AS newest FROM item WHERE run = ?', serial)
    const text = JSON.stringify({ ...checkpoint, item: Number(newest?.['newest'] ?? 0) })
    this.#file.run('UPDATE run SET checkpoint = ? WHERE serial = ?', text, serial)
  }

  /** Renews the leases of an owner's active runs; returns their ids. */
  renew(owner: string, lease: number): ReadonlySet<string> {
    this.#file.run(`UPDATE run SET lease = ? WHERE owner = ? AND ${isActive}`, lease, owner)
    const rows = this.#file.rows(`SELECT id FROM run WHERE owner = ? AND ${isActive}`, owner)
    return new Set(rows.map((row) => String(row['id'])))
  }

  /** Active runs. */
  active(): readonly StoredRun[] {
    const rows = this.#file.rows(`SELECT ${columns} FROM run WHERE ${isActive}`)
    return rows.flatMap((row) => storedOf(row) ?? [])
  }

  /** Newest finished, unrestricted run of a pipe before a serial, with one of the outcomes. */
  lastFinished(pipe: string, serial: number, outcomes: readonly string[]): StoredRun | undefined {
    const sql = `SELECT ${columns} FROM run INDEXED BY run_whole WHERE pipe = ? AND serial < ? AND status = 'finished' AND partial = 0
      AND outcome IN (${outcomes.map(() => '?').join(', ')}) ORDER BY serial DESC LIMIT 1`
    return storedOf(this.#file.first(sql, pipe, serial, ...outcomes))
  }

  /** Deletes the oldest run that ended before a time, or up to `mostItems` of its items; returns whether there was one. */
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

  /** Reads items in slices with separate statements, so that a slow reader does not block the file. */
  *items(run: number, filter: ItemFilter): Generator<RunItem> {
    const { state = null, stage = null, record = null, finding = null } = filter
    const sql = `SELECT serial, told FROM item INDEXED BY ${state === null ? 'item_run' : 'item_state'}
      WHERE run = ?1 AND serial > ?2 AND ${state === null ? '?3 IS NULL' : 'state = ?3'} AND (?4 IS NULL OR stage = ?4)
      AND (?7 IS NULL OR key = ?7 OR told ->> 'platformId' = ?7 OR told ->> 'originalId' = ?7)
      AND (?8 IS NULL OR EXISTS (SELECT 1 FROM json_each(told, '$.findings') AS one WHERE one.value ->> 'slug' = ?8))
      ORDER BY serial LIMIT ?5 OFFSET ?6`
    let { limit: remaining = Infinity, offset = 0 } = filter
    let last = 0
    while (remaining > 0) {
      const sliceSize = Math.min(sliceRows, remaining)
      const rows = this.#file.rows(sql, run, last, state, stage, sliceSize, offset, record, finding)
      for (const row of rows) yield parseAs<RunItem>(row['told'])
      if (rows.length < sliceSize) return
      remaining -= rows.length
      offset = 0
      last = Number(rows.at(-1)?.['serial'])
    }
  }

  /** Whether the record with this key failed in the run (`failed`), or was written by it (`written`). */
  has(run: number, key: string, outcome: 'failed' | 'written'): boolean {
    const states = outcome === 'failed' ? `('failed')` : writtenStates
    const sql = `SELECT 1 FROM item INDEXED BY item_key WHERE run = ? AND key = ? AND state IN ${states} LIMIT 1`
    return this.#file.first(sql, run, key) !== undefined
  }

  /** Deletes the items with a serial above `after` whose records were not written; returns the number of the others by state. */
  rewind(run: number, after: number): Readonly<Record<string, number>> {
    const since = 'run = ? AND serial > ?'
    this.#file.run(`DELETE FROM item WHERE ${since} AND state NOT IN ${writtenStates}`, run, after)
    const counts = `SELECT state, count(*) AS n FROM item WHERE ${since} GROUP BY state`
    const remaining = this.#file.rows(counts, run, after)
    return Object.fromEntries(remaining.map((row) => [String(row['state']), Number(row['n'])]))
  }

  /**
   * Records that failed in one run and not in the other (`newly`), or that were written or unchanged in the other (`fixed`):
   * their number and the first ten keys.
   */
  failures(failedIn: number, other: number, change: 'newly' | 'fixed'): IdDifference {
    const condition =
      change === 'newly'
        ? `NOT EXISTS (${itemInOtherRun} AND o.state = 'failed')`
        : `EXISTS (${itemInOtherRun} AND o.state IN ('created', 'updated', 'unchanged'))`
    const sql = `SELECT i.key AS key, min(i.serial) AS first, count(*) OVER () AS n FROM item i INDEXED BY item_state
      WHERE i.run = ?1 AND i.state = 'failed' AND i.key IS NOT NULL AND ${condition} GROUP BY i.key ORDER BY first LIMIT 10`
    const rows = this.#file.rows(sql, failedIn, other)
    return { count: Number(rows[0]?.['n'] ?? 0), ids: rows.map((row) => String(row['key'])) }
  }
}

type State = Pick<StoredRun, 'run' | 'tally'>

const stateOf = ({ run, tally }: State): string => JSON.stringify({ run, tally })

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the text is what was written under that type
const parseAs = <T>(text: unknown): T => JSON.parse(String(text))

const storedOf = (row: Row | undefined): StoredRun | undefined =>
  row && {
    serial: Number(row['serial']),
    ...parseAs<State>(row['state']),
    start: parseAs<RunStart>(row['start']),
    owner: String(row['owner']),
    lease: Number(row['lease']),
    resumptions: Number(row['resumed']),
    ...(row['checkpoint'] !== null && { checkpoint: parseAs<Checkpoint>(row['checkpoint']) }),
  }

/** Name of a process among those that share the file; stable when a container restarts. */
export const ownerOf = (host: string, pid: number): string => `${host}:${pid}`

/** Whether the process of an owner on this host has ended; `false` for owners on other hosts. */
export function isGone(
  owner: string,
  here: { readonly host: string; readonly isAlive: (pid: number) => boolean },
): boolean {
  const [, host, pid] = /^(.*):(\d+)$/.exec(owner) ?? []
  return host === here.host && pid !== undefined && !here.isAlive(Number(pid))
}
