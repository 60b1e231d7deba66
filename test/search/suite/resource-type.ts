/** A type of resources as a profile adds it. */

import type { ResourceType } from '../../../src/profile/profile.ts'

/** The type with an id; its searches reach `window` hits. */
export const typeOf = (id: string, window: number): ResourceType => ({
  id,
  name: id,
  description: '',
  path: 'types.ttl',
  shapeUri: `http://example.org/shapes#${id}`,
  typeUri: `http://example.org/${id}`,
  inCatalogue: false,
  shape: { iri: '', targetClass: '', name: id, description: '', fields: [] },
  search: { facetSize: 1, window, facets: [] },
})
