/** Facet counts over a match set: exact, one loop over the facet column. */

import { compareCodePoints } from '../../../text/code-points.ts'
import type { Facet, FacetItem } from '../../search-index.ts'
import type { Band, FacetSettings } from '../../settings.ts'
import { membersOf, sizeOf, type Bitmap } from '../columns/bitmap.ts'
import type { FacetDictionary } from '../columns/facet-dictionary.ts'
import type { View } from './view.ts'

export type Part = {
  readonly view: View
  readonly set: Bitmap
  /** What matched before it was filtered; absent = the same. */
  readonly all?: Bitmap
}

/** Facet definitions of several indices in order of first appearance; counts of the same facet add up. */
export function countFacets(
  parts: readonly Part[],
  dictionary: FacetDictionary,
  { ids, size }: { readonly ids?: readonly string[]; readonly size: number },
): Facet[] {
  const all = parts.flatMap((part) => part.view.generation.settings.facets)
  const definitions = [...new Map(all.map((facet) => [facet.id, facet])).values()]
  const wanted = ids
    ? ids.flatMap((id) => definitions.find((facet) => facet.id === id) ?? [])
    : definitions
  const counts = countValues(parts, dictionary.size)
  const tops = new Map(
    wanted.map((facet) => [
      dictionary.facets.indexOf(facet.id),
      new Top(facet.bands ? Infinity : size, dictionary.values),
    ]),
  )
  for (const [o, count] of counts.entries()) {
    if (count > 0) tops.get(dictionary.facetOf[o] ?? -1)?.offer(o, count)
  }
  return wanted.map((facet) => {
    const found = tops.get(dictionary.facets.indexOf(facet.id))?.kept ?? []
    const items = found.map(({ o, count }) => ({
      id: dictionary.values[o] ?? '',
      title: dictionary.titles[o] ?? '',
      count,
    }))
    return { id: facet.id, title: facet.title, items: withBands(facet, items) }
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
    items.push({ id: dictionary.values[o] ?? '', title: dictionary.titles[o] ?? '', count })
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

type Counted = { readonly o: number; readonly count: number }

/** The `size` values with the highest counts; equal counts by id. */
class Top {
  readonly kept: Counted[] = []
  readonly #size: number
  readonly #ids: readonly string[]

  constructor(size: number, ids: readonly string[]) {
    this.#size = size
    this.#ids = ids
  }

  offer(o: number, count: number): void {
    const { kept } = this
    const last = kept.at(-1)
    const full = kept.length >= this.#size
    if (full && (!last || count < last.count || this.#compare({ o, count }, last) > 0)) return
    if (full) kept.pop()
    let [low, high] = [0, kept.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      const other = kept[middle]
      if (other && this.#compare(other, { o, count }) <= 0) low = middle + 1
      else high = middle
    }
    kept.splice(low, 0, { o, count })
  }

  #compare(a: Counted, b: Counted): number {
    return b.count - a.count || compareCodePoints(this.#ids[a.o] ?? '', this.#ids[b.o] ?? '')
  }
}

/** A range facet shows all its bands, also those without records, under the titles of the settings. */
function withBands(facet: FacetSettings, items: readonly FacetItem[]): readonly FacetItem[] {
  if (!facet.bands) return items
  const item = ({ id, title, from, to }: Band): FacetItem => {
    const count = items.find((counted) => counted.id === id)?.count ?? 0
    return { id, title, count, from, to }
  }
  return facet.bands.map(item).sort((a, b) => b.count - a.count || compareCodePoints(a.id, b.id))
}
