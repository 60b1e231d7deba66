/** Rewrites public queries for stores that also contain the platform's bookkeeping, so that they do not see it. */

import { Generator, type SparqlQuery } from 'sparqljs'
import { Failure } from '../../errors.ts'
import { ctl, systemGraph } from '../../rdf/namespaces.ts'
import { isSyntaxNode, syntaxNodes, parseSparql, type SyntaxNode } from '../sparql-syntax.ts'
import type { Dialect } from './dialect.ts'

const reserved = ctl('').value

const refuse = (why: string) => new Failure('malformed-query', `The query is refused: ${why}.`)

/** Syntax tree of a filter. */
function filterOf(text: string): SyntaxNode {
  const tree = parseSparql(`ASK { ${text} }`)
  const [filter] = tree.type === 'query' ? (tree.where ?? []) : []
  if (!filter) throw new Error(`no filter: ${text}`)
  return { ...filter }
}

const isVariable = (term: unknown): term is { readonly value: string } =>
  isSyntaxNode(term) && term['termType'] === 'Variable'

const list = (value: unknown): readonly SyntaxNode[] =>
  Array.isArray(value) ? value.filter(isSyntaxNode) : []

/** Variables as properties, which could match properties of the bookkeeping. */
const properties = (bgp: SyntaxNode): Set<string> =>
  new Set(
    list(bgp['triples']).flatMap(({ predicate }) => (isVariable(predicate) ? predicate.value : [])),
  )

/** Pattern with the filters that it needs beside it. `inGraph` = below a GRAPH. */
function guardPattern(pattern: SyntaxNode, inGraph: boolean): SyntaxNode[] {
  const { type } = pattern
  if (type === 'bgp') {
    const names = inGraph ? [] : [...properties(pattern)]
    return [
      pattern,
      ...names.map((name) => filterOf(`FILTER(!STRSTARTS(STR(?${name}), "${reserved}"))`)),
    ]
  }
  if (type === 'graph') {
    const inner = { ...pattern, patterns: guardPatterns(list(pattern['patterns']), true) }
    const { name } = pattern
    return isVariable(name)
      ? [inner, filterOf(`FILTER(?${name.value} != <${systemGraph}>)`)]
      : [inner]
  }
  return [guardInside(pattern, inGraph)]
}

const guardPatterns = (patterns: readonly SyntaxNode[], inGraph: boolean): SyntaxNode[] =>
  patterns.flatMap((pattern) => guardPattern(pattern, inGraph))

/** One pattern in place of one: an alternative of UNION, or the argument of EXISTS. */
function guardSingle(pattern: SyntaxNode, inGraph: boolean): SyntaxNode {
  const [only, ...more] = guardPattern(pattern, inGraph)
  return only && more.length === 0 ? only : { type: 'group', patterns: [only, ...more] }
}

function guardInside(node: SyntaxNode, inGraph: boolean): SyntaxNode {
  const entries = Object.entries(node).map(([key, value]): [string, unknown] => {
    if (!isSyntaxNode(value) || 'termType' in value) return [key, value]
    if (!Array.isArray(value)) return [key, guardInside(value, inGraph)]
    const parts: readonly unknown[] = value
    const alone = node['type'] === 'union' || key === 'args'
    if ((key === 'patterns' || key === 'where') && !alone) {
      return [key, guardPatterns(list(parts), inGraph)]
    }
    return [key, parts.map((part) => guardPart(part, alone, inGraph))]
  })
  return Object.fromEntries(entries)
}

function guardPart(part: unknown, alone: boolean, inGraph: boolean): unknown {
  if (Array.isArray(part)) return part.map((inner) => guardPart(inner, alone, inGraph))
  if (!isSyntaxNode(part) || 'termType' in part) return part
  return alone ? guardSingle(part, inGraph) : guardInside(part, inGraph)
}

type Rules = Pick<Dialect, 'union' | 'isReserved'>

function check(tree: SparqlQuery, rules: Rules): void {
  const admit = (name: unknown, isFunction: boolean) => {
    const iri = String(name)
    const isOurs = iri === systemGraph || iri.startsWith(reserved)
    if (isOurs || rules.isReserved?.(iri, isFunction)) throw refuse(`${iri} is not public`)
  }
  for (const node of syntaxNodes(tree)) {
    const { termType, value, type, pathType } = node
    if (termType === 'NamedNode') admit(value, false)
    if (type === 'functionCall' && isSyntaxNode(node['function']))
      admit(node['function']['value'], true)
    if (type === 'path' && pathType === '!') {
      throw refuse('negated property sets are not offered on this store')
    }
  }
}

/**
 * Query over the union of all graphs without the system graph and its properties. `chosen` = the query or the request chooses graphs.
 * Throws `malformed-query` for a query that names the bookkeeping.
 */
export function guardedQuery(
  text: string,
  {
    chosen,
    base,
    ...rules
  }: Rules & { readonly chosen: boolean; readonly base?: string | undefined },
): string {
  const tree = parseSparql(text, base)
  check(tree, rules)
  const { union } = rules
  const inner = guardInside({ ...tree }, false)
  const needsUnion = typeof union === 'object' && !chosen
  const name = needsUnion ? { termType: 'NamedNode', value: union.graph } : undefined
  const patterns = list(inner['where'])
  const where = name && patterns.length > 0 ? [{ type: 'graph', name, patterns }] : inner['where']
  const result = where === undefined ? inner : { ...inner, where }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the tree of the parser with patterns of the parser
  return new Generator().stringify(result as unknown as SparqlQuery)
}
