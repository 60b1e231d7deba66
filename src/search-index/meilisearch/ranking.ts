/**
 * The order of hits in the words of Meilisearch: attributes to sort by, and searches whose words, weights and fields put the
 * documents of a match set in order of relevance.
 */

import type { FieldReach } from '../field-reach.ts'
import { idField } from '../field-reach.ts'
import { fieldWeights, orderOf as keysThatCount, sortedText } from '../hit-order.ts'
import type { TextSettings } from '../index-settings.ts'
import { type Leaf, type QueryTree, rankingLeaves } from '../query-tree.ts'
import type { OrderKey, SearchRequest } from '../search-index.ts'
import { attributes, dateOrderOf, numberOf, orderOf, sentinel, textsOf } from './attributes.ts'
import type { Generation } from './engine-state.ts'
import { searchedFields } from './stored-document.ts'

type Ordered = Pick<Generation, 'settings' | 'languages'>

/** The attribute that an index is ordered by; `undefined` when it cannot be. */
export function attributeOf(
  { by, direction }: OrderKey,
  { settings, languages }: Ordered,
): string | undefined {
  if (settings.dates.includes(by)) return dateOrderOf(by, direction)
  if (settings.numbers.includes(by) || settings.flags.includes(by)) return numberOf(by)
  const sorted = sortedText(by, settings)
  if (!sorted) return undefined
  const { field, language } = sorted
  return orderOf(language !== undefined && languages.includes(language) ? by : field)
}

/** The keys of a request that all the searched indices have. */
export const orderKeys = (
  request: Pick<SearchRequest, 'order' | 'tree'>,
  parts: readonly Ordered[],
): readonly OrderKey[] =>
  keysThatCount(
    request,
    (by) =>
      by === 'relevance' ||
      parts.every((part) => attributeOf({ by, direction: 'asc' }, part) !== undefined),
  )

/** Whether relevance decides first; after other keys it is left out, as the engine cannot rank within a tie. */
export const isRanked = (keys: readonly OrderKey[]): boolean => keys[0]?.by === 'relevance'

/**
 * Sort attributes of a request; ties are ordered by the name of the index, then by id. After relevance the ranking rules of the indices
 * do the same.
 */
export function sortOf(keys: readonly OrderKey[], parts: readonly Ordered[]): readonly string[] {
  const named = keys.flatMap((key) => {
    const names = new Set(parts.map((part) => attributeOf(key, part)))
    const [name] = names
    return name !== undefined && names.size === 1 ? [`${name}:${key.direction}`] : []
  })
  if (isRanked(keys)) return named
  return [...named, `${attributes.orderedIndex}:asc`, `${attributes.orderedId}:asc`]
}

/** One ranking search: what it scores counts with its weight. */
export type Ranking = {
  readonly q: string
  /** Attributes that are searched; absent = all. */
  readonly on?: readonly string[]
  readonly weight: number
}

/** Ranked words of one index, and the fields that the request searches. */
type Ranked = {
  readonly settings: TextSettings
  readonly places: readonly FieldReach[]
}

/** Field, or field and language, → weight of a request. */
type Boosts = Readonly<Record<string, number>>

/** The engine reads no more words than these. */
const maxWords = 10
const maxTurns = 4
/** Most further words for which one turn is enough: a document that has only the last of them is ranked by the word that all hold. */
const maxBeside = 2
/** Too little to put a document before one that any word says something about. */
const leastWeight = 1e-9

/** Every document is a hit of this one. A search without words cannot be compared with others. */
const rest: Ranking = { q: sentinel, on: [attributes.sentinel], weight: leastWeight }

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
  const isSimple = all.every((one) => isInOrder(boosts, one))
  return all.map((one) =>
    isSimple ? whole(words, boosts, one) : [...groups(words, boosts, one), rest],
  )
}

const textsAmong = (places: readonly FieldReach[]) =>
  places.filter(({ field }) => field !== idField)

/** Whether the wanted weights fall along the fields: then the engine's own order is the wanted one. */
function isInOrder(boosts: Boosts, { settings, places }: Ranked): boolean {
  const among = new Set(textsAmong(places).map(({ field }) => field))
  const weights = searchedFields(settings)
    .filter((field) => among.has(field))
    .map(fieldWeights(boosts, settings))
  return weights.every((weight, i) => weight <= (weights[i - 1] ?? Infinity))
}

/**
 * One search for all fields, or one per turn of the words that a document may lack. Every document holds the sentinel, which
 * as a phrase cannot be done without: it keeps those in the set that have other forms of the words. Phrases are words here:
 * nothing else may be indispensable.
 */
function whole(
  { wanted, possible }: Words,
  boosts: Boosts,
  { settings, places }: Ranked,
): readonly Ranking[] {
  const weightOf = fieldWeights(boosts, settings)
  const counted = textsAmong(places).filter(({ field }) => weightOf(field) > 0)
  const fields = settings.texts.filter(({ name }) => name !== idField)
  const isAll = counted.filter(({ bucket }) => bucket === undefined).length === fields.length
  const on = isAll ? {} : { on: [attributes.sentinel, ...namesOf(counted)] }
  const isOne = wanted.length > 0 && possible.length <= maxBeside
  const searches = (isOne ? [possible] : turnsOf(possible)).map((turn) => {
    const tokens = new Set([...wanted, ...turn].flat())
    return [`"${sentinel}"`, ...[...tokens].slice(0, maxWords - 1)].join(' ')
  })
  return [...new Set(searches)].map((q): Ranking => ({ q, ...on, weight: 1 }))
}

/** One search per turn of the words and group of fields that weigh the same. */
function groups(
  { wanted, possible }: Words,
  boosts: Boosts,
  { settings, places }: Ranked,
): readonly Ranking[] {
  const spelled = (word: Word) => (word.length > 1 ? `"${word.join(' ')}"` : word.join(''))
  const words = [...wanted, ...possible].slice(0, maxWords)
  const turns = turnsOf(words).map((turn) => turn.map(spelled).join(' '))
  const weightOf = fieldWeights(boosts, settings)
  const byWeight = Map.groupBy(textsAmong(places), ({ field }) => weightOf(field))
  return [...byWeight].flatMap(([weight, group]) =>
    turns.map((q): Ranking => ({ q, on: namesOf(group), weight })),
  )
}

/** The last words of a search are given up first: each word leads once, but many words not all. */
const turnsOf = (words: readonly Word[]): readonly (readonly Word[])[] =>
  words.slice(0, maxTurns).map((_, i) => [...words.slice(i), ...words.slice(0, i)])

const namesOf = (places: readonly FieldReach[]): readonly string[] =>
  places.map(({ field, bucket = '*' }) => `${textsOf(field)}.${bucket}`)

/** The tokens of a word, one, or of a phrase. */
type Word = readonly string[]

/** Words and phrases, each once, but not wildcards. */
type Words = {
  /** Words that every document of the set holds, in this form or in another one. */
  readonly wanted: readonly Word[]
  /** Words that a document of the set may lack. */
  readonly possible: readonly Word[]
}

/** The words of a query that rank. */
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
