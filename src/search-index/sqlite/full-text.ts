/** The two questions that FTS5 is asked: which records match, and how well. */

import type { DatabaseSync } from 'node:sqlite'
import { add, bitmapOf, has, intersect, type Bitmap } from './bitmap.ts'
import type { View } from './view.ts'

/** Calls between two looks at whether the answer is still needed. */
const stride = 4096

export class FullText {
  readonly #check: () => void
  #hits: Bitmap = bitmapOf(0)
  #scored: Bitmap = bitmapOf(0)
  #scores = new Float32Array(0)
  #calls = 0

  /** `check` throws when the request is to stop: SQLite itself cannot be interrupted from outside. */
  constructor(db: DatabaseSync, check: () => void) {
    this.#check = check
    // Functions that answer 0 let no row out of SQLite: taking a number here is much cheaper than a row.
    db.function('hit', (n) => {
      this.#count()
      add(this.#hits, Number(n))
      return 0
    })
    db.function('scored', (n) => {
      this.#count()
      return has(this.#scored, Number(n)) ? 1 : 0
    })
    db.function('score', (n, bm25) => {
      this.#scores[Number(n)] = -Number(bm25)
      return 0
    })
  }

  /** A fresh set of the living records that match an expression of FTS5. */
  match(view: View, text: string): Bitmap {
    const { fts } = view.tables
    const set = view.sets.of(text, view.columns.size, (found, from) => {
      this.#hits = found
      view
        .sql(`SELECT 1 FROM ${fts} WHERE ${fts} MATCH ? AND rowid >= ? AND hit(rowid)`)
        .get(text, from)
    })
    return intersect(set.slice(), view.live)
  }

  /** Fills in the scores (bm25) of the members of `set` that match; weights are those of the columns, absent = all alike. */
  score(
    view: View,
    { text, weights }: { readonly text: string; readonly weights: readonly number[] | undefined },
    set: Bitmap,
    scores: Float32Array<ArrayBuffer>,
  ): void {
    this.#scored = set
    this.#scores = scores
    const { fts } = view.tables
    const rank = `bm25(${[fts, ...(weights ?? [])].join(', ')})`
    view
      .prepare(
        `SELECT 1 FROM ${fts} WHERE ${fts} MATCH ? AND scored(rowid) AND score(rowid, ${rank})`,
      )
      .get(text)
  }

  #count(): void {
    if (++this.#calls % stride === 0) this.#check()
  }
}
