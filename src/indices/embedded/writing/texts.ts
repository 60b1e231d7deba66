/** The text of a document as the full-text table takes it. */

import { bucketOf } from '../../../text/language.ts'
import type { Document } from '../../search-index.ts'
import { valueBorder, type Column } from '../layout.ts'
import type { Terms } from './terms.ts'

/** Tokens per field and bucket that are indexed; a longer text is found by its beginning. */
const longestText = 20_000

/** Column alias → prepared text, only where there is some. */
export class Texts {
  readonly #terms: Terms
  readonly #languages: readonly string[]
  readonly #alias: ReadonlyMap<string, string>
  readonly #idAlias: string

  constructor(terms: Terms, columns: readonly Column[], languages: readonly string[]) {
    this.#terms = terms
    this.#languages = languages
    this.#alias = new Map(columns.map((one) => [`${one.bucket} ${one.field}`, one.alias]))
    this.#idAlias = columns[0]?.alias ?? ''
  }

  of(document: Document): Map<string, string> {
    const found = new Map<string, string[]>()
    this.#add(found, this.#idAlias, 'x', [document.id])
    for (const [field, languages] of Object.entries(document.text)) {
      for (const [key, values] of Object.entries(languages)) {
        const bucket = bucketOf(key, this.#languages)
        const alias = this.#alias.get(`${bucket} ${field}`)
        if (alias) this.#add(found, alias, bucket, values)
      }
    }
    return new Map(
      [...found].flatMap(([alias, parts]) => (parts.length > 0 ? [[alias, parts.join(' ')]] : [])),
    )
  }

  /** Borders do not count as tokens, so two keys that share a bucket may simply follow each other. */
  #add(
    found: Map<string, string[]>,
    alias: string,
    bucket: string,
    values: readonly string[],
  ): void {
    const parts = found.get(alias) ?? []
    let left = longestText - parts.filter((part) => part !== valueBorder).length
    for (const value of values) {
      const tokens = this.#terms.tokens(bucket, value).slice(0, left)
      if (tokens.length === 0) continue
      if (parts.length > 0) parts.push(valueBorder)
      for (const token of tokens) parts.push(token)
      left -= tokens.length
    }
    found.set(alias, parts)
  }
}
