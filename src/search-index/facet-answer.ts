/** Facets of an answer, on every engine. */

import { compareCodePoints } from '../text/code-points.ts'
import type { FacetSettings, IndexSettings } from './index-settings.ts'
import type { FacetItem } from './search-index.ts'

/** The facets of several indices in order of first appearance, or those that are named, in the order of their names. */
export function facetDefinitions(
  all: readonly IndexSettings[],
  ids?: readonly string[],
): readonly FacetSettings[] {
  const definitions = new Map<string, FacetSettings>()
  for (const facet of all.flatMap(({ facets }) => facets)) definitions.set(facet.id, facet)
  return ids ? ids.flatMap((id) => definitions.get(id) ?? []) : [...definitions.values()]
}

/** The highest count first; equal counts by id. */
export const byCount = (
  a: Pick<FacetItem, 'id' | 'count'>,
  b: Pick<FacetItem, 'id' | 'count'>,
): number => b.count - a.count || compareCodePoints(a.id, b.id)

/** A range facet shows all its bands, also those without records, under the titles of the settings. */
export function withBands(
  { bands }: FacetSettings,
  items: readonly FacetItem[],
): readonly FacetItem[] {
  if (!bands) return items
  return bands.map(({ id, title, from, to }) => {
    const count = items.find((counted) => counted.id === id)?.count ?? 0
    return { id, title, count, from, to }
  })
}
