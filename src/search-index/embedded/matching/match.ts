/** The match set of a plan. */

import { bitmapOf, intersect, subtract, unite, type Bitmap } from '../columns/bitmap.ts'
import type { FacetDictionary } from '../columns/facet-dictionary.ts'
import type { View } from '../reading/view.ts'
import { keepMarked, keepNumbers, keepPeriods } from './filter.ts'
import type { FullText } from './full-text.ts'
import type { Plan } from './plan.ts'

export type Sources = { readonly fullText: FullText; readonly facets: FacetDictionary }

/** A fresh set of living record numbers. */
export function match(plan: Plan, view: View, sources: Sources): Bitmap {
  switch (plan.kind) {
    case 'all':
      return view.live.slice()
    case 'none':
      return bitmapOf(view.columns.size)
    case 'text':
      return sources.fullText.match(view, plan.text)
    case 'and':
      return plan.of.map((part) => match(part, view, sources)).reduce(intersect)
    case 'or':
      return plan.of.map((part) => match(part, view, sources)).reduce(unite)
    case 'not':
      return subtract(view.live.slice(), match(plan.of, view, sources))
    case 'range':
      return inRange(plan, view)
    case 'value': {
      const known = view.generation.settings.facets.some((facet) => facet.id === plan.facet)
      const o = known ? sources.facets.find(plan.facet, plan.value) : undefined
      if (o === undefined) return bitmapOf(view.columns.size)
      return keepMarked(view.live.slice(), view, { ords: [o], all: false })
    }
    default:
      return plan satisfies never
  }
}

/** A name is a date, a number or nothing of this index. */
function inRange(range: Extract<Plan, { kind: 'range' }>, view: View): Bitmap {
  const { settings } = view.generation
  const periods = view.columns.dates[settings.dates.indexOf(range.name)]
  if (periods) return keepPeriods(view.live.slice(), periods, range)
  const numbers = view.columns.numbers[settings.numbers.indexOf(range.name)]
  if (numbers) return keepNumbers(view.live.slice(), numbers, range)
  return bitmapOf(view.columns.size)
}
