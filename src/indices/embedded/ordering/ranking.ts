/** Relevance: bm25 over the positive words of a query, for the records that are in the match set. */

import type { Bitmap } from '../columns/bitmap.ts'
import type { FullText } from '../matching/full-text.ts'
import type { Phrases } from '../matching/leaves.ts'
import type { View } from '../reading/view.ts'

/** More words than these cost more time than their ranking is worth; such leaves match and do not rank. */
const mostPhrases = 64

/** Scores by record number, 0 where no positive word says anything; good until the next call for this view. */
export function scoresOf(
  leaves: readonly Phrases[],
  set: Bitmap,
  view: View,
  { fullText, boosts }: { fullText: FullText; boosts: Readonly<Record<string, number>> },
): Float64Array {
  const scores = view.blankScores()
  const ranked = leaves.filter((leaf) => leaf.count <= mostPhrases).map((leaf) => leaf.text)
  if (ranked.length === 0) return scores
  const text = [...new Set(ranked)].map((leaf) => `(${leaf})`).join(' OR ')
  fullText.score(view, { text, weights: weightsOf(view, boosts) }, set, scores)
  return scores
}

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
