/** Dictionary of facet values in a reader, and exact counts of the values in a set of records by one loop over the facet column. */

import { compareCodePoints } from '../../text/code-points.ts'
import { byCount, facetDefinitions, withBands } from '../facet-answer.ts'
import type { Facet, FacetItem } from '../search-index.ts'
import { membersOf, sizeOf } from './bitmap.ts'
import { firstOf } from './first-of.ts'
import type { MatchedPart, GenerationView } from './view.ts'

type Sql = GenerationView['sql']

/**
 * Facet values by their numbers (`o` in table `ord`). All indices share the numbers, so that counts over several indices can be added.
 */
export class FacetDictionary {
  /** Position in `facets` of the facet of each value, by the number of the value. */
  facetOf = new Uint16Array(1024)
  readonly values: string[] = []
  readonly titles: string[] = []
  readonly facets: string[] = []
  #seq = -1
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** Number of values. */
  get size(): number {
    return this.values.length
  }

  /** Facet value `o` with a count. */
  item(o: number, count: number): FacetItem {
    return { id: this.values[o] ?? '', title: this.titles[o] ?? '', count }
  }

  /** Reads new values and changed titles, inside the transaction of the request. */
  refresh(): void {
    const rows = this.#sql('SELECT o, facet, value, title, seq FROM ord WHERE seq > ? ORDER BY seq')
    for (const row of rows.iterate(this.#seq)) {
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

  /** Number of a value, `undefined` if no record ever had it. */
  find(facet: string, value: string): number | undefined {
    const row = this.#sql('SELECT o FROM ord WHERE facet = ? AND value = ?').get(facet, value)
    return row ? Number(row['o']) : undefined
  }

  #position(facet: string): number {
    const position = this.facets.indexOf(facet)
    return position >= 0 ? position : this.facets.push(facet) - 1
  }
}

/** Counts facet values over several indices; counts of equal values are added. */
export function countFacets(
  parts: readonly MatchedPart[],
  dictionary: FacetDictionary,
  { ids, size }: { readonly ids?: readonly string[]; readonly size: number },
): Facet[] {
  const settings = parts.map(({ view }) => view.generation.settings)
  const counts = countValues(parts, dictionary.size)
  const { facetOf, values } = dictionary
  const numbersByFacet = Map.groupBy(
    counts.keys().filter((o) => (counts[o] ?? 0) > 0),
    (o) => facetOf[o] ?? -1,
  )
  const compare = (a: number, b: number) =>
    (counts[b] ?? 0) - (counts[a] ?? 0) || compareCodePoints(values[a] ?? '', values[b] ?? '')
  return facetDefinitions(settings, ids).map((facet) => {
    const numbers = Uint32Array.from(numbersByFacet.get(dictionary.facets.indexOf(facet.id)) ?? [])
    const top = firstOf(numbers, facet.bands ? Infinity : size, { compare })
    const items = Array.from(top, (o) => dictionary.item(o, counts[o] ?? 0))
    const allItems = facet.bands ? withBands(facet, items).toSorted(byCount) : items
    return { id: facet.id, title: facet.title, items: allItems }
  })
}

/** All values of a facet in an index, ids ascending; empty if the index has no such facet. */
export function allValues(
  view: GenerationView,
  dictionary: FacetDictionary,
  id: string,
): FacetItem[] {
  const facet = view.generation.settings.facets.find((definition) => definition.id === id)
  if (!facet) return []
  const position = dictionary.facets.indexOf(id)
  const items: FacetItem[] = []
  for (const [o, count] of view.facetCounts.entries()) {
    if (count === 0 || dictionary.facetOf[o] !== position) continue
    items.push(dictionary.item(o, count))
  }
  return withBands(facet, items).toSorted((a, b) => compareCodePoints(a.id, b.id))
}

function countValues(parts: readonly MatchedPart[], size: number): Uint32Array {
  const counts = new Uint32Array(size)
  for (const { view, set } of parts) {
    // A match set contains only live records: if it has as many, it contains all.
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
