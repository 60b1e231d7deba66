/**
 * Match set of a request in one index, as a filter condition. Words are matched by tokens and stems, which every document has as
 * attributes. Wildcards are expanded by a search in the index of terms; phrases that the stored pairs do not decide are verified in the
 * texts.
 */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import { otherBucket } from '../../text/language.ts'
import { wordsNear } from '../../text/nearest.ts'
import { stems } from '../../text/stems.ts'
import { tokens } from '../../text/tokens.ts'
import { idField, searchedFieldsOf, type SearchedField } from '../field-reach.ts'
import type { TextSettings } from '../index-settings.ts'
import { leavesOf, type Leaf } from '../query-tree.ts'
import type { SearchRequest } from '../search-index.ts'
import { isPrefix, literalPrefix, shortestTerms, wildMatcher } from '../wildcard.ts'
import {
  attributes,
  hasPairs,
  tokenInBucket,
  pairCode,
  pairsAttribute,
  stemToken,
  textsAttribute,
  tokensAttribute,
} from './attributes.ts'
import {
  and,
  type Condition,
  comparison,
  noDocument,
  not,
  or,
  quoted,
  flatten,
  filterText,
} from './condition.ts'
import { fetchDocuments, type IndexPart, type ReadContext } from './engine-reads.ts'
import { filterCondition, treeCondition } from './filter-conditions.ts'

/** Fields that a request names (`searchedFieldsOf`), each once; all fields if it names none. */
export function fieldsReached(
  names: readonly string[] | undefined,
  { texts }: TextSettings,
  languages: readonly string[],
): readonly SearchedField[] {
  const fields = [...new Set(texts.map((text) => text.name))].filter((name) => name !== idField)
  const searchedFields = names
    ? names.flatMap((name) => searchedFieldsOf(name, fields, languages))
    : [idField, ...fields].map((field): SearchedField => ({ field }))
  return [
    ...new Map(
      searchedFields.map((searched) => [`${searched.field} ${searched.bucket ?? ''}`, searched]),
    ).values(),
  ]
}

/** Fields in which a leaf is searched, and the terms of patterns. */
type LeafContext = {
  readonly fields: readonly SearchedField[]
  readonly languages: readonly string[]
  /** Terms by pattern, for patterns that Meilisearch cannot match itself. */
  readonly termsByPattern: ReadonlyMap<string, readonly string[]>
}

/** Condition of a leaf, which matches in any of the fields. That of a phrase may match too many documents, see `needsVerification`. */
export const leafCondition = (leaf: Leaf, context: LeafContext): Condition =>
  or(context.fields.map((place) => inField(leaf, place, context)))

type Phrase = Extract<Leaf, { readonly kind: 'phrase' }>

/** Whether documents that meet the condition of a leaf have to be verified by their texts. */
export const needsVerification = (leaf: Leaf, places: readonly SearchedField[]): leaf is Phrase =>
  leaf.kind === 'phrase' &&
  leaf.tokens.length > 1 &&
  (leaf.tokens.length > 2 || places.some(({ field }) => !hasPairs(field)))

function inField(
  leaf: Leaf,
  place: SearchedField,
  { languages, termsByPattern }: LeafContext,
): Condition {
  const inBucketOf = (token: string) =>
    place.bucket === undefined ? token : tokenInBucket(place.bucket, token)
  const hasTokenAmong = (tokens: readonly string[]): Condition =>
    isOneOf(tokensAttribute(place.field), tokens)
  switch (leaf.kind) {
    case 'exact':
      return hasTokenAmong([inBucketOf(leaf.token)])
    case 'term': {
      const buckets = place.bucket === undefined ? languages : [place.bucket]
      const related = buckets.flatMap((bucket) => stems(bucket, leaf.token)).map(stemToken)
      return hasTokenAmong([inBucketOf(leaf.token), ...(place.field === idField ? [] : related)])
    }
    case 'phrase':
      return hasPairs(place.field) && leaf.tokens.length > 1
        ? hasAllPairs(leaf.tokens, place, languages)
        : leaf.tokens.length === 0
          ? noDocument
          : and(leaf.tokens.map((token) => hasTokenAmong([inBucketOf(token)])))
    case 'wild':
    case 'prefix': {
      const pattern = patternOf(leaf) ?? ''
      if (!isEnginePrefix(pattern))
        return hasTokenAmong((termsByPattern.get(pattern) ?? []).map(inBucketOf))
      return comparison(
        `${tokensAttribute(place.field)} STARTS WITH ${quoted(inBucketOf(literalPrefix(pattern)))}`,
      )
    }
    default:
      return leaf satisfies never
  }
}

/**
 * Condition that a field has all pairs of adjacent tokens of a phrase. It does not ensure the order of the pairs, or that they are in
 * one value.
 */
function hasAllPairs(
  tokens: readonly string[],
  { field, bucket }: SearchedField,
  languages: readonly string[],
): Condition {
  const buckets = bucket === undefined ? [...languages, otherBucket] : [bucket]
  const pairs = tokens.slice(1).map((token, i) => {
    const codes = buckets.map((bucketName) => pairCode(bucketName, tokens[i] ?? '', token))
    return isOneOf(pairsAttribute(field), codes)
  })
  return and(pairs)
}

const isOneOf = (attribute: string, values: readonly string[]): Condition =>
  values.length === 0
    ? noDocument
    : comparison(`${attribute} IN [${[...new Set(values)].map(quoted).join(', ')}]`)

/**
 * Whether a prefix ends with a letter of a script in which no composed letter begins with another letter. Meilisearch compares
 * decomposed text, so that in other scripts a letter would match as the prefix of another. Latin and Greek tokens have no marks.
 */
const isPlainEnd = (prefix: string) =>
  /[\p{Script=Latin}\p{Script=Greek}\p{Script=Han}\p{N}]$/u.test(prefix)

/** Whether Meilisearch can match a pattern itself, by a filter with `STARTS WITH`. */
const isEnginePrefix = (pattern: string): boolean =>
  isPrefix(pattern) && isPlainEnd(literalPrefix(pattern))

/** Pattern of a leaf that searches a prefix or wildcards. */
function patternOf(leaf: Leaf): string | undefined {
  if (leaf.kind === 'prefix') return `${leaf.token}*`
  return leaf.kind === 'wild' ? leaf.pattern : undefined
}

/** Terms of the patterns of a query, and the patterns that match more terms than are searched. */
type Expansions = Pick<LeafContext, 'termsByPattern'> & {
  readonly truncatedPatterns: readonly string[]
}

const termRow = z.object({ term: z.string() })
/** Most rows of the index of terms that are read for one pattern, and in one call. */
const [mostRows, rowsPerCall] = [100_000, 20_000]

/** Looks up the terms of all patterns that Meilisearch cannot match itself. */
export async function expandPatterns(
  leaves: readonly Leaf[],
  context: ReadContext,
  signal?: AbortSignal,
): Promise<Expansions> {
  const termsByPattern = new Map<string, readonly string[]>()
  const truncatedPatterns: string[] = []
  for (const pattern of new Set(leaves.flatMap((leaf) => patternOf(leaf) ?? []))) {
    if (isEnginePrefix(pattern)) continue
    const terms = (await termsBeginning(literalPrefix(pattern), context, signal)).filter(
      wildMatcher(pattern),
    )
    const isTruncated = !isPrefix(pattern) && terms.length > context.wildcardTerms
    if (isTruncated) truncatedPatterns.push(pattern)
    termsByPattern.set(pattern, isTruncated ? shortestTerms(terms, context.wildcardTerms) : terms)
  }
  return { termsByPattern, truncatedPatterns }
}

/** Most suggestions for a token, and most tokens that are compared with it. */
const [mostNear, mostCompared] = [12, 5_000]

/** Indexed tokens that differ from `token` by one or two letters and begin with the same two letters, nearest first. */
export async function termsNear(
  token: string,
  context: ReadContext,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const prefix = Array.from(token).slice(0, 2).join('')
  const terms = await termsBeginning(prefix, context, signal, mostCompared)
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
    const { results, total: totalRows } = await fetchDocuments(
      context,
      context.uids.terms,
      page,
      signal,
    )
    terms.push(...results.map(({ term }) => term))
    total = results.length === 0 ? 0 : Math.min(totalRows, most)
  }
  return terms
}

/** Most documents that are verified for one phrase; if more have its pairs, none is verified. */
const maxCandidates = 5_000
/** Most documents that may match a part of a query that is replaced by their numbers because it is too deep for the parser. */
const maxNumbers = 100_000

const numberRow = z.object({ n: z.number() })
/** Document to verify; `textsAttribute`s have its texts. */
const candidateRow = z.looseObject({ n: z.number(), i: z.string() })
type Candidate = z.infer<typeof candidateRow>
const fieldTexts = z.record(z.string(), z.array(z.string())).default({})

type MatchContext = Pick<LeafContext, 'termsByPattern'> & {
  readonly readContext: ReadContext
  readonly signal?: AbortSignal
}

/** Condition of the match set of a request; `noDocument` if certainly no document matches. Rejects with `query-too-complex`. */
export async function matchCondition(
  request: Pick<SearchRequest, 'tree' | 'fields' | 'filter'>,
  part: IndexPart,
  { readContext, signal, termsByPattern }: MatchContext,
): Promise<Condition> {
  const { settings, languages, uid } = part
  const filter = filterCondition(request.filter, settings)
  if (filter.kind === 'none') return noDocument
  const conditions = new Map<Leaf, Condition>()
  for (const leaf of leavesOf(request.tree)) {
    const names = leaf.field === undefined ? request.fields : [leaf.field]
    const fields = fieldsReached(names, settings, languages)
    const condition = leafCondition(leaf, { fields, languages, termsByPattern })
    const verified = needsVerification(leaf, fields)
      ? await verify(leaf, condition, fields)
      : condition
    conditions.set(leaf, verified)
  }
  const tree = treeCondition(request.tree, settings, (leaf) => conditions.get(leaf) ?? noDocument)
  return and([filter, await flatten(tree, numbersOf)])

  /** Narrows the condition of a phrase: documents that have its tokens, but not in a row, are excluded. */
  async function verify(leaf: Phrase, condition: Condition, places: readonly SearchedField[]) {
    const fields = places.map(({ field }) => field).filter((field) => field !== idField)
    const fetching = {
      row: candidateRow,
      extraAttributes: [...new Set(fields)].map(textsAttribute),
      filter: filterText(and([filter, condition])),
      sort: [`${attributes.number}:asc`],
      limit: 1_000,
    }
    const falseMatches: number[] = []
    for (let [offset, total] = [0, 1]; offset < total;) {
      const page = await fetchDocuments(readContext, uid, { ...fetching, offset }, signal)
      if (page.total > maxCandidates) return condition
      const mismatches = page.results.filter((row) => !containsPhrase(row, leaf, places))
      falseMatches.push(...mismatches.map(({ n }) => n))
      offset += page.results.length
      total = page.results.length === 0 ? 0 : page.total
    }
    return and([condition, not(hasNumberAmong(falseMatches))])
  }

  async function numbersOf(inner: Condition): Promise<Condition> {
    const fetching = { row: numberRow, filter: filterText(and([filter, inner])), limit: maxNumbers }
    const { results, total } = await fetchDocuments(readContext, uid, fetching, signal)
    if (total > maxNumbers)
      throw new Failure('query-too-complex', 'too many records match inside deep parentheses')
    return hasNumberAmong(results.map(({ n }) => n))
  }
}

/** Condition that a document has one of some numbers. */
export const hasNumberAmong = (numbers: readonly number[]): Condition =>
  numbers.length === 0 ? noDocument : comparison(`${attributes.number} IN [${numbers.join(', ')}]`)

/** Whether one value of a document has the words of a phrase in a row. */
function containsPhrase(
  candidate: Candidate,
  phrase: Phrase,
  places: readonly SearchedField[],
): boolean {
  const containsTokens = (text: string) => {
    const textTokens = tokens(text)
    return textTokens.some((_, start) =>
      phrase.tokens.every((token, i) => textTokens[start + i] === token),
    )
  }
  return places.some(({ field, bucket }) => {
    if (field === idField) return bucket === undefined && containsTokens(candidate.i)
    const texts = fieldTexts.parse(candidate[textsAttribute(field)])
    return (bucket === undefined ? Object.values(texts).flat() : (texts[bucket] ?? [])).some(
      containsTokens,
    )
  })
}
