/**
 * The two questions that FTS5 is asked: which records match, and how well. Relevance is its bm25 over the positive words of a query,
 * for the records of the match set. The beginning of a word stands for hundreds of words, which FTS5 would merge and count anew each
 * time: it counts once for each weight of columns, by how few records have it.
 */

import type { DatabaseSync } from 'node:sqlite'
import { fieldWeights } from '../hit-order.ts'
import { rankingLeaves, type Leaf, type QueryTree } from '../query-tree.ts'
import type { SearchRequest } from '../search-index.ts'
import { add, bitmapOf, has, intersect, membersOf, sizeOf, type Bitmap } from './bitmap.ts'
import type { Beginning, Phrases } from './leaf-phrases.ts'
import type { Part, View } from './view.ts'

/** Calls between two looks at whether the answer is still needed. */
const stride = 4096

export class FullText {
  readonly #check: () => void
  #hits: Bitmap = bitmapOf(0)
  #scored: Bitmap = bitmapOf(0)
  #scores = new Float32Array(0)
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
    db.function('scored', (n) => {
      this.#count()
      return has(this.#scored, Number(n)) ? 1 : 0
    })
    db.function('score', (n, bm25) => {
      this.#scores[Number(n)] = -Number(bm25)
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

  /** Fills in the scores (bm25) of the members of `set` that match; weights are those of the columns, absent = all alike. */
  score(
    view: View,
    { text, weights }: { readonly text: string; readonly weights: readonly number[] | undefined },
    set: Bitmap,
    scores: Float32Array<ArrayBuffer>,
  ): void {
    this.#scored = set
    this.#scores = scores
    const { fts } = view.tables
    const rank = `bm25(${[fts, ...(weights ?? [])].join(', ')})`
    view
      .prepare(
        `SELECT 1 FROM ${fts} WHERE ${fts} MATCH ? AND scored(rowid) AND score(rowid, ${rank})`,
      )
      .get(text)
  }

  #count(): void {
    if (++this.#calls % stride === 0) this.#check()
  }
}

/** More words than these cost more time than their ranking is worth; such leaves match and do not rank. */
const mostPhrases = 64
/** For fewer hits it does not pay to score all that matched before they were filtered. */
const fewHits = 2_000
/** The least that a beginning counts, also when more than half of all records have it; as FTS5 does for words. */
const leastWeight = 1e-6

type RankingContext = {
  readonly fullText: FullText
  readonly phrases: (leaf: Leaf) => Phrases | undefined
}

/** Scores by record number, 0 where no positive word says anything; `undefined` where no word ranks. */
export function scoresOf(
  { tree, boosts }: { readonly tree: QueryTree; readonly boosts: SearchRequest['boosts'] },
  { view, set, all = set }: Part,
  context: RankingContext,
): Float32Array | undefined {
  const leaves = rankedLeaves(tree, context)
  if (leaves.length === 0) return undefined
  const weightOf = fieldWeights(boosts, view.generation.settings)
  const weights = view.textColumns.map(({ field }) => weightOf(field))
  const key = JSON.stringify([weights, leaves.map(({ text }) => text)])
  const known = view.scores.get(key, set)
  if (known) return known
  const scored = sizeOf(set) > fewHits ? all : set
  const scores = new Float32Array(view.columns.size)
  const words = leaves.filter(({ beginnings }) => !beginnings).map(({ text }) => `(${text})`)
  if (words.length > 0) {
    // Equal weights are the default of bm25, which is quicker then.
    const isEven = weights.every((weight) => weight === 1)
    const query = { text: words.join(' OR '), weights: isEven ? undefined : weights }
    context.fullText.score(view, query, scored, scores)
  }
  for (const beginning of leaves.flatMap(({ beginnings = [] }) => beginnings))
    addBeginning(beginning, { view, weights, fullText: context.fullText }, scores)
  view.scores.set(key, scored, scores)
  return scores
}

/** What ranks of a query, each once. */
function rankedLeaves(tree: QueryTree, { phrases }: RankingContext): readonly Phrases[] {
  const all = rankingLeaves(tree).flatMap((leaf) => phrases(leaf) ?? [])
  const few = all.filter((leaf) => leaf.count <= mostPhrases)
  return [...new Map(few.map((leaf) => [leaf.text, leaf])).values()]
}

type Weighing = {
  readonly view: View
  /** By column. */
  readonly weights: readonly number[]
  readonly fullText: FullText
}

function addBeginning(
  { terms, aliases }: Beginning,
  { view, weights, fullText }: Weighing,
  scores: Float32Array,
): void {
  const columns = view.textColumns
    .map(({ alias }, i) => ({ alias, weight: weights[i] ?? 1 }))
    .filter(({ alias }) => !aliases || aliases.includes(alias))
  for (const [weight, some] of Map.groupBy(columns, (column) => column.weight)) {
    const names = some.map(({ alias }) => alias).join(' ')
    const any = terms.map((term) => `"${term}" *`).join(' OR ')
    const members = membersOf(fullText.match(view, `{${names}} : (${any})`))
    const rarity = Math.log((view.count - members.length + 0.5) / (members.length + 0.5))
    const score = weight * Math.max(leastWeight, rarity)
    for (const n of members) scores[n] = (scores[n] ?? 0) + score
  }
}
