/** Settings that an engine needs of an index before documents come. */

import { hash } from 'node:crypto'
import { icuVersion, tokeniserNumber } from '../text/tokens.ts'

/** The platform's own indices, and one per type of resource that the profile declares (`resource_{type}`). */
export type IndexName = 'dataset' | 'catalogue' | 'vocabulary' | `resource_${string}`

/** A band of a range facet: documents carry its id as an ordinary facet value. */
export type Band = {
  readonly id: string
  readonly title: string
  readonly from: number
  readonly to: number
}

/** A facet of an index. */
export type FacetSettings = {
  readonly id: string
  readonly title: string
  /** Range facets show all their bands, also those with count 0. */
  readonly bands?: readonly Band[]
  /** Left out where a request does not name the facets to count; it filters as any other. */
  readonly hidden?: boolean
  /** For values in parts of a record: the member that lists the parts, and the path inside of one. */
  readonly within?: { readonly array: string; readonly value: string }
}

/** The columns of an index and what its documents follow from. */
export type IndexSettings = {
  readonly index: IndexName
  /**
   * Text of everything else that decides how documents are made: profile, mappings, enrichment, facets. When it changes all documents
   * are written anew, although the columns may be the same.
   */
  readonly basis: string
  /** Full-text fields by dotted name; `boost` is the default weight in the ranking. */
  readonly texts: readonly {
    readonly name: string
    readonly boost: number
    readonly autocomplete: boolean
  }[]
  /** In profile order. */
  readonly facets: readonly FacetSettings[]
  readonly dates: readonly string[]
  readonly numbers: readonly string[]
  readonly flags: readonly string[]
  /** Whether documents carry boxes. */
  readonly boxes: boolean
  /** Sortable text fields; per language as `name.lang` in documents. */
  readonly orders: readonly string[]
}

/** Settings of an index's full-text fields. */
export type TextSettings = Pick<IndexSettings, 'texts'>

/**
 * Signature of the settings that decide how documents are written: two indices with the same signature hold the same documents. Weights,
 * titles and bands are not part of it. `layout` counts changes of an engine's own format.
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
