/** The facets that the records of an index feed, each with what reads it. */

import type { IndexName } from '../../search-index/index-settings.ts'
import { allFacets, servedFacet } from '../facets.ts'
import { facetReader, type FacetReader } from '../indexing/facet-values.ts'
import type { BuilderDeps } from './deps.ts'

export type NamedReader = {
  readonly id: string
  readonly read: FacetReader
}

export const facetReaders = (
  { profile, facets }: Pick<BuilderDeps, 'profile' | 'facets'>,
  index: IndexName,
): readonly NamedReader[] =>
  allFacets(profile, facets).flatMap((facet): NamedReader[] => {
    const served = servedFacet(facet, index, profile)
    return served ? [{ id: facet.id, read: facetReader(served) }] : []
  })
