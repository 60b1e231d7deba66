/** The facet values of a record, read from its JSON. */

import type { FacetValue } from '../../search-index/search-index.ts'
import { isJsonObject, type Json, type JsonObject } from '../../text/json.ts'
import { valueText } from '../mappings/mapping.ts'
import type { FacetConfig } from './facets.ts'

/** What a facet may need beside the record itself. */
type FacetScene = {
  /** Default language of the record. */
  readonly language: string
  readonly nonCountries: ReadonlySet<string>
  /** The catalogue of a dataset. */
  readonly catalogue?: { readonly id: string; readonly title: string; readonly parent?: string }
  /** The platform id in the IRI of a catalogue. */
  readonly catalogueId: (iri: string) => string
}

type FacetReader = (record: JsonObject, scene: FacetScene) => readonly FacetValue[]

/** The values at a path; arrays on the way are walked through. */
function valuesAt(json: Json | undefined, path: readonly string[], at = 0): readonly Json[] {
  if (json === undefined) return []
  if (Array.isArray(json)) return json.flatMap((each: Json) => valuesAt(each, path, at))
  const name = path[at]
  if (name === undefined) return [json]
  return isJsonObject(json) ? valuesAt(json[name], path, at + 1) : []
}

/** One text of a text or a language map: English, else the default language, else the first. */
function oneOf(json: Json | undefined, language: string): string | undefined {
  const text = isJsonObject(json) ? (json['en'] ?? json[language] ?? Object.values(json)[0]) : json
  return text === undefined ? undefined : valueText(text)
}

function termOf(value: Json, term: string, language: string): string | undefined {
  if (!isJsonObject(value)) return term === '' ? valueText(value) : undefined
  const own = value[term]
  // A name in several languages is no term; the resource is one.
  if (isJsonObject(own)) return oneOf(value['resource'] ?? own[language] ?? own, language)
  return own === undefined ? undefined : valueText(own)
}

/** The first value of each id. */
function distinct(values: readonly FacetValue[]): readonly FacetValue[] {
  const seen = new Set<string>()
  return values.filter(({ id }) => !seen.has(id) && seen.add(id).size > 0)
}

/** Whether one of the record's countries is a country; `undefined` without any. */
export function hasCountry(record: JsonObject, scene: FacetScene, path = 'country') {
  const ids = valuesAt(record, [...path.split('.'), 'id'])
  if (ids.length === 0) return undefined
  return ids.some((id) => !scene.nonCountries.has(valueText(id)))
}

const scopes = {
  true: [{ id: 'countryData', title: 'Country data' }],
  false: [{ id: 'nonCountryData', title: 'Non-country data' }],
} as const

/** The reader of a facet, with its path taken apart once. */
export function facetReader(facet: FacetConfig): FacetReader {
  const { path, kind = 'values', bands = [], term = 'id', display = 'label' } = facet
  const steps = path.split('.')
  const readers: Readonly<Record<typeof kind, FacetReader>> = {
    values: (record, { language }) =>
      distinct(
        valuesAt(record, steps).flatMap((value): readonly FacetValue[] => {
          const id = termOf(value, term, language)
          if (id === undefined || id === '') return []
          const title = isJsonObject(value) ? oneOf(value[display], language) : undefined
          return [{ id, title: title ?? id }]
        }),
      ),
    scope: (record, scene) => {
      const isCountry = hasCountry(record, scene, path)
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
    vocabulary: () => [],
  }
  return readers[kind]
}
