/** The filter query of CKAN (`fq`) as a query tree: built from its parts, never pasted into another query. */

import { Failure } from '../../errors.ts'
import type { QueryTree } from '../../search-index/query-tree.ts'
import { quotedLeaf, rangeLeaf, scopedLeaf, wordLeaf } from '../query/leaves.ts'
import type { QueryLimits } from '../query/parser.ts'
import type { QueryScope, Scopes } from '../query/scopes.ts'
import { constants } from './ckan-names.ts'

/**
 * `or = and {"OR" and}`, `and = unary {["AND"] unary}`, `unary = {"+" | "-" | "NOT"} atom`, `atom = [name ":"] (word | phrase |
 * range | "(" or ")")`; a name in front of a parenthesis is that of all clauses inside. Throws `malformed-query`, also where
 * a limit is passed.
 */
export function filterTree(fq: string, scopes: Scopes, limits: QueryLimits): QueryTree {
  if (fq.length > limits.queryCharacters) {
    throw filterFault(`may have at most ${limits.queryCharacters} characters`)
  }
  const text = fq.trim()
  if (text === '' || text === '*:*') return { kind: 'all' }
  return read({ lexemes: lexemesOf(text), scopes, limits })
}

type Source = {
  readonly lexemes: readonly Lexeme[]
  readonly scopes: Scopes
  readonly limits: QueryLimits
}

type Rule = (name: string | undefined, depth: number) => QueryTree

function read({ lexemes, scopes, limits }: Source): QueryTree {
  const { kind, take, atom: leafAt, fault, ended } = reader(lexemes)
  const counted = counter(limits, fault)
  const or: Rule = (name, depth) => {
    const parts = [and(name, depth)]
    while (take('or')) parts.push(and(name, depth))
    return joined('or', parts)
  }
  const and: Rule = (name, depth) => {
    const parts = [unary(name, depth)]
    while (take('and') || !endsAnd.has(kind())) parts.push(unary(name, depth))
    return joined('and', parts)
  }
  const unary: Rule = (name, depth) => {
    let isNegative = false
    for (;;) {
      if (take('not')) isNegative = !isNegative
      else if (!take('must')) break
    }
    const tree = atom(name, depth)
    return isNegative ? { kind: 'not', of: tree } : tree
  }
  const atom: Rule = (outer, depth) => {
    const { name = outer, value } = leafAt(outer)
    return value ? counted(clauseLeaf(name, value, scopes)) : group(name, depth + 1)
  }
  const group: Rule = (name, depth) => {
    if (depth > limits.queryDepth) throw fault(`may nest at most ${limits.queryDepth} levels`)
    const tree = or(name, depth)
    if (!take('close')) throw fault('a parenthesis that nothing closes')
    return tree
  }
  const tree = or(undefined, 0)
  if (!ended()) throw fault('a parenthesis that nothing opens')
  return tree
}

const endsAnd: ReadonlySet<Lexeme['kind'] | undefined> = new Set(['or', 'close', undefined])

/** Goes through the lexemes one by one. */
function reader(lexemes: readonly Lexeme[]) {
  let at = 0
  const kind = () => lexemes[at]?.kind
  const fault = (reason: string) => filterFault(reason, lexemes[at]?.at)
  /** Goes behind the lexeme here when it is of that kind. */
  const take = (wanted: Lexeme['kind']): boolean => {
    const isThere = kind() === wanted
    if (isThere) at++
    return isThere
  }
  /** A name, if there is one, and what follows: a value, or the opening of a group. */
  const atom = (outer: string | undefined) => {
    const named = lexemes[at]
    const name = named?.kind === 'name' ? named.text : undefined
    if (name !== undefined && outer !== undefined) throw fault('a field inside a field')
    if (name !== undefined) at++
    const value = lexemes[at]
    if (take('open')) return { name }
    if (!value || !isValue(value)) throw fault('a clause such as organization:name is missing')
    at++
    return { name, value }
  }
  return { kind, take, atom, fault, ended: () => at >= lexemes.length }
}

/** Passes leaves on as long as they have not too many words together. */
function counter({ queryTerms }: QueryLimits, fault: (reason: string) => Error) {
  let words = 0
  return (tree: QueryTree): QueryTree => {
    words += tree.kind === 'phrase' ? tree.tokens.length : 1
    if (words > queryTerms) throw fault(`may have at most ${queryTerms} words`)
    return tree
  }
}

function joined(kind: 'and' | 'or', of: readonly QueryTree[]): QueryTree {
  const [first, second] = of
  return first !== undefined && second === undefined ? first : { kind, of }
}

// One clause of a filter query as a leaf of the tree.

type Value = Extract<Lexeme, { readonly kind: 'word' | 'quoted' | 'range' }>

const isValue = (lexeme: Lexeme): lexeme is Value =>
  lexeme.kind === 'word' || lexeme.kind === 'quoted' || lexeme.kind === 'range'

/** Values of facets are compared as they are stored. A name that nobody knows matches nothing. Throws `malformed-query`. */
function clauseLeaf(name: string | undefined, value: Value, scopes: Scopes): QueryTree {
  if (name === undefined) return freeLeaf(value)
  const constant = constants.get(name)
  if (constant !== undefined) return { kind: isAny(value, constant) ? 'all' : 'none' }
  const scope = scopes(name)
  if (scope === undefined) return { kind: 'none' }
  return value.kind === 'range' ? ranged(scope, value) : valued(scope, value)
}

const isAny = (value: Value, constant: string): boolean =>
  value.kind !== 'range' &&
  (value.text === constant || (value.kind === 'word' && value.text === '*'))

/** Without a name: words of any field, as in `q`. */
function freeLeaf(value: Value): QueryTree {
  if (value.kind === 'range') throw filterFault('a range needs a field', value.at)
  if (value.text === '*:*' || value.text === '*') return { kind: 'all' }
  const leaf = value.kind === 'quoted' ? quotedLeaf(value.text) : wordLeaf(value.text)
  return leaf ?? { kind: 'none' }
}

function ranged(scope: QueryScope, value: Extract<Value, { readonly kind: 'range' }>): QueryTree {
  const tree = rangeLeaf(scope, value.from, value.to)
  if (tree) return tree
  throw filterFault('a range is one of dates or numbers, from and to may be *', value.at)
}

function valued(scope: QueryScope, value: Exclude<Value, { readonly kind: 'range' }>): QueryTree {
  const { text, at } = value
  const isOpen = value.kind === 'word' && text === '*'
  if (isOpen && (scope.kind === 'facet' || scope.kind === 'text')) {
    throw filterFault('only dates and numbers can be asked for with *', at)
  }
  if (scope.kind === 'facet') return { kind: 'value', facet: scope.facet, value: text }
  const tree = scopedLeaf(scope, text, value.kind === 'quoted')
  if (tree !== 'literal') return tree ?? { kind: 'none' }
  throw filterFault(`a ${scope.kind} is needed here`, at)
}

// Cuts a filter query into its marks, names and values.

type Lexeme = { readonly at: number } & (
  | { readonly kind: 'open' | 'close' | 'and' | 'or' | 'not' | 'must' }
  /** What stands in front of a colon. */
  | { readonly kind: 'name'; readonly text: string }
  | { readonly kind: 'word' | 'quoted'; readonly text: string }
  | { readonly kind: 'range'; readonly from: string; readonly to: string }
)

// Sticky, without nested repetition: every character is read a bounded number of times.
const blank = /\s*/y
const name = /([A-Za-z_][\w.-]{0,99}):(?!\s|$)/y
const quoted = /"((?:[^"\\]|\\[^])*)"/y
const range = /\[\s*([^\s[\]]+)\s+TO\s+([^\s[\]]+)\s*\]/y
const word = /(?:[^\s()"\\]|\\[^])+/y

const operators: ReadonlyMap<string, 'and' | 'or' | 'not'> = new Map([
  ['AND', 'and'],
  ['&&', 'and'],
  ['OR', 'or'],
  ['||', 'or'],
  ['NOT', 'not'],
])

const signs: ReadonlyMap<string, 'must' | 'not'> = new Map([
  ['+', 'must'],
  ['-', 'not'],
  ['!', 'not'],
])

/** Throws `malformed-query` where nothing can be read. */
function lexemesOf(text: string): readonly Lexeme[] {
  const lexemes: Lexeme[] = []
  let at = skip(text, 0)
  while (at < text.length) {
    const isValue = lexemes.at(-1)?.kind === 'name'
    const { lexeme, next } =
      parenthesis(text, at) ?? (isValue ? undefined : clause(text, at)) ?? value(text, at)
    lexemes.push(lexeme)
    // The value of a name follows it without a blank.
    at = lexeme.kind === 'name' ? next : skip(text, next)
  }
  return lexemes
}

/** A complaint about `fq`; `at` is the index of the character that is wrong. */
function filterFault(reason: string, at?: number): Failure {
  const detail = `fq: ${reason}${at === undefined ? '' : ` (character ${at + 1})`}`
  return new Failure('malformed-query', detail, { errors: [{ parameter: 'fq', detail }] })
}

type Step = { readonly lexeme: Lexeme; readonly next: number }

function parenthesis(text: string, at: number): Step | undefined {
  const char = text[at]
  if (char !== '(' && char !== ')') return undefined
  return { lexeme: { kind: char === '(' ? 'open' : 'close', at }, next: at + 1 }
}

/** What only stands at the beginning of a clause: signs and names. */
function clause(text: string, at: number): Step | undefined {
  const sign = signs.get(text.charAt(at))
  if (sign) return { lexeme: { kind: sign, at }, next: at + 1 }
  const named = matchAt(name, text, at)
  if (named) return { lexeme: { kind: 'name', text: named[1] ?? '', at }, next: name.lastIndex }
  const operator = operators.get(matchAt(word, text, at)?.[0] ?? '')
  return operator && { lexeme: { kind: operator, at }, next: word.lastIndex }
}

function value(text: string, at: number): Step {
  const inside = matchAt(quoted, text, at)
  if (inside) {
    return { lexeme: { kind: 'quoted', text: plain(inside[1] ?? ''), at }, next: quoted.lastIndex }
  }
  const [, from, to] = matchAt(range, text, at) ?? []
  if (from !== undefined && to !== undefined) {
    return { lexeme: { kind: 'range', from, to, at }, next: range.lastIndex }
  }
  const found = matchAt(word, text, at)
  if (!found) throw filterFault('a quotation mark or a backslash without a partner', at)
  if (/^[[{]/.test(found[0])) throw filterFault('a range is [from TO to]', at)
  return { lexeme: { kind: 'word', text: plain(found[0]), at }, next: word.lastIndex }
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

function skip(text: string, at: number): number {
  matchAt(blank, text, at)
  return blank.lastIndex
}

/** A backslash takes the meaning from the character behind it. */
const plain = (text: string): string => text.replace(/\\([^])/g, '$1')
