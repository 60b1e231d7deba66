/** Settings of the search indices, derived from the profile. */

import { hash } from 'node:crypto'
import type { FacetSettings, IndexName, IndexSettings } from '../../search-index/index-settings.ts'
import type { Profile, Shape } from '../../profile/profile.ts'
import { allFacets, defaultFacets, type FacetConfig, servedFacet, indexedShape } from './facets.ts'
import {
  fieldColumns,
  flattenColumns,
  holdsDates,
  numberNames,
  orderNames,
} from './index-fields.ts'

/**
 * Version of the mapping code. Increase it when the code makes other documents from the same record and profile; every index is
 * then rebuilt.
 */
const mappingNumber = 6

/** Weights of search fields: titles and keywords of the record itself count more than other texts. */
const boosts = { title: 3, keywords: 2, others: 1 } as const

function textsOf(shape: Shape): IndexSettings['texts'] {
  const columns = flattenColumns(fieldColumns(shape.fields)).filter(({ rule }) => rule.text)
  const keywords = shape.fields.filter(({ mapping }) => mapping === 'Keywords')
  const isKeywords = (path: string) => keywords.some(({ name }) => name === path)
  const texts = columns.map(({ path, rule, isRoot }) => {
    const isTitle = isRoot && rule.autocomplete === true
    const kind = isTitle ? 'title' : isKeywords(path) ? 'keywords' : 'others'
    return { name: path, boost: boosts[kind], autocomplete: isTitle }
  })
  return [{ name: 'id', boost: boosts.others, autocomplete: false }, ...texts]
}

type Source = {
  readonly profile: Profile
  readonly facets: readonly FacetConfig[]
  /** Other settings that change documents: rules of enrichment, and others that differ from their default. */
  readonly rules: readonly unknown[]
}

const servedFacets = ({ profile, facets }: Source, index: IndexName) =>
  facets.flatMap((facet) => servedFacet(facet, index, profile) ?? [])

const partsField = 'distributions'

/** Returns the location of the values of a facet inside distributions; `undefined` for facets of other objects. */
function partPathOf({ path, term, kind = 'values' }: FacetConfig): FacetSettings['within'] {
  if (kind !== 'values' || !path.startsWith(`${partsField}.`)) return undefined
  const innerPath = path.slice(partsField.length + 1)
  return { array: partsField, value: term ? `${innerPath}.${term}` : innerPath }
}

/** Returns the shapes whose fields are in the documents of an index, its own first; datasets embed their catalogue. */
function shapesOf(index: IndexName, profile: Profile): readonly [Shape, ...Shape[]] {
  const shape = indexedShape(profile, index)
  if (!shape) throw new Error(`the profile has no index ${index}`)
  const isInCatalogue = profile.resources.some(
    ({ id, inCatalogue }) => inCatalogue && index === `resource_${id}`,
  )
  return index === 'dataset' || isInCatalogue ? [shape, profile.catalogue] : [shape]
}

/** Keys that change no document: descriptions are for readers, and titles of facets are not indexed. */
const ignoredKeys = new Set(['description', 'title'])

/**
 * Returns a hash of everything that the documents of an index depend on, besides records; when it changes, the index is rebuilt.
 */
function basisOf(index: IndexName, source: Source): string {
  const shapes = shapesOf(index, source.profile).map(({ fields }) => fields)
  const rules = index === 'vocabulary' ? [] : source.rules
  const text = JSON.stringify(
    [mappingNumber, shapes, servedFacets(source, index), rules],
    (key, value: unknown) => (ignoredKeys.has(key) ? undefined : value),
  )
  return hash('sha256', text, 'hex')
}

function settingsOf(index: IndexName, source: Source): IndexSettings {
  const [shape] = shapesOf(index, source.profile)
  const columns = flattenColumns(fieldColumns(shape.fields))
  const hasColumn = (path: string) => columns.some((column) => column.path === path)
  const columnsOfKind = (column: string) =>
    columns.filter(({ rule, sortable }) => sortable && rule.column === column)
  return {
    index,
    basis: basisOf(index, source),
    texts: textsOf(shape),
    facets: servedFacets(source, index).map((facet) => {
      const { id, title, bands, hidden } = facet
      const within = partPathOf(facet)
      const optional = { ...(bands && { bands }), ...(hidden && { hidden }) }
      return { id, title, ...optional, ...(within && { within }) }
    }),
    dates: columns.filter(holdsDates).map(({ path }) => path),
    numbers: [...columns.flatMap(numberNames), ...(index === 'vocabulary' ? ['resource'] : [])],
    flags: [
      ...(hasColumn('country') ? ['countryData'] : []),
      ...(hasColumn('distributions.access_service') ? ['dataServices'] : []),
      ...columnsOfKind('flag').map(({ path }) => path),
    ],
    boxes: columns.some(({ rule, isRoot }) => isRoot && rule.column === 'boxes'),
    orders: columns.flatMap(orderNames),
  }
}

/** Lists the indices of a profile: the three of every profile, and one per declared type. */
export const indexNames = ({ resources }: Pick<Profile, 'resources'>): readonly IndexName[] => [
  'dataset',
  'catalogue',
  'vocabulary',
  ...resources.map(({ id }): IndexName => `resource_${id}`),
]

/**
 * Creates the settings of all indices. Facets that the profile cannot serve are left out (see `unservedFacets`). `rules` are the
 * rules of enrichment and other settings that documents depend on, so a change rebuilds the indices except `vocabulary`.
 */
export function indexSettings(
  profile: Profile,
  facets: readonly FacetConfig[] = defaultFacets,
  rules: readonly unknown[] = [],
): IndexSettings[] {
  const source = { profile, facets: allFacets(profile, facets), rules }
  return indexNames(profile).map((index) => settingsOf(index, source))
}
