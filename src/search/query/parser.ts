/** The query syntax of `q`: from text to a tree, in linear time; nothing but a limit can make it fail. */

import { Failure } from '../../errors.ts'
import type { QueryTree } from '../../search-index/query-tree.ts'
import { wordLeaf } from './leaves.ts'
import { marksOf } from './marks.ts'
import { lexemes, type Lexeme, type Meter } from './scanner.ts'
import type { Scopes } from './scopes.ts'

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
