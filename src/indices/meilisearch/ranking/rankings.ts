/** Relevance: searches whose words, weights and fields put the documents of a match set in order. */

import { idField } from '../../fields.ts'
import type { Leaf } from '../../query-tree.ts'
import type { IndexSettings } from '../../settings.ts'
import { textsOf } from '../layout/names.ts'
import type { Place } from '../matching/places.ts'

/** One ranking search: what it scores counts with its weight. */
export type Ranking = {
  readonly q: string
  /** Attributes that are searched. */
  readonly on: readonly string[]
  readonly weight: number
}

/** The engine reads no more words than these. */
const mostWords = 10
/** The last words of a search are given up first: each word leads once, but many words not all. */
const mostTurns = 4

/** One search per turn of the words and group of fields that weigh the same. `buckets` = how many there are of a field. */
export function rankingsOf(
  words: readonly string[],
  places: readonly Place[],
  { weightOf, buckets }: { weightOf: (field: string) => number; buckets: number },
): readonly Ranking[] {
  const turns = words.slice(0, mostTurns).map((_, i) => [...words.slice(i), ...words.slice(0, i)])
  const texts = places.filter(({ field }) => field !== idField)
  return [...Map.groupBy(texts, ({ field }) => weightOf(field))].flatMap(([weight, group]) => {
    const on = namesOf(group, buckets)
    return turns.map((turn) => ({ q: turn.join(' '), on, weight }))
  })
}

/** A field in all its buckets has one name. */
const namesOf = (places: readonly Place[], buckets: number): readonly string[] =>
  [...Map.groupBy(places, ({ field }) => field)].flatMap(([field, own]) =>
    own.length === buckets
      ? [`${textsOf(field)}.*`]
      : own.map(({ bucket }) => `${textsOf(field)}.${bucket}`),
  )

/** What is worth a score: words and phrases, but not wildcards. */
export function wordsOf(leaves: readonly Leaf[]): readonly string[] {
  const words = leaves.flatMap((leaf) => {
    if (leaf.kind === 'wild') return []
    if (leaf.kind === 'phrase') return leaf.tokens.length > 0 ? [`"${leaf.tokens.join(' ')}"`] : []
    return [leaf.token]
  })
  return [...new Set(words)].slice(0, mostWords)
}

/** Weights by field: those of the request, else those of the settings. */
export function weightsOf(
  boosts: Readonly<Record<string, number>>,
  { texts }: Pick<IndexSettings, 'texts'>,
): (field: string) => number {
  const own = new Map(texts.map((text) => [text.name, text.boost]))
  return (field) => boosts[field] ?? languageBoost(field, boosts) ?? own.get(field) ?? 1
}

/** `title.en` weighs the field as a whole. */
function languageBoost(
  field: string,
  boosts: Readonly<Record<string, number>>,
): number | undefined {
  const given = Object.keys(boosts).filter((name) => name.startsWith(`${field}.`))
  return given.length === 0 ? undefined : Math.max(...given.map((name) => boosts[name] ?? 1))
}
