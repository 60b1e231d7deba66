/** A query of a pipe: read when the pipe is, and filled with what is known of each record. */

import type { Term } from '@rdfjs/types'
import { Failure } from '../../../../errors.ts'
import { literal, namedNode } from '../../../../rdf/terms.ts'
import { sparqlText, type Token, sparqlTokens } from '../../../../store/queries.ts'
import { isNode, parseSparql, placed } from '../../../../store/sparql-syntax.ts'

/** What is known of a record. `address`: where it was found. */
type Known = {
  readonly identifier: string
  readonly catalogue?: string | undefined
  readonly address?: string | undefined
}

export type RecordQuery = {
  readonly kind: 'construct' | 'update'
  /** As it was written. */
  readonly text: string
  /** The query with its values in place. Throws `Failure` transform-failed when one is not known of this record. */
  readonly textFor: (known: Known) => string
}

/** Says what is wrong with a query, in words for whoever wrote it. */
export class BadQuery extends Error {}

/** The variables that are filled; others are the query's own. */
const names: ReadonlySet<string> = new Set(['$identifier', '$catalogue', '$address'])

/** Brackets, operators and patterns inside one another, as levels of the syntax tree. */
const deepest = 400

/** Throws `BadQuery` for anything but CONSTRUCT and updates, and for what would leave the house. */
export function recordQuery(text: string): RecordQuery {
  const kind = kindOf(text)
  const parts = sparqlTokens(text)
  const textFor = (known: Known) => filled(parts, known)
  try {
    // A value cannot stand everywhere where a variable can.
    parseSparql(textFor({ identifier: 'id', catalogue: 'id', address: 'https://record.invalid/' }))
  } catch (cause) {
    const detail = 'has $identifier, $catalogue or $address where only a variable may stand'
    throw new BadQuery(detail, { cause })
  }
  return { kind, text, textFor }
}

function kindOf(text: string): RecordQuery['kind'] {
  const tree = parsed(text)
  for (const [node, depth] of placed(tree)) {
    if (node['type'] === 'service') throw new BadQuery('must not ask others: SERVICE is refused')
    if (node['type'] === 'load') throw new BadQuery('must not fetch anything: LOAD is refused')
    if (depth > deepest) throw new BadQuery('has too many brackets inside one another')
  }
  if (tree.type === 'update') return 'update'
  if (tree.queryType === 'CONSTRUCT') {
    if (isNode(tree.from)) throw new BadQuery('must not name graphs: FROM is refused')
    return 'construct'
  }
  throw new BadQuery('must be a CONSTRUCT query or an update')
}

function parsed(text: string) {
  try {
    return parseSparql(text)
  } catch (cause) {
    throw new BadQuery(cause instanceof Failure ? cause.detail : 'is no SPARQL', { cause })
  }
}

function filled(parts: readonly Token[], known: Known): string {
  const texts = parts.map(({ kind, text }) =>
    kind === 'parameter' && names.has(text)
      ? ` ${sparqlText(termOf(text.slice(1), known))} `
      : text,
  )
  return texts.join('')
}

function termOf(name: string, known: Known): Term {
  const values: Readonly<Record<string, string | undefined>> = known
  const value = values[name]
  if (value === undefined || (name === 'address' && !URL.canParse(value))) {
    throw new Failure('transform-failed', `the query asks for $${name}, which the record has not`)
  }
  return name === 'address' ? namedNode(new URL(value).href) : literal(value)
}
