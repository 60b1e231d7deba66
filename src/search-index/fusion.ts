/**
 * Order of hits by words and meaning together, for all engines (`reference/relevance.md` 7.1). Words are compared with the best hit,
 * similarities with the nearest records, so that neither scale matters.
 */

/** Number of nearest records under the filter of a request whose meaning counts. */
export const nearestCount = 200

/** Closeness of the nearest records, whose similarities descend: 1 for the first one, 0 for the last one. */
export function closenessOf(similarities: readonly number[]): readonly number[] {
  const [top = 0, low = top] = [similarities[0], similarities.at(-1)]
  return similarities.map((similarity) => (top > low ? (similarity - low) / (top - low) : 1))
}

type Relevance = {
  /** Score by words of a record, and the highest of all hits. */
  readonly score: number
  readonly highest: number
  readonly closeness: number
  readonly isWholeTitle: boolean
}

/** Score by words and meaning; `weight`: part of the words. Whole titles come first. */
export const fusedScore = (
  weight: number,
  { score, highest, closeness, isWholeTitle }: Relevance,
): number =>
  (highest > 0 ? (weight * score) / highest : 0) + (1 - weight) * closeness + (isWholeTitle ? 1 : 0)
