/** The facet values of a record, read from its JSON. */

import type { FacetValue } from '../../search-index/search-index.ts'
import type { FacetConfig } from './facets.ts'
import { plainText } from '../mappings/mapping.ts'
import { isJsonObject, type Json, type JsonObject } from '../../text/json.ts'

/** What a facet may need beside the record itself. */
export type FacetScene = {
  /** Default language of the record. */
  readonly language: string
  readonly nonCountries: ReadonlySet<string>
  /** The catalogue of a dataset. */
  readonly catalogue?: { readonly id: string; readonly title: string; readonly parent?: string }
  /** The platform id in the IRI of a catalogue. */
  readonly catalogueId: (iri: string) => string
}

export type FacetReader = (record: JsonObject, scene: FacetScene) => readonly FacetValue[]

const none: readonly never[] = []

/** The values at a path; arrays on the way are walked through. */
function valuesAt(json: Json | undefined, path: readonly string[], at = 0): readonly Json[] {
  if (json === undefined) return none
  if (Array.isArray(json)) return json.flatMap((each: Json) => valuesAt(each, path, at))
  const name = path[at]
  if (name === undefined) return [json]
  return isJsonObject(json) ? valuesAt(json[name], path, at + 1) : none
}

/** One text of a text or a language map: English, else the default language, else the first. */
function oneOf(json: Json | undefined, language: string): string | undefined {
  if (!isJsonObject(json)) return json === undefined ? undefined : plainText(json)
  const text = json['en'] ?? json[language] ?? Object.values(json)[0]
  return text === undefined ? undefined : plainText(text)
}

function termOf(value: Json, term: string, language: string): string | undefined {
  if (!isJsonObject(value)) return term === '' ? plainText(value) : undefined
  const found = value[term]
  // A name in several languages is no term; the resource is one.
  if (isJsonObject(found)) return oneOf(value['resource'] ?? found[language] ?? found, language)
  return found === undefined ? undefined : plainText(found)
}

function distinct(values: readonly FacetValue[]): readonly FacetValue[] {
  if (values.length < 2) return values
  const seen = new Set<string>()
  return values.filter(({ id }) => !seen.has(id) && seen.add(id) !== undefined)
}

function plainValues({ path, term = 'id', display = 'label' }: FacetConfig): FacetReader {
  const steps = path.split('.')
  return (record, { language }) =>
    distinct(
      valuesAt(record, steps).flatMap((value): readonly FacetValue[] => {
        const id = termOf(value, term, language)
        if (id === undefined || id === '') return none
        const title = isJsonObject(value) ? oneOf(value[display], language) : undefined
        return [{ id, title: title ?? id }]
      }),
    )
}

/** Whether one of the record's countries is a country; `undefined` without any. */
export function hasCountry(record: JsonObject, scene: FacetScene, path = 'country') {
  const ids = valuesAt(record, [...path.split('.'), 'id'])
  if (ids.length === 0) return undefined
  return ids.some((id) => !scene.nonCountries.has(plainText(id)))
}

const scopes = {
  true: [{ id: 'countryData', title: 'Country data' }],
  false: [{ id: 'nonCountryData', title: 'Non-country data' }],
} as const

const readers: Readonly<
  Record<NonNullable<FacetConfig['kind']>, (facet: FacetConfig) => FacetReader>
> = {
  values: plainValues,
  scope: (facet) => (record, scene) => {
    const isCountry = hasCountry(record, scene, facet.path)
    return isCountry === undefined ? none : scopes[`${isCountry}`]
  },
  exists: ({ path }) => {
    const steps = path.split('.')
    const yes = [{ id: 'true', title: 'true' }]
    return (record) => (valuesAt(record, steps).length > 0 ? yes : none)
  },
  bands: ({ path, bands = [] }) => {
    const steps = path.split('.')
    return (record) =>
      valuesAt(record, steps).flatMap((value) =>
        bands
          .filter(({ from, to }) => typeof value === 'number' && value >= from && value <= to)
          .map(({ id, title }) => ({ id, title })),
      )
  },
  catalogue:
    () =>
    (_record, { catalogue }) =>
      catalogue ? [{ id: catalogue.id, title: catalogue.title }] : none,
  parent: ({ path }) => {
    const steps = path.split('.')
    return (record, { catalogue, catalogueId }) => {
      const iris = catalogue ? [catalogue.parent ?? ''] : valuesAt(record, steps).map(plainText)
      const ids = iris.filter((iri) => iri !== '').map(catalogueId)
      return distinct(ids.map((id) => ({ id, title: id })))
    }
  },
  vocabulary: () => () => none,
}

/** The reader of a facet, with its path taken apart once. */
export const facetReader = (facet: FacetConfig): FacetReader =>
  readers[facet.kind ?? 'values'](facet)
