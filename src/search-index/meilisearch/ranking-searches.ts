/** Relevance: searches whose words, weights and fields put the documents of a match set in order. */

import { fieldWeights } from '../hit-order.ts'
import { idField } from '../field-reach.ts'
import type { IndexSettings } from '../index-settings.ts'
import { type Leaf, type QueryTree, rankingLeaves } from '../query-tree.ts'
import { attributes, sentinel, textsOf } from './attributes.ts'
import { searchedFields } from './engine-settings.ts'
import type { Place } from './leaf-conditions.ts'

/** One ranking search: what it scores counts with its weight. */
export type Ranking = {
  readonly q: string
  /** Attributes that are searched; absent = all. */
  readonly on?: readonly string[]
  readonly weight: number
}

/** What is ranked in one index. */
type Ranked = {
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
  const weightOf = fieldWeights(boosts, settings)
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
  const weightOf = fieldWeights(boosts, settings)
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

/** The tokens of a word, one, or of a phrase. */
type Word = readonly string[]

/** Words and phrases, each once, but not wildcards. */
export type Words = {
  /** What every document of the set holds, in this form or in another one. */
  readonly wanted: readonly Word[]
  /** What a document of the set may lack. */
  readonly possible: readonly Word[]
}

export function wordsOf(tree: QueryTree): Words {
  const wanted = named(wantedLeaves(tree))
  const others = [...named(rankingLeaves(tree))].filter(([name]) => !wanted.has(name))
  return { wanted: [...wanted.values()], possible: others.map(([, word]) => word) }
}

function wantedLeaves(tree: QueryTree): readonly Leaf[] {
  if (tree.kind === 'and') return tree.of.flatMap(wantedLeaves)
  return tree.kind === 'or' ? [] : rankingLeaves(tree)
}

const named = (leaves: readonly Leaf[]): ReadonlyMap<string, Word> =>
  new Map(leaves.flatMap(wordOf).map((word) => [word.join(' '), word]))

function wordOf(leaf: Leaf): readonly Word[] {
  if (leaf.kind === 'wild') return []
  if (leaf.kind !== 'phrase') return [[leaf.token]]
  return leaf.tokens.length > 0 ? [leaf.tokens] : []
}

/** Field, or field and language, → weight of a request. */
type Boosts = Readonly<Record<string, number>>
type Texts = Pick<IndexSettings, 'texts'>

/** Whether the wanted weights fall along the fields: then the engine's own order is the wanted one. */
function isInOrder(among: ReadonlySet<string>, boosts: Boosts, settings: Texts): boolean {
  const fields = searchedFields(settings).filter((field) => field !== idField && among.has(field))
  const weights = fields.map(fieldWeights(boosts, settings))
  return weights.every((weight, i) => weight <= (weights[i - 1] ?? Infinity))
}
