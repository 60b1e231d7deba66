/** The filter query of CKAN (`fq`) as a query tree: built from its parts, never pasted into another query. */

import type { QueryTree } from '../../search-index/query-tree.ts'
import type { QueryLimits } from '../query/parser.ts'
import type { Scopes } from '../query/scopes.ts'
import { clauseLeaf, isValue } from './filter-leaves.ts'
import { filterFault, lexemesOf, type Lexeme } from './filter-lexemes.ts'

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
