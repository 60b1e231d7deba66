/**
 * Scores of records from their texts, for engines that do not score as `scoring.ts` does: the texts of a few records are searched for
 * the words and phrases of a query.
 */

import type { SearchedField } from './field-reach.ts'
import { neighbourFactor, titleField, unitScore } from './scoring.ts'
import { wildMatcher } from './wildcard.ts'

/** Word or phrase to search, in one language bucket or in all; `share`: part of an occurrence that counts for relevance. */
export type SearchedPhrase = {
  readonly tokens: readonly string[]
  readonly bucket?: string
  readonly share: number
}

/** Leaf of a query tree as it is searched in one index: any of its phrases, or the prefix if there is one, in any of the fields. */
export type SearchedLeaf = {
  readonly fields: readonly SearchedField[]
  readonly phrases: readonly SearchedPhrase[]
  readonly prefix?: string
  /** Pattern with wildcards, in place of phrases. */
  readonly pattern?: string
  /** Whether `fields` are all fields. */
  readonly isEverywhere?: boolean
}

/** Tokens of a value of a record. */
export type TokenisedValue = {
  readonly field: string
  readonly bucket: string
  readonly tokens: readonly string[]
}

/** Query whose units (`rankingUnits`) have known rarities in an index. */
export type ScoredQuery = {
  /** Distinct units that records of the index have. */
  readonly units: readonly (SearchedLeaf & { readonly rarity: number })[]
  /** Number of units, repeated and unknown ones included. */
  readonly unitCount: number
  /** Phrases of neighbouring units (`neighboursOf`). */
  readonly neighbours: readonly SearchedLeaf[]
  /** As in `SearchRequest`. */
  readonly typed?: readonly string[]
  readonly weightOf: (field: string) => number
}

/** Scores of records, each the list of all its values. Lengths are compared with the mean of these records. */
export function scoresOfTexts(
  records: readonly (readonly TokenisedValue[])[],
  query: ScoredQuery,
): readonly number[] {
  const { units, unitCount, neighbours, typed } = query
  const phrases = phrasesByFirst(units)
  const reached = searchedUnitsOf(units)
  const patterns = patternsOf(units)
  const sizes = records.map((values) => values.reduce((sum, { tokens }) => sum + tokens.length, 0))
  const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length
  const rarities = units.reduce((sum, { rarity }) => sum + rarity, 0)
  return records.map((values, record) => {
    const frequencies = frequenciesOf(values, query, { phrases, reached, patterns })
    const score = units.reduce((sum, { rarity }, i) => {
      const frequency = frequencies[i] ?? 0
      return frequency > 0 ? sum + unitScore(rarity, frequency, (sizes[record] ?? 0) / mean) : sum
    }, 0)
    const pairs = neighbours.filter((pair) => hasPhraseOf(values, pair)).length
    const bonus = hasTitle(values, typed) ? rarities : 0
    return score * neighbourFactor(pairs, unitCount) + bonus
  })
}

/** Whether a title of a record is the whole query. */
export const hasTitle = (values: readonly TokenisedValue[], typed: ScoredQuery['typed']): boolean =>
  values.some(
    ({ field, tokens }) =>
      field === titleField &&
      tokens.length === typed?.length &&
      tokens.every((token, i) => token === typed[i]),
  )

type UnitPhrase = SearchedPhrase & { readonly unit: number }

/** Phrases of all units by their first tokens. */
function phrasesByFirst(units: readonly SearchedLeaf[]): ReadonlyMap<string, UnitPhrase[]> {
  const ranking = units.flatMap(({ prefix, phrases }, unit) =>
    prefix === undefined
      ? phrases.filter(({ share }) => share > 0).map((phrase) => ({ ...phrase, unit }))
      : [],
  )
  return Map.groupBy(ranking, ({ tokens }) => tokens[0] ?? '')
}

/** Tells which units are searched in a value; remembered by field and bucket. */
function searchedUnitsOf(
  units: readonly SearchedLeaf[],
): (value: TokenisedValue) => readonly boolean[] {
  const known = new Map<string, readonly boolean[]>()
  return (value) => {
    const key = `${value.field} ${value.bucket}`
    const reached = known.get(key) ?? units.map(({ fields }) => isReached(value, fields))
    known.set(key, reached)
    return reached
  }
}

type UnitSearch = {
  readonly phrases: ReadonlyMap<string, readonly UnitPhrase[]>
  readonly reached: (value: TokenisedValue) => readonly boolean[]
  readonly patterns: ReadonlyMap<number, (token: string) => boolean>
}

/** Tests of the units that are a prefix or a pattern. */
function patternsOf(units: readonly SearchedLeaf[]): UnitSearch['patterns'] {
  return new Map(
    units.flatMap(({ prefix, pattern }, unit) => {
      if (prefix !== undefined)
        return [[unit, (token: string) => token.startsWith(prefix)] as const]
      return pattern === undefined ? [] : [[unit, wildMatcher(pattern)] as const]
    }),
  )
}

/**
 * Frequency of each unit in a record: occurrences of words, each with its share and the weight of the field. Phrases of one share, and
 * a prefix, are one occurrence in all fields of one weight, as in the embedded engine.
 */
function frequenciesOf(
  values: readonly TokenisedValue[],
  { units, weightOf }: ScoredQuery,
  { phrases, reached, patterns }: UnitSearch,
): readonly number[] {
  const frequencies = units.map(() => 0)
  const present = new Set<string>()
  const add = (unit: number, frequency: number) => {
    frequencies[unit] = (frequencies[unit] ?? 0) + frequency
  }
  const addOnce = (unit: number, share: number, weight: number) => {
    const key = `${unit} ${share} ${weight}`
    if (!present.has(key)) add(unit, share * weight)
    present.add(key)
  }
  for (const value of values) {
    const isUnitReached = reached(value)
    const weight = weightOf(value.field)
    for (let start = 0; start < value.tokens.length; start++)
      for (const phrase of phrases.get(value.tokens[start] ?? '') ?? []) {
        const { unit, bucket = value.bucket, tokens, share } = phrase
        if (isUnitReached[unit] !== true || bucket !== value.bucket) continue
        if (tokens.length === 1) add(unit, share * weight)
        else if (beginsAt(value.tokens, start, tokens)) addOnce(unit, share, weight)
      }
    for (const [unit, matches] of patterns)
      if (isUnitReached[unit] === true && value.tokens.some(matches)) addOnce(unit, 1, weight)
  }
  return frequencies
}

/** Whether a value is in one of the fields that are searched. */
const isReached = ({ field, bucket }: TokenisedValue, fields: readonly SearchedField[]): boolean =>
  fields.some((place) => place.field === field && (place.bucket ?? bucket) === bucket)

/** Whether one value of a record has a phrase of a leaf. */
export const hasPhraseOf = (
  values: readonly TokenisedValue[],
  { fields, phrases }: SearchedLeaf,
): boolean =>
  values.some(
    (value) =>
      isReached(value, fields) &&
      phrases.some(
        ({ bucket = value.bucket, tokens }) =>
          bucket === value.bucket && containsPhrase(value.tokens, tokens),
      ),
  )

function containsPhrase(tokens: readonly string[], phrase: readonly string[]): boolean {
  const [first = ''] = phrase
  for (let start = tokens.indexOf(first); start >= 0; start = tokens.indexOf(first, start + 1))
    if (beginsAt(tokens, start, phrase)) return true
  return false
}

const beginsAt = (tokens: readonly string[], start: number, phrase: readonly string[]): boolean =>
  phrase.every((token, i) => tokens[start + i] === token)
