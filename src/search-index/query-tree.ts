/** The query as a typed tree: what `q` means, independent of any engine. */

/** A leaf matches when some searched field has one value in which it matches. */
export type Leaf =
  | { readonly kind: 'term'; readonly token: string; readonly field?: string }
  | { readonly kind: 'exact'; readonly token: string; readonly field?: string }
  | { readonly kind: 'phrase'; readonly tokens: readonly string[]; readonly field?: string }
  | { readonly kind: 'wild'; readonly pattern: string; readonly field?: string }
  | { readonly kind: 'prefix'; readonly token: string; readonly field?: string }

/** `range` is inclusive and open where a bound is absent; `value` compares a facet's value as it is stored. */
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

/** The words, phrases and wildcards of a tree from left to right, those under a `not` too. */
export function leavesOf(tree: QueryTree): readonly Leaf[] {
  return tree.kind === 'not' ? leavesOf(tree.of) : leavesBelow(tree, leavesOf)
}

/** The part of a query that relevance is about: its leaves that are not under a `not`. */
export function rankingLeaves(tree: QueryTree): readonly Leaf[] {
  return tree.kind === 'not' ? [] : leavesBelow(tree, rankingLeaves)
}

function leavesBelow(
  tree: Exclude<QueryTree, { readonly kind: 'not' }>,
  inner: (part: QueryTree) => readonly Leaf[],
): readonly Leaf[] {
  switch (tree.kind) {
    case 'all':
    case 'none':
    case 'range':
    case 'value':
      return []
    case 'and':
    case 'or':
      return tree.of.flatMap(inner)
    default:
      return [tree]
  }
}
