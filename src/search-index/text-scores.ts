/** Texts of records as lists of tokens: which words and phrases of a query they have. */

import type { SearchedField } from './field-reach.ts'

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
}

/** Tokens of a value of a record. */
export type TokenisedValue = {
  readonly field: string
  readonly bucket: string
  readonly tokens: readonly string[]
}

/** Whether a value is in one of the fields that are searched. */
const isReached = ({ field, bucket }: TokenisedValue, fields: readonly SearchedField[]): boolean =>
  fields.some((place) => place.field === field && (place.bucket ?? bucket) === bucket)

/** Whether tokens contain a phrase. */
const containsPhrase = (tokens: readonly string[], phrase: readonly string[]): boolean =>
  tokens.some((_, start) => phrase.every((token, i) => tokens[start + i] === token))

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
