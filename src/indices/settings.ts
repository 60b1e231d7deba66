/** What an engine must know about an index before documents come. */

export type IndexName = 'dataset' | 'catalogue' | 'vocabulary'

/** A band of a range facet: documents carry its id as an ordinary facet value. */
export type Band = {
  readonly id: string
  readonly title: string
  readonly from: number
  readonly to: number
}

export type FacetSettings = {
  readonly id: string
  readonly title: string
  /** Range facets show all their bands, also those with count 0. */
  readonly bands?: readonly Band[]
}

export type IndexSettings = {
  readonly index: IndexName
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
