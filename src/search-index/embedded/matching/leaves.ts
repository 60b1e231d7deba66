/** Leaves of the query tree in the words of FTS5. */

import type { DatabaseSync } from 'node:sqlite'
import { hasStems, stems } from '../../../text/stems.ts'
import { compareCodePoints } from '../../../text/code-points.ts'
import type { Leaf } from '../../query-tree.ts'
import { isPrefix, literalPrefix, wildMatcher } from '../../wildcard.ts'
import { marked } from '../layout.ts'
import type { View } from '../reading/view.ts'
import { placesOf, type Place } from './places.ts'

/** One word as it stands in the full-text table, or the beginning of one. */
export type Word = {
  readonly term: string
  readonly isPrefix: boolean
  /** Columns that count; absent = all. */
  readonly aliases?: readonly string[]
}

/** An FTS5 expression; `undefined` = can match nothing. */
export type Phrases = {
  readonly text: string
  /** How many phrases it has. */
  readonly count: number
  /** What it looks for, where no phrase is longer than a word. */
  readonly words?: readonly Word[]
}

/** Tokens that share a stem with a word, per word and bucket. */
const mostVariants = 1_024

/** What a leaf looks for in one bucket: phrases of tokens, or the beginning of one. */
type Wanted = {
  readonly bucket: string
  readonly phrase: readonly string[]
  readonly isPrefix?: true
}

export class Leaves {
  readonly #variants
  readonly #terms
  readonly #buckets
  readonly #begun
  readonly #check: () => void
  readonly #wildcardTerms: number
  /** Patterns of this request that stand for more than `wildcardTerms` terms. */
  cut = new Set<string>()
  /** What the leaves of this request are: match and ranking both ask. */
  #known = new Map<View, Map<Leaf, Phrases | undefined>>()

  /** Of the terms that one wildcard stands for the `wildcardTerms` shortest are taken. */
  constructor(db: DatabaseSync, check: () => void, wildcardTerms: number) {
    this.#check = check
    this.#wildcardTerms = wildcardTerms
    this.#variants = db.prepare('SELECT DISTINCT term FROM stem WHERE stem IN (?, ?) LIMIT ?')
    this.#terms = db.prepare('SELECT term, bucket FROM term WHERE term >= ? AND term < ?')
    this.#begun = db.prepare('SELECT DISTINCT bucket FROM term WHERE term >= ? AND term < ?')
    this.#buckets = db.prepare('SELECT bucket FROM term WHERE term = ?')
  }

  /** Another request: words may have come, and patterns stand for other terms. */
  begin(): void {
    this.cut = new Set()
    this.#known = new Map()
  }

  phrases(leaf: Leaf, fields: readonly string[] | undefined, view: View): Phrases | undefined {
    const known = this.#known.get(view) ?? new Map<Leaf, Phrases | undefined>()
    this.#known.set(view, known)
    if (!known.has(leaf)) known.set(leaf, this.#phrasesOf(leaf, fields, view))
    return known.get(leaf)
  }

  #phrasesOf(leaf: Leaf, fields: readonly string[] | undefined, view: View): Phrases | undefined {
    const places = placesOf(leaf.field === undefined ? fields : [leaf.field], view)
    if (places.length === 0) return undefined
    return expression(places, this.#wanted(leaf, view.generation.languages))
  }

  #wanted(leaf: Leaf, languages: readonly string[]): readonly Wanted[] {
    switch (leaf.kind) {
      case 'exact':
        return this.#phrase([leaf.token])
      case 'phrase':
        return this.#phrase(leaf.tokens)
      case 'prefix':
        return this.#prefix(leaf.token)
      case 'wild':
        return this.#wild(leaf.pattern)
      case 'term':
        return [...this.#phrase([leaf.token]), ...this.#related(leaf.token, languages)]
      default:
        return leaf satisfies never
    }
  }

  /** In every bucket that has seen all the tokens. */
  #phrase(tokens: readonly string[]): Wanted[] {
    const [first = [], ...others] = tokens.map((token) => this.#bucketsOf(token))
    const shared = first.filter((bucket) => others.every((buckets) => buckets.includes(bucket)))
    return shared.map((bucket) => ({ bucket, phrase: tokens }))
  }

  #bucketsOf(token: string): string[] {
    return this.#buckets.all(token).map((row) => String(row['bucket']))
  }

  /** Per language, what shares a stem with the word there. */
  #related(token: string, languages: readonly string[]): Wanted[] {
    return languages.filter(hasStems).flatMap((bucket) => {
      const [first, second] = stems(bucket, token)
      if (first === undefined) return []
      const rows = this.#variants.all(first, second ?? first, mostVariants)
      const others = rows.map((row) => String(row['term'])).filter((term) => term !== token)
      return others.map((term) => ({ bucket, phrase: [term] }))
    })
  }

  #prefix(token: string): Wanted[] {
    return this.#begun.all(token, after(token)).map((row) => ({
      bucket: String(row['bucket']),
      phrase: [token],
      isPrefix: true,
    }))
  }

  #wild(pattern: string): Wanted[] {
    const prefix = literalPrefix(pattern)
    if (isPrefix(pattern)) return this.#prefix(prefix)
    const matches = wildMatcher(pattern)
    const found = new Map<string, string[]>()
    for (const { term, bucket } of this.#range(prefix)) {
      if (!matches(term)) continue
      const buckets = found.get(term)
      if (buckets) buckets.push(bucket)
      else found.set(term, [bucket])
    }
    const all = [...found.keys()]
    const isCut = all.length > this.#wildcardTerms
    if (isCut) this.cut.add(pattern)
    const terms = isCut ? shortest(all, this.#wildcardTerms) : all
    return terms.flatMap((term) =>
      (found.get(term) ?? []).map((bucket) => ({ bucket, phrase: [term] })),
    )
  }

  /** All pairs of the dictionary whose term begins like this. */
  *#range(prefix: string): Generator<{ term: string; bucket: string }> {
    let looked = 0
    for (const row of this.#terms.iterate(prefix, after(prefix))) {
      if (++looked % 4096 === 0) this.#check()
      yield { term: String(row['term']), bucket: String(row['bucket']) }
    }
  }
}

/** Behind all terms that begin so. */
const after = (prefix: string) => `${prefix}\u{10ffff}`

/** The wanted phrases in the places that are searched, in the words of FTS5. */
function expression(places: readonly Place[], wanted: readonly Wanted[]): Phrases | undefined {
  const parts: string[] = []
  const words: Word[] = []
  let count = 0
  for (const { aliases, bucket: only } of places) {
    const here = only === undefined ? wanted : wanted.filter((one) => one.bucket === only)
    if (here.length === 0) continue
    count += here.length
    const any = here.map(written).join(' OR ')
    parts.push(aliases ? `{${aliases.join(' ')}} : (${any})` : here.length > 1 ? `(${any})` : any)
    for (const { bucket, phrase, isPrefix: begins } of here) {
      const [token] = phrase
      if (token === undefined || phrase.length > 1) continue
      const term = marked(bucket, token)
      words.push({ term, isPrefix: begins === true, ...(aliases && { aliases }) })
    }
  }
  if (parts.length === 0) return undefined
  return { text: parts.join(' OR '), count, ...(words.length === count && { words }) }
}

const written = ({ bucket, phrase, isPrefix: begins }: Wanted): string =>
  `"${phrase.map((token) => marked(bucket, token)).join(' ')}"${begins ? ' *' : ''}`

/** Shortest by code points first, then by code points. */
function shortest(terms: readonly string[], most: number): string[] {
  return terms
    .map((term) => ({ term, length: Array.from(term).length }))
    .sort((a, b) => a.length - b.length || compareCodePoints(a.term, b.term))
    .slice(0, most)
    .map(({ term }) => term)
}
