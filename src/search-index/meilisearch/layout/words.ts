/** The words of documents as tokens, with the stems that the index of terms must know. */

import { stems } from '../../../text/stems.ts'
import { tokenOf, words } from '../../../text/tokens.ts'

/** The same object for the same word of a bucket, as long as it is remembered. */
export type Word = {
  readonly token: string
  readonly bucket: string
  readonly stems: readonly string[]
}

export type Learn = (word: Word) => void

/** Turns texts into tokens, in their order; each is told to `learn`. */
export type Words = (bucket: string, text: string, learn: Learn) => string[]

const remembered = 500_000

/** Words come again and again: what was seen is remembered, in bounded memory. */
export function wordsSeen(): Words {
  const seen = new Map<string, Map<string, Word>>()
  let count = 0
  const seenIn = (bucket: string): Map<string, Word> => {
    if (count > remembered) {
      seen.clear()
      count = 0
    }
    const known = seen.get(bucket) ?? new Map<string, Word>()
    seen.set(bucket, known)
    return known
  }
  return (bucket, text, learn) => {
    const known = seenIn(bucket)
    const found: string[] = []
    for (const written of words(text)) {
      let word = known.get(written)
      if (!word) {
        word = { token: tokenOf(written), bucket, stems: stems(bucket, written) }
        known.set(written, word)
        count++
      }
      if (word.token === '') continue
      learn(word)
      found.push(word.token)
    }
    return found
  }
}
