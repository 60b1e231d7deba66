/** The facets of the search service: the default ones, and which of them a profile can serve. */

import { Failure } from '../../errors.ts'
import type { Field, Profile, ResourceType } from '../../profile/profile.ts'
import { targetsOf } from '../../profile/record-schemas.ts'
import { mappingClasses, type FacetTerms } from '../mappings/classes.ts'
import type { Band, IndexName } from '../../search-index/index-settings.ts'

// What is said about one facet of the search service.

/** One facet. Its id is the name under which requests filter by it. */
export type FacetConfig = {
  readonly id: string
  readonly title: string
  readonly indices: readonly IndexName[]
  /** Dotted path of the field without the key of the term. */
  readonly path: string
  /** Key of the value that is the term; '' = the value itself. Default: what the class of the field says. */
  readonly term?: string
  /** Key of the value that is shown. Default: what the class of the field says. */
  readonly display?: string
  /**
   * `values` the terms at the path (default); `scope` whether one of the countries is a country; `exists` whether there
   * is a value; `bands` the band of the number; `catalogue` the catalogue, shown by its title; `parent` the catalogue
   * around it; `vocabulary` the vocabulary of a concept.
   */
  readonly kind?: 'values' | 'scope' | 'exists' | 'bands' | 'catalogue' | 'parent' | 'vocabulary'
  readonly bands?: readonly Band[]
  /** Not shown unless a request names it; it filters as any other. */
  readonly hidden?: boolean
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
  { id: 'is_hvd', title: 'High-value datasets', indices: dataset, path: 'is_hvd' },
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
  { id: 'publisher', title: 'Publishers', indices: dataset, path: 'publisher' },
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

/** The fields of the records of an index; none for a type that the profile does not have. */
function fieldsOfIndex(profile: Profile, index: IndexName): readonly Field[] {
  if (index === 'vocabulary') return profile.concept.fields
  if (index === 'dataset' || index === 'catalogue') return profile[index].fields
  return typeOf(profile, index)?.shape.fields ?? []
}

const typeOf = (profile: Profile, index: IndexName): ResourceType | undefined =>
  profile.resources.find(({ id }) => index === `resource_${id}`)

/**
 * The given facets, behind them those that custom types declare for themselves, and hidden the default ones that are not
 * among them: what is shown is a choice, what can be filtered by is not.
 */
export const allFacets = (
  profile: Profile,
  given: readonly FacetConfig[] = defaultFacets,
): readonly FacetConfig[] => {
  const own = profile.resources.flatMap(({ id, search }) =>
    search.facets.map(({ name, title, path }): FacetConfig => {
      const isCatalogue = path === 'catalog' || path === 'catalog.id'
      const place = isCatalogue ? { path: 'catalog', kind: 'catalogue' as const } : { path }
      return { id: name, title, indices: [`resource_${id}`], ...place }
    }),
  )
  const hidden = defaultFacets.map((facet) => {
    const shown = given.filter(({ id }) => id === facet.id).flatMap(({ indices }) => indices)
    const indices = facet.indices.filter((index) => !shown.includes(index))
    return { ...facet, indices, hidden: true }
  })
  return [...given, ...own, ...hidden]
}

/** The facet as the fields of an index feed it, with its term and title named; `undefined` when they cannot. */
export function servedFacet(
  facet: FacetConfig,
  index: IndexName,
  profile: Profile,
): FacetConfig | undefined {
  if (!facet.indices.includes(index)) return undefined
  if (facet.kind === 'vocabulary') return index === 'vocabulary' ? facet : undefined
  const fields = fieldsOfIndex(profile, index)
  const isInCatalogue = facet.kind === 'parent' && index === 'dataset'
  return withTerms(isInCatalogue ? { ...facet, path: 'catalog' } : facet, fields)
}

type UnservedFacet = {
  readonly id: string
  readonly index: IndexName
  readonly path: string
}

/** Facets that an index of theirs cannot feed, because the profile has no such field; for the start-up log. */
export const unservedFacets = (
  profile: Profile,
  given: readonly FacetConfig[] = defaultFacets,
): readonly UnservedFacet[] =>
  allFacets(profile, given)
    .filter(({ hidden }) => hidden !== true)
    .flatMap((facet) =>
      facet.indices
        .filter((index) => !servedFacet(facet, index, profile))
        .map((index) => ({ id: facet.id, index, path: facet.path })),
    )

/** `Failure` invalid-parameter for a facet of the configuration that no index of its own can serve; default ones may be left out. */
export function checkFacets(profile: Profile, given: readonly FacetConfig[] = defaultFacets): void {
  for (const [at, facet] of given.entries()) {
    if (defaultFacets.includes(facet)) continue
    if (facet.indices.some((index) => servedFacet(facet, index, profile))) continue
    const term = facet.term === undefined ? '' : `, or no term ${JSON.stringify(facet.term)} in it`
    const where = facet.indices.join(', ')
    throw new Failure(
      'invalid-parameter',
      `PLATFORM_SEARCH_CONFIG: facets.${at} (${facet.id}) cannot be served: the profile has no field ${facet.path}${term} (${where})`,
    )
  }
}

// Which key of a value a facet counts and which one it shows, by the class of its field.

const value: FacetTerms = { term: '', display: '' }

type Found = { readonly field: Field; readonly path: string; readonly rest: readonly string[] }

/** The field at a dotted path, and what of the path lies inside its value. */
function fieldAt(fields: readonly Field[], path: readonly string[]): Found | undefined {
  const [name, ...rest] = path
  const field = fields.find((one) => one.name === name)
  if (!field) return undefined
  const inner = rest.length > 0 ? fieldAt(field.children, rest) : undefined
  if (inner) return { ...inner, path: `${field.name}.${inner.path}` }
  return { field, path: field.name, rest }
}

/** Exact values were once asked for by a column of their own (`name.raw`). */
const column = 'raw'

/** The facet with path, term and title of the fields; `undefined` when there is no such field, or no such key in its values. */
function withTerms(facet: FacetConfig, fields: readonly Field[]): FacetConfig | undefined {
  const found = fieldAt(fields, facet.path.split('.'))
  if (!found) return undefined
  const { field, path, rest } = found
  if (field.mapping === 'Metrics') return facet
  const [key, ...more] = rest.filter((step) => step !== column)
  const known = mappingClasses[field.mapping].facet
  if (key === undefined) {
    return hasTerm(facet, field, known) ? { ...facet, path, ...termsOf(facet, known) } : undefined
  }
  if (more.length > 0 || field.mapping === 'Nested') return undefined
  if (key === known?.term) return { ...facet, path, ...known }
  return targetsOf(field.mapping).has(key)
    ? { ...facet, path: `${path}.${key}`, ...value }
    : undefined
}

const termsOf = ({ term, display }: FacetConfig, known: FacetTerms = value): FacetTerms => ({
  term: term ?? known.term,
  display: display ?? (term === undefined || term === known.term ? known.display : term),
})

/** Whether the values of the field have the key that the facet names as its term. */
function hasTerm(
  { term, kind = 'values' }: FacetConfig,
  field: Field,
  known?: FacetTerms,
): boolean {
  if (term === undefined || kind !== 'values') return true
  if (field.mapping === 'Nested') return field.children.some(({ name }) => name === term)
  if (!known) return term === ''
  return term === known.term || targetsOf(field.mapping).has(term)
}
