/**
 * The filter query of CKAN (`fq`) as a query tree: the grammar of `q`, read strictly. What cannot be read is a problem that names
 * the character, clauses without an operator are joined by AND, and a name before a parenthesis is that of all clauses inside.
 *
 * `clause = {"+" | "-" | "!" | "NOT"} [name ":"] (word | phrase | range | "(" clauses ")")`, joined by `AND`, `&&`, `OR`, `||`
 */

import { Failure } from '../../errors.ts'
import type { QueryTree } from '../../search-index/query-tree.ts'
import { rangeLeaf, scopedLeaf, textLeaf } from '../query/leaves.ts'
import { type Lexeme, type QueryLimits, treeOf } from '../query/parser.ts'
import type { Scopes } from '../query/leaves.ts'
import { constantFields } from './ckan-names.ts'

/** Parses several filter queries into one tree, joined by AND. Throws `malformed-query`, also when they are too long together. */
export function filtersTree(
  fqs: readonly string[],
  scopes: Scopes,
  limits: QueryLimits,
): QueryTree {
  if (fqs.join(' ').length > limits.queryCharacters)
    throw filterFault(`may have at most ${limits.queryCharacters} characters`)
  const operands = fqs
    .map((fq) => filterTree(fq, scopes, limits))
    .filter(({ kind }) => kind !== 'all')
  return operands.length > 1 ? { kind: 'and', operands } : (operands[0] ?? { kind: 'all' })
}

/** Parses a filter query. Throws `malformed-query`, also when it exceeds a limit. */
export function filterTree(fq: string, scopes: Scopes, limits: QueryLimits): QueryTree {
  if (fq.length > limits.queryCharacters)
    throw filterFault(`may have at most ${limits.queryCharacters} characters`)
  const text = fq.trim()
  if (text === '' || text === '*:*') return { kind: 'all' }
  return treeOf(lexemesOf(text, scopes, limits), limits)
}

/** Makes the error for an invalid `fq`; `at` is the index of the invalid character. */
function filterFault(reason: string, at?: number): Failure {
  const detail = `fq: ${reason}${at === undefined ? '' : ` (character ${at + 1})`}`
  return new Failure('malformed-query', detail, { errors: [{ parameter: 'fq', detail }] })
}

// Sticky, without nested repetition: every character is read a bounded number of times.
const blank = /\s*/y
/** Signs, names and operators, which are special only at the beginning of a clause. */
const clauseStart = /([+!()-])|([A-Za-z_][\w.-]{0,99}):(?!\s|$)|(AND|&&|OR|\|\||NOT)(?![^\s()"])/y
const valuePattern =
  /"((?:[^"\\]|\\[^])*)"|([[{])\s*([^\s[\]{}]+)\s+TO\s+([^\s[\]{}]+)\s*([\]}])|((?:[^\s()"\\]|\\[^])+)/y

const operators: ReadonlyMap<string, 'AND' | 'OR'> = new Map([
  ['AND', 'AND'],
  ['&&', 'AND'],
  ['OR', 'OR'],
  ['||', 'OR'],
])
const negations: ReadonlySet<string> = new Set(['-', '!', 'NOT'])

/** Splits a whole query into lexemes, with every AND explicit. Throws `malformed-query`. */
function lexemesOf(text: string, scopes: Scopes, limits: QueryLimits): readonly Lexeme[] {
  const clauses = new ClauseReader(scopes, limits)
  let position = 0
  const readMatch = (pattern: RegExp) => {
    pattern.lastIndex = position
    const match = pattern.exec(text)
    if (match) position = pattern.lastIndex
    return match ?? []
  }
  while (position < text.length) {
    const from = position
    // A value follows its name without a blank, and may look like anything but a parenthesis.
    const isNamed = clauses.hasField
    const [, sign, name, word] = isNamed && text[position] !== '(' ? [] : readMatch(clauseStart)
    const mark = sign ?? word
    if (name !== undefined) clauses.addField(name, from)
    else if (mark === undefined) clauses.addValue(valueOf(readMatch(valuePattern), from))
    else clauses.addOperator(mark, from)
    if (name === undefined) readMatch(blank)
  }
  return clauses.end(position)
}

/** Lexemes read so far, and whether a clause or an operator may follow. */
class ClauseReader {
  readonly #scopes: Scopes
  readonly #limits: QueryLimits
  readonly #lexemes: Lexeme[] = []
  /** Names of the enclosing groups. */
  readonly #groups: (string | undefined)[] = []
  #name: string | undefined
  #isComplete = false
  #words = 0

  constructor(scopes: Scopes, limits: QueryLimits) {
    this.#scopes = scopes
    this.#limits = limits
  }

  get hasField(): boolean {
    return this.#name !== undefined
  }

  addField(name: string, at: number): void {
    if (this.#groups.some((outer) => outer !== undefined))
      throw filterFault('a field inside a field', at)
    this.#begin()
    this.#name = name
  }

  addOperator(mark: string, at: number): void {
    const operator = operators.get(mark)
    if (operator) {
      this.#complete(at)
      this.#lexemes.push({ kind: operator })
      this.#isComplete = false
    } else if (mark === ')') {
      this.#complete(at)
      if (this.#groups.length === 0) throw filterFault('a parenthesis that nothing opens', at)
      this.#groups.pop()
      this.#lexemes.push({ kind: ')' })
    } else {
      this.#begin()
      if (negations.has(mark)) this.#lexemes.push({ kind: 'NOT' })
      else if (mark === '(') this.#open(at)
    }
  }

  addValue(value: Value): void {
    this.#begin()
    const name = this.#name ?? this.#groups.find((outer) => outer !== undefined)
    const tree = clauseTree(name, value, this.#scopes)
    this.#name = undefined
    this.#words += tree.kind === 'phrase' ? tree.tokens.length : 1
    const { queryTerms } = this.#limits
    if (this.#words > queryTerms)
      throw filterFault(`may have at most ${queryTerms} words`, value.at)
    this.#lexemes.push({ kind: 'leaf', tree })
    this.#isComplete = true
  }

  end(at: number): readonly Lexeme[] {
    this.#complete(at)
    if (this.#groups.length > 0) throw filterFault('a parenthesis that nothing closes', at)
    return this.#lexemes
  }

  #open(at: number): void {
    this.#groups.push(this.#name)
    this.#name = undefined
    const { queryDepth } = this.#limits
    if (this.#groups.length > queryDepth)
      throw filterFault(`may nest at most ${queryDepth} levels`, at)
    this.#lexemes.push({ kind: '(' })
  }

  /** Begins a clause; without an operator before it, it is joined by AND. */
  #begin(): void {
    if (this.#isComplete) this.#lexemes.push({ kind: 'AND' })
    this.#isComplete = false
  }

  #complete(at: number): void {
    if (!this.#isComplete) throw filterFault('a clause such as organization:name is missing', at)
  }
}

type Value = { readonly at: number } & (
  | { readonly kind: 'word' | 'quoted'; readonly text: string }
  | {
      readonly kind: 'range'
      readonly from: string
      readonly to: string
      readonly brackets: readonly [string, string]
    }
)

function valueOf(
  [, quoted, opening = '[', from, to, closing = ']', word]: readonly (string | undefined)[],
  at: number,
): Value {
  if (quoted !== undefined) return { kind: 'quoted', text: unescaped(quoted), at }
  if (from !== undefined && to !== undefined)
    return { kind: 'range', from, to, at, brackets: [opening, closing] }
  if (word === undefined) throw filterFault('a quotation mark or a backslash without a partner', at)
  if (/^[[{]/.test(word)) throw filterFault('a range is [from TO to]', at)
  return { kind: 'word', text: unescaped(word), at }
}

/** Removes backslashes that escape the following character. */
const unescaped = (text: string): string => text.replace(/\\([^])/g, '$1')

/** Makes the tree of one clause. Values of facets are compared as stored; an unknown name matches nothing. */
function clauseTree(name: string | undefined, value: Value, scopes: Scopes): QueryTree {
  const kind = value.kind === 'quoted' ? 'quoted' : 'strict'
  const text = value.kind === 'range' ? undefined : value.text
  const isAny = value.kind === 'word' && text === '*'
  if (name === undefined) {
    if (text === undefined) throw filterFault('a range needs a field', value.at)
    if (text === '*:*' || text === '*') return { kind: 'all' }
    return textLeaf(text, kind) ?? { kind: 'none' }
  }
  const constant = constantFields.get(name)
  if (constant !== undefined) return { kind: text === constant || isAny ? 'all' : 'none' }
  const scope = scopes(name)
  if (scope === undefined) return { kind: 'none' }
  if (value.kind === 'range') {
    const tree = rangeLeaf(scope, value.from, value.to, value.brackets)
    if (tree) return tree
    throw filterFault('a range is one of dates or numbers, from and to may be *', value.at)
  }
  if (isAny && (scope.kind === 'facet' || scope.kind === 'text'))
    throw filterFault('only dates and numbers can be asked for with *', value.at)
  if (scope.kind === 'facet') return { kind: 'value', facet: scope.facet, value: value.text }
  const tree = scopedLeaf(scope, value.text, kind)
  if (tree !== 'literal') return tree ?? { kind: 'none' }
  throw filterFault(`a ${scope.kind} is needed here`, value.at)
}
