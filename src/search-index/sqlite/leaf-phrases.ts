/** Translation of leaves of the query tree to expressions of FTS5: the tokens that a leaf matches, in the columns to search. */

import { stems } from '../../text/stems.ts'
import { searchedFieldsOf } from '../field-reach.ts'
import type { Leaf } from '../query-tree.ts'
import { isPrefix, literalPrefix, shortestTerms, wildMatcher } from '../wildcard.ts'
import { bucketToken } from './index-file.ts'
import type { GenerationView } from './view.ts'

/** Phrases of a leaf in some columns (`aliases`, absent = all). */
export type PhrasePart = {
  /** Expression of FTS5 without the columns. */
  readonly expression: string
  /** Tokens of the full-text table, any of which matches; empty for phrases of several words and for prefixes. */
  readonly tokens: readonly string[]
  /** Number of phrases in the expression. */
  readonly phraseCount: number
  readonly aliases?: readonly string[]
}

/** Phrases of a leaf in all columns to search. */
export type Phrases = {
  /** Expression of FTS5 for all parts. */
  readonly expression: string
  readonly parts: readonly PhrasePart[]
}

/** Most tokens with a common stem that are searched for a word in one bucket. */
const maxVariants = 1_024

/** Phrase of tokens, or prefix of a token, to search in one language bucket. */
type Target = { readonly bucket: string; readonly tokens: readonly string[] }

/** Columns to search (absent = all), and the bucket if the request names a language. */
type SearchedColumns = { readonly aliases?: readonly string[]; readonly bucket?: string }

/** Translates leaves on one connection. Translations are cached for the duration of a request. */
export class LeafPhrases {
  readonly #sql: GenerationView['sql']
  readonly #check: () => void
  readonly #wildcardTerms: number
  /** Patterns of this request that match more than `wildcardTerms` terms. */
  truncatedPatterns = new Set<string>()
  /** Cache of the phrases of the leaves of a request: matching and ranking both need them. */
  #cache = new Map<GenerationView, Map<Leaf, Phrases | undefined>>()

  /** Searches the `wildcardTerms` shortest terms of each pattern. `check` throws if the current call was cancelled. */
  constructor(sql: GenerationView['sql'], check: () => void, wildcardTerms: number) {
    this.#sql = sql
    this.#check = check
    this.#wildcardTerms = wildcardTerms
  }

  /** Clears the cache; to be called at the begin of each request, because the dictionary may have changed. */
  startRequest(): void {
    this.truncatedPatterns = new Set()
    this.#cache = new Map()
  }

  /** Phrases of a leaf; `undefined` if it can match nothing. `fields` are those of the request, for leaves that name no field. */
  phrasesOf(
    leaf: Leaf,
    fields: readonly string[] | undefined,
    view: GenerationView,
  ): Phrases | undefined {
    const phrasesByLeaf = this.#cache.get(view) ?? new Map<Leaf, Phrases | undefined>()
    this.#cache.set(view, phrasesByLeaf)
    if (!phrasesByLeaf.has(leaf)) {
      const columnGroups = searchedColumns(leaf.field === undefined ? fields : [leaf.field], view)
      phrasesByLeaf.set(
        leaf,
        columnGroups.length === 0 ? undefined : this.#phrasesOf(leaf, columnGroups, view),
      )
    }
    return phrasesByLeaf.get(leaf)
  }

  #phrasesOf(
    leaf: Leaf,
    columnGroups: readonly SearchedColumns[],
    view: GenerationView,
  ): Phrases | undefined {
    const prefix = prefixOf(leaf)
    if (prefix !== undefined) return combine(columnGroups, this.#prefixTargets(prefix), true)
    return combine(columnGroups, this.#targetsOf(leaf, view.generation.languages), false)
  }

  #targetsOf(leaf: Leaf, languages: readonly string[]): readonly Target[] {
    switch (leaf.kind) {
      case 'exact':
        return this.#phraseTargets([leaf.token])
      case 'phrase':
        return this.#phraseTargets(leaf.tokens)
      case 'wild':
        return this.#wildcardTargets(leaf.pattern)
      case 'term':
        return [...this.#phraseTargets([leaf.token]), ...this.#stemTargets(leaf.token, languages)]
      case 'prefix':
        return []
      default:
        return leaf satisfies never
    }
  }

  /** Phrase in each bucket whose dictionary has all its tokens. */
  #phraseTargets(tokens: readonly string[]): Target[] {
    const [first = [], ...others] = tokens.map((token) =>
      this.#bucketsBy('SELECT bucket FROM term WHERE term = ?', token),
    )
    const shared = first.filter((bucket) => others.every((buckets) => buckets.includes(bucket)))
    return shared.map((bucket) => ({ bucket, tokens }))
  }

  #prefixTargets(prefix: string): Target[] {
    const query = 'SELECT DISTINCT bucket FROM term WHERE term >= ? AND term < ?'
    return this.#bucketsBy(query, prefix, upperBound(prefix)).map((bucket) => ({
      bucket,
      tokens: [prefix],
    }))
  }

  #bucketsBy(sql: string, ...values: readonly string[]): string[] {
    return this.#sql(sql)
      .all(...values)
      .map((row) => String(row['bucket']))
  }

  /** Words with a common stem in each language; one query for all languages. */
  #stemTargets(token: string, languages: readonly string[]): Target[] {
    const tokenStems = languages.flatMap((bucket) => stems(bucket, token))
    const stemList = 'SELECT value FROM json_each(?)'
    const rows = this.#sql(
      `SELECT stem, term FROM stem WHERE stem IN (${stemList}) AND term <> ? LIMIT ?`,
    ).all(JSON.stringify(tokenStems), token, tokenStems.length * maxVariants)
    // A stem in the dictionary begins with its language, as `en:river`.
    const buckets = Map.groupBy(rows, (row) => String(row['stem']).split(':', 1)[0] ?? '')
    return [...buckets].flatMap(([bucket, rowsOfBucket]) => {
      const terms = new Set(rowsOfBucket.slice(0, maxVariants).map((row) => String(row['term'])))
      return [...terms].map((term) => ({ bucket, tokens: [term] }))
    })
  }

  #wildcardTargets(pattern: string): Target[] {
    const prefix = literalPrefix(pattern)
    const matches = wildMatcher(pattern)
    const range = this.#sql('SELECT term, bucket FROM term WHERE term >= ? AND term < ?')
    const bucketsByTerm = new Map<string, string[]>()
    let rowCount = 0
    for (const row of range.iterate(prefix, upperBound(prefix))) {
      if (++rowCount % 4096 === 0) this.#check()
      const term = String(row['term'])
      if (matches(term))
        bucketsByTerm.set(term, [...(bucketsByTerm.get(term) ?? []), String(row['bucket'])])
    }
    const allTerms = [...bucketsByTerm.keys()]
    const isTruncated = allTerms.length > this.#wildcardTerms
    if (isTruncated) this.truncatedPatterns.add(pattern)
    const terms = isTruncated ? shortestTerms(allTerms, this.#wildcardTerms) : allTerms
    return terms.flatMap((term) =>
      (bucketsByTerm.get(term) ?? []).map((bucket) => ({ bucket, tokens: [term] })),
    )
  }
}

/** Prefix that a leaf searches; `undefined` if it searches something else. */
function prefixOf(leaf: Leaf): string | undefined {
  if (leaf.kind === 'prefix') return leaf.token
  return leaf.kind === 'wild' && isPrefix(leaf.pattern) ? literalPrefix(leaf.pattern) : undefined
}

/** Text that is greater than all terms with a prefix. */
const upperBound = (prefix: string) => `${prefix}\u{10ffff}`

/** Columns of the named fields, grouped by bucket; all columns without names, none if no name is known. */
function searchedColumns(
  names: readonly string[] | undefined,
  view: GenerationView,
): SearchedColumns[] {
  if (!names) return [{}]
  const { settings, languages } = view.generation
  const texts = settings.texts.map((text) => text.name)
  const alias = new Map(view.textColumns.map((column) => [column.field, column.alias]))
  const searchedFields = names.flatMap((name) => searchedFieldsOf(name, texts, languages))
  const groups = Map.groupBy(searchedFields, ({ bucket }) => bucket)
  return [...groups].map(([bucket, fields]) => ({
    aliases: [...new Set(fields.flatMap(({ field }) => alias.get(field) ?? []))],
    bucket,
  }))
}

/** Expression that matches any of the targets in any of the columns; `undefined` if it can match nothing. */
function combine(
  columnGroups: readonly SearchedColumns[],
  targets: readonly Target[],
  isPrefixSearch: boolean,
): Phrases | undefined {
  const isWords = !isPrefixSearch && targets.every(({ tokens }) => tokens.length === 1)
  const parts = columnGroups.flatMap(({ aliases, bucket: requestedBucket }): PhrasePart[] => {
    const targetsToSearch =
      requestedBucket === undefined
        ? targets
        : targets.filter(({ bucket }) => bucket === requestedBucket)
    if (targetsToSearch.length === 0) return []
    const terms = targetsToSearch.map(({ bucket, tokens }) =>
      tokens.map((token) => bucketToken(bucket, token)).join(' '),
    )
    const expression = terms
      .map((term) => (isPrefixSearch ? `"${term}" *` : `"${term}"`))
      .join(' OR ')
    const tokens = isWords ? terms : []
    return [{ expression, tokens, phraseCount: terms.length, aliases }]
  })
  if (parts.length === 0) return undefined
  return {
    expression: parts.map((part) => inColumns(part.expression, part.aliases)).join(' OR '),
    parts,
  }
}

/** Restricts an expression of FTS5 to columns. */
export const inColumns = (expression: string, aliases: readonly string[] | undefined): string =>
  aliases ? `{${aliases.join(' ')}} : (${expression})` : `(${expression})`
