/** The five dimensions: as they were reckoned, and their points alone. */

import type { DimensionScore } from '../figures/figures.ts'
import { dimensions, type Dimension } from '../indicators.ts'

export type Dimensions = Readonly<Record<Dimension, DimensionScore | null>>

export type Points = Readonly<Record<Dimension, number | null>>

export function pointsOf(scores: Dimensions): Points {
  const rows = dimensions.map((name) => [name, scores[name]?.points ?? null] as const)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- fromEntries forgets the keys
  return Object.fromEntries(rows) as Points
}
