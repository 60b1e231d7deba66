/**
 * The query syntax of `q`: from text to a tree, in linear time; nothing but a limit can make it fail.
 *
 * `or = and {["OR"] and}`, `and = unary {"AND" unary | "NOT" unary}`, `unary = {"NOT"} atom`, `atom = leaf | "(" or ")"`; a space
 * is OR. Quotation marks and parentheses without a partner separate words, operators without an operand are words.
 */

import type { Synonyms } from '../../config/synonyms.ts'
import { Failure } from '../../errors.ts'
import type { QueryTree } from '../../search-index/query-tree.ts'
import { askedLeaf, rangeLeaf, scopedLeaf, textLeaf } from './leaves.ts'
import type { Scopes } from './leaves.ts'
import { sourceLeaf, withSpellings } from './word-leaf.ts'

/** Limits of a query. */
export type QueryLimits = {
  /** Maximum code points. */
  readonly queryCharacters: number
  /** Maximum levels of parentheses. */
  readonly queryDepth: number
  /** Maximum number of words, including those of phrases. */
  readonly queryTerms: number
}

/** Default limits. */
export const queryLimits: QueryLimits = { queryCharacters: 4096, queryDepth: 32, queryTerms: 256 }

/** Number of characters read, by which a test checks that parsing takes linear time. */
type StepCounter = { steps: number }
type Options = {
  readonly limits?: QueryLimits
  readonly synonyms?: Synonyms | undefined
  /** Whether question marks after words may be punctuation (`askedLeaf`). */
  readonly isAsked?: boolean
  readonly counter?: StepCounter
}

/** Parses a query. Throws `query-too-complex`. */
export function parseQuery(q: string, scopes: Scopes, options: Options = {}): QueryTree {
  const { limits = queryLimits, synonyms, isAsked = false, counter = { steps: 0 } } = options
  const text = q.trim()
  if (text === '' || text === '*' || text === '*:*') return { kind: 'all' }
  withinLimit('queryCharacters', lengthOf(text, limits.queryCharacters), limits)
  const read = [...lexemesOf(text, { scopes, synonyms, isAsked, counter })]
  const lexemes = pairParentheses(read, limits.queryDepth)
  return withSpellings(treeOf(lexemes, limits), synonyms)
}

/** Makes the tree of lexemes with paired parentheses. Throws `query-too-complex`. */
export const treeOf = (lexemes: readonly Lexeme[], limits: QueryLimits): QueryTree =>
  new QueryReader(lexemes, limits).or() ?? { kind: 'none' }

const units = { queryCharacters: 'characters', queryTerms: 'words' } as const

/** Throws `query-too-complex` if a count exceeds the limit `name`. */
export function withinLimit(name: keyof typeof units, count: number, limits: QueryLimits): void {
  if (count > limits[name])
    throw tooComplex(`q may have at most ${limits[name]} ${units[name]} (limit ${name})`)
}

const tooComplex = (detail: string): Failure =>
  new Failure('query-too-complex', detail, { errors: [{ parameter: 'q', detail }] })

const lengthOf = (text: string, maximum: number): number =>
  text.length <= maximum ? text.length : Array.from(text.slice(0, 2 * maximum + 2)).length

/** Lexical unit of a query. */
export type Lexeme =
  | { readonly kind: '(' | ')' }
  /** Read as a word where an operand is missing. */
  | { readonly kind: 'AND' | 'OR' | 'NOT' }
  /** `undefined` for text without letters and digits. */
  | { readonly kind: 'leaf'; readonly tree: QueryTree | undefined }

// A quoted text may be followed by a proximity (`~3`), which is ignored.
const lexemePattern = /\s+|([()])|"([^"]*)"(?:~\d+)?|([^\s"()]+)|"/y
const quotedText = /"([^"]*)"(?:~\d+)?/y
// A bound is a date or a number of at most 40 characters; a longer look-ahead could be repeated at every bracket.
const range =
  /([[{])\s{0,9}([^\s[\]{}"()]{1,40})\s{1,9}TO\s{1,9}([^\s[\]{}"()]{1,40})\s{0,9}([\]}])/y
const rangeCharacters = 120

type Reading = {
  readonly scopes: Scopes
  readonly synonyms: Synonyms | undefined
  readonly isAsked: boolean
  readonly counter: StepCounter
}

/** Splits a query into parentheses, operators and leaves. */
function* lexemesOf(
  text: string,
  { scopes, synonyms, isAsked, counter }: Reading,
): Generator<Lexeme> {
  for (let at = 0; at < text.length;) {
    const [match = '', mark, quoted, word] = matchAt(lexemePattern, text, at)
    let end = at + match.length
    if (mark === '(' || mark === ')') yield { kind: mark }
    else if (quoted !== undefined) yield { kind: 'leaf', tree: textLeaf(quoted, 'quoted') }
    else if (word === 'AND' || word === 'OR' || word === 'NOT') yield { kind: word }
    else if (word !== undefined) {
      const scopedTree = scopedAt(text, { at, word, scopes, counter })
      const leaf = isAsked ? askedLeaf(word) : textLeaf(word, 'word')
      const tree = scopedTree ? scopedTree.tree : sourceLeaf(leaf, synonyms)
      yield { kind: 'leaf', tree }
      end = scopedTree?.next ?? end
    }
    counter.steps += end - at
    at = end
  }
}

function matchAt(pattern: RegExp, text: string, at: number): readonly (string | undefined)[] {
  pattern.lastIndex = at
  return pattern.exec(text) ?? []
}

type ScopedWord = {
  readonly at: number
  readonly word: string
  readonly scopes: Scopes
  readonly counter: StepCounter
}

/** Reads a word with the name of a field before its colon; `undefined` = the colon has no meaning. */
function scopedAt(text: string, { at, word, scopes, counter }: ScopedWord) {
  const colon = word.indexOf(':')
  const scope = colon > 0 ? scopes(word.slice(0, colon)) : undefined
  if (!scope) return undefined
  const start = at + colon + 1
  const value = word.slice(colon + 1)
  if (value === '') {
    const [match, quoted] = matchAt(quotedText, text, start)
    if (match === undefined || quoted === undefined) return undefined
    const tree = scopedLeaf(scope, quoted, 'quoted')
    const next = start + match.length
    return { tree: tree === 'literal' ? textLeaf(quoted, 'quoted') : tree, next }
  }
  if (/^[[{]/.test(value)) {
    const [match, opening = '', low = '', high = '', closing = ''] = matchAt(range, text, start)
    counter.steps += match?.length ?? rangeCharacters
    const tree = match === undefined ? undefined : rangeLeaf(scope, low, high, [opening, closing])
    return tree && { tree, next: start + (match ?? '').length }
  }
  const tree = scopedLeaf(scope, value, 'word')
  return tree === 'literal' ? undefined : { tree, next: at + word.length }
}

/** Removes parentheses without a partner. Throws `query-too-complex` when the others are nested deeper than `depth`. */
function pairParentheses(lexemes: readonly Lexeme[], depth: number): readonly Lexeme[] {
  const openPositions: number[] = []
  const partners = new Set<number>()
  for (const [at, { kind }] of lexemes.entries()) {
    if (kind === '(') openPositions.push(at)
    const partner = kind === ')' ? openPositions.pop() : undefined
    if (partner !== undefined) partners.add(partner).add(at)
  }
  let level = 0
  return lexemes.filter(({ kind }, at) => {
    if (kind !== '(' && kind !== ')') return true
    if (partners.has(at)) level += kind === '(' ? 1 : -1
    if (level > depth)
      throw tooComplex(`q may nest at most ${depth} levels of parentheses (limit queryDepth)`)
    return partners.has(at)
  })
}

/** Recursive descent parser: one method per rule of the grammar; depth is bounded by the parentheses. */
class QueryReader {
  readonly #lexemes: readonly Lexeme[]
  readonly #limits: QueryLimits
  #position = 0
  #words = 0

  constructor(lexemes: readonly Lexeme[], limits: QueryLimits) {
    this.#lexemes = lexemes
    this.#limits = limits
  }

  or(): QueryTree | undefined {
    const parts: (QueryTree | undefined)[] = []
    while (this.#position < this.#lexemes.length && this.#kind() !== ')') {
      if (parts.length > 0 && this.#isOperator('OR')) this.#position += 1
      parts.push(this.#and())
    }
    return joinOperands('or', parts)
  }

  #and(): QueryTree | undefined {
    const parts = [this.#unary()]
    while (this.#isOperator('AND') || this.#isOperator('NOT')) {
      if (this.#kind() === 'AND') this.#position += 1
      parts.push(this.#unary())
    }
    return joinOperands('and', parts)
  }

  #unary(): QueryTree | undefined {
    let isNegative = false
    for (; this.#isOperator('NOT'); this.#position += 1) isNegative = !isNegative
    const tree = this.#atom()
    if (!isNegative || !tree) return tree
    return tree.kind === 'not' ? tree.operand : { kind: 'not', operand: tree }
  }

  #atom(): QueryTree | undefined {
    const lexeme = this.#lexemes[this.#position++]
    if (lexeme?.kind === '(') {
      const tree = this.or()
      this.#position += 1
      return tree
    }
    const leaf = lexeme?.kind === 'leaf' ? lexeme.tree : textLeaf(lexeme?.kind ?? '', 'word')
    this.#words += leaf === undefined ? 0 : wordsOf(leaf)
    withinLimit('queryTerms', this.#words, this.#limits)
    return leaf
  }

  #kind = (offset = 0) => this.#lexemes[this.#position + offset]?.kind

  /** Tells whether the lexeme after this operator can begin its operand; a dangling `NOT` begins one, as a word. */
  #isOperator(name: 'AND' | 'OR' | 'NOT'): boolean {
    const next = this.#kind(1)
    return this.#kind() === name && (next === 'leaf' || next === '(' || next === 'NOT')
  }
}

/** Number of words of a leaf, those of a phrase and the pieces of a punctuated word included. */
function wordsOf(leaf: QueryTree): number {
  if (leaf.kind === 'phrase') return leaf.tokens.length
  return leaf.kind === 'term' ? (leaf.pieces?.length ?? 1) : 1
}

/** Joins operands; drops empty ones and flattens nested uses of the same operator. */
function joinOperands(
  kind: 'and' | 'or',
  parts: readonly (QueryTree | undefined)[],
): QueryTree | undefined {
  const operands = parts.flatMap((part) =>
    part === undefined ? [] : part.kind === kind ? part.operands : [part],
  )
  return operands.length > 1 ? { kind, operands } : operands[0]
}
