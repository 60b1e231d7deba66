/** What all builders of documents work with. */

import type { Document } from '../../search-index/search-index.ts'
import type { Profile } from '../../profile/fields.ts'
import type { Names } from '../../rdf/names.ts'
import type { ConceptCache } from '../concepts.ts'
import type { FacetConfig } from '../facets.ts'
import type { JsonObject } from '../mappings/json.ts'
import type { Report } from '../mappings/mapping.ts'

/** A document and what did not get into it. */
export type Built = { readonly document: Document; readonly reports: readonly Report[] }

export type BuilderDeps = {
  readonly profile: Profile
  readonly concepts: ConceptCache
  readonly names: Names
  readonly facets: readonly FacetConfig[]
  /** Values of `country.id` that are no countries. */
  readonly nonCountries: ReadonlySet<string>
  /** Changes the JSON of a record before it is indexed (vocabulary enrichment); `language` is the record's default one. */
  readonly enrich?: (record: JsonObject, index: Document['index'], language: string) => JsonObject
}
