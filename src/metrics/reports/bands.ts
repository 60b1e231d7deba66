/** Bands: how a score is called. */

import type { Band } from '../../search-index/index-settings.ts'

export type { Band } from '../../search-index/index-settings.ts'

/** The band of a score; between two bands the lower one. `undefined` below all of them. */
export const bandOf = (bands: readonly Band[], score: number): Band | undefined =>
  ascending(bands).findLast(({ from }) => score >= from)

/** From the lowest on. */
export const ascending = (bands: readonly Band[]): readonly Band[] =>
  bands.toSorted((one, other) => one.from - other.from)

/** Where a band stands among the others: 0 the lowest, 3 the highest. There are four colours. */
export function rank(bands: readonly Band[], id: string): 0 | 1 | 2 | 3 {
  const order = ascending(bands)
  const place = order.findIndex((band) => band.id === id)
  const share = order.length < 2 ? 1 : Math.max(place, 0) / (order.length - 1)
  return share > 5 / 6 ? 3 : share >= 0.5 ? 2 : share > 1 / 6 ? 1 : 0
}
