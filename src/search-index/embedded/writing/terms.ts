/** The dictionaries of terms and stems, fed while texts are indexed. */

import type { DatabaseSync } from 'node:sqlite'
import { tokenOf, words } from '../../../text/tokens.ts'
import { stems } from '../../../text/stems.ts'
import { marked } from '../layout.ts'

/** Words of the newer half of what is remembered; both halves take 7 MB. */
const remembered = 25_000
/** Labels, formats and keywords stand in one record after the other; what is longer is a sentence of one record's own. */
const longestLabel = 60
/** Labels of the newer half of what is remembered; both halves take 4 MB. */
const rememberedLabels = 8_000

/** Bucket → word → token, marked with the bucket. */
type Seen = Map<string, Map<string, string>>

/** Tokens of a text in the form of the full-text table, a space between two. */
type Prepared = { readonly text: string; readonly size: number }

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
  #labels = new Map<string, Prepared>()
  #olderLabels = new Map<string, Prepared>()

  constructor(db: DatabaseSync) {
    this.#term = db.prepare('INSERT OR IGNORE INTO term (term, bucket) VALUES (?, ?)')
    this.#stem = db.prepare('INSERT OR IGNORE INTO stem (stem, term) VALUES (?, ?)')
  }

  /** A text of a bucket as it is indexed, of at most so many tokens. */
  prepared(bucket: string, text: string, most: number): Prepared {
    if (text.length > longestLabel) return this.#prepare(bucket, text, most)
    const key = marked(bucket, text)
    const known = this.#labels.get(key) ?? this.#olderLabels.get(key)
    const label = known ?? this.#prepare(bucket, text, Infinity)
    if (!this.#labels.has(key)) this.#remember(key, label)
    return label.size <= most ? label : this.#prepare(bucket, text, most)
  }

  /** After a rollback nothing may count as written. */
  forget(): void {
    this.#age()
    this.#older = new Map()
    this.#labels = new Map()
    this.#olderLabels = new Map()
  }

  #prepare(bucket: string, text: string, most: number): Prepared {
    const tokens = this.#tokens(bucket, text)
    if (tokens.length > most) tokens.length = most
    return { text: tokens.join(' '), size: tokens.length }
  }

  #tokens(bucket: string, text: string): string[] {
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

  #remember(key: string, label: Prepared): void {
    if (this.#labels.size >= rememberedLabels) {
      this.#olderLabels = this.#labels
      this.#labels = new Map()
    }
    this.#labels.set(copied(key), label)
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
    const token = known === undefined ? tokenOf(word) : ''
    const found = known ?? (token === '' ? '' : copied(marked(bucket, token)))
    // A longer word is a window on the text that it was cut out of, which would be kept with it.
    seen.set(copied(word), found)
    this.#count++
    if (token === '') return found
    this.#term.run(token, bucket)
    for (const stem of stems(bucket, word)) this.#stem.run(stem, token)
    return found
  }
}

type Word = {
  readonly bucket: string
  readonly word: string
  /** Its marked token, where it was met before. */
  readonly known: string | undefined
}

const copied = (text: string): string => Buffer.from(text).toString()
