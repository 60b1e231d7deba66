/** The items of runs as rows of `runs.sqlite`. */

import type { Sqlite } from '../../sqlite.ts'
import type { IdDifference } from './run-report.ts'
import type { ItemFilter, RunItem } from './run.ts'

/** States in which a record was written: what stays when a run starts again. */
const written = `('created', 'updated', 'removed', 'restored')`
const sliceRows = 500

/** What the same record is known by in two runs. */
export const keyOf = (item: Pick<RunItem, 'sourceId' | 'originalId'>): string | undefined =>
  item.sourceId ?? item.originalId

export class ItemRows {
  readonly #file: Sqlite

  constructor(file: Sqlite) {
    this.#file = file
  }

  /** Inside the caller's transaction. */
  add(run: number, items: readonly RunItem[]): void {
    const sql = 'INSERT INTO item (run, key, state, stage, told) VALUES (?, ?, ?, ?, ?)'
    for (const item of items) {
      const text = JSON.stringify(item)
      this.#file.run(sql, run, keyOf(item) ?? null, item.state, item.stage, text)
    }
  }

  /** Slice by slice, each a statement of its own: a slow reader holds neither memory nor the file. */
  *read(run: number, filter: ItemFilter): Generator<RunItem> {
    const { state, stage } = filter
    const index = state === undefined ? 'item_run' : 'item_state'
    const conditions = `${state === undefined ? '' : 'AND state = ?'} ${stage === undefined ? '' : 'AND stage = ?'}`
    const sql = `SELECT serial, told FROM item INDEXED BY ${index} WHERE run = ? AND serial > ? ${conditions}
      ORDER BY serial LIMIT ? OFFSET ?`
    const values = [state, stage].filter((value) => value !== undefined)
    let { limit: left = Infinity, offset = 0 } = filter
    let last = 0
    while (left > 0) {
      const most = Math.min(sliceRows, left)
      const rows = this.#file.rows(sql, run, last, ...values, most, offset)
      for (const row of rows) yield itemOf(row['told'])
      if (rows.length < most) return
      left -= rows.length
      offset = 0
      last = Number(rows.at(-1)?.['serial'])
    }
  }

  /** Serial of the newest item of a run, 0 when it has none. */
  newest(run: number): number {
    const row = this.#file.first('SELECT max(serial) AS newest FROM item WHERE run = ?', run)
    return Number(row?.['newest'] ?? 0)
  }

  /** Whether a run has a failed item of this key. */
  failed(run: number, key: string): boolean {
    return this.#has(run, key, `state = 'failed'`)
  }

  /** Whether a run has written the record of this key. */
  written(run: number, key: string): boolean {
    return this.#has(run, key, `state IN ${written}`)
  }

  #has(run: number, key: string, where: string): boolean {
    const sql = `SELECT 1 FROM item INDEXED BY item_key WHERE run = ? AND key = ? AND ${where} LIMIT 1`
    return this.#file.first(sql, run, key) !== undefined
  }

  /** Deletes what was not written after an item; how many are left of each state. Inside the caller's transaction. */
  rewind(run: number, after: number): Readonly<Record<string, number>> {
    const since = 'run = ? AND serial > ?'
    this.#file.run(`DELETE FROM item WHERE ${since} AND state NOT IN ${written}`, run, after)
    const counts = `SELECT state, count(*) AS n FROM item WHERE ${since} GROUP BY state`
    const left = this.#file.rows(counts, run, after)
    return Object.fromEntries(left.map((row) => [String(row['state']), Number(row['n'])]))
  }

  /** Deletes at most this many; how many it were. */
  drop(run: number, most: number): number {
    const some = 'SELECT serial FROM item INDEXED BY item_run WHERE run = ? LIMIT ?'
    return this.#file.run(`DELETE FROM item WHERE serial IN (${some})`, run, most).changes
  }

  /** Keys that failed in one run and not in the other; the first ten by arrival. */
  newlyFailing(failedIn: number, other: number): IdDifference {
    return this.#changed(failedIn, other, `NOT EXISTS (${same} AND o.state = 'failed')`)
  }

  /** Keys that failed in one run and were written, or found unchanged, in the other; the first ten by arrival. */
  newlyFixed(failedIn: number, other: number): IdDifference {
    const fine = `o.state IN ('created', 'updated', 'unchanged')`
    return this.#changed(failedIn, other, `EXISTS (${same} AND ${fine})`)
  }

  #changed(failedIn: number, other: number, condition: string): IdDifference {
    const from = `FROM item i INDEXED BY item_state
      WHERE i.run = ?1 AND i.state = 'failed' AND i.key IS NOT NULL AND ${condition}`
    const counted = `SELECT count(DISTINCT i.key) AS n ${from}`
    const count = Number(this.#file.first(counted, failedIn, other)?.['n'] ?? 0)
    if (count === 0) return { count, ids: [] }
    const first = `SELECT i.key AS key, min(i.serial) AS first ${from} GROUP BY i.key ORDER BY first LIMIT 10`
    const rows = this.#file.rows(first, failedIn, other)
    return { count, ids: rows.map((row) => String(row['key'])) }
  }
}

/** The same record in the other run. */
const same = 'SELECT 1 FROM item o INDEXED BY item_key WHERE o.run = ?2 AND o.key = i.key'

const itemOf = (text: unknown): RunItem => JSON.parse(String(text))
