/**
 * The text of documents on its way into the full-text table: values become tokens, words and stems that were not met before go
 * into the dictionaries (`term`, `stem`), and the rows are written at the end of the transaction.
 */

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { bucketOf, otherBucket } from '../../text/language.ts'
import { stems } from '../../text/stems.ts'
import { tokenOf, words } from '../../text/tokens.ts'
import type { Document } from '../search-index.ts'
import { marked, valueBorder, type Column } from './index-file.ts'

/** Words whose token and stems are known to be in the dictionaries; about 7 MB. */
const maxKnown = 50_000
/** Tokens per field that are indexed; a longer text is found by its beginning. */
const longestText = 20_000

/** Null = a column without text. `size` = tokens in all columns. */
type IndexedTexts = { readonly columns: readonly (string | null)[]; readonly size: number }

/** Tokens of a text in the form of the full-text table, a space between two. */
type Prepared = { readonly text: string; readonly size: number }

/** The dictionaries of terms and stems, fed while texts are indexed. */
export class Terms {
  readonly #term: StatementSync
  readonly #stem: StatementSync
  /** Bucket → word → token, marked with the bucket; a word without a token has an empty one. */
  readonly #known = new Map<string, Map<string, string>>()
  #count = 0

  constructor(db: DatabaseSync) {
    this.#term = db.prepare('INSERT OR IGNORE INTO term (term, bucket) VALUES (?, ?)')
    this.#stem = db.prepare('INSERT OR IGNORE INTO stem (stem, term) VALUES (?, ?)')
  }

  /** A text of a bucket as it is indexed, with at most so many tokens. */
  prepared(bucket: string, text: string, most: number): Prepared {
    if (this.#count > maxKnown) this.forget()
    const known = this.#known.get(bucket) ?? new Map<string, string>()
    this.#known.set(bucket, known)
    const found: string[] = []
    for (const word of words(text)) {
      const token = known.get(word) ?? this.#learn(bucket, word, known)
      if (token !== '') found.push(token)
    }
    if (found.length > most) found.length = most
    return { text: found.join(' '), size: found.length }
  }

  /** After a rollback nothing may count as written. */
  forget(): void {
    this.#known.clear()
    this.#count = 0
  }

  #learn(bucket: string, word: string, known: Map<string, string>): string {
    const token = tokenOf(word)
    const found = token === '' ? '' : copied(marked(bucket, token))
    // A word is a window on the text that it was cut out of, which would be kept in memory with it.
    known.set(copied(word), found)
    this.#count++
    if (token === '') return found
    this.#term.run(token, bucket)
    for (const stem of stems(bucket, word)) this.#stem.run(stem, token)
    return found
  }
}

const copied = (text: string): string => Buffer.from(text).toString()

/** The texts of documents by column of the full-text table, in the order of the columns. */
export class Texts {
  readonly #terms: Terms
  readonly #languages: readonly string[]
  readonly #columns: readonly Column[]

  constructor(terms: Terms, columns: readonly Column[], languages: readonly string[]) {
    this.#terms = terms
    this.#columns = columns
    this.#languages = languages
  }

  /** The first column holds the record's id, beside texts of a field of that name. */
  of(id: string, text: Document['text']): IndexedTexts {
    const joined = this.#columns.map(({ field }, i) => {
      const own = text[field] ?? {}
      const others = own[otherBucket] ?? []
      return this.#joined(i > 0 ? own : { ...own, [otherBucket]: [id, ...others] })
    })
    return {
      columns: joined.map((one) => (one.size === 0 ? null : one.text)),
      size: joined.reduce((sum, { size }) => sum + size, 0),
    }
  }

  /** The limit holds for a field in all its languages; borders between values do not count for it. */
  #joined(languages: Document['text'][string]): Prepared {
    const parts: string[] = []
    let left = longestText
    for (const key in languages) {
      const bucket = bucketOf(key, this.#languages)
      for (const value of languages[key] ?? []) {
        const { text, size } = this.#terms.prepared(bucket, value, left)
        if (size > 0) parts.push(text)
        left -= size
      }
    }
    const borders = Math.max(0, parts.length - 1)
    return { text: parts.join(` ${valueBorder} `), size: longestText - left + borders }
  }
}

/**
 * Rows of a full-text table. FTS5 writes out what it has collected whenever a row comes that is not after the last one; so that
 * not every replaced record makes a segment of its own, those that go are written first, then those that come.
 */
export class FullTextRows {
  readonly #delete: StatementSync
  readonly #insert: StatementSync
  #gone: number[] = []
  readonly #come = new Map<number, IndexedTexts['columns']>()

  constructor(db: DatabaseSync, table: string, columns: readonly Column[]) {
    const names = columns.map(({ alias }) => alias).join(', ')
    const marks = columns.map(() => '?').join(', ')
    this.#delete = db.prepare(`DELETE FROM ${table} WHERE rowid = ?`)
    this.#insert = db.prepare(`INSERT INTO ${table} (rowid, ${names}) VALUES (?, ${marks})`)
  }

  /** Numbers come in ascending order. */
  add(n: number, texts: IndexedTexts['columns']): void {
    this.#come.set(n, texts)
  }

  remove(n: number): void {
    if (!this.#come.delete(n)) this.#gone.push(n)
  }

  /** To be called before the transaction is committed. */
  write(): void {
    for (const n of this.#gone.sort((a, b) => a - b)) this.#delete.run(n)
    for (const [n, texts] of this.#come) this.#insert.run(n, ...texts)
    this.forget()
  }

  /** Forgets the texts of a transaction that was not committed. */
  forget(): void {
    this.#gone = []
    this.#come.clear()
  }
}
