/** Countries, continents, places and NUTS regions, and the one country that a set of places leads to. */

import { compareCodePoints } from '../../../text/code-points.ts'
import type { Term } from '@rdfjs/types'
import type { ConceptCache } from '../../concepts.ts'
import { schemes, type Concept } from '../../../vocabularies/concept.ts'
import type { JsonObject } from '../json.ts'
import { iriOf, settle, type Mapping, type Ranked, type Scene } from '../mapping.ts'
import { remembered } from './described.ts'

const authority =
  /^https?:\/\/publications\.europa\.eu\/resource\/authority\/(country|continent|place)\/([A-Z0-9_]+)\/?$/
const nuts = /^https?:\/\/data\.europa\.eu\/nuts\/code\/([A-Z]{2}[A-Z0-9]{0,3})\/?$/i

/** Codes that differ from ISO 3166-1 in one table or another. */
const special: Readonly<Record<string, string>> = {
  uk: 'gb',
  el: 'gr',
  '1a': 'xk',
  '1a0': 'xk',
  eur: 'eu',
}

const union = new Set([`${schemes.country}/EUR`, `${schemes.continent}/EUROPE`])

function codeOf(concept: Concept): string {
  if (union.has(concept.iri)) return 'eu'
  const { iso_31661_alpha2: alpha2 } = concept.extensions
  const code = (alpha2 ?? concept.id).toLowerCase()
  return concept.scheme === schemes.country ? (special[code] ?? code) : code
}

const fromConcept = remembered((concept): JsonObject => ({
  id: codeOf(concept),
  label: concept.label,
  resource: concept.iri,
}))

/** A place that is in no installed table still tells its code. */
function byPattern(iri: string): JsonObject | undefined {
  const code = nuts.exec(iri)?.[1] ?? placeCode(iri)
  return code === undefined ? undefined : { id: code.toLowerCase(), label: code, resource: iri }
}

function placeCode(iri: string): string | undefined {
  const [, table, code] = authority.exec(iri) ?? []
  return table === 'place' || table === 'continent' ? code : undefined
}

function placeOf(iri: string, concepts: ConceptCache): JsonObject {
  const concept = concepts.find(iri)
  if (!concept) return byPattern(iri) ?? { resource: iri }
  return concept.iri === iri ? fromConcept(concept) : { ...fromConcept(concept), resource: iri }
}

/** SpatialResource: `{id, label, resource}`; of an unknown place the IRI. Literals are not looked at. */
export const spatialResource: Mapping = (nodes, site, scene) => {
  const values: Ranked[] = []
  for (const node of nodes) {
    const iri = iriOf(node, scene)
    if (iri !== undefined) values.push({ key: iri, json: placeOf(iri, scene.concepts) })
  }
  return settle(values, site, scene)
}

function countryBehind(iri: string, concepts: ConceptCache): JsonObject | undefined {
  const region = nuts.exec(iri)?.[1]
  if (region !== undefined) {
    const letters = region.slice(0, 2).toLowerCase()
    const country = concepts.byAlpha2(schemes.country, special[letters] ?? letters)
    return country && fromConcept(country)
  }
  const [, table, code = ''] = authority.exec(iri) ?? []
  if (table === 'continent' && code !== 'EUROPE') return undefined
  const [three = ''] = code.split('_')
  const concept =
    table === 'place' ? concepts.byCode(schemes.country, three.slice(0, 3)) : concepts.find(iri)
  const isPlace = concept?.scheme === schemes.country || concept?.scheme === schemes.continent
  return concept && isPlace ? fromConcept(concept) : undefined
}

/** The countries that places lie in, by id, each once. */
export function countriesOf(nodes: readonly Term[], scene: Scene): readonly JsonObject[] {
  const found = new Map<string, JsonObject>()
  for (const node of nodes) {
    const iri = iriOf(node, scene)
    const country = iri === undefined ? undefined : countryBehind(iri, scene.concepts)
    const id = country?.['id']
    if (country && typeof id === 'string') found.set(id, country)
  }
  return [...found].sort(([a], [b]) => compareCodePoints(a, b)).map(([, country]) => country)
}
