/** Settings of an index. The projector makes them from the profile and configures the engine with them before it writes documents. */

import { hash } from 'node:crypto'
import { icuVersion, tokeniserNumber } from '../text/tokens.ts'

/** Name of an index: those of the platform, and one for each type of resource that the profile declares (`resource_{type}`). */
export type IndexName = 'dataset' | 'catalogue' | 'vocabulary' | `resource_${string}`

/** Band of a range facet. Documents have its id as an ordinary facet value. */
export type Band = {
  readonly id: string
  readonly title: string
  readonly from: number
  readonly to: number
}

/** Facet of an index. */
export type FacetSettings = {
  readonly id: string
  readonly title: string
  /** Bands of a range facet; answers contain all of them, including those with count 0. */
  readonly bands?: readonly Band[]
  /** Whether it is counted only for requests that name it. Filters can use it in any case. */
  readonly hidden?: boolean
  /** Location of values in parts of a record, such as distributions: the member that lists the parts, and the path in one part. */
  readonly within?: { readonly array: string; readonly value: string }
}

/** Fields of an index by their use, and the definition that its documents are made by. */
export type IndexSettings = {
  readonly index: IndexName
  /**
   * Text that identifies everything else that documents are made by: profile, mappings, enrichment, facets. When it changes, all
   * documents are written again.
   */
  readonly basis: string
  /** Full-text fields by dotted name; `boost` is the default weight in the ranking. */
  readonly texts: readonly {
    readonly name: string
    readonly boost: number
    readonly autocomplete: boolean
  }[]
  /** Facets in the order of the profile. */
  readonly facets: readonly FacetSettings[]
  readonly dates: readonly string[]
  readonly numbers: readonly string[]
  readonly flags: readonly string[]
  /** Whether documents have bounding boxes (`Document.boxes`). */
  readonly boxes: boolean
  /** Sortable text fields; `Document.order` may have each of them by language, as `name.lang`. */
  readonly orders: readonly string[]
}

/** Settings of an index's full-text fields. */
export type TextSettings = Pick<IndexSettings, 'texts'>

/**
 * Hash of the settings that decide how documents are written, 32 hex digits. Indices with equal signatures hold equal documents.
 * Weights, titles and bands are not part of it. `layout` is the version of an engine's own format.
 */
export function signatureOf(
  layout: number,
  { basis, texts, facets, dates, numbers, flags, boxes, orders }: IndexSettings,
  languages: readonly string[],
): string {
  const parts = [
    [layout, tokeniserNumber, icuVersion, languages, basis],
    [texts.map(({ name }) => name), facets.map(({ id }) => id)],
    [dates, numbers, flags, boxes, orders],
  ]
  return hash('sha256', JSON.stringify(parts), 'hex').slice(0, 32)
}
