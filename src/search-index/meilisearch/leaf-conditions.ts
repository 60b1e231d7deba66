/** Conditions of the leaves of a query tree in one index: words are matched by tokens, phrases by pairs of adjacent tokens. */

import { idField, type SearchedField } from '../field-reach.ts'
import type { SearchedLeaf, SearchedPhrase } from '../text-scores.ts'
import { otherBucket } from '../../text/language.ts'
import {
  everyField,
  hasPairs,
  pairCode,
  pairsAttribute,
  tokenInBucket,
  tokensAttribute,
} from './attributes.ts'
import { and, comparison, type Condition, noDocument, or, quoted } from './condition.ts'
import { isEnginePrefix } from './term-patterns.ts'

/** Documents that match a leaf, and those that match if they have one of its phrases in a row, which their texts decide. */
type LeafCondition = { readonly certain: Condition; readonly possible: Condition }

/** Condition of a leaf, which matches in any of its fields. */
export function leafCondition(
  { fields, phrases, prefix, isEverywhere = false }: SearchedLeaf,
  languages: readonly string[],
): LeafCondition {
  const words = phrases.filter(({ tokens }) => tokens.length === 1)
  const ofPhrases = (isCertain: boolean): readonly Condition[] =>
    fields.flatMap((place) =>
      phrases
        .filter(({ tokens }) => tokens.length > 1 && isDecided(tokens, place) === isCertain)
        .map((phrase) => hasPhrase(phrase, place, languages)),
    )
  const isOfEngine = prefix !== undefined && isEnginePrefix(`${prefix}*`)
  const ofWords = (isEverywhere ? [{ field: everyField }] : fields).map((place) =>
    isOfEngine ? hasPrefix(prefix, place) : hasWordAmong(words, place),
  )
  return { certain: or([...ofWords, ...ofPhrases(true)]), possible: or(ofPhrases(false)) }
}

/** Whether the pairs of a field decide that it has a phrase: only for two words, because more pairs may be in several values. */
const isDecided = (tokens: readonly string[], { field }: SearchedField): boolean =>
  tokens.length === 2 && hasPairs(field)

/** Whether a phrase is searched in a place: in its own bucket, and ids only in that of other languages. */
function isSearchedIn({ bucket }: SearchedPhrase, place: SearchedField): boolean {
  if (bucket === undefined) return true
  if (place.field === idField && bucket !== otherBucket) return false
  return place.bucket === undefined || place.bucket === bucket
}

const tokenIn = (bucket: string | undefined, token: string): string =>
  bucket === undefined ? token : tokenInBucket(bucket, token)

const hasPrefix = (prefix: string, { field, bucket }: SearchedField): Condition =>
  comparison(`${tokensAttribute(field)} STARTS WITH ${quoted(tokenIn(bucket, prefix))}`)

const hasWordAmong = (words: readonly SearchedPhrase[], place: SearchedField): Condition =>
  isOneOf(
    tokensAttribute(place.field),
    words
      .filter((word) => isSearchedIn(word, place))
      .flatMap(({ tokens, bucket = place.bucket }) =>
        tokens.map((token) => tokenIn(bucket, token)),
      ),
  )

/**
 * Condition that a field has all pairs of adjacent tokens of a phrase, or all its tokens where no pairs are stored. It does not ensure
 * the order of the pairs, or that they are in one value.
 */
function hasPhrase(
  phrase: SearchedPhrase,
  place: SearchedField,
  languages: readonly string[],
): Condition {
  const { tokens, bucket = place.bucket } = phrase
  const { field } = place
  if (!isSearchedIn(phrase, place)) return noDocument
  if (!hasPairs(field))
    return and(tokens.map((token) => isOneOf(tokensAttribute(field), [tokenIn(bucket, token)])))
  const buckets = bucket === undefined ? [...languages, otherBucket] : [bucket]
  const pairs = tokens.slice(1).map((token, i) => {
    const codes = buckets.map((name) => pairCode(name, tokens[i] ?? '', token))
    return isOneOf(pairsAttribute(field), codes)
  })
  return and(pairs)
}

const isOneOf = (attribute: string, values: readonly string[]): Condition =>
  values.length === 0
    ? noDocument
    : comparison(`${attribute} IN [${[...new Set(values)].map(quoted).join(', ')}]`)
