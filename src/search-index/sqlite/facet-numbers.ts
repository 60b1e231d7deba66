/** Numbers for facet values, one per (facet, value) for ever and shared by all indices; the writer's side of the table `ord`. */

import type { DatabaseSync } from 'node:sqlite'
import type { FacetValue } from '../search-index.ts'

export class FacetNumbers {
  readonly #find
  readonly #insert
  readonly #retitle
  readonly #newest
  #next = 0
  #seq = 0

  constructor(db: DatabaseSync) {
    this.#find = db.prepare('SELECT o, title FROM ord WHERE facet = ? AND value = ?')
    this.#insert = db.prepare(
      'INSERT INTO ord (o, facet, value, title, seq) VALUES (?, ?, ?, ?, ?)',
    )
    this.#retitle = db.prepare('UPDATE ord SET title = ?, seq = ? WHERE o = ?')
    this.#newest = db.prepare(
      'SELECT ifnull(max(o), -1) + 1 AS next, ifnull(max(seq), 0) AS seq FROM ord',
    )
    this.forget()
  }

  /** The number of a value; its title becomes the newest one. */
  of(facet: string, { id, title }: FacetValue): number {
    const row = this.#find.get(facet, id)
    if (!row) {
      this.#insert.run(this.#next, facet, id, title, ++this.#seq)
      return this.#next++
    }
    const o = Number(row['o'])
    if (row['title'] !== title) this.#retitle.run(title, ++this.#seq, o)
    return o
  }

  /** After a rollback the last numbers may not be in the file. */
  forget(): void {
    const row = this.#newest.get()
    this.#next = Number(row?.['next'] ?? 0)
    this.#seq = Number(row?.['seq'] ?? 0)
  }
}
