/** The items of runs as rows. */

import type { ItemFilter, RunItem } from '../run.ts'
import type { Sqlite } from '../../../sqlite.ts'

/** States in which a record was written: what stays when a run starts again. */
const written = `('created', 'updated', 'removed', 'restored')`
const slice = 500

export type ItemRows = {
  /** Inside the caller's transaction. */
  add(run: number, items: readonly RunItem[]): void
  read(run: number, filter: ItemFilter): Iterable<RunItem>
  /** Serial of the newest item of a run, 0 when it has none. */
  newest(run: number): number
  /** Whether a run has a failed item of this key. */
  failed(run: number, key: string): boolean
  /** Whether a run has written the record of this key. */
  written(run: number, key: string): boolean
  /** Forgets what was not written after an item; how many are left of each state. */
  rewind(run: number, after: number): Readonly<Record<string, number>>
  /** Removes at most this many; how many it were. */
  drop(run: number, most: number): number
}

/** What the same record is known by in two runs. */
export const keyOf = (item: Pick<RunItem, 'sourceId' | 'originalId'>): string | undefined =>
  item.sourceId ?? item.originalId

export function itemRows(file: Sqlite): ItemRows {
  const has = (where: string) => {
    const sql = `SELECT 1 FROM item INDEXED BY item_key WHERE run = ? AND key = ? AND ${where} LIMIT 1`
    return (run: number, key: string) => file.first(sql, run, key) !== undefined
  }
  return {
    add: (run, items) => items.forEach((item) => insert(file, run, item)),
    read: (run, filter) => reading(file, run, filter),
    newest: (run) =>
      Number(
        file.first('SELECT max(serial) AS newest FROM item WHERE run = ?', run)?.['newest'] ?? 0,
      ),
    failed: has(`state = 'failed'`),
    written: has(`state IN ${written}`),
    rewind: (run, after) => rewinding(file, run, after),
    drop: (run, most) =>
      file.run(
        'DELETE FROM item WHERE serial IN (SELECT serial FROM item INDEXED BY item_run WHERE run = ? LIMIT ?)',
        run,
        most,
      ).changes,
  }
}

function insert(file: Sqlite, run: number, item: RunItem): void {
  const key = keyOf(item) ?? null
  file.run(
    'INSERT INTO item (run, key, state, stage, told) VALUES (?, ?, ?, ?, ?)',
    run,
    key,
    item.state,
    item.stage,
    JSON.stringify(item),
  )
}

function rewinding(file: Sqlite, run: number, after: number): Record<string, number> {
  file.run(`DELETE FROM item WHERE run = ? AND serial > ? AND state NOT IN ${written}`, run, after)
  const left = file.rows(
    'SELECT state, count(*) AS n FROM item WHERE run = ? AND serial > ? GROUP BY state',
    run,
    after,
  )
  return Object.fromEntries(left.map((row) => [String(row['state']), Number(row['n'])]))
}

/** Slice by slice, each a statement of its own: a slow reader holds neither memory nor the file. */
function* reading(file: Sqlite, run: number, filter: ItemFilter): Generator<RunItem> {
  const { state, stage } = filter
  const index = state === undefined ? 'item_run' : 'item_state'
  const conditions = `${state === undefined ? '' : 'AND state = ?'} ${stage === undefined ? '' : 'AND stage = ?'}`
  const sql = `SELECT serial, told FROM item INDEXED BY ${index} WHERE run = ? AND serial > ? ${conditions}
    ORDER BY serial LIMIT ? OFFSET ?`
  const values = [state, stage].filter((value) => value !== undefined)
  let left = filter.limit ?? Infinity
  let offset = filter.offset ?? 0
  let last = 0
  while (left > 0) {
    const most = Math.min(slice, left)
    const rows = file.rows(sql, run, last, ...values, most, offset)
    for (const row of rows) yield itemOf(row['told'])
    if (rows.length < most) return
    left -= rows.length
    offset = 0
    last = Number(rows.at(-1)?.['serial'])
  }
}

const itemOf = (text: unknown): RunItem => JSON.parse(String(text))
