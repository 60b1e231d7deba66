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
      `The text is no SPARQL 1.1: syntax error in line ${line}.`,
      {
        errors: [{ line, detail: 'syntax error' }],
        cause,
      },
    )
  }
}
