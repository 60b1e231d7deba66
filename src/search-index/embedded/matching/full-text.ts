/** The two questions asked of FTS5: which records match, and how well. */

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { add, bitmapOf, has, intersect, type Bitmap } from '../columns/bitmap.ts'
import type { View } from '../reading/view.ts'

/** Calls between two looks at whether the answer is still wanted. */
const stride = 4096
/** Sets that are remembered per index: a bit for every record each. */
const mostSets = 64
const longestKey = 2_000

export class FullText {
  readonly #db: DatabaseSync
  readonly #check: () => void
  readonly #statements = new WeakMap<View, StatementSync>()
  /** By MATCH expression: the text of a version never changes under its number, so that deaths are all that is to be taken away. */
  readonly #sets = new WeakMap<View, Map<string, { readonly set: Bitmap; readonly size: number }>>()
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

  /** A fresh set of what matches. What is remembered of it stays true: only new versions are looked at again. */
  match(view: View, text: string): Bitmap {
    const { size } = view.columns
    const sets = this.#setsOf(view)
    const known = sets.get(text)
    this.#hits = bitmapOf(size)
    if (known) this.#hits.set(known.set)
    const from = known?.size ?? 0
    if (from < size) this.#statement(view).get(text, from)
    sets.delete(text)
    if (text.length < longestKey) sets.set(text, { set: this.#hits, size })
    const [oldest] = sets.keys()
    if (sets.size > mostSets && oldest !== undefined) sets.delete(oldest)
    return intersect(this.#hits.slice(), view.live)
  }

  #setsOf(view: View): Map<string, { readonly set: Bitmap; readonly size: number }> {
    const sets = this.#sets.get(view) ?? new Map<string, { set: Bitmap; size: number }>()
    this.#sets.set(view, sets)
    return sets
  }

  #statement(view: View): StatementSync {
    const known = this.#statements.get(view)
    if (known) return known
    const made = view.prepare(
      ({ fts }) => `SELECT 1 FROM ${fts} WHERE ${fts} MATCH ? AND rowid >= ? AND hit(rowid)`,
    )
    this.#statements.set(view, made)
    return made
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
