/** Relevance: searches whose words, weights and fields put the documents of a match set in order. */

import { idField } from '../../field-reach.ts'
import type { IndexSettings } from '../../index-settings.ts'
import { attributes, sentinel, textsOf } from '../layout/names.ts'
import type { Place } from '../matching/places.ts'
import { isInOrder, weightsOf, type Boosts } from './weights.ts'
import type { Word, Words } from './words.ts'

/** One ranking search: what it scores counts with its weight. */
export type Ranking = {
  readonly q: string
  /** Attributes that are searched; absent = all. */
  readonly on?: readonly string[]
  readonly weight: number
}

/** What is ranked in one index. */
export type Ranked = {
  readonly settings: Pick<IndexSettings, 'texts'>
  /** Languages with a bucket of their own. */
  readonly languages: readonly string[]
  /** Where the request searches. */
  readonly places: readonly Place[]
}

/** The engine reads no more words than these. */
const mostWords = 10
const mostTurns = 4
/** Of two words beside one that all documents hold, the second need not lead: what has it alone is ranked by that one. */
const mostBeside = 2
/** Too little to put a document before one that any word says something about. */
const leastWeight = 1e-9

/**
 * Searches for each index; together their hits are all documents of the set, so that totals and pages are those of the set.
 * None at all where no word can be ranked by.
 */
export function rankingsOf(
  words: Words,
  boosts: Boosts,
  all: readonly Ranked[],
): readonly (readonly Ranking[])[] {
  const hasWords = words.wanted.length + words.possible.length > 0
  const isScored = hasWords && all.some(({ places }) => textsAmong(places).length > 0)
  if (!isScored) return all.map(() => [])
  const isSimple = all.every(({ settings, places }) =>
    isInOrder(new Set(places.map(({ field }) => field)), boosts, settings),
  )
  if (isSimple) return all.map((one) => whole(words, boosts, one))
  return all.map((one) => [...groups(words, boosts, one), rest])
}

const textsAmong = (places: readonly Place[]) => places.filter(({ field }) => field !== idField)

/**
 * One search for all fields, or one per turn of the words that a document may lack. Every document holds the sentinel, which
 * as a phrase cannot be done without: it keeps those in the set that have other forms of the words. Phrases are words here:
 * nothing else may be indispensable.
 */
function whole(
  { wanted, possible }: Words,
  boosts: Boosts,
  { settings, languages, places }: Ranked,
): readonly Ranking[] {
  const weightOf = weightsOf(boosts, settings)
  const counted = textsAmong(places).filter(({ field }) => weightOf(field) > 0)
  const buckets = languages.length + 1
  const fields = settings.texts.filter(({ name }) => name !== idField)
  const isAll = counted.length === fields.length * buckets
  const on = isAll ? {} : { on: [attributes.sentinel, ...namesOf(counted, buckets)] }
  const isOne = wanted.length > 0 && possible.length <= mostBeside
  const searches = (isOne ? [possible] : turnsOf(possible)).map((turn) => {
    const tokens = new Set([...wanted, ...turn].flat())
    return [`"${sentinel}"`, ...[...tokens].slice(0, mostWords - 1)].join(' ')
  })
  return [...new Set(searches)].map((q): Ranking => ({ q, ...on, weight: 1 }))
}

/** Every document is a hit of this one. A search without words cannot be compared with others. */
const rest: Ranking = { q: sentinel, on: [attributes.sentinel], weight: leastWeight }

/** One search per turn of the words and group of fields that weigh the same. */
function groups(
  { wanted, possible }: Words,
  boosts: Boosts,
  { settings, languages, places }: Ranked,
): readonly Ranking[] {
  const spelled = (word: Word) => (word.length > 1 ? `"${word.join(' ')}"` : word.join(''))
  const words = [...wanted, ...possible].slice(0, mostWords)
  const turns = turnsOf(words).map((turn) => turn.map(spelled).join(' '))
  const weightOf = weightsOf(boosts, settings)
  const byWeight = Map.groupBy(textsAmong(places), ({ field }) => weightOf(field))
  return [...byWeight].flatMap(([weight, group]) => {
    const on = namesOf(group, languages.length + 1)
    return turns.map((q): Ranking => ({ q, on, weight }))
  })
}

/** The last words of a search are given up first: each word leads once, but many words not all. */
const turnsOf = (words: readonly Word[]): readonly (readonly Word[])[] =>
  words.slice(0, mostTurns).map((_, i) => [...words.slice(i), ...words.slice(0, i)])

/** A field in all its buckets has one name. */
const namesOf = (places: readonly Place[], buckets: number): readonly string[] =>
  [...Map.groupBy(places, ({ field }) => field)].flatMap(([field, own]) =>
    own.length === buckets
      ? [`${textsOf(field)}.*`]
      : own.map(({ bucket }) => `${textsOf(field)}.${bucket}`),
  )
