/** JSON-LD writer with an inline context of prefixes; keeps lexical forms and language tags. */
import type { Quad, Term } from '@rdfjs/types'
import { termText } from '../lines.ts'
import { prefixes, shortNames, type ShortNames } from '../namespaces.ts'
import { keyOf } from '../read.ts'
import { blankNodesOf, byPredicate, nest, type Nesting } from './nesting.ts'

type Json = string | null | readonly Json[] | { readonly [key: string]: Json }

const xsdString = 'http://www.w3.org/2001/XMLSchema#string'
const type = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type'

/**
 * Writes distinct triples as a JSON-LD 1.1 document: one node object, or `@graph` for several. Does not use `jsonld`, which
 * normalises doubles and language tags.
 */
export function jsonLd(triples: readonly Quad[]): string {
  const names = shortNames(conflictingPrefixes(triples))
  const writer = new Writer(nest(triples), names)
  const nodes = writer.nodes()
  const context = Object.fromEntries(names.usedPrefixes())
  const [onlyNode] = nodes
  const body: Json = nodes.length === 1 && onlyNode ? onlyNode : { '@graph': nodes }
  return `${JSON.stringify({ '@context': context, ...body }, undefined, 2)}\n`
}

/** Head of a document of many parts, with all prefixes, because those of later parts are not known yet. */
export const jsonLdHead = `{"@context": ${JSON.stringify(prefixes)},\n"@graph": [`
/** End of a document of many parts. */
export const jsonLdTail = '\n]}\n'

/**
 * Writes the node objects of one part for the array that `jsonLdHead` opens. `isDivided`: its nodes may occur in other parts
 * too; readers merge node objects with the same `@id`.
 */
export function jsonLdPart(triples: readonly Quad[], isDivided = false): string[] {
  const conflicts = conflictingPrefixes(triples)
  // Disables prefixes that would change the meaning of an IRI in this part.
  const disabled = Object.fromEntries([...conflicts].map((prefix) => [prefix, null]))
  const context = conflicts.size === 0 ? {} : { '@context': disabled }
  const nesting = nest(triples, isDivided ? blankNodesOf(triples) : undefined)
  const nodes = new Writer(nesting, shortNames(conflicts)).nodes()
  return nodes.map((node) => JSON.stringify({ ...context, ...node }))
}

/** Prefixes that equal the scheme of an IRI in the document and would change its meaning. */
function conflictingPrefixes(triples: readonly Quad[]): Set<string> {
  const conflicts = new Set<string>()
  const checkTerm = (term: Term) => {
    if (term.termType === 'Literal') return checkTerm(term.datatype)
    const scheme = term.value.slice(0, term.value.indexOf(':'))
    if (term.termType === 'NamedNode' && scheme in prefixes) conflicts.add(scheme)
  }
  for (const { subject, predicate, object } of triples) {
    checkTerm(subject)
    checkTerm(predicate)
    checkTerm(object)
  }
  return conflicts
}

const singleOrList = (values: readonly Json[]): Json =>
  values.length === 1 && values[0] !== undefined ? values[0] : values

class Writer {
  readonly nesting: Nesting
  readonly names: ShortNames
  constructor(nesting: Nesting, names: ShortNames) {
    this.nesting = nesting
    this.names = names
  }

  nodes(): Record<string, Json>[] {
    const { about, roots } = this.nesting
    return roots.map((root) => ({ '@id': root, ...this.properties(about.get(root) ?? []) }))
  }

  properties(quads: readonly Quad[]): Record<string, Json> {
    const properties: Record<string, Json> = {}
    for (const [iri, group] of byPredicate(quads)) {
      const types: Quad[] = []
      const others: Quad[] = []
      for (const quad of group) {
        if (iri === type && this.isType(quad.object)) types.push(quad)
        else others.push(quad)
      }
      if (types.length > 0)
        properties['@type'] = singleOrList(types.map(({ object }) => this.name(object)))
      if (others.length > 0)
        properties[this.iri(iri)] = singleOrList(others.map(({ object }) => this.value(object)))
    }
    return properties
  }

  isType(object: Term): boolean {
    return (
      object.termType === 'NamedNode' ||
      (object.termType === 'BlankNode' && !this.nesting.nested.has(keyOf(object)))
    )
  }

  name(term: Term): string {
    return term.termType === 'BlankNode' ? termText(term) : this.iri(term.value)
  }

  iri(iri: string): string {
    return this.names.shorten(iri) ?? iri
  }

  value(object: Term): Json {
    if (object.termType === 'Literal') {
      if (object.language) return { '@language': object.language, '@value': object.value }
      const datatype = object.datatype.value
      if (datatype === xsdString) return object.value
      return { '@type': this.iri(datatype), '@value': object.value }
    }
    const key = keyOf(object)
    if (!this.nesting.nested.has(key)) return { '@id': key }
    return this.properties(this.nesting.about.get(key) ?? [])
  }
}
