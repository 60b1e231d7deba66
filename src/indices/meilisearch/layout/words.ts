/** The words of documents: tokens and pairs as they are stored, and what the index of terms must learn of them. */

import { stems } from '../../../text/stems.ts'
import { tokenOf, words } from '../../../text/tokens.ts'

/** A term with the buckets that it was seen in and the stems that it has there. */
export type Learned = { readonly buckets: ReadonlySet<string>; readonly stems: ReadonlySet<string> }

type Word = { readonly token: string; readonly stems: readonly string[] }

const remembered = 500_000

/** Turns words into tokens; what was seen is remembered in bounded memory, because words come again and again. */
export type Words = {
  /** The tokens of a text in a bucket, in their order. Tells `learn` about each. */
  readonly tokens: (bucket: string, text: string, learn: Learn) => string[]
}

export type Learn = (token: string, bucket: string, stems: readonly string[]) => void

export function wordsSeen(): Words {
  const seen = new Map<string, Map<string, Word>>()
  let count = 0
  const inBucket = (bucket: string): Map<string, Word> => {
    if (count > remembered) {
      seen.clear()
      count = 0
    }
    const known = seen.get(bucket) ?? new Map<string, Word>()
    seen.set(bucket, known)
    return known
  }
  return {
    tokens: (bucket, text, learn) => {
      const known = inBucket(bucket)
      const found: string[] = []
      for (const written of words(text)) {
        let word = known.get(written)
        if (!word) {
          word = { token: tokenOf(written), stems: stems(bucket, written) }
          known.set(written, word)
          count++
        }
        if (word.token === '') continue
        learn(word.token, bucket, word.stems)
        found.push(word.token)
      }
      return found
    },
  }
}
