/** The facet dictionary in memory: what the numbers in the facet column stand for. */

import type { DatabaseSync } from 'node:sqlite'

/** Shared by all indices, so that counts of one facet over several indices add up by themselves. */
export class FacetDictionary {
  /** Number of a facet value → position of its facet in `facets`. */
  facetOf = new Uint16Array(1024)
  readonly values: string[] = []
  readonly titles: string[] = []
  readonly facets: string[] = []
  #seq = -1
  readonly #read
  readonly #find

  constructor(db: DatabaseSync) {
    this.#read = db.prepare(
      'SELECT o, facet, value, title, seq FROM ord WHERE seq > ? ORDER BY seq',
    )
    this.#find = db.prepare('SELECT o FROM ord WHERE facet = ? AND value = ?')
  }

  get size(): number {
    return this.values.length
  }

  /** Takes in values that are new and titles that changed; part of the request's snapshot. */
  refresh(): void {
    for (const row of this.#read.iterate(this.#seq)) {
      const o = Number(row['o'])
      if (o >= this.facetOf.length) {
        const wider = new Uint16Array(o * 2)
        wider.set(this.facetOf)
        this.facetOf = wider
      }
      this.facetOf[o] = this.#position(String(row['facet']))
      this.values[o] = String(row['value'])
      this.titles[o] = String(row['title'])
      this.#seq = Math.max(this.#seq, Number(row['seq']))
    }
  }

  /** The number of a value, `undefined` when no record ever had it. */
  find(facet: string, value: string): number | undefined {
    const row = this.#find.get(facet, value)
    return row ? Number(row['o']) : undefined
  }

  #position(facet: string): number {
    const known = this.facets.indexOf(facet)
    return known >= 0 ? known : this.facets.push(facet) - 1
  }
}
