/** A whole query tree as one condition. */

import type { Leaf, QueryTree } from '../../query-tree.ts'
import type { IndexSettings } from '../../index-settings.ts'
import { and, none, not, or, all, type Condition } from './condition.ts'
import { hasValue, isBetween, overlaps } from './filter.ts'

/** `leaf` answers for words, phrases and wildcards. */
export function treeCondition(
  tree: QueryTree,
  settings: IndexSettings,
  leaf: (leaf: Leaf) => Condition,
): Condition {
  const inner = (part: QueryTree) => treeCondition(part, settings, leaf)
  switch (tree.kind) {
    case 'all':
      return all
    case 'none':
      return none
    case 'and':
      return and(tree.of.map(inner))
    case 'or':
      return or(tree.of.map(inner))
    case 'not':
      return not(inner(tree.of))
    case 'range':
      return settings.dates.includes(tree.name)
        ? overlaps(tree.name, tree)
        : settings.numbers.includes(tree.name)
          ? isBetween(tree.name, tree)
          : none
    case 'value':
      return hasValue(tree.facet, tree.value, settings)
    default:
      return leaf(tree)
  }
}
