/** Enrichment: values that name a concept of a configured vocabulary are filled from that concept. */

import type { Profile } from '../../profile/fields.ts'
import type { BuilderDeps } from '../building/deps.ts'
import { isObject, type Json, type JsonObject } from '../mappings/json.ts'
import type { Concept } from '../../vocabularies/concept.ts'
import { fieldsOfIndex, placesOf, type EnrichmentRule, type Place, type Use } from './places.ts'
import { shaped } from './targets.ts'

export type { EnrichmentRule } from './places.ts'

/** The indexed concept of a stored vocabulary, whatever the spelling of its IRI (http or https, slash at the end). */
export type Lookup = (vocabulary: string, iri: string) => Concept | undefined

type Hit = { readonly use: Use; readonly concept: Concept }

/** Only the IRI counts: an id alone may belong to anybody. */
function iriOf(value: Json): string | undefined {
  if (typeof value === 'string') return value
  const resource = isObject(value) ? value['resource'] : undefined
  return typeof resource === 'string' ? resource : undefined
}

function filled(value: Json, { use, concept }: Hit, language: string): Json {
  const before: JsonObject = isObject(value) ? value : {}
  const found: Record<string, Json> = {}
  for (const { target, kind, source } of use.fillings) {
    const taken = source(concept, language)
    const json = taken === undefined ? undefined : shaped(kind, taken, language)
    const kept = json ?? before[target]
    if (kept !== undefined) found[target] = kept
  }
  if (!use.isAgent) return { ...before, ...found }
  // An agent becomes what the vocabulary says of it; which one it is must stay visible.
  const { resource } = before
  return { type: 'Agent', ...(resource !== undefined && { resource }), ...found }
}

/** Makes the hook that changes a record before it is indexed. A record without a hit comes back as it is. */
export function enrichment(
  rules: readonly EnrichmentRule[],
  lookup: Lookup,
  profile: Profile,
): NonNullable<BuilderDeps['enrich']> {
  const hitOf = (value: Json, uses: readonly Use[]): Hit | undefined => {
    const iri = uses.length === 0 ? undefined : iriOf(value)
    if (iri === undefined) return undefined
    for (const use of uses) {
      const concept = lookup(use.vocabulary, iri)
      if (concept) return { use, concept }
    }
    return undefined
  }
  const enriched = (value: Json, place: Place, language: string): Json => {
    if (Array.isArray(value)) {
      const values: Json[] = value.map((one: Json) => enriched(one, place, language))
      return values.every((one, at) => one === value[at]) ? value : values
    }
    const deep = isObject(value) ? inside(value, place.below, language) : value
    const hit = hitOf(deep, place.uses)
    return hit ? filled(deep, hit, language) : deep
  }
  const inside = (record: JsonObject, places: readonly Place[], language: string): JsonObject => {
    let changed: Record<string, Json> | undefined
    for (const place of places) {
      const value = record[place.name]
      if (value === undefined) continue
      const next = enriched(value, place, language)
      if (next !== value) changed = { ...(changed ?? record), [place.name]: next }
    }
    return changed ?? record
  }

  const indices = [...new Set(rules.flatMap(({ documents }) => documents))]
  const places = new Map(
    indices.map((index) => {
      const meant = rules.filter(({ documents }) => documents.includes(index))
      return [index, placesOf(fieldsOfIndex(profile, index) ?? [], meant)]
    }),
  )
  return (record, index, language) => {
    const own = places.get(index)
    return own && own.length > 0 ? inside(record, own, language) : record
  }
}
