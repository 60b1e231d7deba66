/** Merging of the segments of full-text tables. A look-up of a word reads every segment, and filling an index leaves many. */

import type { DatabaseSync } from 'node:sqlite'

/** Pages of a segment that one call writes at most. */
const portion = 200

/** Merges the segments of full-text tables into one, a portion at each call. A restart ends it, which only costs speed. */
export class SegmentMerge {
  readonly #db: DatabaseSync
  /** Tables to merge, each with whether its merge has begun. */
  readonly #tables = new Map<string, boolean>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  /** Adds a full-text table, or begins again with it. */
  add(table: string): void {
    this.#tables.set(table, false)
  }

  /** Merges a portion of the first table and returns whether there may be more. */
  mergePortion(): boolean {
    const [first] = this.#tables
    if (!first) return false
    const [table, hasBegun] = first
    // See "The 'merge' Command" of sqlite.org/fts5.html: a negative number begins, and fewer than two changes mean that it is done.
    if (this.#exists(table) && this.#merge(table, hasBegun ? portion : -portion) >= 2)
      this.#tables.set(table, true)
    else this.#tables.delete(table)
    return this.#tables.size > 0
  }

  /** Whether the table is there: its generation may have been removed meanwhile. */
  #exists(table: string): boolean {
    return this.#db.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(table) !== undefined
  }

  /** Returns the number of changes. */
  #merge(table: string, pages: number): number {
    const before = this.#changes()
    this.#db.prepare(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`).run(pages)
    return this.#changes() - before
  }

  #changes(): number {
    return Number(this.#db.prepare('SELECT total_changes() AS changes').get()?.['changes'])
  }
}
