/**
 * The two questions that FTS5 is asked: which records match, and where a word occurs. Relevance is bm25 over the positive words of a
 * query, computed here: the function of that name reads the length of every record from the file, which takes three times as long.
 * Phrases and beginnings of words count by how few records have them; FTS5 would merge hundreds of words anew each time.
 */

import type { DatabaseSync } from 'node:sqlite'
import { fieldWeights } from '../hit-order.ts'
import { rankingLeaves, type Leaf, type QueryTree } from '../query-tree.ts'
import type { SearchRequest } from '../search-index.ts'
import { add, bitmapOf, intersect, membersOf, type Bitmap } from './bitmap.ts'
import { inColumns, type PhrasePart, type Phrases } from './leaf-phrases.ts'
import type { View } from './view.ts'

/** Calls between two looks at whether the answer is still needed. */
const stride = 4096

/** One per connection: the functions that SQLite calls back belong to it. */
export class FullText {
  readonly #check: () => void
  #hits: Bitmap = bitmapOf(0)
  #visit: (n: number, column: number) => void = () => undefined
  #calls = 0

  /** `check` throws when the request is to stop: SQLite itself cannot be interrupted from outside. */
  constructor(db: DatabaseSync, check: () => void) {
    this.#check = check
    // Functions that answer 0 let no row out of SQLite: taking a number here is much cheaper than a row.
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

  /** A fresh set of the living records that match an expression of FTS5. */
  match(view: View, text: string): Bitmap {
    const { fts } = view.tables
    const set = view.sets.of(text, view.columns.size, (found, from) => {
      this.#hits = found
      view
        .sql(`SELECT 1 FROM ${fts} WHERE ${fts} MATCH ? AND rowid >= ? AND hit(rowid)`)
        .get(text, from)
    })
    return intersect(set.slice(), view.live)
  }

  /** Visits every occurrence of a token: number of the record, and of the column. */
  occurrences(view: View, token: string, visit: (n: number, column: number) => void): void {
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

/** More words than these cost more time than their ranking is worth; such leaves match and do not rank. */
const maxPhrases = 64
/** The constants of bm25 (sqlite.org/fts5.html, "The bm25() function"). */
const [k1, b] = [1.2, 0.75]
/** The least that a word counts, also when more than half of all records have it. */
const leastRarity = 1e-6

type RankingContext = {
  readonly fullText: FullText
  readonly phrases: (leaf: Leaf) => Phrases | undefined
}

/** Scores by record number, 0 where no positive word says anything; `undefined` where no word ranks. */
export function scoresOf(
  { tree, boosts }: { readonly tree: QueryTree; readonly boosts: SearchRequest['boosts'] },
  view: View,
  { fullText, phrases }: RankingContext,
): Float32Array | undefined {
  const all = rankingLeaves(tree).flatMap((leaf) => phrases(leaf) ?? [])
  const few = all.filter((leaf) => leaf.count <= maxPhrases)
  const leaves = new Map(few.map((leaf) => [leaf.text, leaf]))
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
  readonly view: View
  /** By column. */
  readonly weights: readonly number[]
  readonly fullText: FullText
}

/** Weight of a match that `hits` of all records have: the rarer, the higher. */
const rarityOf = ({ count }: View, hits: number): number =>
  Math.max(leastRarity, Math.log((count - hits + 0.5) / (hits + 0.5)))

/** Words that mean the same: how often, in columns of which weight, in how long a record. */
function addWords(
  { tokens, aliases }: PhrasePart,
  { view, weights, fullText }: Weighing,
  scores: Float32Array,
): void {
  const own = view.textColumns.map(({ alias }, i) =>
    !aliases || aliases.includes(alias) ? (weights[i] ?? 1) : 0,
  )
  const frequencies = new Float32Array(scores.length)
  let hits = 0
  for (const token of tokens)
    fullText.occurrences(view, token, (n, column) => {
      const weight = own[column] ?? 0
      const before = frequencies[n] ?? 0
      if (before === 0 && weight > 0) hits++
      frequencies[n] = before + weight
    })
  const rarity = rarityOf(view, hits)
  const { words } = view.columns
  const mean = view.meanWords
  for (let n = 0; n < frequencies.length; n++) {
    const frequency = frequencies[n] ?? 0
    if (frequency === 0) continue
    const length = 1 - b + (b * (words[n] ?? 0)) / mean
    scores[n] = (scores[n] ?? 0) + (rarity * frequency * (k1 + 1)) / (frequency + k1 * length)
  }
}

/** That a record has it counts, once for all columns of a weight, and not how often. */
function addPresence(
  { any, aliases }: PhrasePart,
  { view, weights, fullText }: Weighing,
  scores: Float32Array,
): void {
  const columns = view.textColumns
    .map(({ alias }, i) => ({ alias, weight: weights[i] ?? 1 }))
    .filter(({ alias }) => !aliases || aliases.includes(alias))
  for (const [weight, some] of Map.groupBy(columns, (column) => column.weight)) {
    const names = some.map(({ alias }) => alias)
    const members = membersOf(fullText.match(view, inColumns(any, names)))
    const score = weight * rarityOf(view, members.length)
    for (const n of members) scores[n] = (scores[n] ?? 0) + score
  }
}
