/** The facets of the search service: the default ones, and which of them a profile can serve. */

import type { Field, Profile } from '../profile/fields.ts'
import type { Band, IndexName } from '../indices/settings.ts'

/** One facet. Its id is the name under which requests filter by it. */
export type FacetConfig = {
  readonly id: string
  readonly title: string
  readonly indices: readonly IndexName[]
  /** Dotted path of the field without the key of the term. */
  readonly path: string
  /** Key of the value that is the term; '' = the value itself. Default `id`. */
  readonly term?: string
  /** Key of the value that is shown. Default `label`. */
  readonly display?: string
  /**
   * `values` the terms at the path (default); `scope` whether one of the countries is a country; `exists` whether there
   * is a value; `bands` the band of the number; `catalogue` the catalogue, shown by its title; `parent` the catalogue
   * around it; `vocabulary` the vocabulary of a concept.
   */
  readonly kind?: 'values' | 'scope' | 'exists' | 'bands' | 'catalogue' | 'parent' | 'vocabulary'
  readonly bands?: readonly Band[]
}

/** Ratings of the metadata quality by points. */
const scoringBands: readonly Band[] = [
  { id: 'excellentScoring', title: 'Excellent', from: 351, to: 405 },
  { id: 'goodScoring', title: 'Good', from: 221, to: 350 },
  { id: 'sufficientScoring', title: 'Sufficient', from: 121, to: 220 },
  { id: 'badScoring', title: 'Bad', from: 0, to: 120 },
]

const dataset = ['dataset'] as const
const both = ['dataset', 'catalogue'] as const

/** The default facets in the order of answers. */
export const defaultFacets: readonly FacetConfig[] = [
  { id: 'dataScope', title: 'Data scope', indices: dataset, path: 'country', kind: 'scope' },
  { id: 'is_hvd', title: 'High-value datasets', indices: dataset, path: 'is_hvd', term: '' },
  { id: 'hvdCategory', title: 'HVD categories', indices: dataset, path: 'hvd_category' },
  { id: 'country', title: 'Countries', indices: both, path: 'country' },
  { id: 'catalog', title: 'Catalogues', indices: dataset, path: 'catalog', kind: 'catalogue' },
  {
    id: 'superCatalog',
    title: 'Super catalogues',
    indices: both,
    path: 'is_part_of',
    kind: 'parent',
  },
  { id: 'categories', title: 'Categories', indices: dataset, path: 'categories' },
  { id: 'publisher', title: 'Publishers', indices: dataset, path: 'publisher', term: 'name' },
  { id: 'keywords', title: 'Keywords', indices: dataset, path: 'keywords' },
  {
    id: 'scoring',
    title: 'Metadata quality',
    indices: dataset,
    path: 'quality_meas.scoring',
    kind: 'bands',
    bands: scoringBands,
  },
  { id: 'format', title: 'Formats', indices: dataset, path: 'distributions.format' },
  { id: 'license', title: 'Licenses', indices: dataset, path: 'distributions.license' },
  { id: 'subject', title: 'Subjects', indices: dataset, path: 'subject' },
  {
    id: 'dataServices',
    title: 'Data services',
    indices: dataset,
    path: 'distributions.access_service',
    kind: 'exists',
  },
  {
    id: 'vocabulary',
    title: 'Vocabularies',
    indices: ['vocabulary'],
    path: '',
    kind: 'vocabulary',
  },
]

/** Country codes that stand for no country. */
export const defaultNonCountries: readonly string[] = ['eu', 'io']

function hasField(fields: readonly Field[], path: string): boolean {
  const [name, ...rest] = path.split('.')
  const field = fields.find((one) => one.name === name)
  if (!field) return false
  return (
    rest.length === 0 || field.mapping === 'Metrics' || hasField(field.children, rest.join('.'))
  )
}

/** Whether the fields of an index can feed a facet. */
export function isServed(facet: FacetConfig, index: IndexName, profile: Profile): boolean {
  if (!facet.indices.includes(index)) return false
  if (facet.kind === 'vocabulary') return index === 'vocabulary'
  const fields = index === 'vocabulary' ? profile.concept.fields : profile[index].fields
  if (facet.kind === 'parent' && index === 'dataset') return hasField(fields, 'catalog')
  return hasField(fields, facet.path)
}

/** Ids of facets that some index of theirs cannot feed, for the start-up log. */
export const unservedFacets = (
  profile: Profile,
  given: readonly FacetConfig[] = defaultFacets,
): readonly string[] =>
  given
    .filter((facet) => !facet.indices.every((index) => isServed(facet, index, profile)))
    .map(({ id }) => id)
