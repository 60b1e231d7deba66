/** A scanner for N-Triples and N-Quads as most people write them; what it does not know it leaves to the real parser. */
import type { BlankNode, NamedNode, Quad, Quad_Graph, Quad_Object } from '@rdfjs/types'
import { blankNode, defaultGraph, literal, namedNode, quad } from '../terms.ts'
import { AT, BACKSLASH, CARET, DOT, LESS, QUOTE, SPACE, UNDERSCORE } from './characters.ts'
import { labelPrefix, plainLabel, type CheckedTerms } from './checked-terms.ts'
import { readN3 } from './n3-reader.ts'
import { BadTerm } from './options.ts'

const escapes: Readonly<Record<string, string>> = {
  t: '\t',
  b: '\b',
  n: '\n',
  r: '\r',
  f: '\f',
}
const unescaped = (raw: string) =>
  raw.replace(/\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))/g, (_, four, eight, single) =>
    single ? (escapes[single] ?? single) : String.fromCodePoint(Number.parseInt(four ?? eight, 16)),
  )

/** The escapes of N-Triples, no others. */
const escape = /\\(?:[tbnrf"'\\]|u[0-9A-Fa-f]{4}|U00(?:0[0-9A-Fa-f]|10)[0-9A-Fa-f]{4})/g

/** Between the quotes stand no raw line ends, and no backslash that is not part of an escape. */
const isOurs = (raw: string): boolean =>
  !/[\\\r\n]/.test(raw) || !/[\\\r\n]/.test(raw.replace(escape, ''))

class Unknown extends Error {}

type Terms = {
  namedNode(iri: string): NamedNode
  literal(value: string, extra?: string | NamedNode): Quad_Object
  blankNode(label: string): BlankNode
}

/** Reads lines; terms that occur often are made once. */
class LineScanner {
  readonly text: string
  readonly terms: Terms
  at = 0
  readonly iris = new Map<string, NamedNode>()
  /** Whether lines may end in the name of a graph. */
  readonly named: boolean
  constructor(text: string, terms: Terms, named = false) {
    this.text = text
    this.terms = terms
    this.named = named
  }

  quads(): Quad[] {
    const found: Quad[] = []
    let start = ''
    let subject: NamedNode | BlankNode | undefined
    while (this.at < this.text.length) {
      // Most lines are about the subject of the one before.
      if (subject && this.text.startsWith(start, this.at)) this.at += start.length - 1
      else {
        const { at } = this
        subject = this.node()
        start = this.text.slice(at, this.at + 1)
      }
      this.step(SPACE)
      const predicate = this.iri()
      this.step(SPACE)
      const object = this.object()
      const graph = this.graph()
      if (!this.text.startsWith(' .\n', this.at)) throw new Unknown()
      this.at += 3
      found.push(quad(subject, predicate, object, graph))
    }
    return found
  }

  step(code: number): void {
    if (this.text.charCodeAt(this.at++) !== code) throw new Unknown()
  }

  upTo(mark: string): string {
    const end = this.text.indexOf(mark, this.at)
    if (end < 0) throw new Unknown()
    const found = this.text.slice(this.at, end)
    this.at = end + 1
    return found
  }

  iri(): NamedNode {
    this.step(LESS)
    const iri = this.upTo('>')
    let term = this.iris.get(iri)
    if (!term) {
      if (/[\\\s]/.test(iri)) throw new Unknown()
      this.iris.set(iri, (term = this.terms.namedNode(iri)))
    }
    return term
  }

  node(): NamedNode | BlankNode {
    if (this.text.charCodeAt(this.at) !== UNDERSCORE) return this.iri()
    this.at += 2
    const label = this.upTo(' ')
    this.at -= 1
    return this.terms.blankNode(label)
  }

  graph(): Quad_Graph {
    if (!this.named || this.text.charCodeAt(this.at + 1) === DOT) return defaultGraph()
    this.step(SPACE)
    return this.node()
  }

  object(): Quad_Object {
    if (this.text.charCodeAt(this.at) !== QUOTE) return this.node()
    this.at += 1
    const raw = this.lexicalForm()
    const value = raw.includes('\\') ? unescaped(raw) : raw
    const next = this.text.charCodeAt(this.at)
    if (next === SPACE) return this.terms.literal(value)
    this.at += 1
    if (next === AT) {
      const language = this.upTo(' ')
      this.at -= 1
      return this.terms.literal(value, language)
    }
    if (next !== CARET) throw new Unknown()
    this.step(CARET)
    return this.terms.literal(value, this.iri())
  }

  lexicalForm(): string {
    let end = this.text.indexOf('"', this.at)
    while (end >= 0 && this.isEscaped(end)) end = this.text.indexOf('"', end + 1)
    if (end < 0) throw new Unknown()
    const raw = this.text.slice(this.at, end)
    if (!isOurs(raw)) throw new Unknown()
    this.at = end + 1
    return raw
  }

  isEscaped(quote: number): boolean {
    let backslashes = 0
    while (this.text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes += 1
    return backslashes % 2 === 1
  }
}

const trusted: Terms = { namedNode, literal, blankNode }

/** The triples of N-Triples text. Labels of blank nodes stay when the text is in our own spelling. */
export function scan(text: string): Quad[] {
  try {
    return new LineScanner(text, trusted).quads()
  } catch (error) {
    if (!(error instanceof Unknown)) throw error
    return readN3(text, 'ntriples', { baseIri: '' })
  }
}

/**
 * The quads of somebody's N-Triples, or N-Quads when lines may be `named`, every term checked; `undefined` when there is
 * anything that the scanner does not know or that must be refused: the parser knows better, and knows where.
 */
export function scanChecked(
  text: string,
  checked: CheckedTerms,
  named: boolean,
): Quad[] | undefined {
  const terms: Terms = {
    namedNode: (iri) => checked.namedNode(iri),
    literal: (value, extra) => checked.literal(value, extra),
    blankNode: (label) => {
      if (!plainLabel.test(label)) throw new Unknown()
      return checked.blankNode(labelPrefix + label)
    },
  }
  try {
    return new LineScanner(text, terms, named).quads()
  } catch (error) {
    if (error instanceof Unknown || error instanceof BadTerm) return undefined
    throw error
  }
}
