/** Leaves of the query tree as expressions of FTS5: the tokens that a leaf stands for, in the columns where it is looked for. */

import { stems } from '../../text/stems.ts'
import { reachOf } from '../field-reach.ts'
import type { Leaf } from '../query-tree.ts'
import { isPrefix, literalPrefix, shortestTerms, wildMatcher } from '../wildcard.ts'
import { marked } from './index-file.ts'
import type { View } from './view.ts'

/** Phrases of a leaf in some columns; absent means in all. */
export type PhrasePart = {
  /** An expression of FTS5, without the columns. */
  readonly any: string
  /** The phrase as tokens of the full-text table; empty for several words in a row and for beginnings of words. */
  readonly tokens: readonly string[]
  readonly aliases?: readonly string[]
}

/** Phrases of a leaf in all columns. */
export type Phrases = {
  /** All parts as one expression of FTS5. */
  readonly text: string
  readonly parts: readonly PhrasePart[]
  /** Number of phrases of the expression. */
  readonly count: number
}

/** Tokens that share a stem with a word, per word and bucket. */
const maxVariants = 1_024

/** Target of a leaf in one bucket: a phrase of tokens, or the beginning of a token. */
type Target = { readonly bucket: string; readonly tokens: readonly string[] }

/** Columns that are searched (absent = all), and the bucket where the field was named with its language. */
type Place = { readonly aliases?: readonly string[]; readonly bucket?: string }

/** One per connection; what it knows of leaves holds for one request. */
export class LeafPhrases {
  readonly #sql: View['sql']
  readonly #check: () => void
  readonly #wildcardTerms: number
  /** Patterns of this request that stand for more than `wildcardTerms` terms. */
  cut = new Set<string>()
  /** Cache of the phrases of the leaves of a request: matching and ranking both need them. */
  #known = new Map<View, Map<Leaf, Phrases | undefined>>()

  /** Takes the `wildcardTerms` shortest terms of each wildcard. `check` throws when the request is to stop. */
  constructor(sql: View['sql'], check: () => void, wildcardTerms: number) {
    this.#sql = sql
    this.#check = check
    this.#wildcardTerms = wildcardTerms
  }

  /** Another request: words may have come, and patterns stand for other terms. */
  begin(): void {
    this.cut = new Set()
    this.#known = new Map()
  }

  /** `fields` are those of the request; `undefined` for a leaf that can match nothing. */
  of(leaf: Leaf, fields: readonly string[] | undefined, view: View): Phrases | undefined {
    const known = this.#known.get(view) ?? new Map<Leaf, Phrases | undefined>()
    this.#known.set(view, known)
    if (!known.has(leaf)) {
      const places = placesOf(leaf.field === undefined ? fields : [leaf.field], view)
      known.set(leaf, places.length === 0 ? undefined : this.#phrases(leaf, places, view))
    }
    return known.get(leaf)
  }

  #phrases(leaf: Leaf, places: readonly Place[], view: View): Phrases | undefined {
    const prefix = prefixOf(leaf)
    if (prefix !== undefined) return expression(places, this.#begun(prefix), true)
    return expression(places, this.#targets(leaf, view.generation.languages), false)
  }

  #targets(leaf: Leaf, languages: readonly string[]): readonly Target[] {
    switch (leaf.kind) {
      case 'exact':
        return this.#phrase([leaf.token])
      case 'phrase':
        return this.#phrase(leaf.tokens)
      case 'wild':
        return this.#wild(leaf.pattern)
      case 'term':
        return [...this.#phrase([leaf.token]), ...this.#related(leaf.token, languages)]
      case 'prefix':
        return []
      default:
        return leaf satisfies never
    }
  }

  /** In every bucket that has seen all the tokens. */
  #phrase(tokens: readonly string[]): Target[] {
    const [first = [], ...others] = tokens.map((token) =>
      this.#bucketsBy('SELECT bucket FROM term WHERE term = ?', token),
    )
    const shared = first.filter((bucket) => others.every((buckets) => buckets.includes(bucket)))
    return shared.map((bucket) => ({ bucket, tokens }))
  }

  #begun(prefix: string): Target[] {
    const begins = 'SELECT DISTINCT bucket FROM term WHERE term >= ? AND term < ?'
    return this.#bucketsBy(begins, prefix, after(prefix)).map((bucket) => ({
      bucket,
      tokens: [prefix],
    }))
  }

  #bucketsBy(sql: string, ...values: readonly string[]): string[] {
    return this.#sql(sql)
      .all(...values)
      .map((row) => String(row['bucket']))
  }

  /** Per language, what shares a stem with the word there: one query for all languages. */
  #related(token: string, languages: readonly string[]): Target[] {
    const own = languages.flatMap((bucket) => stems(bucket, token))
    const all = 'SELECT value FROM json_each(?)'
    const rows = this.#sql(
      `SELECT stem, term FROM stem WHERE stem IN (${all}) AND term <> ? LIMIT ?`,
    ).all(JSON.stringify(own), token, own.length * maxVariants)
    // A stem begins with its language.
    const buckets = Map.groupBy(rows, (row) => String(row['stem']).split(':', 1)[0] ?? '')
    return [...buckets].flatMap(([bucket, some]) => {
      const terms = new Set(some.slice(0, maxVariants).map((row) => String(row['term'])))
      return [...terms].map((term) => ({ bucket, tokens: [term] }))
    })
  }

  #wild(pattern: string): Target[] {
    const prefix = literalPrefix(pattern)
    const matches = wildMatcher(pattern)
    const range = this.#sql('SELECT term, bucket FROM term WHERE term >= ? AND term < ?')
    const found = new Map<string, string[]>()
    let looked = 0
    for (const row of range.iterate(prefix, after(prefix))) {
      if (++looked % 4096 === 0) this.#check()
      const term = String(row['term'])
      if (matches(term)) found.set(term, [...(found.get(term) ?? []), String(row['bucket'])])
    }
    const all = [...found.keys()]
    const isCut = all.length > this.#wildcardTerms
    if (isCut) this.cut.add(pattern)
    const terms = isCut ? shortestTerms(all, this.#wildcardTerms) : all
    return terms.flatMap((term) =>
      (found.get(term) ?? []).map((bucket) => ({ bucket, tokens: [term] })),
    )
  }
}

/** The beginning of words that a leaf asks for and nothing else. */
function prefixOf(leaf: Leaf): string | undefined {
  if (leaf.kind === 'prefix') return leaf.token
  return leaf.kind === 'wild' && isPrefix(leaf.pattern) ? literalPrefix(leaf.pattern) : undefined
}

/** Greater than all terms that begin so. */
const after = (prefix: string) => `${prefix}\u{10ffff}`

/** The places of the named fields, absent names = everywhere; empty when no name reaches anything. */
function placesOf(names: readonly string[] | undefined, view: View): Place[] {
  if (!names) return [{}]
  const { settings, languages } = view.generation
  const texts = settings.texts.map((text) => text.name)
  const alias = new Map(view.textColumns.map((column) => [column.field, column.alias]))
  const reached = names.flatMap((name) => reachOf(name, texts, languages))
  const groups = Map.groupBy(reached, ({ bucket }) => bucket)
  return [...groups].map(([bucket, fields]) => ({
    aliases: [...new Set(fields.flatMap(({ field }) => alias.get(field) ?? []))],
    bucket,
  }))
}

/** Any of the targets in any of the places; `undefined` = can match nothing. */
function expression(
  places: readonly Place[],
  targets: readonly Target[],
  isBeginning: boolean,
): Phrases | undefined {
  const isWords = !isBeginning && targets.every(({ tokens }) => tokens.length === 1)
  let count = 0
  const parts = places.flatMap(({ aliases, bucket: only }): PhrasePart[] => {
    const here = only === undefined ? targets : targets.filter(({ bucket }) => bucket === only)
    if (here.length === 0) return []
    count += here.length
    const terms = here.map(({ bucket, tokens }) =>
      tokens.map((token) => marked(bucket, token)).join(' '),
    )
    const any = terms.map((term) => (isBeginning ? `"${term}" *` : `"${term}"`)).join(' OR ')
    return [{ any, tokens: isWords ? terms : [], aliases }]
  })
  if (parts.length === 0) return undefined
  return { text: parts.map((part) => inColumns(part.any, part.aliases)).join(' OR '), parts, count }
}

/** An expression that holds in some columns only. */
export const inColumns = (any: string, aliases: readonly string[] | undefined): string =>
  aliases ? `{${aliases.join(' ')}} : (${any})` : `(${any})`
