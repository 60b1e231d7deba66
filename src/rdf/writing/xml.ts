/** RDF/XML writer: nested like Turtle; one property element per triple, but a class may be the name of its node's element. */

import type { Literal, Quad, Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { toLine } from '../lines.ts'
import { prefixes } from '../namespaces.ts'
import { keyOf } from '../read.ts'
import { labelOf } from '../skolem.ts'
import { blankNodesOf, byPredicate, nest, type Nesting } from './nesting.ts'

const xsdString = 'http://www.w3.org/2001/XMLSchema#string'
const type = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type'

/**
 * Writes distinct triples as RDF/XML. Predicates must end in an XML name, and XML 1.0 permits no control characters but tab
 * and line ends. Throws `not-acceptable` with the term that cannot be expressed.
 */
export function rdfXml(triples: readonly Quad[]): string {
  const names = elementNames()
  requireExpressible(triples, names)
  const writer = new Writer(nest(triples), { names, labelStart: 'b' })
  const body = writer.nodes()
  const declarations = names
    .usedPrefixes()
    .map(([prefix, iri]) => `\n    xmlns:${prefix}="${attribute(iri)}"`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<rdf:RDF${declarations.join('')}>\n${body}</rdf:RDF>\n`
}

function requireExpressible(triples: readonly Quad[], names: ElementNames): void {
  for (const triple of triples) {
    const obstacle = obstacleIn(triple, names)
    if (obstacle !== undefined) throw new Failure('not-acceptable', obstacle)
  }
}

type PartOptions = {
  /** Distinguishes the blank nodes of the part from those of others; without it, equal labels mean the same node in all parts. */
  readonly labels: string | undefined
  readonly isStrict?: boolean
}

/** Head of a document of many parts; declares all prefixes. Other namespaces are declared where they are used. */
export const rdfXmlHead = `<?xml version="1.0" encoding="UTF-8"?>\n<rdf:RDF${Object.entries(
  prefixes,
)
  .map(([prefix, iri]) => `\n    xmlns:${prefix}="${iri}"`)
  .join('')}>\n`
/** End of a document of many parts. */
export const rdfXmlTail = '</rdf:RDF>\n'

/**
 * Writes the elements of one part. Triples that RDF/XML cannot express become comments with N-Triples, because the answer has
 * already begun; with `isStrict` they throw `not-acceptable`.
 */
export function rdfXmlPart(quads: readonly Quad[], { labels, isStrict }: PartOptions): string {
  const names = elementNames()
  if (isStrict) requireExpressible(quads, names)
  const { true: triples = [], false: others = [] } = Object.groupBy(quads, (triple) =>
    obstacleIn(triple, names) === undefined ? 'true' : 'false',
  )
  const leftOut = others.map(comment).join('')
  const labelled = labels === undefined ? blankNodesOf(triples) : undefined
  const writer = new Writer(nest(triples, labelled), { names, labelStart: labels })
  const elements = writer.nesting.roots.map((root) => writer.node(root, '  '))
  const declarations = names
    .usedPrefixes()
    .filter(([prefix]) => !Object.hasOwn(prefixes, prefix))
    .map(([prefix, iri]) => ` xmlns:${prefix}="${attribute(iri)}"`)
    .join('')
  const declaredElements = elements.map((element) =>
    declarations === ''
      ? element
      : element.replace(/^ *<[^\s/>]+/, (start) => start + declarations),
  )
  return leftOut + declaredElements.join('')
}

/** Comment with a triple. Comments contain no double hyphen (XML 1.0, 2.5); its escape is equivalent in N-Triples. */
const comment = (triple: Quad): string =>
  `  <!-- RDF/XML cannot express: ${toLine(triple).replace(/-(?=-)/g, () => '\\u002D')} -->\n`

/** Reason why RDF/XML cannot express a triple; `undefined` if it can. */
function obstacleIn({ predicate, object }: Quad, names: ElementNames): string | undefined {
  if (names.propertyElement(predicate.value) === undefined) {
    return `RDF/XML has no element name for the property <${predicate.value}>`
  }
  const { value } = object
  if (object.termType !== 'Literal' || !special.test(value) || !invalidInXml.test(value)) {
    return undefined
  }
  return `RDF/XML cannot hold the control characters in ${JSON.stringify(value.slice(0, 40))}`
}

// Characters that no XML document may contain, not even as references (XML 1.0, 2.2).
const invalidInXml = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u

/** Whether a text contains only characters that XML permits. */
export const isXmlText = (text: string): boolean => !invalidInXml.test(text)

// Quick check; most texts contain no special characters.
const special = /[^ !#-%'-;=?-\ud7ff]/

const text = (value: string): string => {
  if (!special.test(value)) return value
  return value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#xD;')
}

const attribute = (value: string): string =>
  text(value).replaceAll('"', '&quot;').replaceAll('\t', '&#x9;').replaceAll('\n', '&#xA;')

class Writer {
  readonly nesting: Nesting
  readonly names: ElementNames
  readonly labels = new Map<string, string>()
  readonly labelStart: string | undefined
  constructor(
    nesting: Nesting,
    {
      names,
      labelStart,
    }: { readonly names: ElementNames; readonly labelStart: string | undefined },
  ) {
    this.nesting = nesting
    this.names = names
    this.labelStart = labelStart
  }

  nodes(): string {
    return this.nesting.roots.map((root) => this.node(root, '  ')).join('')
  }

  node(key: string, indent: string): string {
    const quads = this.nesting.about.get(key) ?? []
    const typeQuad = quads.find(({ predicate, object }) => {
      return predicate.value === type && this.names.classElement(object) !== undefined
    })
    const element = (typeQuad && this.names.classElement(typeQuad.object)) ?? this.names.description
    const otherQuads = quads.filter((quad) => quad !== typeQuad)
    const open = `${indent}<${element}${this.about(key)}`
    if (otherQuads.length === 0) return `${open}/>\n`
    return `${open}>\n${this.properties(otherQuads, `${indent}  `)}${indent}</${element}>\n`
  }

  about(key: string): string {
    if (!key.startsWith('_:')) return ` rdf:about="${attribute(key)}"`
    return this.nesting.nested.has(key) ? '' : ` rdf:nodeID="${this.label(key)}"`
  }

  /** Label of a blank node, because XML names are more restricted than N-Triples labels. */
  label(key: string): string {
    if (this.labelStart === undefined) return `b${labelOf(key.slice(2))}`
    let label = this.labels.get(key)
    if (label === undefined) this.labels.set(key, (label = this.labelStart + this.labels.size))
    return label
  }

  properties(quads: readonly Quad[], indent: string): string {
    let elements = ''
    for (const [iri, group] of byPredicate(quads)) {
      const element = this.names.propertyElement(iri) ?? ''
      for (const { object } of group) elements += this.property(element, object, indent)
    }
    return elements
  }

  property(element: string, object: Term, indent: string): string {
    if (object.termType === 'Literal')
      return `${indent}<${element}${this.literal(object, element)}\n`
    const key = keyOf(object)
    if (this.nesting.nested.has(key)) {
      const inner = this.node(key, `${indent}  `)
      return `${indent}<${element}>\n${inner}${indent}</${element}>\n`
    }
    const link = key.startsWith('_:')
      ? `rdf:nodeID="${this.label(key)}"`
      : `rdf:resource="${attribute(key)}"`
    return `${indent}<${element} ${link}/>\n`
  }

  literal(literal: Literal, element: string): string {
    const { language, datatype, value } = literal
    const kind = language
      ? ` xml:lang="${attribute(language)}"`
      : datatype.value === xsdString
        ? ''
        : ` rdf:datatype="${attribute(datatype.value)}"`
    return `${kind}>${text(value)}</${element}>`
  }
}

const rdf = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'
const byNamespace = new Map(Object.entries(prefixes).map(([prefix, iri]) => [iri, prefix]))

// Reserved names (RDF/XML Syntax, 6.2.x), and `li`, which readers number.
const syntax = new Set(
  'RDF ID about parseType resource nodeID datatype li aboutEach aboutEachPrefix bagID version'
    .split(' ')
    .map((name) => rdf + name),
)
// Namespaces that no prefix may be bound to.
const reserved = new Set(['http://www.w3.org/XML/1998/namespace', 'http://www.w3.org/2000/xmlns/'])

const nameStart =
  'A-Z_a-z\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u02ff\\u0370-\\u037d\\u037f-\\u1fff'
const nameAtEnd = new RegExp(`[${nameStart}][${nameStart}0-9.\\-]*$`)

type ElementNames = {
  /** `rdf:Description`. */
  readonly description: string
  /** Element name of a property; `undefined` if the IRI does not end in an XML name. */
  readonly propertyElement: (iri: string) => string | undefined
  /** Element name of a class; `undefined` if it cannot be an element. */
  readonly classElement: (cls: Term) => string | undefined
  /** Used prefixes, always including `rdf`. */
  readonly usedPrefixes: () => readonly (readonly [prefix: string, namespace: string])[]
}

/** Creates the element names of one document; unknown namespaces get the prefix `ns` with a number. */
function elementNames(): ElementNames {
  const prefixByNamespace = new Map([[rdf, 'rdf']])
  const nameCache = new Map<string, string | undefined>()
  const name = (iri: string): string | undefined => {
    const local = nameAtEnd.exec(iri)?.[0] ?? ''
    const namespace = iri.slice(0, iri.length - local.length)
    if (local === '' || namespace === '' || reserved.has(namespace) || syntax.has(iri)) {
      return undefined
    }
    let prefix = prefixByNamespace.get(namespace)
    if (prefix === undefined) {
      prefix = byNamespace.get(namespace) ?? `ns${prefixByNamespace.size}`
      prefixByNamespace.set(namespace, prefix)
    }
    return `${prefix}:${local}`
  }
  const nameOnce = (iri: string): string | undefined => {
    if (!nameCache.has(iri)) nameCache.set(iri, name(iri))
    return nameCache.get(iri)
  }
  return {
    description: 'rdf:Description',
    propertyElement: (iri) => (iri === `${rdf}Description` ? undefined : nameOnce(iri)),
    classElement: (cls) =>
      cls.termType === 'NamedNode' && cls.value !== `${rdf}Description`
        ? nameOnce(cls.value)
        : undefined,
    usedPrefixes: () =>
      [...prefixByNamespace]
        .map(([iri, prefix]) => [prefix, iri] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
  }
}
