/** bm25 as FTS5 reckons it, over the lengths of records that are in memory. */

import { has, membersOf, type Bitmap } from '../columns/bitmap.ts'
import type { FullText } from '../matching/full-text.ts'
import type { Word } from '../matching/leaves.ts'
import type { Occurrences } from '../matching/occurrences.ts'
import type { View } from '../reading/view.ts'

/** The constants of FTS5 (sqlite.org/fts5.html, "The bm25() function"). */
const k1 = 1.2
const b = 0.75
/** Of words that stand in half of all records and more. */
const leastIdf = 1e-6

type Where = {
  readonly set: Bitmap
  readonly view: View
  /** By column; absent = all alike. */
  readonly weights: readonly number[] | undefined
  readonly occurrences: Occurrences
  readonly fullText: FullText
}

/** Adds what each word says about the members of the set. */
export function addScores(
  words: readonly Word[],
  { set, view, weights, occurrences, fullText }: Where,
  scores: Float64Array,
): void {
  const { frequencies, touched } = view.frequencies()
  const { words: lengths } = view.columns
  const mean = view.meanWords
  for (const word of words) {
    const weigh = new Map(
      view.textColumns
        .map(({ alias }, i) => [alias, weights?.[i] ?? 1] as const)
        .filter(([alias]) => !word.aliases || word.aliases.includes(alias)),
    )
    const hits = word.isPrefix
      ? presencesOf(word, weigh, { view, fullText })
      : frequenciesOf(word, weigh, { view, occurrences })
    const idf = Math.max(leastIdf, Math.log((view.count - hits + 0.5) / (hits + 0.5)))
    for (let i = 0; i < hits; i++) {
      const n = touched[i] ?? 0
      const frequency = frequencies[n] ?? 0
      frequencies[n] = 0
      if (!has(set, n)) continue
      const length = 1 - b + (b * (lengths[n] ?? 0)) / mean
      scores[n] = (scores[n] ?? 0) + (idf * frequency * (k1 + 1)) / (frequency + k1 * length)
    }
  }
}

/**
 * The beginning of a word stands for hundreds of words: that one of them is there counts, and not how often, once for all
 * columns of a weight.
 */
function presencesOf(
  { term }: Word,
  weigh: ReadonlyMap<string, number>,
  { view, fullText }: Pick<Where, 'view' | 'fullText'>,
): number {
  const { frequencies, touched } = view.frequencies()
  const columns = Map.groupBy(weigh, ([, weight]) => weight)
  const sets = [...columns].map(([weight, some]) => {
    const names = some.map(([alias]) => alias).join(' ')
    return { weight, set: fullText.match(view, `{${names}} : ("${term}" *)`) }
  })
  let hits = 0
  for (const { weight, set } of sets) {
    for (const n of membersOf(set)) {
      const before = frequencies[n] ?? 0
      if (before === 0) touched[hits++] = n
      frequencies[n] = before + Math.max(weight, Number.MIN_VALUE)
    }
  }
  return hits
}

/** Sums the weights up by record number and answers how many records there are, whose numbers are listed. */
function frequenciesOf(
  word: Word,
  weigh: ReadonlyMap<string, number>,
  { view, occurrences }: Pick<Where, 'view' | 'occurrences'>,
): number {
  const { frequencies, touched } = view.frequencies()
  let hits = 0
  try {
    occurrences.each(view, word.term, (n, column) => {
      const weight = weigh.get(column)
      if (weight === undefined) return
      const before = frequencies[n] ?? 0
      if (before === 0) touched[hits++] = n
      // A weight of 0 still is an occurrence.
      frequencies[n] = before + Math.max(weight, Number.MIN_VALUE)
    })
    return hits
  } catch (error) {
    frequencies.fill(0)
    throw error
  }
}
