/** Translation of leaves of the query tree to expressions of FTS5: the tokens that a leaf matches, in the columns to search. */

import { stemmers } from '../../text/stems.ts'
import { BoundedCache } from '../../workers/bounded-cache.ts'
import { searchedFieldsOf } from '../field-reach.ts'
import type { Leaf, Term } from '../query-tree.ts'
import { isPrefix, literalPrefix, shortestTerms, wildMatcher } from '../wildcard.ts'
import { bucketToken } from './index-file.ts'
import { wordForms, type Target } from '../word-forms.ts'
import type { GenerationView } from './view.ts'
import { lookUp, stemLanguages } from './word-lookups.ts'

/** Phrases of a leaf in some columns (`aliases`, absent = all). */
export type PhrasePart = {
  /** Phrases or prefixes in the syntax of FTS5, any of which matches. */
  readonly phrases: readonly string[]
  /** Tokens of the full-text table, any of which matches; empty for phrases of several words and for prefixes. */
  readonly tokens: readonly string[]
  /** Part of an occurrence that counts for relevance. */
  readonly share: number
  readonly aliases?: readonly string[]
}

/** Phrases of a leaf in all columns to search. */
export type Phrases = {
  /** Expressions of FTS5 that together match all parts. FTS5 compares all operands of an OR for each record, so they are short. */
  readonly expressions: readonly string[]
  readonly parts: readonly PhrasePart[]
}

/** Most phrases of one expression. */
const maxOperands = 32
/** Most words whose forms are cached. */
const maxCachedForms = 500

/** Kind of targets that are searched as they are typed. */
const typedForm = { share: 1, how: 'word' } as const

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
  /** Targets of words, kept from request to request. */
  readonly #forms = new BoundedCache<readonly Target[]>('search-forms', maxCachedForms)
  #stemLanguages: ReadonlySet<string> | undefined

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

  /** Clears the cache of word forms; to be called when something was written. */
  forgetForms(): void {
    this.#forms.clear()
    this.#stemLanguages = undefined
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

  /** Targets of a word in some languages, cached until the dictionary changes. */
  wordTargets(term: Term, languages: readonly string[]): readonly Target[] {
    const { field: _, ...word } = term
    const key = JSON.stringify([word, languages])
    const targets =
      this.#forms.get(key) ?? lookUp(wordForms(term, this.#usedOf(languages)), this.#sql)
    this.#forms.set(key, targets)
    return targets
  }

  /** Languages that can have other forms of a word: to stem it in all others costs more than to search for it. */
  #usedOf(languages: readonly string[]): readonly string[] {
    this.#stemLanguages ??= stemLanguages(this.#sql)
    return languages.filter((language) => !stemmers[language] || this.#stemLanguages?.has(language))
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
        return this.wordTargets(leaf, languages)
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
    return shared.map((bucket) => ({ ...typedForm, bucket, tokens }))
  }

  #prefixTargets(prefix: string): Target[] {
    const query = 'SELECT DISTINCT bucket FROM term WHERE term >= ? AND term < ?'
    return this.#bucketsBy(query, prefix, upperBound(prefix)).map((bucket) => ({
      ...typedForm,
      bucket,
      tokens: [prefix],
    }))
  }

  #bucketsBy(sql: string, ...values: readonly string[]): string[] {
    return this.#sql(sql)
      .all(...values)
      .map((row) => String(row['bucket']))
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
      (bucketsByTerm.get(term) ?? []).map((bucket) => ({ ...typedForm, bucket, tokens: [term] })),
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
  const parts = columnGroups.flatMap(({ aliases, bucket: requestedBucket }): PhrasePart[] => {
    const targetsToSearch =
      requestedBucket === undefined
        ? targets
        : targets.filter(({ bucket }) => bucket === requestedBucket)
    const groups = Map.groupBy(targetsToSearch, ({ share, tokens: { length } }) =>
      JSON.stringify([share, length === 1]),
    )
    return [...groups.values()].map((group) => ({ ...partOf(group, isPrefixSearch), aliases }))
  })
  return parts.length === 0 ? undefined : { expressions: expressionsOf(parts), parts }
}

/** Expressions of all parts: one, or several if there are too many phrases for one. */
function expressionsOf(parts: readonly PhrasePart[]): readonly string[] {
  const pieces = parts.flatMap(({ phrases, aliases }) =>
    Array.from({ length: Math.ceil(phrases.length / maxOperands) }, (_, i) => {
      const operands = phrases.slice(i * maxOperands, (i + 1) * maxOperands)
      return inColumns(operands.join(' OR '), aliases)
    }),
  )
  const count = parts.reduce((sum, { phrases }) => sum + phrases.length, 0)
  return count > maxOperands ? pieces : [pieces.join(' OR ')]
}

/** Part of an expression for targets of equal shares that are all words, or all phrases. */
function partOf(targets: readonly Target[], isPrefixSearch: boolean): PhrasePart {
  const terms = targets.map(({ bucket, tokens }) =>
    tokens.map((token) => bucketToken(bucket, token)).join(' '),
  )
  const isWords = !isPrefixSearch && targets[0]?.tokens.length === 1
  return {
    phrases: terms.map((term) => (isPrefixSearch ? `"${term}" *` : `"${term}"`)),
    tokens: isWords ? terms : [],
    share: targets[0]?.share ?? 1,
  }
}

/** Restricts an expression of FTS5 to columns. */
export const inColumns = (expression: string, aliases: readonly string[] | undefined): string =>
  aliases ? `{${aliases.join(' ')}} : (${expression})` : `(${expression})`
