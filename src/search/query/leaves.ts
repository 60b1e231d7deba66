/**
 * Leaves of a query tree for `q` and CKAN's `fq`: a word, quoted text or range; and the names before a colon that restrict it to a
 * field.
 */

import type { Leaf, QueryTree } from '../../search-index/query-tree.ts'
import { fold } from '../../text/fold.ts'
import { tokens } from '../../text/tokens.ts'
import { wordLeaf } from './word-leaf.ts'
import { mathInstant } from './date-math.ts'
import { type InstantSpan, spanIn, spanOf } from './instants.ts'
import { searchedFieldsOf } from '../../search-index/field-reach.ts'
import type { IndexSettings } from '../../search-index/index-settings.ts'

/**
 * Kind of a text of a query: `quoted` matches exactly these words in this order, without stemming; `word` also other spellings and
 * compounds; `strict`, of filters, only words with the same stem.
 */
export type TextKind = 'quoted' | 'word' | 'strict'

/** Makes the leaf of a text; `undefined` when it contains nothing that can be searched. */
export function textLeaf(text: string, kind: TextKind, field?: string): Leaf | undefined {
  const isQuoted = kind === 'quoted'
  const searched = isQuoted ? text : text.replace(/^[*?]+/, '')
  const fieldLimit = field === undefined ? {} : { field }
  const pattern = isQuoted ? undefined : wildPattern(searched)
  if (pattern !== undefined) return { kind: 'wild', pattern, ...fieldLimit }
  const term = kind === 'word' ? wordLeaf(searched, field) : undefined
  if (term) return term
  const [first, ...moreTokens] = tokens(searched)
  if (first === undefined) return undefined
  if (moreTokens.length > 0)
    return { kind: 'phrase', tokens: [first, ...moreTokens], ...fieldLimit }
  return { kind: isQuoted ? 'exact' : 'term', token: first, ...fieldLimit }
}

/**
 * Makes the leaf of an unquoted word of a question that a person may have typed: the word also matches without the question marks after
 * it, which are wildcards elsewhere. A `*` stays a wildcard, and so does a `?` inside of a word.
 */
export function askedLeaf(word: string): Leaf | undefined {
  const leaf = textLeaf(word, 'word')
  const asked = leaf?.kind === 'wild' ? textLeaf(word.replace(/\?+$/, ''), 'word') : undefined
  const marks = /\?+$/.exec(word)?.[0].length
  return asked?.kind === 'term' && marks ? { ...asked, marks } : leaf
}

const wildcards = /([*?]+)/
const word = /^[\p{L}\p{N}\p{M}]*$/u

/** Returns the folded pattern of a word with wildcards after its start; `undefined` for an ordinary word. */
function wildPattern(text: string): string | undefined {
  const parts = text.split(wildcards).map((part, n) => (n % 2 ? part : part.normalize('NFKC')))
  if (parts.length === 1 || !parts.every((part, n) => n % 2 || word.test(part))) return undefined
  const folded = parts.map((part, n) => (n % 2 ? part.replace(/\*+/g, '*') : fold(part)))
  return folded[0] === '' ? undefined : folded.join('')
}

/**
 * Makes the leaf of a word in a scope; `undefined` when it contains nothing that can be searched. `'literal'`: the word does not
 * fit the kind of the field, so the colon has no meaning.
 */
export function scopedLeaf(
  scope: QueryScope,
  text: string,
  kind: TextKind,
): QueryTree | undefined | 'literal' {
  if (scope.kind === 'text') return textLeaf(text, kind, scope.field)
  if (scope.kind !== 'facet') return rangeLeaf(scope, text, text) ?? 'literal'
  // Matches the id of a facet value, or words of its label.
  const value: QueryTree = { kind: 'value', facet: scope.facet, value: text }
  const label = scope.field === undefined ? undefined : textLeaf(text, kind, scope.field)
  return label === undefined ? value : { kind: 'or', operands: [value, label] }
}

/**
 * Makes the leaf of a range: `[low TO high]` on a date or number field, `*` = open; an end in braces, `{low TO high}`, is
 * excluded. `undefined` when a bound does not parse.
 */
export function rangeLeaf(
  scope: QueryScope,
  low: string,
  high: string,
  [opening, closing]: readonly [string, string] = ['[', ']'],
): QueryTree | undefined {
  const [lowest, highest] = [boundOf(scope, low), boundOf(scope, high)]
  if (!('name' in scope) || !lowest || !highest) return undefined
  const neighbour = (from: number, direction: 1 | -1) =>
    from +
    direction *
      (scope.kind === 'date' ? 1 : Math.max(Number.MIN_VALUE, Math.abs(from) * Number.EPSILON))
  const from = opening === '{' && lowest.to !== undefined ? neighbour(lowest.to, 1) : lowest.from
  const to =
    closing === '}' && highest.from !== undefined ? neighbour(highest.from, -1) : highest.to
  const bounds = { from, to }
  return { kind: 'range', name: scope.name, ...bounds }
}

const decimal = /^[+-]?\d+(?:\.\d+)?$/

function boundOf(scope: QueryScope, text: string): Partial<InstantSpan> | undefined {
  if (text === '*') return {}
  if (scope.kind === 'date') {
    const span = spanOf(text)
    const instant = span ? undefined : mathInstant(text, Date.now())
    return instant === undefined ? span && spanIn(span, scope.zone) : { from: instant, to: instant }
  }
  return scope.kind === 'number' && decimal.test(text)
    ? { from: Number(text), to: Number(text) }
    : undefined
}

/** Meaning of a name before a colon. */
export type QueryScope =
  | { readonly kind: 'text'; readonly field: string }
  /** Days of a date are those of `zone`, UTC when absent. */
  | { readonly kind: 'date'; readonly name: string; readonly zone?: string }
  | { readonly kind: 'number'; readonly name: string }
  /** `field`: searches the labels of the facet's values, too. */
  | { readonly kind: 'facet'; readonly facet: string; readonly field?: string }

/** Returns the scope of a name; `undefined` makes the colon literal. */
export type Scopes = (name: string) => QueryScope | undefined

/** Matches language keys of documents: `de`, `sr-Latn`. */
const language = /^[a-z]{2,3}(-[A-Za-z0-9-]{1,40})?$/

/**
 * Makes the scopes of all searched indices: `title`, `title.en`, `issued`; `country` is the facet's value or words of its label,
 * `country.id` the value alone.
 */
export function scopesOf(settings: readonly IndexSettings[], zone?: string): Scopes {
  const texts = [...new Set(settings.flatMap(({ texts }) => texts.map(({ name }) => name)))]
  const dates = new Set(settings.flatMap(({ dates }) => dates))
  const numbers = new Set(settings.flatMap(({ numbers }) => numbers))
  const ids = settings.flatMap(({ facets }) => facets.map(({ id }) => id))
  const facets = new Map(ids.map((id) => [normalName(id), id]))
  const fieldOf = (name: string) => {
    const suffix = name.slice(withoutLanguage(name).length + 1).toLowerCase()
    return searchedFieldsOf(name, texts, suffix === '' ? [] : [suffix]).length > 0
      ? name
      : undefined
  }
  return (name) => {
    if (dates.has(name)) return { kind: 'date', name, zone }
    if (numbers.has(name)) return { kind: 'number', name }
    const owner = idOwner(name)
    const facet =
      owner === undefined ? ids.find((id) => id === name) : facets.get(normalName(owner))
    const field = owner !== undefined && facet !== undefined ? undefined : fieldOf(name)
    if (facet === undefined) return field === undefined ? undefined : { kind: 'text', field }
    return { kind: 'facet', facet, field }
  }
}

/** Returns `title` for `title.en`; the name itself when its last segment is not a language. */
export function withoutLanguage(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot > 0 && language.test(name.slice(dot + 1)) ? name.slice(0, dot) : name
}

/** Returns `format` for `distributions.format.id`: the values of facets are the ids inside the records. */
const idOwner = (name: string): string | undefined =>
  name.endsWith('.id') ? name.slice(0, -'.id'.length).split('.').at(-1) : undefined

/** Normalises a name: records use `hvd_category`, the facet is `hvdCategory`. */
const normalName = (name: string): string => name.replaceAll('_', '').toLowerCase()
