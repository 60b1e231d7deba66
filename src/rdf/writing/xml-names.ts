/** Element names for predicates and classes: an IRI is cut into a namespace and the XML name at its end. */
import type { Term } from '@rdfjs/types'
import { prefixes } from '../namespaces.ts'

const rdf = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'
const byNamespace = new Map(Object.entries(prefixes).map(([prefix, iri]) => [iri, prefix]))

// RDF/XML Syntax, 6.2.x: names with a meaning of their own, and `li`, which a reader counts through.
const syntax = new Set(
  'RDF ID about parseType resource nodeID datatype li aboutEach aboutEachPrefix bagID version'
    .split(' ')
    .map((name) => rdf + name),
)
// XML namespaces that no prefix may be bound to.
const reserved = new Set(['http://www.w3.org/XML/1998/namespace', 'http://www.w3.org/2000/xmlns/'])

const start = 'A-Z_a-z\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u02ff\\u0370-\\u037d\\u037f-\\u1fff'
const nameAtEnd = new RegExp(`[${start}][${start}0-9.\\-]*$`)

export type ElementNames = {
  /** `rdf:Description`. */
  readonly description: string
  /** `undefined` when the IRI has no XML name at its end. */
  readonly propertyElement: (iri: string) => string | undefined
  /** `undefined` when the class cannot be an element. */
  readonly classElement: (cls: Term) => string | undefined
  /** All prefixes used so far, `rdf` always. */
  readonly used: () => readonly (readonly [prefix: string, namespace: string])[]
}

/** One per document; namespaces that we have no prefix for become `ns1`, `ns2` …. */
export function elementNames(): ElementNames {
  const used = new Map([[rdf, 'rdf']])
  const known = new Map<string, string | undefined>()
  const name = (iri: string): string | undefined => {
    const local = nameAtEnd.exec(iri)?.[0] ?? ''
    const namespace = iri.slice(0, iri.length - local.length)
    if (local === '' || namespace === '' || reserved.has(namespace) || syntax.has(iri)) {
      return undefined
    }
    let prefix = used.get(namespace)
    if (prefix === undefined) {
      prefix = byNamespace.get(namespace) ?? `ns${used.size}`
      used.set(namespace, prefix)
    }
    return `${prefix}:${local}`
  }
  const nameOnce = (iri: string): string | undefined => {
    if (!known.has(iri)) known.set(iri, name(iri))
    return known.get(iri)
  }
  return {
    description: 'rdf:Description',
    propertyElement: (iri) => (iri === `${rdf}Description` ? undefined : nameOnce(iri)),
    classElement: (cls) =>
      cls.termType === 'NamedNode' && cls.value !== `${rdf}Description`
        ? nameOnce(cls.value)
        : undefined,
    used: () =>
      [...used].map(([iri, prefix]) => [prefix, iri] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
  }
}
