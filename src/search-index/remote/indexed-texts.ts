/** Texts of a record as engines on a server index them: words of each value, up to a limit for each field. */

import type { Document } from '../search-index.ts'
import { bucketOf } from '../../text/language.ts'
import { stems } from '../../text/stems.ts'
import { tokenOf, words } from '../../text/tokens.ts'
import type { IndexedWord } from './term-rows.ts'

/** Tokens of a field that are indexed, in all languages together; the rest of a longer text is not searchable. */
const maxTokens = 20_000

/** Value of a field with its words in order. */
type IndexedValue = {
  readonly bucket: string
  readonly value: string
  readonly words: readonly IndexedWord[]
}

/** Values of a field that have words. */
export function* indexedValues(
  texts: Document['text'][string],
  languages: readonly string[],
): Generator<IndexedValue> {
  let remaining = maxTokens
  for (const [key, values] of Object.entries(texts)) {
    const bucket = bucketOf(key, languages)
    for (const value of values) {
      const indexedWords = wordsIn(bucket, value).slice(0, remaining)
      remaining -= indexedWords.length
      if (indexedWords.length > 0) yield { bucket, value, words: indexedWords }
    }
  }
}

/** Words of a text that have a token, with their stems in the bucket, in order. */
const wordsIn = (bucket: string, text: string): readonly IndexedWord[] =>
  words(text).flatMap((word) => {
    const token = tokenOf(word)
    return token === '' ? [] : [{ token, bucket, stems: stems(bucket, word) }]
  })
