/**
 * Rewrites public queries for remote stores, which also contain the platform's bookkeeping (the system graph and properties of its
 * namespace), with filters that hide it.
 */

import { Generator, type SparqlQuery } from 'sparqljs'
import { Failure } from '../../errors.ts'
import { ctl, systemGraph } from '../../rdf/namespaces.ts'
import { isSyntaxNode, syntaxNodes, parseSparql, type SyntaxNode } from '../sparql-syntax.ts'
import type { Dialect } from './dialect.ts'

const platformNamespace = ctl('').value

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

const nodesIn = (value: unknown): readonly SyntaxNode[] =>
  Array.isArray(value) ? value.filter(isSyntaxNode) : []

/** Variables in the place of a property, which could match properties of the bookkeeping. */
const variableProperties = (bgp: SyntaxNode): Set<string> =>
  new Set(
    nodesIn(bgp['triples']).flatMap(({ predicate }) =>
      isVariable(predicate) ? predicate.value : [],
    ),
  )

/** Pattern with the filters that it needs beside it; `inGraph` = it is inside of a GRAPH pattern. */
function guardPattern(pattern: SyntaxNode, inGraph: boolean): SyntaxNode[] {
  const { type } = pattern
  if (type === 'bgp') {
    const names = inGraph ? [] : [...variableProperties(pattern)]
    return [
      pattern,
      ...names.map((name) => filterOf(`FILTER(!STRSTARTS(STR(?${name}), "${platformNamespace}"))`)),
    ]
  }
  if (type === 'graph') {
    const inner = { ...pattern, patterns: guardPatterns(nodesIn(pattern['patterns']), true) }
    const { name } = pattern
    return isVariable(name)
      ? [inner, filterOf(`FILTER(?${name.value} != <${systemGraph}>)`)]
      : [inner]
  }
  return [guardInside(pattern, inGraph)]
}

const guardPatterns = (patterns: readonly SyntaxNode[], inGraph: boolean): SyntaxNode[] =>
  patterns.flatMap((pattern) => guardPattern(pattern, inGraph))

/** Guards a pattern where only a single one may be: an alternative of UNION, or the argument of EXISTS. */
function guardSingle(pattern: SyntaxNode, inGraph: boolean): SyntaxNode {
  const [onlyPattern, ...filters] = guardPattern(pattern, inGraph)
  return onlyPattern && filters.length === 0
    ? onlyPattern
    : { type: 'group', patterns: [onlyPattern, ...filters] }
}

function guardInside(node: SyntaxNode, inGraph: boolean): SyntaxNode {
  const entries = Object.entries(node).map(([key, value]): [string, unknown] => {
    if (!isSyntaxNode(value) || 'termType' in value) return [key, value]
    if (!Array.isArray(value)) return [key, guardInside(value, inGraph)]
    const parts: readonly unknown[] = value
    const isSingle = node['type'] === 'union' || key === 'args'
    if ((key === 'patterns' || key === 'where') && !isSingle) {
      return [key, guardPatterns(nodesIn(parts), inGraph)]
    }
    return [key, parts.map((part) => guardPart(part, isSingle, inGraph))]
  })
  return Object.fromEntries(entries)
}

function guardPart(part: unknown, isSingle: boolean, inGraph: boolean): unknown {
  if (Array.isArray(part)) return part.map((inner) => guardPart(inner, isSingle, inGraph))
  if (!isSyntaxNode(part) || 'termType' in part) return part
  return isSingle ? guardSingle(part, inGraph) : guardInside(part, inGraph)
}

type GuardRules = Pick<Dialect, 'union' | 'isReserved'>

function checkNames(tree: SparqlQuery, rules: GuardRules): void {
  const checkName = (name: unknown, isFunction: boolean) => {
    const iri = String(name)
    const isPlatformName = iri === systemGraph || iri.startsWith(platformNamespace)
    if (isPlatformName || rules.isReserved?.(iri, isFunction)) throw refuse(`${iri} is not public`)
  }
  for (const node of syntaxNodes(tree)) {
    const { termType, value, type, pathType } = node
    if (termType === 'NamedNode') checkName(value, false)
    if (type === 'functionCall' && isSyntaxNode(node['function']))
      checkName(node['function']['value'], true)
    if (type === 'path' && pathType === '!') {
      throw refuse('negated property sets are not offered on this store')
    }
  }
}

/**
 * Query without the bookkeeping, over the union of all graphs unless `choosesGraphs`: the query or the request names its graphs.
 * Throws `malformed-query` for a query that names the bookkeeping or a reserved IRI, or has a negated property set.
 */
export function guardedQuery(
  text: string,
  {
    choosesGraphs,
    base,
    ...rules
  }: GuardRules & { readonly choosesGraphs: boolean; readonly base?: string | undefined },
): string {
  const tree = parseSparql(text, base)
  checkNames(tree, rules)
  const { union } = rules
  const inner = guardInside({ ...tree }, false)
  const needsUnion = typeof union === 'object' && !choosesGraphs
  const name = needsUnion ? { termType: 'NamedNode', value: union.graph } : undefined
  const patterns = nodesIn(inner['where'])
  const where = name && patterns.length > 0 ? [{ type: 'graph', name, patterns }] : inner['where']
  const result = where === undefined ? inner : { ...inner, where }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the tree of the parser with patterns of the parser
  return new Generator().stringify(result as unknown as SparqlQuery)
}
