/** The dictionaries of terms and stems, fed while texts are indexed. */

import type { DatabaseSync } from 'node:sqlite'
import { tokenOf, words } from '../../../text/tokens.ts'
import { stems } from '../../../text/stems.ts'

/** Words of the newer half of what is remembered; both halves take 7 MB. */
const remembered = 25_000

/** Bucket → word → token. */
type Seen = Map<string, Map<string, string>>

/**
 * Turns text into tokens and writes (term, bucket) and (stem, term) pairs that were not seen before. What was seen is remembered
 * in bounded memory: it saves lookups, nothing more. When the newer half is full it becomes the older one, from which words
 * that occur again are taken over: identifiers, which never do, go.
 */
export class Terms {
  readonly #term
  readonly #stem
  #seen: Seen = new Map()
  #older: Seen = new Map()
  #count = 0

  constructor(db: DatabaseSync) {
    this.#term = db.prepare('INSERT OR IGNORE INTO term (term, bucket) VALUES (?, ?)')
    this.#stem = db.prepare('INSERT OR IGNORE INTO stem (stem, term) VALUES (?, ?)')
  }

  /** The tokens of a text in a bucket. */
  tokens(bucket: string, text: string): string[] {
    if (this.#count > remembered) this.#age()
    const seen = this.#bucket(bucket)
    const older = this.#older.get(bucket)
    const found: string[] = []
    for (const word of words(text)) {
      const token = seen.get(word) ?? this.#learn({ bucket, word, known: older?.get(word) }, seen)
      if (token !== '') found.push(token)
    }
    return found
  }

  /** After a rollback nothing may count as written. */
  forget(): void {
    this.#age()
    this.#older = new Map()
  }

  #age(): void {
    this.#older = this.#seen
    this.#seen = new Map()
    this.#count = 0
  }

  #bucket(bucket: string): Map<string, string> {
    const known = this.#seen.get(bucket)
    if (known) return known
    const fresh = new Map<string, string>()
    this.#seen.set(bucket, fresh)
    return fresh
  }

  #learn({ bucket, word, known }: Word, seen: Map<string, string>): string {
    const token = known ?? tokenOf(word)
    // A longer word is a window on the text that it was cut out of, which would be kept with it.
    const key = copied(word)
    seen.set(key, token === word ? key : copied(token))
    this.#count++
    if (token === '' || known !== undefined) return token
    this.#term.run(token, bucket)
    for (const stem of stems(bucket, word)) this.#stem.run(stem, token)
    return token
  }
}

type Word = {
  readonly bucket: string
  readonly word: string
  /** Its token, where it was met before. */
  readonly known: string | undefined
}

const copied = (text: string): string => Buffer.from(text).toString()
