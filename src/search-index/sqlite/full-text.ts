/**
 * Queries to FTS5 (records that match, occurrences of a token) and ranking. Relevance is bm25 over the leaves that are not under a
 * `not`. It is computed here because `bm25()` of FTS5 reads the length of every record from the file, which takes three times as long.
 * Phrases and prefixes count only by the number of records that have them.
 */

import type { DatabaseSync } from 'node:sqlite'
import { fieldWeights } from '../hit-order.ts'
import { rankingLeaves, type Leaf, type QueryTree } from '../query-tree.ts'
import type { SearchRequest } from '../search-index.ts'
import { add, bitmapOf, intersect, membersOf, type Bitmap } from './bitmap.ts'
import { inColumns, type PhrasePart, type Phrases } from './leaf-phrases.ts'
import type { GenerationView } from './view.ts'

/** Rows between two checks whether the call was cancelled. */
const stride = 4096

/** Full-text queries of one connection, on which it registers its SQL functions. */
export class FullText {
  readonly #check: () => void
  #hits: Bitmap = bitmapOf(0)
  #visit: (n: number, column: number) => void = () => undefined
  #calls = 0

  /** `check` throws if the current call was cancelled; a running statement of SQLite cannot be interrupted from another thread. */
  constructor(db: DatabaseSync, check: () => void) {
    this.#check = check
    // The functions return 0, so that the condition is false and SQLite returns no rows: collecting numbers in a function is much faster.
    db.function('hit', (n) => {
      this.#count()
      add(this.#hits, Number(n))
      return 0
    })
    db.function('occurs', (n, column) => {
      this.#count()
      this.#visit(Number(n), Number(column))
      return 0
    })
  }

  /** Live records that match an expression of FTS5, as a new set. */
  match(view: GenerationView, text: string): Bitmap {
    const { fts } = view.tables
    const set = view.sets.getOrExtend(text, view.columns.size, (recordSet, from) => {
      this.#hits = recordSet
      view
        .sql(`SELECT 1 FROM ${fts} WHERE ${fts} MATCH ? AND rowid >= ? AND hit(rowid)`)
        .get(text, from)
    })
    return intersect(set.slice(), view.live)
  }

  /** Calls `visit` for every occurrence of a token, with the number of the record and of the column. */
  occurrences(
    view: GenerationView,
    token: string,
    visit: (n: number, column: number) => void,
  ): void {
    this.#visit = visit
    const { occurrence } = view.tables
    view
      .sql(
        `SELECT 1 FROM ${occurrence} WHERE term = ? AND occurs(doc, CAST(substr(col, 2) AS INTEGER))`,
      )
      .get(token)
  }

  #count(): void {
    if (++this.#calls % stride === 0) this.#check()
  }
}

/** Phrases of a leaf up to which it counts for relevance; more take too long to rank. */
const maxPhrases = 64
/** Constants of bm25 (sqlite.org/fts5.html, "The bm25() function"). */
const [k1, b] = [1.2, 0.75]
/** Least inverse frequency, for words that more than half of all records have. */
const leastInverseFrequency = 1e-6

type RankingContext = {
  readonly fullText: FullText
  readonly phrases: (leaf: Leaf) => Phrases | undefined
}

/** Scores by record number, 0 for records without a ranking word; `undefined` if the query has none. */
export function scoresOf(
  { tree, boosts }: { readonly tree: QueryTree; readonly boosts: SearchRequest['boosts'] },
  view: GenerationView,
  { fullText, phrases }: RankingContext,
): Float32Array | undefined {
  const phrasesOfLeaves = rankingLeaves(tree).flatMap((leaf) => phrases(leaf) ?? [])
  const rankable = phrasesOfLeaves.filter((leaf) => leaf.phraseCount <= maxPhrases)
  const leaves = new Map(rankable.map((leaf) => [leaf.expression, leaf]))
  if (leaves.size === 0) return undefined
  const weightOf = fieldWeights(boosts, view.generation.settings)
  const weights = view.textColumns.map(({ field }) => weightOf(field))
  return view.scores(JSON.stringify([weights, ...leaves.keys()]), () => {
    const scores = new Float32Array(view.columns.size)
    for (const part of [...leaves.values()].flatMap(({ parts }) => parts)) {
      const addPart = part.tokens.length > 0 ? addWords : addPresence
      addPart(part, { view, weights, fullText }, scores)
    }
    return scores
  })
}

type Weighing = {
  readonly view: GenerationView
  /** Weight of each column. */
  readonly weights: readonly number[]
  readonly fullText: FullText
}

/** Inverse document frequency of a match that `hits` records have. */
const inverseFrequencyOf = ({ count }: GenerationView, hits: number): number =>
  Math.max(leastInverseFrequency, Math.log((count - hits + 0.5) / (hits + 0.5)))

/** Adds the bm25 scores of a word with its other forms: by frequency, weight of the columns and length of the record. */
function addWords(
  { tokens, aliases }: PhrasePart,
  { view, weights, fullText }: Weighing,
  scores: Float32Array,
): void {
  const columnWeights = view.textColumns.map(({ alias }, i) =>
    !aliases || aliases.includes(alias) ? (weights[i] ?? 1) : 0,
  )
  const frequencies = new Float32Array(scores.length)
  let hits = 0
  for (const token of tokens)
    fullText.occurrences(view, token, (n, column) => {
      const weight = columnWeights[column] ?? 0
      const frequency = frequencies[n] ?? 0
      if (frequency === 0 && weight > 0) hits++
      frequencies[n] = frequency + weight
    })
  const inverseFrequency = inverseFrequencyOf(view, hits)
  const { words } = view.columns
  const mean = view.meanWords
  for (let n = 0; n < frequencies.length; n++) {
    const frequency = frequencies[n] ?? 0
    if (frequency === 0) continue
    const length = 1 - b + (b * (words[n] ?? 0)) / mean
    scores[n] =
      (scores[n] ?? 0) + (inverseFrequency * frequency * (k1 + 1)) / (frequency + k1 * length)
  }
}

/** Adds a score to every record that has a phrase or prefix: once for all columns of equal weight, regardless of its frequency. */
function addPresence(
  { expression, aliases }: PhrasePart,
  { view, weights, fullText }: Weighing,
  scores: Float32Array,
): void {
  const columns = view.textColumns
    .map(({ alias }, i) => ({ alias, weight: weights[i] ?? 1 }))
    .filter(({ alias }) => !aliases || aliases.includes(alias))
  for (const [weight, group] of Map.groupBy(columns, (column) => column.weight)) {
    const names = group.map(({ alias }) => alias)
    const members = membersOf(fullText.match(view, inColumns(expression, names)))
    const score = weight * inverseFrequencyOf(view, members.length)
    for (const n of members) scores[n] = (scores[n] ?? 0) + score
  }
}
