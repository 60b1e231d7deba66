/** A stranger's query over a store that holds our bookkeeping too: rewritten so that it sees all graphs but that one. */

import { Generator, type SparqlQuery } from 'sparqljs'
import { Failure } from '../../errors.ts'
import { ctl, systemGraph } from '../../rdf/namespaces.ts'
import { isNode, nodes, parseSparql, type SyntaxNode } from '../sparql-syntax.ts'
import type { Dialect } from './dialect.ts'

const reserved = ctl('').value

const refuse = (why: string) => new Failure('malformed-query', `The query is refused: ${why}.`)

/** The pattern of a filter as the parser gives it. */
function filterOf(text: string): SyntaxNode {
  const tree = parseSparql(`ASK { ${text} }`)
  const [filter] = tree.type === 'query' ? (tree.where ?? []) : []
  if (!filter) throw new Error(`no filter: ${text}`)
  return { ...filter }
}

const isVariable = (term: unknown): term is { readonly value: string } =>
  isNode(term) && term['termType'] === 'Variable'

const list = (value: unknown): readonly SyntaxNode[] =>
  Array.isArray(value) ? value.filter(isNode) : []

/** Variables in the place of a property: they could show our own. */
const properties = (bgp: SyntaxNode): Set<string> =>
  new Set(
    list(bgp['triples']).flatMap(({ predicate }) => (isVariable(predicate) ? predicate.value : [])),
  )

/** The pattern and the filters that have to stand beside it. `inGraph` = below a GRAPH. */
function guarded(pattern: SyntaxNode, inGraph: boolean): SyntaxNode[] {
  const { type } = pattern
  if (type === 'bgp') {
    const names = inGraph ? [] : [...properties(pattern)]
    return [
      pattern,
      ...names.map((name) => filterOf(`FILTER(!STRSTARTS(STR(?${name}), "${reserved}"))`)),
    ]
  }
  if (type === 'graph') {
    const inner = { ...pattern, patterns: guardedAll(list(pattern['patterns']), true) }
    const { name } = pattern
    return isVariable(name)
      ? [inner, filterOf(`FILTER(?${name.value} != <${systemGraph}>)`)]
      : [inner]
  }
  return [guardedInside(pattern, inGraph)]
}

const guardedAll = (patterns: readonly SyntaxNode[], inGraph: boolean): SyntaxNode[] =>
  patterns.flatMap((pattern) => guarded(pattern, inGraph))

/** One pattern in the place of one: an alternative, the argument of EXISTS. */
function guardedOne(pattern: SyntaxNode, inGraph: boolean): SyntaxNode {
  const [only, ...more] = guarded(pattern, inGraph)
  return only && more.length === 0 ? only : { type: 'group', patterns: [only, ...more] }
}

function guardedInside(node: SyntaxNode, inGraph: boolean): SyntaxNode {
  const entries = Object.entries(node).map(([key, value]): [string, unknown] => {
    if (!isNode(value) || 'termType' in value) return [key, value]
    if (!Array.isArray(value)) return [key, guardedInside(value, inGraph)]
    const parts: readonly unknown[] = value
    const alone = node['type'] === 'union' || key === 'args'
    if ((key === 'patterns' || key === 'where') && !alone) {
      return [key, guardedAll(list(parts), inGraph)]
    }
    return [key, parts.map((part) => guardedPart(part, alone, inGraph))]
  })
  return Object.fromEntries(entries)
}

function guardedPart(part: unknown, alone: boolean, inGraph: boolean): unknown {
  if (Array.isArray(part)) return part.map((inner) => guardedPart(inner, alone, inGraph))
  if (!isNode(part) || 'termType' in part) return part
  return alone ? guardedOne(part, inGraph) : guardedInside(part, inGraph)
}

type Rules = Pick<Dialect, 'union' | 'reserved'>

function check(tree: SparqlQuery, rules: Rules): void {
  const admit = (name: unknown, isFunction: boolean) => {
    const iri = String(name)
    const isOurs = iri === systemGraph || iri.startsWith(reserved)
    if (isOurs || rules.reserved?.(iri, isFunction)) throw refuse(`${iri} is not public`)
  }
  for (const node of nodes(tree)) {
    const { termType, value, type, pathType } = node
    if (termType === 'NamedNode') admit(value, false)
    if (type === 'functionCall' && isNode(node['function'])) admit(node['function']['value'], true)
    if (type === 'path' && pathType === '!') {
      throw refuse('negated property sets are not offered on this store')
    }
  }
}

/**
 * The query over the union of all graphs, our system graph and properties apart. `chosen` = it names its graphs itself.
 * `Failure` malformed-query for one that asks for our bookkeeping by name.
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
  const inner = guardedInside({ ...tree }, false)
  const whole = typeof union === 'object' && !chosen
  const name = whole ? { termType: 'NamedNode', value: union.graph } : undefined
  const patterns = list(inner['where'])
  const where = name && patterns.length > 0 ? [{ type: 'graph', name, patterns }] : inner['where']
  const result = where === undefined ? inner : { ...inner, where }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the tree of the parser with patterns of the parser
  return new Generator().stringify(result as unknown as SparqlQuery)
}
