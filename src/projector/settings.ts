/** What the search engine is told about its indices, derived from the profile. */

import type { IndexName, IndexSettings } from '../indices/settings.ts'
import type { Profile, Shape } from '../profile/fields.ts'
import { defaultFacets, isServed, type FacetConfig } from './facets.ts'
import { columnsOf, flat, isDate, numberNames, orderNames } from './indexing/columns.ts'

/** Titles of the root weigh more than other texts. */
const titleBoost = 3

function textsOf(shape: Shape): IndexSettings['texts'] {
  const columns = flat(columnsOf(shape.fields)).filter(({ rule }) => rule.text)
  const texts = columns.map(({ path, rule, isRoot }) => {
    const isTitle = isRoot && rule.autocomplete === true
    return { name: path, boost: isTitle ? titleBoost : 1, autocomplete: isTitle }
  })
  return [{ name: 'id', boost: 1, autocomplete: false }, ...texts]
}

function facetsOf(index: IndexName, profile: Profile, facets: readonly FacetConfig[]) {
  return facets
    .filter((facet) => isServed(facet, index, profile))
    .map(({ id, title, bands }) => ({ id, title, ...(bands && { bands }) }))
}

const shapeOf = (index: IndexName, profile: Profile): Shape =>
  index === 'vocabulary' ? profile.concept : profile[index]

function settingsOf(
  index: IndexName,
  profile: Profile,
  facets: readonly FacetConfig[],
): IndexSettings {
  const shape = shapeOf(index, profile)
  const columns = flat(columnsOf(shape.fields))
  const has = (path: string) => columns.some((column) => column.path === path)
  const named = (column: string) =>
    columns.filter(({ rule, sortable }) => sortable && rule.column === column)
  return {
    index,
    texts: textsOf(shape),
    facets: facetsOf(index, profile, facets),
    dates: columns.filter(isDate).map(({ path }) => path),
    numbers: columns.flatMap(numberNames),
    flags: [
      ...(has('country') ? ['countryData'] : []),
      ...(has('distributions.access_service') ? ['dataServices'] : []),
      ...named('flag').map(({ path }) => path),
    ],
    boxes: columns.some(({ rule, isRoot }) => isRoot && rule.column === 'boxes'),
    orders: columns.flatMap(orderNames),
  }
}

/** Settings of the three indices; a facet that the profile cannot feed is left out (`unservedFacets` names it). */
export const indexSettings = (
  profile: Profile,
  facets: readonly FacetConfig[] = defaultFacets,
): IndexSettings[] =>
  (['dataset', 'catalogue', 'vocabulary'] as const).map((index) =>
    settingsOf(index, profile, facets),
  )
