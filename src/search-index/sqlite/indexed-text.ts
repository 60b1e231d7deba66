/**
 * Indexing of text: splits values into tokens, adds new words and stems to the dictionaries (`term`, `mirror`, `stem`), and
 * writes the rows of the full-text table at the end of the transaction.
 */

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { copyOf } from '../../text/copy.ts'
import { bucketOf, otherBucket } from '../../text/language.ts'
import { stems } from '../../text/stems.ts'
import { tokenOf, tokens, words } from '../../text/tokens.ts'
import { isCompoundCandidate, mirrored } from '../compounds.ts'
import { titleField } from '../scoring.ts'
import type { Document } from '../search-index.ts'
import { bucketToken, titleToken, valueSeparator, type Column } from './index-file.ts'

/** Words that are cached because they are in the dictionaries; about 7 MB. */
const maxCachedWords = 50_000
/** Tokens of a field that are indexed; the rest of a longer text is not searchable. */
const maxTokens = 20_000

/**
 * Row of the full-text table: tokens of each column, null = none. `size` is the number of tokens and separators in all columns,
 * without those of whole titles.
 */
type IndexedTexts = { readonly columns: readonly (string | null)[]; readonly size: number }

/** Tokens of a text as the full-text table has them (`bucketToken`), separated by spaces, and their number. */
type TokenText = { readonly text: string; readonly size: number }

/** Splits texts into tokens and adds new ones to the dictionaries of terms and stems. */
export class TermDictionary {
  readonly #insertTerm: StatementSync
  readonly #insertStem: StatementSync
  readonly #insertMirror: StatementSync
  /** Cache: bucket → word → token with its bucket; empty for a word without a token. */
  readonly #tokens = new Map<string, Map<string, string>>()
  #count = 0

  constructor(db: DatabaseSync) {
    this.#insertTerm = db.prepare('INSERT OR IGNORE INTO term (term, bucket) VALUES (?, ?)')
    this.#insertStem = db.prepare('INSERT OR IGNORE INTO stem (stem, term) VALUES (?, ?)')
    this.#insertMirror = db.prepare('INSERT OR IGNORE INTO mirror (mirror, bucket) VALUES (?, ?)')
  }

  /** Tokens of a text in a language bucket, at most `most`. */
  tokenise(bucket: string, text: string, most: number): TokenText {
    if (this.#count > maxCachedWords) this.forget()
    const cachedTokens = this.#tokens.get(bucket) ?? new Map<string, string>()
    this.#tokens.set(bucket, cachedTokens)
    const tokens: string[] = []
    for (const word of words(text)) {
      const token = cachedTokens.get(word) ?? this.#register(bucket, word, cachedTokens)
      if (token !== '') tokens.push(token)
    }
    if (tokens.length > most) tokens.length = most
    return { text: tokens.join(' '), size: tokens.length }
  }

  /** Clears the cache; to be called after a rollback, which has removed words from the dictionaries. */
  forget(): void {
    this.#tokens.clear()
    this.#count = 0
  }

  #register(bucket: string, word: string, cachedTokens: Map<string, string>): string {
    const token = tokenOf(word)
    const bucketed = token === '' ? '' : copyOf(bucketToken(bucket, token))
    cachedTokens.set(copyOf(word), bucketed)
    this.#count++
    if (token === '') return bucketed
    this.#insertTerm.run(token, bucket)
    if (isCompoundCandidate(token, bucket)) this.#insertMirror.run(mirrored(token), bucket)
    for (const stem of stems(bucket, word)) this.#insertStem.run(stem, token)
    return bucketed
  }
}

/** Makes rows of the full-text table from the texts of documents. */
export class TextIndexer {
  readonly #terms: TermDictionary
  readonly #languages: readonly string[]
  readonly #columns: readonly Column[]

  constructor(terms: TermDictionary, columns: readonly Column[], languages: readonly string[]) {
    this.#terms = terms
    this.#columns = columns
    this.#languages = languages
  }

  /** Row of a document. The first column has the record's id, and the texts of a field named `id`, if any. */
  index(id: string, text: Document['text']): IndexedTexts {
    const columns = this.#columns.map(({ field }, i) => {
      const texts = text[field] ?? {}
      const otherTexts = texts[otherBucket] ?? []
      const withId = i > 0 ? texts : { ...texts, [otherBucket]: [id, ...otherTexts] }
      return this.#tokensOf(withId, field)
    })
    return {
      columns: columns.map((column) => (column.size === 0 ? null : column.text)),
      size: columns.reduce((sum, { size }) => sum + size, 0),
    }
  }

  /**
   * Tokens of a field in all languages, up to `maxTokens`, without separators between values; then those of whole titles, which
   * count nowhere.
   */
  #tokensOf(languages: Document['text'][string], name: string): TokenText {
    const parts: string[] = []
    const titles: string[] = []
    let remaining = maxTokens
    for (const key in languages) {
      const bucket = bucketOf(key, this.#languages)
      for (const value of languages[key] ?? []) {
        const { text, size } = this.#terms.tokenise(bucket, value, remaining)
        if (size > 0) parts.push(text)
        if (size > 0 && name === titleField) titles.push(titleToken(tokens(value)))
        remaining -= size
      }
    }
    const separators = Math.max(0, parts.length - 1)
    const columnText = [...parts, ...titles].join(` ${valueSeparator} `)
    return { text: columnText, size: maxTokens - remaining + separators }
  }
}

/**
 * Changes of a full-text table in a transaction. FTS5 writes a segment whenever a row number is not greater than the last one.
 * Therefore all deletions are written first, in order, and then all insertions.
 */
export class FullTextRows {
  readonly #delete: StatementSync
  readonly #insert: StatementSync
  #deletions: number[] = []
  readonly #insertions = new Map<number, IndexedTexts['columns']>()

  constructor(db: DatabaseSync, table: string, columns: readonly Column[]) {
    const names = columns.map(({ alias }) => alias).join(', ')
    const marks = columns.map(() => '?').join(', ')
    this.#delete = db.prepare(`DELETE FROM ${table} WHERE rowid = ?`)
    this.#insert = db.prepare(`INSERT INTO ${table} (rowid, ${names}) VALUES (?, ${marks})`)
  }

  /** Adds a row; numbers must be ascending. */
  add(n: number, texts: IndexedTexts['columns']): void {
    this.#insertions.set(n, texts)
  }

  /** Removes a row, also one that was added in this transaction. */
  remove(n: number): void {
    if (!this.#insertions.delete(n)) this.#deletions.push(n)
  }

  /** Writes the changes; to be called before the transaction is committed. */
  write(): void {
    for (const n of this.#deletions.sort((a, b) => a - b)) this.#delete.run(n)
    for (const [n, texts] of this.#insertions) this.#insert.run(n, ...texts)
    this.forget()
  }

  /** Drops the changes of a transaction that was rolled back. */
  forget(): void {
    this.#deletions = []
    this.#insertions.clear()
  }
}
