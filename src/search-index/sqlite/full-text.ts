/** Queries to FTS5: records that match an expression, and occurrences of a token. */

import type { DatabaseSync } from 'node:sqlite'
import { add, bitmapOf, intersect, type Bitmap } from './bitmap.ts'
import type { GenerationView } from './view.ts'

/** Rows between two checks whether the call was cancelled. */
const stride = 4096

/** Full-text queries of one connection, on which it registers its SQL functions. */
export class FullText {
  readonly #check: () => void
  #hits: Bitmap = bitmapOf(0)
  #visit: (n: number, column: number) => void = () => undefined
  #calls = 0

  /** `check` throws if the current call was cancelled; a running statement of SQLite cannot be interrupted from another thread. */
  constructor(db: DatabaseSync, check: () => void) {
    this.#check = check
    // The functions return 0, so that the condition is false and SQLite returns no rows: collecting numbers in a function is much faster.
    db.function('hit', (n) => {
      this.#count()
      add(this.#hits, Number(n))
      return 0
    })
    db.function('occurs', (n, column) => {
      this.#count()
      this.#visit(Number(n), Number(column))
      return 0
    })
  }

  /** Live records that match an expression of FTS5, as a new set. */
  match(view: GenerationView, text: string): Bitmap {
    return this.matchAny(view, [text])
  }

  /** Live records that match any of some expressions, as a new set. */
  matchAny(view: GenerationView, texts: readonly string[]): Bitmap {
    const { fts } = view.tables
    const set = view.sets.getOrExtend(texts.join('\n'), view.columns.size, (recordSet, from) => {
      this.#hits = recordSet
      const query = `SELECT 1 FROM ${fts} WHERE ${fts} MATCH ? AND rowid >= ? AND hit(rowid)`
      for (const text of texts) view.sql(query).get(text, from)
    })
    return intersect(set.slice(), view.live)
  }

  /** Calls `visit` for every occurrence of a token, with the number of the record and of the column. */
  occurrences(
    view: GenerationView,
    token: string,
    visit: (n: number, column: number) => void,
  ): void {
    this.#visit = visit
    const { occurrence } = view.tables
    view
      .sql(
        `SELECT 1 FROM ${occurrence} WHERE term = ? AND occurs(doc, CAST(substr(col, 2) AS INTEGER))`,
      )
      .get(token)
  }

  #count(): void {
    if (++this.#calls % stride === 0) this.#check()
  }
}
