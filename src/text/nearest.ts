/** Suggestions for mistyped names of settings, parameters and commands, and for words of searches, by edit distance. */

import { compareCodePoints } from './code-points.ts'

/** Returns the nearest name that differs in at most a third of its letters (at least two), ignoring case; else `undefined`. */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map((name) => ({ name, steps: editDistance(typed.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, steps }) => steps <= Math.max(2, name.length / 3))
    .sort((a, b) => a.steps - b.steps)
  return ranked[0]?.name
}

/** Counts the letters to delete, insert, replace or swap with their neighbour (Damerau-Levenshtein, each letter at most once). */
export function editDistance(typed: string, name: string): number {
  let previousRow: number[] = []
  let row = Array.from({ length: name.length + 1 }, (_, index) => index)
  for (let i = 1; i <= typed.length; i++) {
    const next = [i]
    for (let j = 1; j <= name.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (typed[i - 1] === name[j - 1] ? 0 : 1)
      const steps = Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1)
      const isSwapped = typed[i - 1] === name[j - 2] && typed[i - 2] === name[j - 1]
      next.push(
        i > 1 && j > 1 && isSwapped ? Math.min(steps, (previousRow[j - 2] ?? 0) + 1) : steps,
      )
    }
    previousRow = row
    row = next
  }
  return row[name.length] ?? 0
}

/** Returns the number of typing errors that a search tolerates in a word. */
export const typosIn = (word: string): number => (word.length <= 5 ? 1 : 2)

/** Lists the words within the tolerated distance of a mistyped one, nearest first, at most `limit`. */
export function wordsNear(typed: string, words: Iterable<string>, limit: number) {
  const stepsByWord = new Map<string, number>()
  for (const word of words) {
    const steps = editDistance(typed, word)
    if (steps > 0 && steps <= typosIn(typed)) stepsByWord.set(word, steps)
  }
  return [...stepsByWord]
    .map(([word, steps]) => ({ word, steps }))
    .sort((a, b) => a.steps - b.steps || compareCodePoints(a.word, b.word))
    .slice(0, limit)
}
