/** Leaves of the query tree in the words of FTS5. */

import type { DatabaseSync } from 'node:sqlite'
import { hasStems, stems } from '../../../text/stems.ts'
import { compareCodePoints } from '../../../text/code-points.ts'
import { reachOf, reaches } from '../../fields.ts'
import type { Leaf } from '../../query-tree.ts'
import { isPrefix, literalPrefix, wildMatcher } from '../../wildcard.ts'
import type { View } from '../reading/view.ts'

/** An FTS5 expression and how many phrases it has; `undefined` = can match nothing. */
export type Phrases = { readonly text: string; readonly count: number }

/** Tokens that share a stem with a word, per word and bucket. */
const mostVariants = 1_024
/** Terms that one wildcard stands for; of more the shortest are taken. */
const wildcardTerms = 1_000

const quoted = (tokens: readonly string[]) => `"${tokens.join(' ')}"`
const filtered = (aliases: readonly string[] | undefined, text: string) =>
  aliases ? `{${aliases.join(' ')}} : ${text}` : text

export class Leaves {
  readonly #variants
  readonly #terms
  readonly #check: () => void
  /** Patterns of this request that stand for more than `wildcardTerms` terms. */
  cut = new Set<string>()

  constructor(db: DatabaseSync, check: () => void) {
    this.#check = check
    this.#variants = db.prepare('SELECT DISTINCT term FROM stem WHERE stem IN (?, ?) LIMIT ?')
    this.#terms = db.prepare('SELECT term FROM term WHERE term >= ? AND term < ?')
  }

  phrases(leaf: Leaf, fields: readonly string[] | undefined, view: View): Phrases | undefined {
    const names = leaf.field === undefined ? fields : [leaf.field]
    const { settings, languages } = view.generation
    const texts = settings.texts.map((text) => text.name)
    const reach = names?.flatMap((name) => reachOf(name, texts, languages))
    const columns = view.textColumns.filter((one) => reaches(reach, one.field, one.bucket))
    if (columns.length === 0) return undefined
    const aliases = reach && columns.map((column) => column.alias)
    switch (leaf.kind) {
      case 'exact':
        return one(filtered(aliases, quoted([leaf.token])))
      case 'phrase':
        return leaf.tokens.length === 0 ? undefined : one(filtered(aliases, quoted(leaf.tokens)))
      case 'prefix':
        return one(filtered(aliases, `${quoted([leaf.token])} *`))
      case 'wild':
        return this.#wild(leaf.pattern, aliases)
      case 'term':
        return this.#term(leaf.token, aliases, bucketsOf(columns))
      default:
        return leaf satisfies never
    }
  }

  /** The token anywhere, and per language what shares a stem with it there. */
  #term(
    token: string,
    aliases: readonly string[] | undefined,
    buckets: ReadonlyMap<string, readonly string[]>,
  ): Phrases {
    const parts = [filtered(aliases, quoted([token]))]
    let count = 1
    for (const [bucket, columns] of buckets) {
      if (!hasStems(bucket)) continue
      const [first, second] = stems(bucket, token)
      if (first === undefined) continue
      const rows = this.#variants.all(first, second ?? first, mostVariants)
      const others = rows.map((row) => String(row['term'])).filter((term) => term !== token)
      if (others.length === 0) continue
      parts.push(filtered(columns, anyOf(others)))
      count += others.length
    }
    return { text: parts.join(' OR '), count }
  }

  #wild(pattern: string, aliases: readonly string[] | undefined): Phrases | undefined {
    const prefix = literalPrefix(pattern)
    if (isPrefix(pattern)) return one(filtered(aliases, `${quoted([prefix])} *`))
    const matches = wildMatcher(pattern)
    const found: string[] = []
    let looked = 0
    for (const row of this.#terms.iterate(prefix, `${prefix}\u{10ffff}`)) {
      if (++looked % 4096 === 0) this.#check()
      const term = String(row['term'])
      if (matches(term)) found.push(term)
    }
    if (found.length === 0) return undefined
    if (found.length > wildcardTerms) this.cut.add(pattern)
    const taken = found.length > wildcardTerms ? shortest(found) : found
    return { text: filtered(aliases, anyOf(taken)), count: taken.length }
  }
}

const one = (text: string): Phrases => ({ text, count: 1 })

const anyOf = (terms: readonly string[]) => `(${terms.map((term) => quoted([term])).join(' OR ')})`

/** Shortest by code points first, then by code points. */
function shortest(terms: readonly string[]): string[] {
  return terms
    .map((term) => ({ term, length: Array.from(term).length }))
    .sort((a, b) => a.length - b.length || compareCodePoints(a.term, b.term))
    .slice(0, wildcardTerms)
    .map(({ term }) => term)
}

function bucketsOf(columns: View['textColumns']): Map<string, string[]> {
  const groups = Map.groupBy(columns, (column) => column.bucket)
  return new Map([...groups].map(([bucket, group]) => [bucket, group.map((one) => one.alias)]))
}
