/**
 * The match set of a request in one index, as a condition that the engine can take. Words are looked for as they are and by their
 * stems, which stand beside the tokens of every document; only wildcards, and phrases of which not all is stored, need another look.
 */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import { otherBucket } from '../../text/language.ts'
import { wordsNear } from '../../text/nearest.ts'
import { stems } from '../../text/stems.ts'
import { tokens } from '../../text/tokens.ts'
import { idField, reachOf, type FieldReach } from '../field-reach.ts'
import type { TextSettings } from '../index-settings.ts'
import { leavesOf, type Leaf } from '../query-tree.ts'
import type { SearchRequest } from '../search-index.ts'
import { isPrefix, literalPrefix, shortestTerms, wildMatcher } from '../wildcard.ts'
import {
  attributes,
  hasPairs,
  inBucket,
  pairCode,
  pairsOf,
  stemmed,
  textsOf,
  tokensOf,
} from './attributes.ts'
import { and, type Condition, is, none, not, or, quoted, shallow, textOf } from './condition.ts'
import { fetched, type IndexPart, type ReadContext } from './engine-reads.ts'
import { filterCondition, treeCondition } from './filter-conditions.ts'

/** Fields that names of a request reach, in one language where one is named; all when there are no names. */
export function placesOf(
  names: readonly string[] | undefined,
  { texts }: TextSettings,
  languages: readonly string[],
): readonly FieldReach[] {
  const fields = [...new Set(texts.map((text) => text.name))].filter((name) => name !== idField)
  const places = names
    ? names.flatMap((name) => reachOf(name, fields, languages))
    : [idField, ...fields].map((field): FieldReach => ({ field }))
  return [...new Map(places.map((one) => [`${one.field} ${one.bucket ?? ''}`, one])).values()]
}

/** Where a leaf is looked for, and what patterns stand for. */
type LeafContext = {
  readonly places: readonly FieldReach[]
  readonly languages: readonly string[]
  /** Terms by pattern, of those that the engine cannot look for itself. */
  readonly expanded: ReadonlyMap<string, readonly string[]>
}

/** Matches when it matches in one of the places. A phrase may match a little too much: see `isLoose`. */
export const leafCondition = (leaf: Leaf, context: LeafContext): Condition =>
  or(context.places.map((place) => inPlace(leaf, place, context)))

type Phrase = Extract<Leaf, { readonly kind: 'phrase' }>

/** Whether documents that fulfil the condition of a leaf have to be verified by their texts. */
export const isLoose = (leaf: Leaf, places: readonly FieldReach[]): leaf is Phrase =>
  leaf.kind === 'phrase' &&
  leaf.tokens.length > 1 &&
  (leaf.tokens.length > 2 || places.some(({ field }) => !hasPairs(field)))

function inPlace(leaf: Leaf, place: FieldReach, { languages, expanded }: LeafContext): Condition {
  const here = (token: string) =>
    place.bucket === undefined ? token : inBucket(place.bucket, token)
  const among = (tokens: readonly string[]): Condition => listed(tokensOf(place.field), tokens)
  switch (leaf.kind) {
    case 'exact':
      return among([here(leaf.token)])
    case 'term': {
      const buckets = place.bucket === undefined ? languages : [place.bucket]
      const related = buckets.flatMap((bucket) => stems(bucket, leaf.token)).map(stemmed)
      return among([here(leaf.token), ...(place.field === idField ? [] : related)])
    }
    case 'phrase':
      return hasPairs(place.field) && leaf.tokens.length > 1
        ? neighbours(leaf.tokens, place, languages)
        : leaf.tokens.length === 0
          ? none
          : and(leaf.tokens.map((token) => among([here(token)])))
    case 'wild':
    case 'prefix': {
      const pattern = patternOf(leaf) ?? ''
      if (!isDirect(pattern)) return among((expanded.get(pattern) ?? []).map(here))
      return is(`${tokensOf(place.field)} STARTS WITH ${quoted(here(literalPrefix(pattern)))}`)
    }
    default:
      return leaf satisfies never
  }
}

/** All neighbours are there: in which order, and whether in one value, is not said of more than two. */
function neighbours(
  tokens: readonly string[],
  { field, bucket }: FieldReach,
  languages: readonly string[],
): Condition {
  const buckets = bucket === undefined ? [...languages, otherBucket] : [bucket]
  const pairs = tokens.slice(1).map((token, i) => {
    const codes = buckets.map((one) => pairCode(one, tokens[i] ?? '', token))
    return listed(pairsOf(field), codes)
  })
  return and(pairs)
}

const listed = (attribute: string, values: readonly string[]): Condition =>
  values.length === 0
    ? none
    : is(`${attribute} IN [${[...new Set(values)].map(quoted).join(', ')}]`)

/**
 * Where a composed letter begins with another letter, the engine, which compares decomposed text, takes the one for the
 * beginning of the other: such beginnings are looked up. Latin and Greek letters come without marks.
 */
const isPlainEnd = (prefix: string) =>
  /[\p{Script=Latin}\p{Script=Greek}\p{Script=Han}\p{N}]$/u.test(prefix)

/** Whether the engine can look for the beginning itself. */
const isDirect = (pattern: string): boolean =>
  isPrefix(pattern) && isPlainEnd(literalPrefix(pattern))

/** The pattern of a leaf that asks for beginnings or wildcards. */
function patternOf(leaf: Leaf): string | undefined {
  if (leaf.kind === 'prefix') return `${leaf.token}*`
  return leaf.kind === 'wild' ? leaf.pattern : undefined
}

/** Terms that the patterns of a query stand for, and the patterns with more terms than were taken. */
type Expansions = Pick<LeafContext, 'expanded'> & { readonly shortened: readonly string[] }

const termRow = z.object({ term: z.string() })
/** Rows of the index of terms that are read for one pattern, and with one call. */
const [mostRows, rowsPerCall] = [100_000, 20_000]

/** Looks up the terms of all patterns that the engine cannot look for itself. */
export async function expansionsOf(
  leaves: readonly Leaf[],
  context: ReadContext,
  signal?: AbortSignal,
): Promise<Expansions> {
  const expanded = new Map<string, readonly string[]>()
  const shortened: string[] = []
  for (const pattern of new Set(leaves.flatMap((leaf) => patternOf(leaf) ?? []))) {
    if (isDirect(pattern)) continue
    const all = (await termsBeginning(literalPrefix(pattern), context, signal)).filter(
      wildMatcher(pattern),
    )
    const isCut = !isPrefix(pattern) && all.length > context.wildcardTerms
    if (isCut) shortened.push(pattern)
    expanded.set(pattern, isCut ? shortestTerms(all, context.wildcardTerms) : all)
  }
  return { expanded, shortened }
}

/** Tokens that may be meant by a mistyped one, and those that are compared with it. */
const [mostNear, mostCompared] = [12, 5_000]

/** The tokens that differ from one by a letter or two, nearest first. They begin with the same two letters. */
export async function nearTerms(
  token: string,
  context: ReadContext,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const start = Array.from(token).slice(0, 2).join('')
  const terms = await termsBeginning(start, context, signal, mostCompared)
  return wordsNear(token, terms, mostNear).map(({ word }) => word)
}

async function termsBeginning(
  prefix: string,
  context: ReadContext,
  signal?: AbortSignal,
  most = mostRows,
): Promise<readonly string[]> {
  const filter = prefix === '' ? 'term EXISTS' : `term STARTS WITH ${quoted(prefix)}`
  const terms: string[] = []
  for (let total = most; terms.length < total;) {
    const page = { row: termRow, filter, limit: Math.min(rowsPerCall, most), offset: terms.length }
    const { results, total: all } = await fetched(context, context.uids.terms, page, signal)
    terms.push(...results.map(({ term }) => term))
    total = results.length === 0 ? 0 : Math.min(all, most)
  }
  return terms
}

/** Documents that are verified for one phrase; of more, those that hold its neighbours are taken as they are. */
const maxCandidates = 5_000
/** Documents that a part of a query may stand for when it is too deep for the engine's parser. */
const maxNumbers = 100_000

const numberRow = z.object({ n: z.number() })
/** With texts under their attributes. */
const candidateRow = z.looseObject({ n: z.number(), i: z.string() })
type Candidate = z.infer<typeof candidateRow>
const fieldTexts = z.record(z.string(), z.array(z.string())).default({})

type MatchContext = Pick<LeafContext, 'expanded'> & {
  readonly reading: ReadContext
  readonly signal?: AbortSignal
}

/** `none` where certainly no document matches. */
export async function matchedBy(
  request: Pick<SearchRequest, 'tree' | 'fields' | 'filter'>,
  part: IndexPart,
  { reading, signal, expanded }: MatchContext,
): Promise<Condition> {
  const { settings, languages, uid } = part
  const filter = filterCondition(request.filter, settings)
  if (filter.kind === 'none') return none
  const conditions = new Map<Leaf, Condition>()
  for (const leaf of leavesOf(request.tree)) {
    const names = leaf.field === undefined ? request.fields : [leaf.field]
    const places = placesOf(names, settings, languages)
    const condition = leafCondition(leaf, { places, languages, expanded })
    const verified = isLoose(leaf, places) ? await verify(leaf, condition, places) : condition
    conditions.set(leaf, verified)
  }
  const tree = treeCondition(request.tree, settings, (leaf) => conditions.get(leaf) ?? none)
  return and([filter, await shallow(tree, numbersOf)])

  /** The condition of a phrase without those that only hold its neighbours somewhere. */
  async function verify(leaf: Phrase, condition: Condition, places: readonly FieldReach[]) {
    const fields = places.map(({ field }) => field).filter((field) => field !== idField)
    const fetching = {
      row: candidateRow,
      more: [...new Set(fields)].map(textsOf),
      filter: textOf(and([filter, condition])),
      sort: [`${attributes.number}:asc`],
      limit: 1_000,
    }
    const wrong: number[] = []
    for (let [offset, total] = [0, 1]; offset < total;) {
      const page = await fetched(reading, uid, { ...fetching, offset }, signal)
      if (page.total > maxCandidates) return condition
      const others = page.results.filter((one) => !holds(one, leaf, places))
      wrong.push(...others.map(({ n }) => n))
      offset += page.results.length
      total = page.results.length === 0 ? 0 : page.total
    }
    return and([condition, not(amongNumbers(wrong))])
  }

  async function numbersOf(deep: Condition): Promise<Condition> {
    const fetching = { row: numberRow, filter: textOf(and([filter, deep])), limit: maxNumbers }
    const { results, total } = await fetched(reading, uid, fetching, signal)
    if (total > maxNumbers)
      throw new Failure('query-too-complex', 'too many records match inside deep parentheses')
    return amongNumbers(results.map(({ n }) => n))
  }
}

/** Documents by their numbers. */
export const amongNumbers = (numbers: readonly number[]): Condition =>
  numbers.length === 0 ? none : is(`${attributes.number} IN [${numbers.join(', ')}]`)

/** Whether the words of a phrase stand in a row in one value of a document. */
function holds(candidate: Candidate, phrase: Phrase, places: readonly FieldReach[]): boolean {
  const isIn = (text: string) => {
    const found = tokens(text)
    return found.some((_, at) => phrase.tokens.every((token, i) => found[at + i] === token))
  }
  return places.some(({ field, bucket }) => {
    if (field === idField) return bucket === undefined && isIn(candidate.i)
    const texts = fieldTexts.parse(candidate[textsOf(field)])
    return (bucket === undefined ? Object.values(texts).flat() : (texts[bucket] ?? [])).some(isIn)
  })
}
