/** Numbers for facet values, one per (facet, value) for ever and shared by all indices; the writer's side of the table `ord`. */

import type { DatabaseSync } from 'node:sqlite'
import type { FacetValue } from '../search-index.ts'

/** Values of about 200 bytes each that are not looked up again. */
const mostKnown = 20_000

export class FacetNumbers {
  readonly #find
  readonly #insert
  readonly #retitle
  readonly #newest
  readonly #known = new Map<string, { readonly o: number; title: string }>()
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
  of(facet: string, value: FacetValue): number {
    const key = `${facet}\u0000${value.id}`
    const known = this.#known.get(key) ?? this.#look(facet, value)
    if (this.#known.size > mostKnown) this.#known.clear()
    this.#known.set(key, known)
    if (known.title !== value.title) {
      known.title = value.title
      this.#retitle.run(value.title, ++this.#seq, known.o)
    }
    return known.o
  }

  /** After a rollback what is known may not be in the file. */
  forget(): void {
    this.#known.clear()
    const row = this.#newest.get()
    this.#next = Number(row?.['next'] ?? 0)
    this.#seq = Number(row?.['seq'] ?? 0)
  }

  #look(facet: string, { id, title }: FacetValue) {
    const row = this.#find.get(facet, id)
    if (row) return { o: Number(row['o']), title: String(row['title']) }
    const o = this.#next++
    this.#insert.run(o, facet, id, title, ++this.#seq)
    return { o, title }
  }
}
