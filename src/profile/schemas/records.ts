/** JSON Schemas of the records that the search service answers with, made from the compiled profile. */

import type { MappingClass, Profile } from '../fields.ts'

/** A schema of JSON Schema 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>

export type RecordSchemas = {
  /** Component of each root: `dataset`, `catalogue`, `concept` and `resource_<id>`. */
  readonly roots: ReadonlyMap<string, string>
  readonly components: Readonly<Record<string, JsonSchema>>
}

export function recordSchemas(profile: Profile): RecordSchemas {
  const roots = new Map([
    ['dataset', 'Dataset'],
    ['catalogue', 'Catalogue'],
    ['concept', 'Concept'],
    ...profile.resources.map(({ id }): [string, string] => [`resource_${id}`, `Resource_${id}`]),
  ])
  const components = Object.fromEntries(
    [...roots.values()].map((name) => [name, { type: 'object' }]),
  )
  return { roots, components }
}

/** Keys of the JSON that a mapping class makes; none where it makes no object. */
export function targetsOf(mapping: MappingClass): ReadonlySet<string> {
  return new Set(mapping === 'Agent' ? ['type', 'name', 'email', 'homepage', 'resource'] : [])
}
