/** Numbers for facet values, one per (facet, value), shared by all indices. */

import type { DatabaseSync } from 'node:sqlite'
import type { FacetValue } from '../../search-index.ts'

/** Values, about 200 bytes each: those that are met again and again; the others are looked up. */
const remembered = 20_000

export class FacetValues {
  readonly #find
  readonly #insert
  readonly #retitle
  #known = new Map<string, { o: number; title: string }>()
  #next = 0
  #seq = 0
  readonly #newest

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
  number(facet: string, value: FacetValue): number {
    const key = `${facet}\u0000${value.id}`
    const known = this.#known.get(key) ?? this.#look(facet, value, key)
    if (known.title === value.title) return known.o
    known.title = value.title
    this.#retitle.run(value.title, ++this.#seq, known.o)
    return known.o
  }

  /** After a rollback the memory is wrong. */
  forget(): void {
    this.#known = new Map()
    const row = this.#newest.get()
    this.#next = Number(row?.['next'] ?? 0)
    this.#seq = Number(row?.['seq'] ?? 0)
  }

  #look(facet: string, value: FacetValue, key: string): { o: number; title: string } {
    const row = this.#find.get(facet, value.id)
    const found = row
      ? { o: Number(row['o']), title: String(row['title']) }
      : { o: this.#next++, title: value.title }
    if (!row) this.#insert.run(found.o, facet, value.id, value.title, ++this.#seq)
    if (this.#known.size > remembered) this.#known.clear()
    this.#known.set(key, found)
    return found
  }
}
