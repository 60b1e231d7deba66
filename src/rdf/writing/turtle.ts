/** Turtle and TriG for people: subjects grouped, prefixes that are used, blank nodes nested where they are used once. */
import type { Quad, Term } from '@rdfjs/types'
import { bracketed, quoted, termText } from '../lines.ts'
import { keyOf } from '../read.ts'
import { blankNodesOf, byPredicate, distinct, nest, type Nesting } from './nesting.ts'
import { shortNames, type ShortNames } from '../namespaces.ts'

const xsd = 'http://www.w3.org/2001/XMLSchema#'
const type = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type'

// Lexical forms that Turtle reads as themselves (Turtle 1.1, 2.5.2 and 2.5.3).
const bare: Readonly<Record<string, RegExp>> = {
  [`${xsd}integer`]: /^[+-]?[0-9]+$/,
  [`${xsd}decimal`]: /^[+-]?[0-9]*\.[0-9]+$/,
  [`${xsd}boolean`]: /^(?:true|false)$/,
}

/** Turtle, or TriG when there are named graphs in `quads`. */
export const turtle = (quads: Iterable<Quad>): string => turtlePart(quads, new Set())

/**
 * A part of a longer document: prefixes in `declared` stand in it already, those that this part brings are added to them.
 * `divided` = its blank nodes may stand in other parts too, so that every one of them has a label.
 */
export function turtlePart(quads: Iterable<Quad>, declared: Set<string>, divided = false): string {
  const graphs = new Map<string, Quad[]>()
  for (const quad of distinct(quads, quadKey)) {
    const name = quad.graph.termType === 'DefaultGraph' ? '' : termText(quad.graph)
    const known = graphs.get(name)
    if (known) known.push(quad)
    else graphs.set(name, [quad])
  }
  const labelled = graphs.size > 1 ? nodesOfSeveral(graphs.values()) : new Set<string>()
  const names = shortNames()
  const blocks = [...graphs].map(([name, members]) => {
    const kept = divided ? blankNodesOf(members) : labelled
    const text = new Writer(nest(members, kept), names).text()
    return name === '' ? text : `${name} {\n${text}}\n`
  })
  const fresh = names.used().filter(([prefix]) => !declared.has(prefix))
  for (const [prefix] of fresh) declared.add(prefix)
  const head = fresh.map(([prefix, iri]) => `@prefix ${prefix}: ${bracketed(iri)} .\n`)
  return [...(head.length > 0 ? [head.join('')] : []), ...blocks].join('\n')
}

const quadKey = ({ subject, predicate, object, graph }: Quad) =>
  `${termText(subject)} ${predicate.value} ${termText(object)} ${graph.value}`

/** Blank nodes that stand in more than one graph; also when a graph's name is one. */
function nodesOfSeveral(graphs: Iterable<readonly Quad[]>): Set<string> {
  const home = new Map<string, object>()
  const several = new Set<string>()
  for (const graph of graphs) {
    for (const quad of graph) {
      if (quad.graph.termType === 'BlankNode') several.add(keyOf(quad.graph))
      for (const term of [quad.subject, quad.object]) {
        if (term.termType !== 'BlankNode') continue
        const key = keyOf(term)
        if ((home.get(key) ?? graph) !== graph) several.add(key)
        home.set(key, graph)
      }
    }
  }
  return several
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
    if (!this.nesting.inside.has(key)) return this.term(object)
    const quads = this.nesting.about.get(key)
    if (!quads) return '[]'
    const deeper = `${indent}  `
    return `[\n${deeper}${this.properties(quads, deeper)}\n${indent}]`
  }

  term(term: Term): string {
    if (term.termType === 'NamedNode') return this.iri(term.value)
    if (term.termType !== 'Literal' || term.language) return termText(term)
    const datatype = term.datatype.value
    if (datatype === `${xsd}string`) return quoted(term.value)
    if (bare[datatype]?.test(term.value)) return term.value
    return `${quoted(term.value)}^^${this.iri(datatype)}`
  }

  iri(iri: string): string {
    return this.names.shorten(iri) ?? bracketed(iri)
  }
}
