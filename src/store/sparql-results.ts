/** SPARQL 1.1 Query Results JSON as rows of terms. */

import type { Term } from '@rdfjs/types'
import { Failure } from '../errors.ts'
import { blankNode, literal, namedNode } from '../rdf/terms.ts'
import type { Row } from './graph-store.ts'

type JsonTerm = {
  readonly type: string
  readonly value: string
  readonly datatype?: string
  readonly 'xml:lang'?: string
}

type JsonResults = {
  readonly boolean?: boolean
  readonly head?: { readonly vars?: readonly string[] }
  readonly results?: { readonly bindings: readonly Readonly<Record<string, JsonTerm>>[] }
}

function termOf(json: JsonTerm): Term {
  if (json.type === 'uri') return namedNode(json.value)
  if (json.type === 'bnode') return blankNode(json.value)
  const { datatype } = json
  return literal(json.value, json['xml:lang'] ?? (datatype ? namedNode(datatype) : undefined))
}

function parsed(text: string): JsonResults {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Failure('store-unavailable', 'The answer of the store ended early.', { cause })
  }
}

/** All solutions in their order, empty ones too. `Failure` store-unavailable when the text is cut or is something else. */
export function rowsOf(text: string): readonly Row[] {
  const bindings = parsed(text).results?.bindings
  if (!bindings) throw new Failure('store-unavailable', 'The store did not answer with solutions.')
  return bindings.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, term]) => [name, termOf(term)])),
  )
}

/** Virtuoso answers ASK with solutions of this variable: one of `1`, or none. */
export const askVariable = '__ASK_RETVAL'

/** The answer to ASK; `Failure` as above. */
export function booleanOf(text: string): boolean {
  const { boolean, head, results } = parsed(text)
  const isOdd = results !== undefined && head?.vars?.[0] === askVariable
  const answer = isOdd ? results.bindings[0]?.[askVariable]?.value === '1' : boolean
  if (answer === undefined) {
    throw new Failure('store-unavailable', 'The store did not answer with true or false.')
  }
  return answer
}
