/** The query as a typed tree: what `q` means, independent of any engine. */

/** A leaf matches when some searched field has one value in which it matches. */
export type Leaf =
  | { readonly kind: 'term'; readonly token: string; readonly field?: string }
  | { readonly kind: 'exact'; readonly token: string; readonly field?: string }
  | { readonly kind: 'phrase'; readonly tokens: readonly string[]; readonly field?: string }
  | { readonly kind: 'wild'; readonly pattern: string; readonly field?: string }
  | { readonly kind: 'prefix'; readonly token: string; readonly field?: string }

export type QueryTree =
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | Leaf
  | {
      readonly kind: 'range'
      readonly name: string
      readonly from?: number
      readonly to?: number
    }
  | { readonly kind: 'value'; readonly facet: string; readonly value: string }
  | { readonly kind: 'and'; readonly of: readonly QueryTree[] }
  | { readonly kind: 'or'; readonly of: readonly QueryTree[] }
  | { readonly kind: 'not'; readonly of: QueryTree }
