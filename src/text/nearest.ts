/** Did you mean: the known name that is nearest to a mistyped one. */

import { compareCodePoints } from './code-points.ts'

/** The nearest name at most a third of its letters away, or undefined. */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map((name) => ({ name, steps: editDistance(typed.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, steps }) => steps <= Math.max(2, name.length / 3))
    .sort((a, b) => a.steps - b.steps)
  return ranked[0]?.name
}

/** Letters left out, added, replaced or swapped with their neighbour (Damerau-Levenshtein, each letter at most once), row by row. */
export function editDistance(one: string, other: string): number {
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1)
      const steps = Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1)
      const isSwapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      next.push(i > 1 && j > 1 && isSwapped ? Math.min(steps, (before[j - 2] ?? 0) + 1) : steps)
    }
    before = row
    row = next
  }
  return row[other.length] ?? 0
}

/** Number of letters of a word that may be wrong. */
export const typosIn = (word: string): number => (word.length <= 5 ? 1 : 2)

/** Words that a mistyped one may mean, nearest first, at most `most`. */
export function wordsNear(typed: string, words: Iterable<string>, most: number) {
  const near = new Map<string, number>()
  for (const word of words) {
    const steps = editDistance(typed, word)
    if (steps > 0 && steps <= typosIn(typed)) near.set(word, steps)
  }
  return [...near]
    .map(([word, steps]) => ({ word, steps }))
    .sort((a, b) => a.steps - b.steps || compareCodePoints(a.word, b.word))
    .slice(0, most)
}
