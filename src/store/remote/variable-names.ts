/** Replaces variable names by ASCII names, because some stores change or refuse other names that SPARQL allows. */

import { Generator, type SparqlQuery } from 'sparqljs'
import type { Results } from '../sparql-results.ts'
import { isSyntaxNode, syntaxNodes, parseSparql } from '../sparql-syntax.ts'

/** ASCII name → name in the query. */
export type VariableNames = ReadonlyMap<string, string>

const isAscii = (text: string) => /^\p{ASCII}*$/u.test(text)

/** Query with unused ASCII names in place of other names, and these names; unchanged if it has none. */
export function asciiQuery({ text, base }: { readonly text: string; readonly base?: string }): {
  readonly text: string
  readonly names: VariableNames
} {
  if (isAscii(text)) return { text, names: new Map() }
  const tree = parseSparql(text, base)
  const usedNames = new Set<string>()
  for (const node of syntaxNodes(tree)) {
    if (node['termType'] === 'Variable') usedNames.add(String(node['value']))
    // Rows of VALUES have variables as keys.
    for (const key of Object.keys(node)) if (key.startsWith('?')) usedNames.add(key.slice(1))
  }
  const asciiNames = new Map<string, string>()
  let count = 0
  for (const name of usedNames) {
    if (isAscii(name)) continue
    do count += 1
    while (usedNames.has(`v${count}`))
    asciiNames.set(name, `v${count}`)
  }
  const names = new Map([...asciiNames].map(([name, ascii]) => [ascii, name]))
  if (names.size === 0) return { text, names }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only names of variables differ
  return { text: new Generator().stringify(withNames(tree, asciiNames) as SparqlQuery), names }
}

function withNames(node: unknown, asciiNames: ReadonlyMap<string, string>): unknown {
  if (!isSyntaxNode(node)) return node
  const { termType } = node
  if (typeof termType === 'string') {
    const name = termType === 'Variable' ? asciiNames.get(String(node['value'])) : undefined
    return name === undefined ? node : { termType, value: name }
  }
  if (Array.isArray(node)) return node.map((part) => withNames(part, asciiNames))
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      const name = key.startsWith('?') ? asciiNames.get(key.slice(1)) : undefined
      return [name === undefined ? key : `?${name}`, withNames(value, asciiNames)]
    }),
  )
}

/** Results with the original names of the query. */
export function withQueryNames(results: Results, names: VariableNames): Results {
  if ('boolean' in results || names.size === 0) return results
  const originalName = (name: string) => names.get(name) ?? name
  return {
    variables: results.variables.map(originalName),
    solutions: results.solutions.map((solution) =>
      Object.fromEntries(
        Object.entries(solution).map(([name, term]) => [originalName(name), term]),
      ),
    ),
  }
}
