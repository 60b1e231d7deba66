/** The text of a document as the full-text table takes it. */

import { bucketOf, otherBucket } from '../../../text/language.ts'
import type { Document } from '../../search-index.ts'
import { valueBorder, type Column } from '../layout.ts'
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

  of(id: string, text: Document['text']): Map<string, string> {
    const found = new Map([[this.#idAlias, this.#joined({ [otherBucket]: [id] })]])
    for (const field in text) {
      const alias = this.#alias.get(field)
      const joined = alias === undefined ? '' : this.#joined(text[field] ?? {})
      if (alias === undefined || joined === '') continue
      const before = found.get(alias)
      found.set(alias, before ? bordered(before, joined) : joined)
    }
    return found
  }

  /** The limit is one of a field in all its languages; borders do not count. */
  #joined(languages: Document['text'][string]): string {
    let joined = ''
    let left = longestText
    for (const key in languages) {
      const bucket = bucketOf(key, this.#languages)
      for (const value of languages[key] ?? []) {
        const { text, size } = this.#terms.prepared(bucket, value, left)
        if (size === 0) continue
        joined = joined === '' ? text : bordered(joined, text)
        left -= size
      }
    }
    return joined
  }
}

const bordered = (before: string, text: string) => `${before} ${valueBorder} ${text}`
