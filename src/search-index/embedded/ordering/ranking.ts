/** Relevance: bm25 over the positive words of a query, for the records that are in the match set. */

import type { Leaf, QueryTree } from '../../query-tree.ts'
import { rankingLeaves } from '../../ranking-leaves.ts'
import { sizeOf } from '../columns/bitmap.ts'
import type { FullText } from '../matching/full-text.ts'
import type { Phrases, Word } from '../matching/leaves.ts'
import type { Occurrences } from '../matching/occurrences.ts'
import type { Part } from '../reading/facets.ts'
import type { View } from '../reading/view.ts'
import { addScores } from './bm25.ts'

/** More words than these cost more time than their ranking is worth; such leaves match and do not rank. */
const mostPhrases = 64
/** For fewer hits FTS5, which can leave out the records between them, is quicker. */
const fewHits = 2_000

type Tools = {
  readonly fullText: FullText
  readonly occurrences: Occurrences
  readonly phrases: (leaf: Leaf) => Phrases | undefined
}

/**
 * Scores by record number, 0 where no positive word says anything; good until the next call for this view. `all` = the set
 * before it was filtered: what is reckoned for all of it is there for the next filter.
 */
export function scoresOf(
  { tree, boosts }: { tree: QueryTree; boosts: Readonly<Record<string, number>> },
  { view, set, all = set }: Part,
  tools: Tools,
): Float64Array {
  const scores = view.blankScores()
  const leaves = ranked(rankingLeaves(tree), tools.phrases)
  if (leaves.length === 0) return scores
  const weights = weightsOf(view, boosts)
  const key = JSON.stringify([weights, leaves.map(({ text }) => text)])
  if (view.scored.fill(key, set, scores)) return scores
  const scored = sizeOf(set) > fewHits ? all : set
  reckon({ tree, leaves, weights }, { view, set: scored }, tools, scores)
  view.scored.keep(key, scored, scores)
  return scores
}

type Wanted = {
  readonly tree: QueryTree
  /** What ranks of it. */
  readonly leaves: readonly Phrases[]
  readonly weights: readonly number[] | undefined
}

function reckon(
  { tree, leaves, weights }: Wanted,
  { view, set }: Part,
  { fullText, occurrences, phrases }: Tools,
  scores: Float64Array<ArrayBuffer>,
): void {
  const groups = groupsOf(tree)?.map((some) => ranked(some, phrases))
  if (groups && groups.length > 1 && isExact(groups, leaves)) {
    const text = groups.map((group) => `(${either(group)})`).join(' AND ')
    fullText.score(view, { text, weights }, set, scores)
    return
  }
  const words = leaves.flatMap((leaf) => leaf.words ?? [])
  const isWords = leaves.every((leaf) => leaf.words)
  // What begins so is remembered as sets: however few, no list is read for them.
  const isQuick = words.every(({ isPrefix }) => isPrefix) || sizeOf(set) > fewHits
  if (isWords && occurrences.knows(view) && isQuick) {
    addScores(unique(words), { set, view, weights, occurrences, fullText }, scores)
  } else fullText.score(view, { text: either(leaves), weights }, set, scores)
}

/**
 * Words that are wanted all at once, each group any of its own: where that is the whole of what ranks, FTS5 need not look at
 * records that have only some of them. `undefined` for other trees.
 */
function groupsOf(tree: QueryTree): readonly (readonly Leaf[])[] | undefined {
  const leaves = rankingLeaves(tree)
  if (leaves.length === 0) return []
  if (tree.kind === 'or')
    return leaves.length === tree.of.length && isFlat(tree.of) ? [leaves] : undefined
  if (tree.kind !== 'and') return [leaves]
  const groups = tree.of.map(groupsOf)
  return groups.every((group) => group !== undefined) ? groups.flat() : undefined
}

const isFlat = (parts: readonly QueryTree[]): boolean =>
  parts.every(({ kind }) => kind !== 'and' && kind !== 'or' && kind !== 'not')

/** Nothing is left out of the groups, and nothing counts twice. */
const isExact = (groups: readonly (readonly Phrases[])[], leaves: readonly Phrases[]): boolean =>
  groups.every((group) => group.length > 0) && groups.flat().length === leaves.length

/** What ranks of some leaves, each once. */
function ranked(
  leaves: readonly Leaf[],
  phrases: (leaf: Leaf) => Phrases | undefined,
): readonly Phrases[] {
  const all = leaves.flatMap((leaf) => phrases(leaf) ?? [])
  const few = all.filter((leaf) => leaf.count <= mostPhrases)
  return [...new Map(few.map((leaf) => [leaf.text, leaf])).values()]
}

const either = (leaves: readonly Phrases[]): string =>
  leaves.map((leaf) => `(${leaf.text})`).join(' OR ')

const unique = (words: readonly Word[]): readonly Word[] => [
  ...new Map(words.map((word) => [JSON.stringify(word), word])).values(),
]

/** Weights per column; `undefined` when all are alike, which bm25 does quicker. */
function weightsOf(
  view: View,
  boosts: Readonly<Record<string, number>>,
): readonly number[] | undefined {
  const defaults = new Map(view.generation.settings.texts.map((text) => [text.name, text.boost]))
  const weights = view.textColumns.map(
    ({ field }) => boosts[field] ?? languageBoost(field, boosts) ?? defaults.get(field) ?? 1,
  )
  return weights.every((weight) => weight === 1) ? undefined : weights
}

/** `title.en` weighs the field as a whole: the language stands in the tokens, not in the columns. */
function languageBoost(
  field: string,
  boosts: Readonly<Record<string, number>>,
): number | undefined {
  const given = Object.keys(boosts).filter((name) => name.startsWith(`${field}.`))
  return given.length === 0 ? undefined : Math.max(...given.map((name) => boosts[name] ?? 1))
}
