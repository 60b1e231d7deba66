/** The dictionaries of terms and stems, fed while texts are indexed. */

import type { DatabaseSync } from 'node:sqlite'
import { tokenOf, words } from '../../../text/tokens.ts'
import { stems } from '../../../text/stems.ts'

const remembered = 1_000_000

/**
 * Turns text into tokens and writes (term, bucket) and (stem, term) pairs that were not seen before. What was seen is remembered
 * in bounded memory: it saves lookups, nothing more.
 */
export class Terms {
  readonly #term
  readonly #stem
  #seen = new Map<string, Map<string, string>>()
  #count = 0

  constructor(db: DatabaseSync) {
    this.#term = db.prepare('INSERT OR IGNORE INTO term (term, bucket) VALUES (?, ?)')
    this.#stem = db.prepare('INSERT OR IGNORE INTO stem (stem, term) VALUES (?, ?)')
  }

  /** The tokens of a text in a bucket. */
  tokens(bucket: string, text: string): string[] {
    const seen = this.#bucket(bucket)
    const found: string[] = []
    for (const word of words(text)) {
      const token = seen.get(word) ?? this.#learn(bucket, seen, word)
      if (token !== '') found.push(token)
    }
    return found
  }

  /** After a rollback nothing may count as written. */
  forget(): void {
    this.#seen = new Map()
    this.#count = 0
  }

  #bucket(bucket: string): Map<string, string> {
    if (this.#count > remembered) this.forget()
    const known = this.#seen.get(bucket)
    if (known) return known
    const fresh = new Map<string, string>()
    this.#seen.set(bucket, fresh)
    return fresh
  }

  #learn(bucket: string, seen: Map<string, string>, word: string): string {
    const token = tokenOf(word)
    seen.set(word, token)
    this.#count++
    if (token === '') return token
    this.#term.run(token, bucket)
    for (const stem of stems(bucket, word)) this.#stem.run(stem, token)
    return token
  }
}
