/** The text of a document as the full-text table takes it. */

import { bucketOf, otherBucket } from '../../../text/language.ts'
import type { Document } from '../../search-index.ts'
import { marked, valueBorder, type Column } from '../layout.ts'
import type { Terms } from './terms.ts'

/** Tokens per field that are indexed; a longer text is found by its beginning. */
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
    this.#alias = new Map(columns.map((one) => [one.field, one.alias]))
    this.#idAlias = columns[0]?.alias ?? ''
  }

  of(document: Document): Map<string, string> {
    const found = new Map<string, string[]>()
    this.#add(found, this.#idAlias, otherBucket, [document.id])
    for (const [field, languages] of Object.entries(document.text)) {
      const alias = this.#alias.get(field)
      if (alias === undefined) continue
      for (const [key, values] of Object.entries(languages)) {
        this.#add(found, alias, bucketOf(key, this.#languages), values)
      }
    }
    return new Map(
      [...found].flatMap(([alias, parts]) => (parts.length > 0 ? [[alias, parts.join(' ')]] : [])),
    )
  }

  /** The limit is one of a field in all its languages; borders do not count. */
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
      for (const token of tokens) parts.push(marked(bucket, token))
      left -= tokens.length
    }
    found.set(alias, parts)
  }
}
