/** Variables of queries by ASCII names: some stores garble or refuse others that SPARQL allows. */

import { Generator, type SparqlQuery } from 'sparqljs'
import type { Results } from '../sparql-results.ts'
import { isNode, nodes, parseSparql } from '../sparql-syntax.ts'

/** ASCII name → name in the query. */
export type VariableNames = ReadonlyMap<string, string>

const isAscii = (text: string) => /^\p{ASCII}*$/u.test(text)

/** The query under ASCII names, none of which it uses already; itself when it has no other. */
export function asciiQuery({ text, base }: { readonly text: string; readonly base?: string }): {
  readonly text: string
  readonly names: VariableNames
} {
  if (isAscii(text)) return { text, names: new Map() }
  const tree = parseSparql(text, base)
  const used = new Set<string>()
  for (const node of nodes(tree)) {
    if (node['termType'] === 'Variable') used.add(String(node['value']))
    // Rows of VALUES have their variables as keys.
    for (const key of Object.keys(node)) if (key.startsWith('?')) used.add(key.slice(1))
  }
  const fresh = new Map<string, string>()
  let count = 0
  for (const name of used) {
    if (isAscii(name)) continue
    do count += 1
    while (used.has(`v${count}`))
    fresh.set(name, `v${count}`)
  }
  const names = new Map([...fresh].map(([name, ascii]) => [ascii, name]))
  if (names.size === 0) return { text, names }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only names of variables differ
  return { text: new Generator().stringify(renamed(tree, fresh) as SparqlQuery), names }
}

function renamed(node: unknown, fresh: ReadonlyMap<string, string>): unknown {
  if (!isNode(node)) return node
  const { termType } = node
  if (typeof termType === 'string') {
    const name = termType === 'Variable' ? fresh.get(String(node['value'])) : undefined
    return name === undefined ? node : { termType, value: name }
  }
  if (Array.isArray(node)) return node.map((part) => renamed(part, fresh))
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      const name = key.startsWith('?') ? fresh.get(key.slice(1)) : undefined
      return [name === undefined ? key : `?${name}`, renamed(value, fresh)]
    }),
  )
}

/** Results under the names that the query has. */
export function withQueryNames(results: Results, names: VariableNames): Results {
  if ('boolean' in results || names.size === 0) return results
  const own = (name: string) => names.get(name) ?? name
  return {
    variables: results.variables.map(own),
    solutions: results.solutions.map((solution) =>
      Object.fromEntries(Object.entries(solution).map(([name, term]) => [own(name), term])),
    ),
  }
}
