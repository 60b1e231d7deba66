/** Which facets an answer counts, and the form in which they are shown. */

import type { Facet, FacetItem, SearchRequest } from '../../search-index/search-index.ts'
import type { Band, IndexSettings } from '../../search-index/index-settings.ts'
import type { Parameters } from './search-parameters.ts'

/** The facets to count in the order of the settings; `undefined` when none are asked for. */
export function aggregationOf(
  parameters: Parameters,
  settings: readonly IndexSettings[],
  size: number,
): SearchRequest['facets'] {
  if (parameters.aggregation === false || parameters.countOnly === true) return undefined
  const global = parameters.globalAggregation === true
  const shown = settings.flatMap(({ facets }) => facets.filter(({ hidden }) => hidden !== true))
  const everything = parameters.aggregationAllFields !== false
  const all = facetsOf(settings)
  const wanted = new Set(everything ? shown.map(({ id }) => id) : parameters.aggregationFields)
  if (everything && wanted.size === all.length) return { size, global }
  const ids = all.flatMap(({ id }) => (wanted.has(id) ? [id] : []))
  return ids.length === 0 ? undefined : { ids, size, global }
}

/** Every band of a range facet stands in the answer with its bounds, those without records too. */
export function allBands(
  facets: readonly Facet[],
  settings: readonly IndexSettings[],
): readonly Facet[] {
  const bands = new Map(facetsOf(settings).map(({ id, bands }) => [id, bands]))
  return facets.map((facet) => {
    const own = bands.get(facet.id)
    return own === undefined ? facet : { ...facet, items: bandItems(own, facet.items) }
  })
}

function bandItems(bands: readonly Band[], items: readonly FacetItem[]): readonly FacetItem[] {
  const counts = new Map(items.map(({ id, count }) => [id, count]))
  return bands
    .map(({ id, title, from, to }) => ({ id, title, count: counts.get(id) ?? 0, from, to }))
    .sort((a, b) => b.count - a.count || (a.id < b.id ? -1 : 1))
}

/** Definitions of all indices, each id once, in order of first appearance. */
function facetsOf(settings: readonly IndexSettings[]) {
  const all = settings.flatMap(({ facets }) => facets)
  return all.filter(({ id }, n) => all.findIndex((other) => other.id === id) === n)
}
