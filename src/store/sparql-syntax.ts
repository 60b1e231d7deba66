/** SPARQL text as a syntax tree. */

import { Parser, type SparqlQuery } from 'sparqljs'
import { Failure } from '../errors.ts'

/** Parses a SPARQL 1.1 query or update; `Failure` malformed-query with the line. */
export function parseSparql(text: string, baseIri?: string): SparqlQuery {
  const parser = new Parser(baseIri === undefined ? {} : { baseIRI: baseIri })
  try {
    return parser.parse(text)
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : ''
    const line = Number(/line (\d+)/.exec(message)?.[1] ?? 1)
    throw new Failure(
      'malformed-query',
      `The text is not valid SPARQL 1.1: syntax error in line ${line}.`,
      {
        errors: [{ line, detail: 'syntax error' }],
        cause,
      },
    )
  }
}

/** An object of a syntax tree. */
export type SyntaxNode = Readonly<Record<string, unknown>>

export const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null

/** Every object and list of a syntax tree, found without recursion, because trees may be deep. */
export function* nodes(tree: unknown): Generator<SyntaxNode> {
  for (const [node] of placed(tree)) yield node
}

/** As `nodes`, each with its depth. */
export function* placed(tree: unknown): Generator<readonly [node: SyntaxNode, depth: number]> {
  const open: (readonly [unknown, number])[] = [[tree, 0]]
  for (let next = open.pop(); next; next = open.pop()) {
    const [node, depth] = next
    if (!isNode(node)) continue
    yield [node, depth]
    for (const part of Object.values(node)) if (isNode(part)) open.push([part, depth + 1])
  }
}
