/** Mapping of countries, continents, places, NUTS regions and geometries, and of the countries that a set of places leads to. */

import type { Term } from '@rdfjs/types'
import { compareCodePoints } from '../../text/code-points.ts'
import type { JsonObject } from '../../text/json.ts'
import { conceptIri } from '../../vocabularies/authorities.ts'
import { countryOf as countryByName } from '../../vocabularies/coded-values.ts'
import { schemes } from '../../vocabularies/concept.ts'
import { meaningOf } from '../../vocabularies/described-values.ts'
import { geometryIn, looksLikeGeometry, unknownCrs } from '../../vocabularies/geometry-text.ts'
import { memoiseByConcept, textId, valueIri, valueLabel } from './concepts.ts'
import {
  eachValue,
  keyedBy,
  type Mapping,
  nodeIri,
  objectOf,
  valueText,
  valueTexts,
  predicateIris,
  type MappingContext,
} from './mapping.ts'

const authority =
  /^https?:\/\/publications\.europa\.eu\/resource\/authority\/(country|continent|place)\/([A-Z0-9_]+)\/?$/
/** Matches IRIs of NUTS regions (EU statistics); the code begins with two letters of the country. */
const nuts = /^https?:\/\/data\.europa\.eu\/nuts\/code\/([A-Z]{2}[A-Z0-9]{0,3})\/?$/i

/** Country ids by the codes that NUTS (`uk`, `el`) and the EU tables (Kosovo, Europe) use in place of ISO 3166-1. */
const codeAliases: Readonly<Record<string, string>> = {
  uk: 'gb',
  el: 'gr',
  '1a': 'xk',
  '1a0': 'xk',
  eur: 'eu',
}

/** Concepts that are shown with the id `eu`. */
const europeanUnion = new Set([`${schemes.country}/EUR`, `${schemes.continent}/EUROPE`])

/** Returns `{id, label, resource}` with the code of a country or another place in lower case; `eu` for the European Union. */
const fromConcept = memoiseByConcept(({ iri, id, label, scheme, extensions }): JsonObject => {
  const code = (extensions.iso_31661_alpha2 ?? id).toLowerCase()
  const countryCode = scheme === schemes.country ? (codeAliases[code] ?? code) : code
  return { id: europeanUnion.has(iri) ? 'eu' : countryCode, label, resource: iri }
})

/**
 * Returns a place; when no table has it, the code is read from the IRI, except for countries, whose ids have two letters and
 * IRIs three.
 */
function placeOf(iri: string, { concepts }: MappingContext): JsonObject {
  const concept = concepts.find(iri)
  if (concept) return { ...fromConcept(concept), resource: iri }
  const [, table, authorityCode] = authority.exec(iri) ?? []
  const code = nuts.exec(iri)?.[1] ?? (table === 'country' ? undefined : authorityCode)
  return code === undefined
    ? { resource: iri }
    : { id: code.toLowerCase(), label: code, resource: iri }
}

/** Matches NUTS codes that cannot be country codes. */
const nutsCode = /^[A-Z]{2}(?=[A-Z0-9]*\d)[A-Z0-9]{1,3}$/

/** Returns the IRI of the country, continent, region or place for one name of a value. */
function placeNamed(name: string, { concepts }: MappingContext): string | undefined {
  if (nuts.test(name) || authority.test(name)) return name
  if (nutsCode.test(name)) return `http://data.europa.eu/nuts/code/${name}`
  const tables = concepts.authorities
  return (
    countryByName(name, tables) ??
    conceptIri('continent', name, tables) ??
    conceptIri('place', name, tables)
  )
}

/** Returns the IRI of the place that a value is or represents. */
function placeIri(node: Term, context: MappingContext): string | undefined {
  const iri = nodeIri(node, context)
  if (iri !== undefined && context.concepts.find(iri)) return iri
  return isGeometryLiteral(node)
    ? undefined
    : meaningOf(node, context.graph, (name) => placeNamed(name, context))
}

/**
 * Tells whether a literal counts as a geometry, valid or not: it has a datatype other than a string's, or looks like one; such a
 * text is not a name.
 */
const isGeometryLiteral = (node: Term): boolean =>
  node.termType === 'Literal' &&
  (!/#(?:string|langString)$/.test(node.datatype.value) || looksLikeGeometry(node.value))

/** SpatialResource: `{id, label, resource}`; an unknown place has its name, its IRI or both. Geometries are ignored. */
export const spatialResource = eachValue((node, context) => {
  const place = placeIri(node, context)
  if (place !== undefined) return { key: place, json: placeOf(place, context) }
  if (isGeometryLiteral(node)) return undefined
  const text = valueLabel(node, context)
  const resource = valueIri(node, context)
  return keyedBy(
    objectOf({ ...(text && { id: textId(text), label: text }), resource }),
    'resource',
    'label',
  )
})

/** Returns the country of a country, region or place, or the entry `eu` for the continent Europe; `undefined` for others. */
function countryOf(iri: string, { concepts }: MappingContext): JsonObject | undefined {
  const letters = nuts.exec(iri)?.[1]?.slice(0, 2).toLowerCase()
  const [, table, code = ''] = authority.exec(iri) ?? []
  if (table === 'continent' && code !== 'EUROPE') return undefined
  const concept =
    letters !== undefined
      ? concepts.byAlpha2(schemes.country, codeAliases[letters] ?? letters)
      : table === 'place'
        ? concepts.byCode(schemes.country, code.slice(0, 3).replace(/_.*/, ''))
        : concepts.find(iri)
  const isCountryOrContinent =
    concept?.scheme === schemes.country || concept?.scheme === schemes.continent
  return concept && isCountryOrContinent ? fromConcept(concept) : undefined
}

/** Returns the countries of places, sorted by id, each once. */
export function countriesOf(
  nodes: readonly Term[],
  context: MappingContext,
): readonly JsonObject[] {
  const countries = nodes.flatMap((node): readonly JsonObject[] => {
    const iri = placeIri(node, context)
    const country = iri === undefined ? undefined : countryOf(iri, context)
    return country ? [country] : []
  })
  const byId = new Map(countries.map((country) => [valueText(country['id'] ?? ''), country]))
  return [...byId].sort(([a], [b]) => compareCodePoints(a, b)).map(([, country]) => country)
}

// Areas that a record covers, as GeoJSON geometries.

const properties = predicateIris('locn:geometry geosparql:hasGeometry dcat:bbox dcat:centroid')
const serialisations = predicateIris('geosparql:asWKT geosparql:asGeoJSON geosparql:asGML')

const [latitude = '', longitude = ''] = predicateIris('geo:lat geo:long')

/** Returns the point of a location with latitude and longitude (WGS84 Geo Positioning), as WKT. */
function pointOf(node: Term, context: MappingContext): readonly string[] {
  const [lat] = valueTexts(context, node, latitude)
  const [long] = valueTexts(context, node, longitude)
  return lat === undefined || long === undefined ? [] : [`POINT(${long} ${lat})`]
}

/** Returns the geometry texts of a location, by property and then by code point; without any, its point. */
function literalsOf(node: Term, context: MappingContext): readonly string[] {
  const { graph } = context
  if (node.termType === 'Literal') return [node.value]
  const literalsAt = (value: Term) =>
    value.termType === 'Literal'
      ? [value.value]
      : serialisations.flatMap((name) => graph.objects(value, name).map((literal) => literal.value))
  const geometryTexts = [...properties, ...serialisations].flatMap((property) =>
    graph.objects(node, property).flatMap(literalsAt).sort(compareCodePoints),
  )
  return geometryTexts.length > 0 ? geometryTexts : pointOf(node, context)
}

const geometries = eachValue((node, context, { path }) => {
  const literals = literalsOf(node, context)
  for (const literal of literals) {
    const geometry = geometryIn(literal)
    if (geometry) return { key: JSON.stringify(geometry), json: geometry }
  }
  const [first] = literals
  // Names are shown among the places.
  if (first === undefined || (node.termType === 'Literal' && !isGeometryLiteral(node)))
    return undefined
  const crs = unknownCrs(first)
  context.report(path, crs === undefined ? 'bad-geometry' : 'unknown-crs', crs ?? first)
  return undefined
})

/** Spatial: one geometry per location; an empty array (nothing for a single field) when no value has a valid one. */
export const spatial: Mapping = (nodes, field, context) =>
  geometries(nodes, field, context) ?? (field.profileField.single ? undefined : [])
