/** The query syntax of `q`: from text to a tree, in linear time; nothing but a limit can make it fail. */

import { Failure } from '../../errors.ts'
import type { QueryTree } from '../../search-index/query-tree.ts'
import { type Marks, marksOf, quotedLeaf, rangeLeaf, scopedLeaf, wordLeaf } from './leaves.ts'
import type { QueryScope, Scopes } from './scopes.ts'

export type QueryLimits = {
  /** Code points. */
  readonly queryCharacters: number
  /** Levels of parentheses. */
  readonly queryDepth: number
  /** Words, those of phrases included. */
  readonly queryTerms: number
}

export const queryLimits: QueryLimits = { queryCharacters: 4096, queryDepth: 32, queryTerms: 256 }

type Options = { readonly limits?: QueryLimits; readonly meter?: Meter }

/**
 * `or = and {["OR"] and}`, `and = unary {"AND" unary | "NOT" unary}`, `unary = {"NOT"} atom`; a space is OR. What has
 * no partner or no operand is literal. Throws `query-too-complex`.
 */
export function parseQuery(q: string, scopes: Scopes, options: Options = {}): QueryTree {
  const { limits = queryLimits, meter = { steps: 0 } } = options
  const text = q.trim()
  if (text === '' || text === '*' || text === '*:*') return { kind: 'all' }
  withinLimit('queryCharacters', lengthOf(text, limits.queryCharacters), limits)
  const marks = marksOf(text, limits.queryDepth)
  let terms = 0
  const counted: Count = (tree) => {
    terms += tree === undefined ? 0 : tree.kind === 'phrase' ? tree.tokens.length : 1
    withinLimit('queryTerms', terms, limits)
    return tree
  }
  const list = [...lexemes({ text, marks, scopes, meter })]
  return reader(list, counted).or() ?? { kind: 'none' }
}

const units = { queryCharacters: 'characters', queryTerms: 'words' } as const

/** Throws `query-too-complex`. */
export function withinLimit(name: keyof typeof units, count: number, limits: QueryLimits): void {
  if (count <= limits[name]) return
  const detail = `q may have at most ${limits[name]} ${units[name]} (limit ${name})`
  throw new Failure('query-too-complex', detail, { errors: [{ parameter: 'q', detail }] })
}

const lengthOf = (text: string, most: number): number =>
  text.length <= most ? text.length : Array.from(text.slice(0, 2 * most + 2)).length

type Read = () => QueryTree | undefined
type Count = (tree: QueryTree | undefined) => QueryTree | undefined

/** One function per rule of the grammar, all moving the same position; depth is bounded by the parentheses. */
function reader(list: readonly Lexeme[], counted: Count): { readonly or: Read } {
  let at = 0
  const kind = () => list[at]?.kind
  /** Whether the lexeme after the operator here can begin its operand; a dangling `NOT` begins one, as a word. */
  const operandFollows = () => {
    const next = list[at + 1]?.kind
    return next === 'leaf' || next === 'open' || next === 'NOT'
  }
  const operator = (name: 'AND' | 'OR' | 'NOT') => kind() === name && operandFollows()

  const or: Read = () => {
    const parts: (QueryTree | undefined)[] = []
    while (at < list.length && kind() !== 'close') {
      if (parts.length > 0 && operator('OR')) at++
      parts.push(and())
    }
    return join('or', parts)
  }
  const and: Read = () => {
    const parts = [unary()]
    while (operator('AND') || operator('NOT')) {
      if (kind() === 'AND') at++
      parts.push(unary())
    }
    return join('and', parts)
  }
  const unary: Read = () => {
    let negative = false
    for (; operator('NOT'); at++) negative = !negative
    const tree = atom()
    return negative ? negation(tree) : tree
  }
  const atom: Read = () => {
    const lexeme = list[at++]
    if (lexeme?.kind === 'leaf') return counted(lexeme.tree)
    if (lexeme?.kind !== 'open') return lexeme && counted(wordLeaf(lexeme.kind))
    const tree = or()
    at++
    return tree
  }
  return { or }
}

/** Without operands that vanished, without doubles of the same operator inside each other. */
function join(
  kind: 'and' | 'or',
  parts: readonly (QueryTree | undefined)[],
): QueryTree | undefined {
  const of = parts.flatMap((part) =>
    part === undefined ? [] : part.kind === kind ? part.of : [part],
  )
  const [first, second] = of
  return second === undefined ? first : { kind, of }
}

const negation = (tree: QueryTree | undefined): QueryTree | undefined =>
  tree && (tree.kind === 'not' ? tree.of : { kind: 'not', of: tree })

// Cuts a query into parentheses, operators and leaves, reading every character a bounded number of times.

type Lexeme =
  | { readonly kind: 'open' | 'close' }
  /** `AND`, `OR`, `NOT`: a word where an operand is missing. */
  | { readonly kind: 'AND' | 'OR' | 'NOT' }
  /** `undefined` stands where text without letters and digits stood. */
  | { readonly kind: 'leaf'; readonly tree: QueryTree | undefined }

/** Counts the characters read, so that a test can see that reading is linear. */
type Meter = { steps: number }

type Source = {
  readonly text: string
  readonly marks: Marks
  readonly scopes: Scopes
  readonly meter: Meter
}

/** A lexeme and the index behind it. */
type Step = { readonly lexeme: Lexeme; readonly next: number }

function* lexemes(source: Source): Generator<Lexeme> {
  const { text, marks, meter } = source
  let at = 0
  while (at < text.length) {
    meter.steps++
    const char = text.charAt(at)
    if (marks.parentheses.has(at)) {
      yield { kind: char === '(' ? 'open' : 'close' }
      at++
    } else if (separates(char) && !marks.quotes.has(at)) {
      at++
    } else {
      const { lexeme, next } = marks.quotes.has(at) ? quotedStep(source, at) : wordStep(source, at)
      meter.steps += next - at
      yield lexeme
      at = next
    }
  }
}

const separator = /[\s"()]/
const separates = (char: string): boolean => separator.test(char)

/** Quoted text with its proximity suffix (`~3`), which has no meaning. */
function quotedStep(source: Source, at: number, scope?: QueryScope): Step {
  const end = source.marks.quotes.get(at) ?? at
  const text = source.text.slice(at + 1, end)
  const tree = scope ? scopedLeaf(scope, text, true) : quotedLeaf(text)
  return {
    lexeme: { kind: 'leaf', tree: tree === 'literal' ? quotedLeaf(text) : tree },
    next: afterProximity(source.text, end + 1),
  }
}

function afterProximity(text: string, at: number): number {
  if (text[at] !== '~') return at
  let next = at + 1
  while (next < text.length && /\d/.test(text.charAt(next))) next++
  return next > at + 1 ? next : at
}

function wordStep(source: Source, at: number): Step {
  let next = at
  while (next < source.text.length && !separates(source.text.charAt(next))) next++
  const word = source.text.slice(at, next)
  if (word === 'AND' || word === 'OR' || word === 'NOT') return { lexeme: { kind: word }, next }
  return scopedStep(source, at, word) ?? { lexeme: { kind: 'leaf', tree: wordLeaf(word) }, next }
}

function scopedStep(source: Source, at: number, word: string): Step | undefined {
  const colon = word.indexOf(':')
  const scope = colon > 0 ? source.scopes(word.slice(0, colon)) : undefined
  if (!scope) return undefined
  const start = at + colon + 1
  const rest = word.slice(colon + 1)
  if (rest === '') {
    return source.marks.quotes.has(start) ? quotedStep(source, start, scope) : undefined
  }
  if (rest.startsWith('[')) return rangeStep(source, start, scope)
  const tree = scopedLeaf(scope, rest, false)
  return tree === 'literal' ? undefined : { lexeme: { kind: 'leaf', tree }, next: at + word.length }
}

// A bound is a date or a number, at most 40 characters long; a longer look ahead could be repeated at every bracket.
const range = /\[\s{0,9}([^\s[\]"()]{1,40})\s{1,9}TO\s{1,9}([^\s[\]"()]{1,40})\s{0,9}\]/y

function rangeStep(source: Source, at: number, scope: QueryScope): Step | undefined {
  range.lastIndex = at
  const [found, low = '', high = ''] = range.exec(source.text) ?? []
  source.meter.steps += found?.length ?? 120
  const tree = found === undefined ? undefined : rangeLeaf(scope, low, high)
  return tree && { lexeme: { kind: 'leaf', tree }, next: at + (found?.length ?? 0) }
}
