/**
 * The filter query of CKAN (`fq`) as a query tree: built from its parts, never pasted into another query.
 *
 * `or = and {"OR" and}`, `and = unary {["AND"] unary}`, `unary = {"+" | "-" | "NOT"} atom`, `atom = [name ":"] (word | phrase | range
 * | "(" or ")")`; a name before a parenthesis is that of all clauses inside. Unlike `q` it is strict: what cannot be read is a
 * problem that names the character, and clauses without an operator are joined by AND.
 */

import { Failure } from '../../errors.ts'
import type { QueryTree } from '../../search-index/query-tree.ts'
import { rangeLeaf, scopedLeaf, textLeaf } from '../query/leaves.ts'
import type { QueryLimits } from '../query/parser.ts'
import type { Scopes } from '../query/scopes.ts'
import { constants } from './ckan-names.ts'

/** Throws `malformed-query`, also where a limit is passed. */
export function filterTree(fq: string, scopes: Scopes, limits: QueryLimits): QueryTree {
  if (fq.length > limits.queryCharacters)
    throw filterFault(`may have at most ${limits.queryCharacters} characters`)
  const text = fq.trim()
  if (text === '' || text === '*:*') return { kind: 'all' }
  return new FilterReader(lexemesOf(text), scopes, limits).whole()
}

/** A complaint about `fq`; `at` is the index of the character that is wrong. */
function filterFault(reason: string, at?: number): Failure {
  const detail = `fq: ${reason}${at === undefined ? '' : ` (character ${at + 1})`}`
  return new Failure('malformed-query', detail, { errors: [{ parameter: 'fq', detail }] })
}

type Value = { readonly at: number } & (
  | { readonly kind: 'word' | 'quoted'; readonly text: string }
  | { readonly kind: 'range'; readonly from: string; readonly to: string }
)

type Lexeme =
  | Value
  | { readonly at: number; readonly kind: 'open' | 'close' | 'and' | 'or' | 'not' | 'must' }
  /** What stands before a colon. */
  | { readonly at: number; readonly kind: 'name'; readonly text: string }

// Sticky, without nested repetition: every character is read a bounded number of times.
const blank = /\s*/y
/** What only stands at the beginning of a clause: signs, names and operators. */
const clause = /([+!-])|([A-Za-z_][\w.-]{0,99}):(?!\s|$)|(AND|&&|OR|\|\||NOT)(?![^\s()"])/y
const valued =
  /"((?:[^"\\]|\\[^])*)"|\[\s*([^\s[\]]+)\s+TO\s+([^\s[\]]+)\s*\]|((?:[^\s()"\\]|\\[^])+)/y

const marks = {
  '(': 'open',
  ')': 'close',
  '+': 'must',
  '-': 'not',
  '!': 'not',
  NOT: 'not',
  AND: 'and',
  '&&': 'and',
  OR: 'or',
  '||': 'or',
} as const
const isMark = (text: string): text is keyof typeof marks => Object.hasOwn(marks, text)

/** Cuts a filter query into its marks, names and values. Throws `malformed-query` where nothing can be read. */
function lexemesOf(text: string): readonly Lexeme[] {
  const lexemes: Lexeme[] = []
  let at = 0
  const matched = (pattern: RegExp) => {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match) at = pattern.lastIndex
    return match ?? []
  }
  while (at < text.length) {
    const from = at
    const char = text.charAt(at)
    const isNamed = lexemes.at(-1)?.kind === 'name'
    const [whole, sign, name, operator] =
      char === '(' || char === ')' ? matched(/[()]/y) : isNamed ? [] : matched(clause)
    const mark = sign ?? operator ?? whole ?? ''
    if (name !== undefined) lexemes.push({ kind: 'name', text: name, at: from })
    else if (isMark(mark)) lexemes.push({ kind: marks[mark], at: from })
    else lexemes.push(valueOf(matched(valued), from))
    // The value of a name follows it without a blank.
    if (name === undefined) matched(blank)
  }
  return lexemes
}

function valueOf([, quoted, from, to, word]: readonly (string | undefined)[], at: number): Value {
  if (quoted !== undefined) return { kind: 'quoted', text: unescaped(quoted), at }
  if (from !== undefined && to !== undefined) return { kind: 'range', from, to, at }
  if (word === undefined) throw filterFault('a quotation mark or a backslash without a partner', at)
  if (/^[[{]/.test(word)) throw filterFault('a range is [from TO to]', at)
  return { kind: 'word', text: unescaped(word), at }
}

/** A backslash takes the meaning from the character after it. */
const unescaped = (text: string): string => text.replace(/\\([^])/g, '$1')

/** One method per rule; `name` is that of the group around, `depth` counts the groups. */
class FilterReader {
  readonly #lexemes: readonly Lexeme[]
  readonly #scopes: Scopes
  readonly #limits: QueryLimits
  #at = 0
  #words = 0

  constructor(lexemes: readonly Lexeme[], scopes: Scopes, limits: QueryLimits) {
    this.#lexemes = lexemes
    this.#scopes = scopes
    this.#limits = limits
  }

  whole(): QueryTree {
    const tree = this.#or(undefined, 0)
    if (this.#at < this.#lexemes.length) throw this.#fault('a parenthesis that nothing opens')
    return tree
  }

  #or(name: string | undefined, depth: number): QueryTree {
    const parts = [this.#and(name, depth)]
    while (this.#take('or')) parts.push(this.#and(name, depth))
    return joined('or', parts)
  }

  #and(name: string | undefined, depth: number): QueryTree {
    const ends: readonly unknown[] = ['or', 'close', undefined]
    const parts = [this.#unary(name, depth)]
    while (this.#take('and') || !ends.includes(this.#lexemes[this.#at]?.kind))
      parts.push(this.#unary(name, depth))
    return joined('and', parts)
  }

  #unary(name: string | undefined, depth: number): QueryTree {
    let isNegative = false
    for (;;) {
      if (this.#take('not')) isNegative = !isNegative
      else if (!this.#take('must')) break
    }
    const tree = this.#atom(name, depth)
    return isNegative ? { kind: 'not', of: tree } : tree
  }

  #atom(outer: string | undefined, depth: number): QueryTree {
    const named = this.#lexemes[this.#at]
    const inner = named?.kind === 'name' ? named.text : undefined
    if (inner !== undefined && outer !== undefined) throw this.#fault('a field inside a field')
    if (inner !== undefined) this.#at += 1
    const name = inner ?? outer
    if (this.#take('open')) return this.#group(name, depth + 1)
    const value = this.#lexemes[this.#at]
    if (value?.kind !== 'word' && value?.kind !== 'quoted' && value?.kind !== 'range')
      throw this.#fault('a clause such as organization:name is missing')
    this.#at += 1
    const tree = clauseTree(name, value, this.#scopes)
    this.#words += tree.kind === 'phrase' ? tree.tokens.length : 1
    const { queryTerms } = this.#limits
    if (this.#words > queryTerms) throw this.#fault(`may have at most ${queryTerms} words`)
    return tree
  }

  #group(name: string | undefined, depth: number): QueryTree {
    const { queryDepth } = this.#limits
    if (depth > queryDepth) throw this.#fault(`may nest at most ${queryDepth} levels`)
    const tree = this.#or(name, depth)
    if (!this.#take('close')) throw this.#fault('a parenthesis that nothing closes')
    return tree
  }

  /** Goes on to the next lexeme when this one is of that kind. */
  #take(kind: Lexeme['kind']): boolean {
    const isThere = this.#lexemes[this.#at]?.kind === kind
    if (isThere) this.#at += 1
    return isThere
  }

  #fault = (reason: string) => filterFault(reason, this.#lexemes[this.#at]?.at)
}

const joined = (kind: 'and' | 'or', of: readonly QueryTree[]): QueryTree =>
  of.length === 1 && of[0] ? of[0] : { kind, of }

/** One clause. Values of facets are compared as they are stored; a name that nobody knows matches nothing. */
function clauseTree(name: string | undefined, value: Value, scopes: Scopes): QueryTree {
  const isQuoted = value.kind === 'quoted'
  const text = value.kind === 'range' ? undefined : value.text
  const isOpen = value.kind === 'word' && text === '*'
  if (name === undefined) {
    if (text === undefined) throw filterFault('a range needs a field', value.at)
    if (text === '*:*' || text === '*') return { kind: 'all' }
    return textLeaf(text, isQuoted) ?? { kind: 'none' }
  }
  const constant = constants.get(name)
  if (constant !== undefined) return { kind: text === constant || isOpen ? 'all' : 'none' }
  const scope = scopes(name)
  if (scope === undefined) return { kind: 'none' }
  if (value.kind === 'range') {
    const tree = rangeLeaf(scope, value.from, value.to)
    if (tree) return tree
    throw filterFault('a range is one of dates or numbers, from and to may be *', value.at)
  }
  if (isOpen && (scope.kind === 'facet' || scope.kind === 'text'))
    throw filterFault('only dates and numbers can be asked for with *', value.at)
  if (scope.kind === 'facet') return { kind: 'value', facet: scope.facet, value: value.text }
  const tree = scopedLeaf(scope, value.text, isQuoted)
  if (tree !== 'literal') return tree ?? { kind: 'none' }
  throw filterFault(`a ${scope.kind} is needed here`, value.at)
}
