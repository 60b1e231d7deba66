/** Facets of the search service: the default facets, the facets that a profile can serve, and the values of a record for them. */

import { Failure } from '../../errors.ts'
import type { Field, Profile, Shape } from '../../profile/profile.ts'
import { valueKeysOf } from '../../profile/record-schemas.ts'
import { mappingClasses, type FacetTerms } from '../mappings/classes.ts'
import type { Band, IndexName } from '../../search-index/index-settings.ts'
import type { FacetValue } from '../../search-index/search-index.ts'
import { shortText } from '../../text/code-points.ts'
import { isJsonObject, type Json, type JsonObject } from '../../text/json.ts'
import { valueText } from '../mappings/mapping.ts'

// Configuration of facets.

/** Facet of the search service. Its id is the name of the request parameter that filters by it. */
export type FacetConfig = {
  readonly id: string
  readonly title: string
  readonly indices: readonly IndexName[]
  /** Dotted path of the field; the key of the term in its value may follow. */
  readonly path: string
  /** Key of the value that is the term; '' = the value itself. Default: given by the mapping class. */
  readonly term?: string
  /** Key of the value that is shown. Default: given by the mapping class. */
  readonly display?: string
  /**
   * `values`: terms at the path (default); `scope`: whether one of the countries is a country; `exists`: whether there is a
   * value; `bands`: band of the number; `catalogue`: the catalogue, shown by its title; `parent`: the catalogue above it;
   * `vocabulary`: the vocabulary of a concept.
   */
  readonly kind?: 'values' | 'scope' | 'exists' | 'bands' | 'catalogue' | 'parent' | 'vocabulary'
  readonly bands?: readonly Band[]
  /** Included in answers only when a request names it; filters work as for other facets. */
  readonly hidden?: boolean
}

/** Quality ratings by points. */
const scoringBands: readonly Band[] = [
  { id: 'excellentScoring', title: 'Excellent', from: 351, to: 405 },
  { id: 'goodScoring', title: 'Good', from: 221, to: 350 },
  { id: 'sufficientScoring', title: 'Sufficient', from: 121, to: 220 },
  { id: 'badScoring', title: 'Bad', from: 0, to: 120 },
]

const facet = (
  id: string,
  title: string,
  path: string,
  options: Partial<FacetConfig> = {},
): FacetConfig => ({ id, title, indices: ['dataset'], path, ...options })

const datasetsAndCatalogues = ['dataset', 'catalogue'] as const

/** Default facets in the order of answers. */
export const defaultFacets: readonly FacetConfig[] = [
  facet('dataScope', 'Data scope', 'country', { kind: 'scope' }),
  facet('is_hvd', 'High-value datasets', 'is_hvd'),
  facet('hvdCategory', 'HVD categories', 'hvd_category'),
  facet('country', 'Countries', 'country', { indices: datasetsAndCatalogues }),
  facet('catalog', 'Catalogues', 'catalog', { kind: 'catalogue' }),
  facet('superCatalog', 'Super catalogues', 'is_part_of', {
    indices: datasetsAndCatalogues,
    kind: 'parent',
  }),
  facet('categories', 'Categories', 'categories'),
  facet('publisher', 'Publishers', 'publisher'),
  facet('keywords', 'Keywords', 'keywords'),
  facet('scoring', 'Metadata quality', 'quality_meas.scoring', {
    kind: 'bands',
    bands: scoringBands,
  }),
  facet('format', 'Formats', 'distributions.format'),
  facet('license', 'Licenses', 'distributions.license'),
  facet('subject', 'Subjects', 'subject'),
  facet('spatial', 'Places', 'spatial_resource', {
    term: 'resource',
    display: 'label',
    hidden: true,
  }),
  facet('dataServices', 'Data services', 'distributions.access_service', { kind: 'exists' }),
  facet('vocabulary', 'Vocabularies', '', { indices: ['vocabulary'], kind: 'vocabulary' }),
]

/** Values of `country.id` that are not countries. */
export const defaultNonCountries: readonly string[] = ['eu', 'io']

/** Returns the shape of the records of an index; `undefined` when the profile has no such index. */
export function indexedShape(profile: Profile, index: string): Shape | undefined {
  if (index === 'vocabulary') return profile.concept
  if (index === 'dataset' || index === 'catalogue') return profile[index]
  return profile.resources.find(({ id }) => index === `resource_${id}`)?.shape
}

/**
 * Combines the configured facets, the facets that declared types add, and the remaining default facets as hidden ones:
 * configuration chooses which facets are shown, not which filters work.
 */
export const allFacets = (
  profile: Profile,
  configured: readonly FacetConfig[] = defaultFacets,
): readonly FacetConfig[] => {
  const typeFacets = profile.resources.flatMap(({ id, search }) =>
    search.facets.map(({ name, title, path }): FacetConfig => {
      const isCatalogue = path === 'catalog' || path === 'catalog.id'
      const location = isCatalogue ? { path: 'catalog', kind: 'catalogue' as const } : { path }
      return { id: name, title, indices: [`resource_${id}`], ...location }
    }),
  )
  const hidden = defaultFacets.map((facet) => {
    const configuredIndices = configured
      .filter(({ id }) => id === facet.id)
      .flatMap(({ indices }) => indices)
    const indices = facet.indices.filter((index) => !configuredIndices.includes(index))
    return { ...facet, indices, hidden: true }
  })
  return [...configured, ...typeFacets, ...hidden]
}

/**
 * Returns a facet with path, term and display resolved for an index; `undefined` when the fields of the index cannot serve it.
 */
export function servedFacet(
  facet: FacetConfig,
  index: IndexName,
  profile: Profile,
): FacetConfig | undefined {
  if (!facet.indices.includes(index)) return undefined
  if (facet.kind === 'vocabulary') return index === 'vocabulary' ? facet : undefined
  const fields = indexedShape(profile, index)?.fields ?? []
  const isInCatalogue = facet.kind === 'parent' && index === 'dataset'
  return withTerms(isInCatalogue ? { ...facet, path: 'catalog' } : facet, fields)
}

/**
 * Lists facets that one of their indices cannot serve because the profile lacks the field or the term; for the start-up log and
 * `cartulary profile`.
 */
export const unservedFacets = (
  profile: Profile,
  configured: readonly FacetConfig[] = defaultFacets,
) =>
  allFacets(profile, configured)
    .filter(({ hidden }) => hidden !== true)
    .flatMap((facet) =>
      facet.indices
        .filter((index) => !servedFacet(facet, index, profile))
        .map((index) => ({ id: facet.id, index, path: facet.path })),
    )

/** Throws `invalid-parameter` for a configured facet that none of its indices can serve. Default facets may be left out. */
export function checkFacets(
  profile: Profile,
  configured: readonly FacetConfig[] = defaultFacets,
): void {
  for (const [position, facet] of configured.entries()) {
    if (defaultFacets.includes(facet)) continue
    if (facet.indices.some((index) => servedFacet(facet, index, profile))) continue
    const term = facet.term === undefined ? '' : `, or no term ${JSON.stringify(facet.term)} in it`
    const where = facet.indices.join(', ')
    throw new Failure(
      'invalid-parameter',
      `PLATFORM_SEARCH_CONFIG: facets.${position} (${facet.id}) cannot be served: the profile has no field ${facet.path}${term} (${where})`,
    )
  }
}

// Keys that a facet counts and shows, by the mapping class of its field.

/** Terms of a plain value: the value itself. */
const plainTerms: FacetTerms = { term: '', display: '' }

type FieldLocation = {
  readonly field: Field
  readonly path: string
  readonly innerPath: readonly string[]
}

/** Finds the field at a dotted path, and the rest of the path inside its value. */
function fieldAt(
  fields: readonly Field[],
  [name, ...innerPath]: readonly string[],
  inside = '',
): FieldLocation | undefined {
  const field = fields.find((candidate) => candidate.name === name)
  const path = `${inside}${name}`
  return field && (fieldAt(field.children, innerPath, `${path}.`) ?? { field, path, innerPath })
}

/**
 * Returns a facet with path, term and display resolved; `undefined` when there is no such field, or no such key in its values.
 */
function withTerms(facet: FacetConfig, fields: readonly Field[]): FacetConfig | undefined {
  const located = fieldAt(fields, facet.path.split('.'))
  if (!located) return undefined
  const { field, path, innerPath } = located
  if (field.mapping === 'Metrics') return facet
  // Older clients use a separate column for exact values (`name.raw`).
  const [key, ...deeper] = innerPath.filter((step) => step !== 'raw')
  const defaults = mappingClasses[field.mapping].facet
  const { term = (defaults ?? plainTerms).term, kind = 'values' } = facet
  if (key === undefined) {
    const hasTerm =
      facet.term === undefined ||
      kind !== 'values' ||
      (field.mapping === 'Nested'
        ? field.children.some(({ name }) => name === term)
        : defaults
          ? term === defaults.term || valueKeysOf(field.mapping).has(term)
          : term === '')
    const display =
      facet.display ??
      (term === (defaults ?? plainTerms).term ? (defaults ?? plainTerms).display : term)
    return hasTerm ? { ...facet, path, term, display } : undefined
  }
  if (deeper.length > 0 || field.mapping === 'Nested') return undefined
  if (key === defaults?.term) return { ...facet, path, ...defaults }
  return valueKeysOf(field.mapping).has(key)
    ? { ...facet, path: `${path}.${key}`, ...plainTerms }
    : undefined
}

// Values of a record, read from its JSON.

/** Facts that a facet may need besides the record. */
type FacetContext = {
  /** Default language of the record. */
  readonly language: string
  readonly nonCountries: ReadonlySet<string>
  /** Catalogue of the record; `parent` is the IRI of the catalogue above it. Absent for a catalogue and for a record in none. */
  readonly catalogue?: { readonly id: string; readonly title: string; readonly parent?: string }
  /** Returns the platform id in the IRI of a catalogue, or the last segment of a foreign one. */
  readonly catalogueId: (iri: string) => string
}

type FacetReader = (record: JsonObject, context: FacetContext) => readonly FacetValue[]

/** Returns the values at a path; arrays on the way are flattened. */
function valuesAt(json: Json | undefined, path: readonly string[], depth = 0): readonly Json[] {
  if (json === undefined) return []
  if (Array.isArray(json)) return json.flatMap((each: Json) => valuesAt(each, path, depth))
  const name = path[depth]
  if (name === undefined) return [json]
  return isJsonObject(json) ? valuesAt(json[name], path, depth + 1) : []
}

/** Returns one text of a text or a language map: English, else the default language, else the first. */
function chooseText(json: Json | undefined, language: string): string | undefined {
  const text = isJsonObject(json) ? (json['en'] ?? json[language] ?? Object.values(json)[0]) : json
  return text === undefined ? undefined : valueText(text)
}

function termOf(value: Json, term: string, language: string): string | undefined {
  if (!isJsonObject(value)) return term === '' ? valueText(value) : undefined
  const termValue = value[term]
  // A name in several languages cannot be a term; the IRI can.
  if (isJsonObject(termValue))
    return chooseText(value['resource'] ?? termValue[language] ?? termValue, language)
  return termValue === undefined ? undefined : valueText(termValue)
}

/** Keeps the first value of each id. */
function distinct(values: readonly FacetValue[]): readonly FacetValue[] {
  const ids = new Set<string>()
  return values.filter(({ id }) => !ids.has(id) && ids.add(id).size > 0)
}

/** Tells whether one of the record's countries is a country; `undefined` without any. */
export function hasCountry(record: JsonObject, context: FacetContext, path = 'country') {
  const ids = valuesAt(record, [...path.split('.'), 'id'])
  if (ids.length === 0) return undefined
  return ids.some((id) => !context.nonCountries.has(valueText(id)))
}

const scopes = {
  true: [{ id: 'countryData', title: 'Country data' }],
  false: [{ id: 'nonCountryData', title: 'Non-country data' }],
} as const

/** Creates the reader of a facet; the path is parsed once. */
export function facetReader(facet: FacetConfig): FacetReader {
  const { path, kind = 'values', bands = [], term = 'id', display = 'label' } = facet
  const steps = path.split('.')
  const readers: Readonly<Record<typeof kind, FacetReader>> = {
    values: (record, { language }) =>
      distinct(
        valuesAt(record, steps).flatMap((value): readonly FacetValue[] => {
          // A text without a code is counted by the text, an unknown resource by its IRI.
          const [id] = [term, display, 'resource'].flatMap(
            (key) => termOf(value, key, language) || [],
          )
          if (id === undefined) return []
          const title = isJsonObject(value) ? chooseText(value[display], language) : undefined
          return [{ id, title: shortText(title ?? id) }]
        }),
      ),
    scope: (record, context) => {
      const isCountry = hasCountry(record, context, path)
      return isCountry === undefined ? [] : scopes[`${isCountry}`]
    },
    exists: (record) => (valuesAt(record, steps).length > 0 ? [{ id: 'true', title: 'true' }] : []),
    bands: (record) =>
      valuesAt(record, steps).flatMap((value) =>
        bands
          .filter(({ from, to }) => typeof value === 'number' && value >= from && value <= to)
          .map(({ id, title }) => ({ id, title })),
      ),
    catalogue: (_record, { catalogue }) =>
      catalogue ? [{ id: catalogue.id, title: catalogue.title }] : [],
    parent: (record, { catalogue, catalogueId }) => {
      const iris = catalogue ? [catalogue.parent ?? ''] : valuesAt(record, steps).map(valueText)
      const ids = iris.filter((iri) => iri !== '').map(catalogueId)
      return distinct(ids.map((id) => ({ id, title: id })))
    },
    // The builder of concepts adds this value itself.
    vocabulary: () => [],
  }
  return readers[kind]
}
