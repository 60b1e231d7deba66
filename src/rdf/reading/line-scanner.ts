/**
 * Scanner for N-Triples and N-Quads in their usual spelling, three to four times as fast as N3.js. Any other spelling, and
 * errors, are left to N3.js (`n3-reader.ts`), which reports positions.
 */
import type { BlankNode, NamedNode, Quad, Quad_Object } from '@rdfjs/types'
import { blankNode, defaultGraph, literal, namedNode, quad } from '../terms.ts'
import { CheckedTerms, labelPrefix, plainLabel } from './checked-terms.ts'
import { n3Pieces } from './n3-reader.ts'
import { BadTerm, type ParseOptions, type PieceReader, reportPlace } from './options.ts'

const iri = String.raw`<([^<>\\\s]*)>`
const node = String.raw`(?:${iri}|_:([^ \n]+))`
const subjectAndPredicate = new RegExp(`${node} ${iri} `, 'y')
const nodePattern = new RegExp(node, 'y')
/** Matches from the quotation mark that ends a literal. */
const annotation = new RegExp(String.raw`"(?:@([^ \n]+)|\^\^${iri})?`, 'y')
const graphAndEnd = new RegExp(String.raw`(?: ${node})? \.\n`, 'y')

const shortEscapes: Readonly<Record<string, string>> = {
  t: '\t',
  b: '\b',
  n: '\n',
  r: '\r',
  f: '\f',
}
/** Escapes of N-Triples (RDF 1.1 N-Triples, ECHAR and UCHAR). */
const escapes = /\\(?:([tbnrf"'\\])|u([0-9A-Fa-f]{4})|U(00(?:0[0-9A-Fa-f]|10)[0-9A-Fa-f]{4}))/g

const unescaped = (raw: string): string =>
  raw.replace(escapes, (_, short, shortCode, longCode) =>
    short
      ? (shortEscapes[short] ?? short)
      : String.fromCodePoint(Number.parseInt(shortCode ?? longCode, 16)),
  )

type Terms = {
  readonly namedNode: (iri: string) => NamedNode
  readonly literal: (value: string, languageOrDatatype?: string | NamedNode) => Quad_Object
  /** Returns `undefined` for a label that is left to the parser. */
  readonly blankNode: (label: string) => BlankNode | undefined
}

class LineScanner {
  readonly #text: string
  readonly #terms: Terms
  readonly #iris = new Map<string, NamedNode>()
  #at = 0

  constructor(text: string, terms: Terms) {
    this.#text = text
    this.#terms = terms
  }

  /** Scans all lines, with graph names if `hasGraphNames`; `undefined` if a line is outside the subset. */
  quads(hasGraphNames: boolean): Quad[] | undefined {
    const quads: Quad[] = []
    while (this.#at < this.#text.length) {
      const [, subjectIri, label, property] = this.#take(subjectAndPredicate) ?? []
      const subject = property === undefined ? undefined : this.#node(subjectIri, label)
      const object = subject && this.#object()
      const lineEnd = object && this.#take(graphAndEnd)
      if (!lineEnd || property === undefined) return undefined
      const [, name, graphLabel] = lineEnd
      const isNamed = name !== undefined || graphLabel !== undefined
      const graph = isNamed ? this.#node(name, graphLabel) : defaultGraph()
      if (!graph || (isNamed && !hasGraphNames)) return undefined
      quads.push(quad(subject, this.#iri(property), object, graph))
    }
    return quads
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#text)
    if (match) this.#at = pattern.lastIndex
    return match
  }

  #iri(text: string): NamedNode {
    let term = this.#iris.get(text)
    if (!term) this.#iris.set(text, (term = this.#terms.namedNode(text)))
    return term
  }

  #node(text: string | undefined, label: string | undefined) {
    if (label !== undefined) return this.#terms.blankNode(label)
    return text === undefined ? undefined : this.#iri(text)
  }

  #object(): Quad_Object | undefined {
    if (!this.#text.startsWith('"', this.#at)) {
      const [, text, label] = this.#take(nodePattern) ?? []
      return this.#node(text, label)
    }
    const value = this.#lexicalForm()
    const annotationMatch = value === undefined ? null : this.#take(annotation)
    if (!annotationMatch || value === undefined) return undefined
    const [, language, datatype] = annotationMatch
    return this.#terms.literal(value, datatype === undefined ? language : this.#iri(datatype))
  }

  /** Reads the lexical form between quotation marks. A regular expression would need memory per character. */
  #lexicalForm(): string | undefined {
    const text = this.#text
    const start = this.#at + 1
    let end = text.indexOf('"', start)
    while (end >= 0 && this.#isEscaped(end)) end = text.indexOf('"', end + 1)
    if (end < 0) return undefined
    this.#at = end
    const raw = text.slice(start, end)
    if (!/[\\\r\n]/.test(raw)) return raw
    return /[\\\r\n]/.test(raw.replace(escapes, '')) ? undefined : unescaped(raw)
  }

  #isEscaped(quote: number): boolean {
    let backslashes = 0
    while (this.#text[quote - 1 - backslashes] === '\\') backslashes += 1
    return backslashes % 2 === 1
  }
}

const uncheckedTerms: Terms = { namedNode, literal, blankNode }

/** Scans lines as written by `toLines`, with unchanged labels; `undefined` for any other spelling. */
export const scanLines = (text: string): Quad[] | undefined =>
  new LineScanner(text, uncheckedTerms).quads(false)

/** Scans and checks foreign N-Triples (N-Quads if `hasGraphNames`); `undefined` if anything is outside the subset or invalid. */
export function scanChecked(
  text: string,
  checked: CheckedTerms,
  hasGraphNames: boolean,
): Quad[] | undefined {
  const terms: Terms = {
    namedNode: (text) => checked.namedNode(text),
    literal: (value, languageOrDatatype) => checked.literal(value, languageOrDatatype),
    blankNode: (label) =>
      plainLabel.test(label) ? checked.blankNode(labelPrefix + label) : undefined,
  }
  try {
    return new LineScanner(text, terms).quads(hasGraphNames)
  } catch (error) {
    if (error instanceof BadTerm) return undefined
    throw error
  }
}

/** Maximum UTF-16 units without a line end before the parser takes over. */
const maxLineLength = 4 * 1_048_576

/** Incremental reader of N-Triples and N-Quads: scans until the first line outside the subset, and parses from there on. */
export function linePieces(format: 'ntriples' | 'nquads', options: ParseOptions): PieceReader {
  const { baseIri, limits, placeRequest: places } = options
  // Without repair: lines that need one are left to the parser.
  const terms = new CheckedTerms({ baseIri, limits })
  let parser: PieceReader | undefined
  let pending = ''
  let lines = 0

  const parse = (text: string): Quad[] => {
    if (!parser) {
      parser = n3Pieces(format, options, terms)
      // Empty lines for those already read keep line numbers correct.
      parser.write('\n'.repeat(lines))
    }
    return parser.write(text)
  }

  const read = (block: string): Quad[] => {
    const quads = scanChecked(block, terms, format === 'nquads')
    if (!quads) return parse(block)
    if (places) for (const [at, q] of quads.entries()) reportPlace(options, q, lines + at + 1)
    lines += quads.length
    return quads
  }

  return {
    write: (text) => {
      if (parser) return parser.write(text)
      const next = text.lastIndexOf('\n') + 1
      const quads = next === 0 ? [] : read(pending + text.slice(0, next))
      const unread = next === 0 ? pending + text : text.slice(next)
      const isPending = parser === undefined && unread.length <= maxLineLength
      pending = isPending ? unread : ''
      return isPending ? quads : quads.concat(parse(unread))
    },
    end: () => (parser || pending !== '' ? [...parse(pending), ...(parser?.end() ?? [])] : []),
  }
}
