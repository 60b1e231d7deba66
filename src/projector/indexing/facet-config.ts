/** What is said about one facet of the search service. */

import type { Band, IndexName } from '../../search-index/index-settings.ts'

/** One facet. Its id is the name under which requests filter by it. */
export type FacetConfig = {
  readonly id: string
  readonly title: string
  readonly indices: readonly IndexName[]
  /** Dotted path of the field without the key of the term. */
  readonly path: string
  /** Key of the value that is the term; '' = the value itself. Default: what the class of the field says. */
  readonly term?: string
  /** Key of the value that is shown. Default: what the class of the field says. */
  readonly display?: string
  /**
   * `values` the terms at the path (default); `scope` whether one of the countries is a country; `exists` whether there
   * is a value; `bands` the band of the number; `catalogue` the catalogue, shown by its title; `parent` the catalogue
   * around it; `vocabulary` the vocabulary of a concept.
   */
  readonly kind?: 'values' | 'scope' | 'exists' | 'bands' | 'catalogue' | 'parent' | 'vocabulary'
  readonly bands?: readonly Band[]
  /** Not shown unless a request names it; it filters as any other. */
  readonly hidden?: boolean
}
