/** Facets of an answer of a server: values by their codes, with titles from the dictionary of facet values. */

import { byCount, facetDefinitions, withBands } from '../facet-answer.ts'
import type { IndexSettings } from '../index-settings.ts'
import type { Facet, FacetItem } from '../search-index.ts'
import { countLookups } from '../../workers/bounded-cache.ts'

/** Entry of the dictionary of facet values. */
export type FacetEntry = { readonly facet: string; readonly value: string; readonly title: string }

/** Looks up facet values by code; unknown codes are absent. */
export type FacetTitles = (
  codes: Iterable<string>,
  signal?: AbortSignal,
) => Promise<ReadonlyMap<string, FacetEntry>>

/** Most cached values, and most milliseconds that they are cached, because another process may write. */
const [mostCached, mostCachedMs] = [50_000, 2_000]

type TitleSource = {
  /** Reads stored values by code. */
  readonly read: (
    codes: readonly string[],
    signal?: AbortSignal,
  ) => Promise<Iterable<readonly [code: string, value: FacetEntry]>>
  /** Number of writes and changes of indices by this process. */
  readonly changes: () => number
  /** Milliseconds that never decrease. */
  readonly now: () => number
}

/** Makes a lookup of facet values with a cache, which is emptied after each write and after two seconds. */
export function facetTitles({ read, changes, now }: TitleSource): FacetTitles {
  let cache = new Map<string, FacetEntry>()
  let cacheState = { changes: -1, at: 0 }
  return async (codes, signal) => {
    const isOld = cacheState.changes !== changes() || now() - cacheState.at > mostCachedMs
    if (isOld || cache.size > mostCached) {
      // A lookup that is running adds its values to the old map.
      cache = new Map()
      cacheState = { changes: changes(), at: now() }
    }
    const values = cache
    const requested = new Set(codes)
    const unknown = [...requested].filter((code) => !values.has(code))
    countLookups('facet-values', requested.size - unknown.length, unknown.length)
    if (unknown.length > 0)
      for (const [code, value] of await read(unknown, signal)) values.set(code, value)
    return values
  }
}

/** Counts of the values of a facet by code. */
export type FacetCounts = ReadonlyMap<string, number>

/** Facets in order of first appearance, or of `ids`; `countsOf` adds the counts of equal values in all indices. */
export function facetsOfAnswer(
  settings: readonly IndexSettings[],
  countsOf: (facet: string) => FacetCounts,
  values: ReadonlyMap<string, FacetEntry>,
  { ids, size }: { readonly ids?: readonly string[]; readonly size: number },
): Facet[] {
  return facetDefinitions(settings, ids).map((facet) => {
    const items = withBands(facet, facetItems(countsOf(facet.id), values))
    const limit = facet.bands ? Infinity : size
    return { id: facet.id, title: facet.title, items: items.toSorted(byCount).slice(0, limit) }
  })
}

/** Values with titles and counts, without unknown codes and values without records. */
export const facetItems = (
  counts: FacetCounts,
  values: ReadonlyMap<string, FacetEntry>,
): FacetItem[] =>
  [...counts].flatMap(([code, count]) => {
    const entry = values.get(code)
    return entry && count > 0 ? [{ id: entry.value, title: entry.title, count }] : []
  })
