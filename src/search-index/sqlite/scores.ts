/**
 * Scores of all records of an index for a query. They are computed here because `bm25()` of FTS5 reads the length of every record from
 * the file, which takes three times as long.
 */

import { fieldWeights } from '../hit-order.ts'
import type { Leaf } from '../query-tree.ts'
import {
  neighbourFactor,
  neighboursOf,
  rankingUnits,
  rarityOf,
  titleField,
  unitScore,
} from '../scoring.ts'
import type { SearchRequest } from '../search-index.ts'
import { membersOf } from './bitmap.ts'
import type { FullText } from './full-text.ts'
import { titleToken } from './index-file.ts'
import { inColumns, type PhrasePart, type Phrases } from './leaf-phrases.ts'
import type { GenerationView } from './view.ts'

/** Most phrases of a part that ranks, and most words of a unit that are counted; more take too long. */
const [maxPhrases, maxWords] = [64, 256]

type ScoringContext = {
  readonly fullText: FullText
  readonly phrases: (leaf: Leaf) => Phrases | undefined
  /** Throws if the call was cancelled. */
  readonly check: () => void
}

/** Scores by record number, 0 for records without a ranking word; `undefined` if no part of the query ranks. */
export function scoresOf(
  { tree, boosts, typed }: Pick<SearchRequest, 'tree' | 'boosts' | 'typed'>,
  view: GenerationView,
  { fullText, phrases, check }: ScoringContext,
): Float32Array | undefined {
  const units = rankingUnits(tree)
  const parts = units.map((unit) => phrases(unit)?.parts.filter(isRankable) ?? [])
  if (parts.every((some) => some.length === 0)) return undefined
  const weightOf = fieldWeights(boosts, view.generation.settings)
  const weights = view.textColumns.map(({ field }) => weightOf(field))
  const key = JSON.stringify([weights, typed, parts])
  return view.scores(key, () => {
    const scores = new Float32Array(view.columns.size)
    const weighing: Weighing = { view, weights, fullText }
    let rarities = 0
    for (const some of new Map(parts.map((each) => [JSON.stringify(each), each])).values()) {
      if (some.length > 0) rarities += addUnit(some, weighing, scores)
      check()
    }
    multiplyByNeighbours(units, weighing, { phrases, check }, scores)
    for (const n of wholeTitles(typed, view, fullText)) scores[n] = (scores[n] ?? 0) + rarities
    return scores
  })
}

/** Whether a part has so few phrases that it ranks. */
const isRankable = ({ tokens, phrases }: PhrasePart): boolean =>
  tokens.length > 0 || phrases.length <= maxPhrases

type Weighing = {
  readonly view: GenerationView
  /** Weight of each column. */
  readonly weights: readonly number[]
  readonly fullText: FullText
}

/** Adds the scores of a unit and returns its rarity. */
function addUnit(parts: readonly PhrasePart[], weighing: Weighing, scores: Float32Array): number {
  const { view } = weighing
  const frequencies = new Float32Array(scores.length)
  let remainingWords = maxWords
  for (const part of parts) {
    if (part.tokens.length === 0) countPresence(part, weighing, frequencies)
    else
      countWords({ ...part, tokens: part.tokens.slice(0, remainingWords) }, weighing, frequencies)
    remainingWords = Math.max(0, remainingWords - part.tokens.length)
  }
  let records = 0
  for (const frequency of frequencies) if (frequency > 0) records++
  const rarity = rarityOf(view.count, records)
  const { words } = view.columns
  const mean = view.meanWords
  for (let n = 0; n < frequencies.length; n++) {
    const frequency = frequencies[n] ?? 0
    if (frequency > 0)
      scores[n] = (scores[n] ?? 0) + unitScore(rarity, frequency, (words[n] ?? 0) / mean)
  }
  return rarity
}

/** Counts the occurrences of words, each with the weight of its column. */
function countWords(
  { tokens, aliases, share }: PhrasePart,
  { view, weights, fullText }: Weighing,
  frequencies: Float32Array,
): void {
  const weightByColumn = view.textColumns.map(({ alias }, i) =>
    !aliases || aliases.includes(alias) ? (weights[i] ?? 1) : 0,
  )
  for (const token of tokens)
    fullText.occurrences(view, token, (n, column) => {
      frequencies[n] = (frequencies[n] ?? 0) + share * (weightByColumn[column] ?? 0)
    })
}

/** Counts a phrase or prefix as one occurrence in the columns of each weight. */
function countPresence(
  { phrases, aliases, share }: PhrasePart,
  { view, weights, fullText }: Weighing,
  frequencies: Float32Array,
): void {
  const columns = view.textColumns
    .map(({ alias }, i) => ({ alias, weight: weights[i] ?? 1 }))
    .filter(({ alias }) => !aliases || aliases.includes(alias))
  for (const [weight, some] of Map.groupBy(columns, (column) => column.weight)) {
    const names = some.map(({ alias }) => alias)
    for (const n of membersOf(fullText.match(view, inColumns(phrases.join(' OR '), names))))
      frequencies[n] = (frequencies[n] ?? 0) + share * weight
  }
}

/** Raises the scores of records in which neighbouring words of the query are adjacent. */
function multiplyByNeighbours(
  units: readonly Leaf[],
  { view, fullText }: Weighing,
  { phrases, check }: Pick<ScoringContext, 'phrases' | 'check'>,
  scores: Float32Array,
): void {
  const pairs = new Uint16Array(scores.length)
  for (const neighbours of neighboursOf(units)) {
    const { expressions = [] } = phrases(neighbours) ?? {}
    for (const n of membersOf(fullText.matchAny(view, expressions))) pairs[n] = (pairs[n] ?? 0) + 1
    check()
  }
  for (let n = 0; n < pairs.length; n++) {
    const count = pairs[n] ?? 0
    if (count > 0) scores[n] = (scores[n] ?? 0) * neighbourFactor(count, units.length)
  }
}

/** Numbers of the records of which a title is the whole query. Their scores are raised by the rarities of all units. */
export function wholeTitles(
  typed: SearchRequest['typed'],
  view: GenerationView,
  fullText: FullText,
): Uint32Array {
  const aliases = view.textColumns.flatMap(({ field, alias }) =>
    field === titleField ? [alias] : [],
  )
  if (!typed || aliases.length === 0) return new Uint32Array(0)
  return membersOf(fullText.match(view, inColumns(`"${titleToken(typed)}"`, aliases)))
}
