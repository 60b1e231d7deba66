/** Turtle and TriG writer for human readers: grouped by subject, only used prefixes, nested blank nodes. */
import type { Quad, Term } from '@rdfjs/types'
import { quoteIri, quoteLiteral, termText } from '../lines.ts'
import { keyOf } from '../read.ts'
import { blankNodesOf, byPredicate, nest, type Nesting } from './nesting.ts'
import { shortNames, type ShortNames } from '../namespaces.ts'

const xsd = 'http://www.w3.org/2001/XMLSchema#'
const type = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type'

// Lexical forms that Turtle can write without quotes (Turtle 1.1, 2.5.2 and 2.5.3).
const unquotedForms: Readonly<Record<string, RegExp>> = {
  [`${xsd}integer`]: /^[+-]?[0-9]+$/,
  [`${xsd}decimal`]: /^[+-]?[0-9]*\.[0-9]+$/,
  [`${xsd}boolean`]: /^(?:true|false)$/,
}

type TurtleOptions = {
  /** Name of the graph in TriG. */
  readonly graph?: string
  /** Whether its blank nodes may occur in other parts, so that all of them are labelled. */
  readonly isDivided?: boolean
}

/**
 * Writes distinct triples as Turtle, or TriG if the graph has a name: a document, or a part of one. Prefixes in
 * `declaredPrefixes` are already written; new ones are added to it.
 */
export function turtlePart(
  quads: readonly Quad[],
  declaredPrefixes: Set<string>,
  { graph, isDivided = false }: TurtleOptions = {},
): string {
  if (quads.length === 0) return ''
  const names = shortNames()
  const nesting = nest(quads, isDivided ? blankNodesOf(quads) : undefined)
  const text = new Writer(nesting, names).text()
  const newPrefixes = names.usedPrefixes().filter(([prefix]) => !declaredPrefixes.has(prefix))
  for (const [prefix] of newPrefixes) declaredPrefixes.add(prefix)
  const head = newPrefixes
    .map(([prefix, iri]) => `@prefix ${prefix}: ${quoteIri(iri)} .\n`)
    .join('')
  const block = graph === undefined ? text : `${quoteIri(graph)} {\n${text}}\n`
  return head === '' ? block : `${head}\n${block}`
}

class Writer {
  readonly nesting: Nesting
  readonly names: ShortNames
  constructor(nesting: Nesting, names: ShortNames) {
    this.nesting = nesting
    this.names = names
  }

  text(): string {
    return this.nesting.roots.map((root) => this.root(root)).join('\n')
  }

  root(key: string): string {
    const quads = this.nesting.about.get(key) ?? []
    const subject = quads[0]?.subject
    return subject ? `${this.term(subject)} ${this.properties(quads, '  ')} .\n` : ''
  }

  properties(quads: readonly Quad[], indent: string): string {
    const parts: string[] = []
    for (const [iri, group] of byPredicate(quads)) {
      const verb = iri === type ? 'a' : this.iri(iri)
      parts.push(`${verb} ${group.map((quad) => this.object(quad.object, indent)).join(', ')}`)
    }
    return parts.join(` ;\n${indent}`)
  }

  object(object: Term, indent: string): string {
    if (object.termType !== 'BlankNode') return this.term(object)
    const key = keyOf(object)
    if (!this.nesting.nested.has(key)) return this.term(object)
    const quads = this.nesting.about.get(key)
    if (!quads) return '[]'
    const deeper = `${indent}  `
    return `[\n${deeper}${this.properties(quads, deeper)}\n${indent}]`
  }

  term(term: Term): string {
    if (term.termType === 'NamedNode') return this.iri(term.value)
    if (term.termType !== 'Literal' || term.language) return termText(term)
    const datatype = term.datatype.value
    if (datatype === `${xsd}string`) return quoteLiteral(term.value)
    if (unquotedForms[datatype]?.test(term.value)) return term.value
    return `${quoteLiteral(term.value)}^^${this.iri(datatype)}`
  }

  iri(iri: string): string {
    return this.names.shorten(iri) ?? quoteIri(iri)
  }
}
