/** Facet values and their counts: the dictionary in memory, and exact counts over a match set by one loop over the facet column. */

import { compareCodePoints } from '../../text/code-points.ts'
import { byCount, facetDefinitions, withBands } from '../facet-answer.ts'
import type { Facet, FacetItem } from '../search-index.ts'
import { membersOf, sizeOf } from './bitmap.ts'
import { firstOf } from './top-hits.ts'
import type { Part, View } from './view.ts'

type Sql = View['sql']

/** Shared by all indices, so that counts of one facet over several indices add up by themselves. */
export class FacetDictionary {
  /** Number of a facet value → position of its facet in `facets`. */
  facetOf = new Uint16Array(1024)
  readonly values: string[] = []
  readonly titles: string[] = []
  readonly facets: string[] = []
  #seq = -1
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  get size(): number {
    return this.values.length
  }

  /** The value of a number with its count. */
  item(o: number, count: number): FacetItem {
    return { id: this.values[o] ?? '', title: this.titles[o] ?? '', count }
  }

  /** Takes in values that are new and titles that changed; part of the request's snapshot. */
  refresh(): void {
    const changed = this.#sql(
      'SELECT o, facet, value, title, seq FROM ord WHERE seq > ? ORDER BY seq',
    )
    for (const row of changed.iterate(this.#seq)) {
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
    const row = this.#sql('SELECT o FROM ord WHERE facet = ? AND value = ?').get(facet, value)
    return row ? Number(row['o']) : undefined
  }

  #position(facet: string): number {
    const known = this.facets.indexOf(facet)
    return known >= 0 ? known : this.facets.push(facet) - 1
  }
}

/** Facets over several indices; counts of the same value add up. */
export function countFacets(
  parts: readonly Part[],
  dictionary: FacetDictionary,
  { ids, size }: { readonly ids?: readonly string[]; readonly size: number },
): Facet[] {
  const settings = parts.map(({ view }) => view.generation.settings)
  const counts = countValues(parts, dictionary.size)
  const { facetOf, values } = dictionary
  const found = Map.groupBy(
    counts.keys().filter((o) => (counts[o] ?? 0) > 0),
    (o) => facetOf[o] ?? -1,
  )
  const compare = (a: number, b: number) =>
    (counts[b] ?? 0) - (counts[a] ?? 0) || compareCodePoints(values[a] ?? '', values[b] ?? '')
  return facetDefinitions(settings, ids).map((facet) => {
    const all = Uint32Array.from(found.get(dictionary.facets.indexOf(facet.id)) ?? [])
    const first = firstOf(all, facet.bands ? Infinity : size, { compare })
    const items = Array.from(first, (o) => dictionary.item(o, counts[o] ?? 0))
    const shown = facet.bands ? withBands(facet, items).toSorted(byCount) : items
    return { id: facet.id, title: facet.title, items: shown }
  })
}

/** All values of a facet over a whole index, ids ascending; nothing where the index has no such facet. */
export function allValues(view: View, dictionary: FacetDictionary, id: string): FacetItem[] {
  const facet = view.generation.settings.facets.find((one) => one.id === id)
  if (!facet) return []
  const position = dictionary.facets.indexOf(id)
  const items: FacetItem[] = []
  for (const [o, count] of view.facetCounts.entries()) {
    if (count === 0 || dictionary.facetOf[o] !== position) continue
    items.push(dictionary.item(o, count))
  }
  return withBands(facet, items).toSorted((a, b) => compareCodePoints(a.id, b.id))
}

function countValues(parts: readonly Part[], size: number): Uint32Array {
  const counts = new Uint32Array(size)
  for (const { view, set } of parts) {
    // A match set is a part of what is alive: of the same size it is all of it.
    if (sizeOf(set) === view.count) {
      for (const [o, count] of view.facetCounts.entries()) counts[o] = (counts[o] ?? 0) + count
      continue
    }
    const { starts, ends, ords } = view.columns
    for (const n of membersOf(set)) {
      const end = ends[n] ?? 0
      for (let at = starts[n] ?? 0; at < end; at++) {
        const o = ords[at] ?? 0
        counts[o] = (counts[o] ?? 0) + 1
      }
    }
  }
  return counts
}
