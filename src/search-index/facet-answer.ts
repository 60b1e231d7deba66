/** Order of the facets of an answer, and bands of range facets such as quality scores, for both engines. */

import { compareCodePoints } from '../text/code-points.ts'
import type { FacetSettings, IndexSettings } from './index-settings.ts'
import type { FacetItem } from './search-index.ts'

/** Definitions of the facets of several indices in order of first appearance, or of those in `ids`, in that order. */
export function facetDefinitions(
  settings: readonly IndexSettings[],
  ids?: readonly string[],
): readonly FacetSettings[] {
  const definitions = new Map<string, FacetSettings>()
  for (const facet of settings.flatMap(({ facets }) => facets)) definitions.set(facet.id, facet)
  return ids ? ids.flatMap((id) => definitions.get(id) ?? []) : [...definitions.values()]
}

/** Comparison of facet values: highest count first, then by id. */
export const byCount = (
  a: Pick<FacetItem, 'id' | 'count'>,
  b: Pick<FacetItem, 'id' | 'count'>,
): number => b.count - a.count || compareCodePoints(a.id, b.id)

/**
 * Replaces the values of a range facet by all its bands, including those without records, with the titles of the settings. Values of
 * other facets are returned as they are.
 */
export function withBands(
  { bands }: FacetSettings,
  items: readonly FacetItem[],
): readonly FacetItem[] {
  if (!bands) return items
  return bands.map(({ id, title, from, to }) => {
    const count = items.find((item) => item.id === id)?.count ?? 0
    return { id, title, count, from, to }
  })
}
