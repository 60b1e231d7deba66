/** The part of a query that relevance is about. */

import type { Leaf, QueryTree } from './query-tree.ts'

/** The words, phrases and wildcards that are not under a `not`, from left to right. */
export function rankingLeaves(tree: QueryTree): readonly Leaf[] {
  switch (tree.kind) {
    case 'all':
    case 'none':
    case 'range':
    case 'value':
    case 'not':
      return []
    case 'and':
    case 'or':
      return tree.of.flatMap(rankingLeaves)
    default:
      return [tree]
  }
}
