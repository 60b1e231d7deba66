/** The two questions asked of FTS5: which records match, and how well. */

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { add, bitmapOf, has, type Bitmap } from '../columns/bitmap.ts'
import type { View } from '../reading/view.ts'

/** Calls between two looks at whether the answer is still wanted. */
const stride = 4096

export class FullText {
  readonly #db: DatabaseSync
  readonly #check: () => void
  readonly #statements = new WeakMap<View, StatementSync>()
  #hits: Bitmap = bitmapOf(0)
  #kept: Bitmap = bitmapOf(0)
  #scores = new Float64Array(0)
  #calls = 0

  /** `check` throws when the request is to stop: SQLite itself cannot be interrupted from outside. */
  constructor(db: DatabaseSync, check: () => void) {
    this.#db = db
    this.#check = check
    // Functions that answer 0 let no row out of SQLite: taking a number here is much cheaper than a row.
    db.function('hit', (n) => {
      if (++this.#calls % stride === 0) this.#check()
      add(this.#hits, Number(n))
      return 0
    })
    db.function('keep', (n) => {
      if (++this.#calls % stride === 0) this.#check()
      return has(this.#kept, Number(n)) ? 1 : 0
    })
    db.function('score', (n, bm25) => {
      this.#scores[Number(n)] = -Number(bm25)
      return 0
    })
  }

  match(view: View, text: string): Bitmap {
    let statement = this.#statements.get(view)
    if (!statement) {
      statement = view.prepare(
        ({ fts }) => `SELECT 1 FROM ${fts} WHERE ${fts} MATCH ? AND hit(rowid)`,
      )
      this.#statements.set(view, statement)
    }
    this.#hits = bitmapOf(view.columns.size)
    statement.get(text)
    return this.#hits
  }

  /** Fills in the scores of the members of `set` that match. */
  score(
    view: View,
    { text, weights }: { text: string; weights: readonly number[] | undefined },
    set: Bitmap,
    scores: Float64Array<ArrayBuffer>,
  ): void {
    this.#kept = set
    this.#scores = scores
    const { fts } = view.tables
    const rank = `bm25(${[fts, ...(weights ?? [])].join(', ')})`
    this.#db
      .prepare(
        `SELECT 1 FROM ${fts} WHERE ${fts} MATCH ? AND keep(rowid) AND score(rowid, ${rank})`,
      )
      .get(text)
  }
}
