/** The match set of a query tree: leaves are answered by FTS5, and what joins them by sets of bits. */

import type { Leaf, QueryTree } from '../query-tree.ts'
import { bitmapOf, intersect, subtract, unite, type Bitmap } from './bitmap.ts'
import { keepMarked, keepNumbers, keepPeriods } from './column-filters.ts'
import type { FacetDictionary } from './facet-counts.ts'
import type { FullText } from './full-text.ts'
import type { Phrases } from './leaf-phrases.ts'
import type { View } from './view.ts'

export type MatchContext = {
  readonly view: View
  readonly fullText: FullText
  readonly facets: FacetDictionary
  /** `undefined` for a leaf that can match nothing. */
  readonly phrases: (leaf: Leaf) => Phrases | undefined
}

/** A fresh set of living record numbers. */
export function matchSet(tree: QueryTree, context: MatchContext): Bitmap {
  const { view } = context
  const none = () => bitmapOf(view.columns.size)
  const inner = (part: QueryTree) => matchSet(part, context)
  switch (tree.kind) {
    case 'all':
      return view.live.slice()
    case 'none':
      return none()
    case 'and':
      return tree.of.map(inner).reduce(intersect, view.live.slice())
    case 'or':
      return tree.of.map(inner).reduce(unite, none())
    case 'not':
      return subtract(view.live.slice(), inner(tree.of))
    case 'range':
      return inRange(tree, view) ?? none()
    case 'value': {
      const known = view.generation.settings.facets.some((facet) => facet.id === tree.facet)
      const o = known ? context.facets.find(tree.facet, tree.value) : undefined
      if (o === undefined) return none()
      return keepMarked(view.live.slice(), view, { ords: [o], all: false })
    }
    default: {
      const phrases = context.phrases(tree)
      return phrases ? context.fullText.match(view, phrases.text) : none()
    }
  }
}

/** A name is a date, a number or nothing of this index. */
function inRange(
  range: Extract<QueryTree, { readonly kind: 'range' }>,
  { live, columns, generation: { settings } }: View,
): Bitmap | undefined {
  const periods = columns.dates[settings.dates.indexOf(range.name)]
  if (periods) return keepPeriods(live.slice(), periods, range)
  const numbers = columns.numbers[settings.numbers.indexOf(range.name)]
  return numbers && keepNumbers(live.slice(), numbers, range)
}
