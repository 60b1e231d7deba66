/** Builds the documents of the search index out of stored graphs, by the field tree of the profile. */

import { catalogueBuilder, catalogueReader, type CatalogueInput } from './building/catalogues.ts'
import {
  conceptBuilder,
  type ConceptPlace,
  type ConceptsInput,
} from './building/concept-documents.ts'
import { datasetBuilder, type DatasetInput } from './building/datasets.ts'
import type { BuilderDeps, Built } from './building/deps.ts'
import { resourceBuilder, type ResourceInput } from './building/resources.ts'
import type { Concept } from '../vocabularies/concept.ts'
import type { ResourceType } from '../profile/fields.ts'
import { defaultFacets, defaultNonCountries, type FacetConfig } from './facets.ts'

export type { Built } from './building/deps.ts'

export type DocumentDeps = Pick<BuilderDeps, 'profile' | 'concepts' | 'names' | 'enrich'> & {
  readonly facets?: readonly FacetConfig[]
  /** Values of `country.id` that are no countries; default `eu`, `io`. */
  readonly nonCountries?: readonly string[]
}

export type DocumentBuilder = {
  readonly dataset: (input: DatasetInput) => Built
  readonly catalogue: (input: CatalogueInput) => Built
  /** A record of a custom type. */
  readonly resource: (type: ResourceType, input: ResourceInput) => Built
  /** One document per concept that has a label; current concepts first, then by IRI. */
  readonly concepts: (input: ConceptsInput) => Built[]
  /** The document of one concept, for vocabularies that are read piece by piece. */
  readonly concept: (concept: Concept, at: ConceptPlace) => Built
}

/**
 * A builder of documents. A value that cannot be mapped is left out and reported; it keeps no document from being built.
 * Pass the same graph object for a catalogue as long as it does not change: what is read from it is remembered.
 */
export function documentBuilder(given: DocumentDeps): DocumentBuilder {
  const deps: BuilderDeps = {
    ...given,
    facets: given.facets ?? defaultFacets,
    nonCountries: new Set(given.nonCountries ?? defaultNonCountries),
  }
  const read = catalogueReader(deps)
  const { one, all } = conceptBuilder(deps)
  return {
    dataset: datasetBuilder(deps, read),
    catalogue: catalogueBuilder(deps, read),
    resource: resourceBuilder(deps, read),
    concepts: all,
    concept: one,
  }
}
