/**
 * Scanner for N-Triples and N-Quads in their usual spelling, three to four times as fast as N3.js. Any other spelling, and
 * errors, are left to N3.js (`n3-reader.ts`), which reports positions.
 */
import type {
  BlankNode,
  DefaultGraph,
  NamedNode,
  Quad,
  Quad_Object,
  Quad_Subject,
} from '@rdfjs/types'
import { blankNode, defaultGraph, literal, namedNode, quad } from '../terms.ts'
import { CheckedTerms, labelPrefix, plainLabel } from './checked-terms.ts'
import { n3Pieces } from './n3-reader.ts'
import { BadTerm, type ParseOptions, type PieceReader, reportPlace } from './options.ts'

/** Characters that no IRI of the subset has; `>` ends it. */
const outsideIri = /[<\\\s]/
const lineEnd = ' .\n'

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

/** Reads by positions: regular expressions would make an array and three strings per triple. */
class LineScanner {
  readonly #text: string
  readonly #terms: Terms
  readonly #iris = new Map<string, NamedNode>()
  #at = 0
  /** Subject of the last line, with the blank after it, and its term: lines of one subject follow one another. */
  #start = ''
  #subject: Quad_Subject | undefined

  constructor(text: string, terms: Terms) {
    this.#text = text
    this.#terms = terms
  }

  /** Scans all lines, with graph names if `hasGraphNames`; `undefined` if a line is outside the subset. */
  quads(hasGraphNames: boolean): Quad[] | undefined {
    const quads: Quad[] = []
    const { length } = this.#text
    while (this.#at < length) {
      const subject = this.#nextSubject()
      const predicate = subject && this.#iri()
      const object = predicate && this.#takes(' ') ? this.#object() : undefined
      const graph = object && this.#graph(hasGraphNames)
      if (!graph || !object || !predicate) return undefined
      quads.push(quad(subject, predicate, object, graph))
    }
    return quads
  }

  /** Passes a text that comes next; `false` if another one does. */
  #takes(expected: string): boolean {
    if (!this.#text.startsWith(expected, this.#at)) return false
    this.#at += expected.length
    return true
  }

  #nextSubject(): Quad_Subject | undefined {
    if (this.#subject && this.#takes(this.#start)) return this.#subject
    const lineStart = this.#at
    const subject = this.#node()
    if (!subject || !this.#takes(' ')) return undefined
    this.#start = this.#text.slice(lineStart, this.#at)
    this.#subject = subject
    return subject
  }

  #iri(): NamedNode | undefined {
    if (!this.#takes('<')) return undefined
    const end = this.#text.indexOf('>', this.#at)
    if (end < 0) return undefined
    const iri = this.#text.slice(this.#at, end)
    let term = this.#iris.get(iri)
    if (!term) {
      if (outsideIri.test(iri)) return undefined
      this.#iris.set(iri, (term = this.#terms.namedNode(iri)))
    }
    this.#at = end + 1
    return term
  }

  /** Reads up to the next blank; `undefined` if the line ends before it, or nothing is before it. */
  #word(): string | undefined {
    const end = this.#text.indexOf(' ', this.#at)
    if (end <= this.#at) return undefined
    const word = this.#text.slice(this.#at, end)
    if (word.includes('\n')) return undefined
    this.#at = end
    return word
  }

  #node(): NamedNode | BlankNode | undefined {
    if (!this.#takes('_:')) return this.#iri()
    const label = this.#word()
    return label === undefined ? undefined : this.#terms.blankNode(label)
  }

  #object(): Quad_Object | undefined {
    if (!this.#text.startsWith('"', this.#at)) return this.#node()
    const value = this.#lexicalForm()
    if (value === undefined) return undefined
    if (this.#takes('@')) {
      const language = this.#word()
      return language === undefined ? undefined : this.#terms.literal(value, language)
    }
    if (!this.#takes('^^')) return this.#terms.literal(value)
    const datatype = this.#iri()
    return datatype && this.#terms.literal(value, datatype)
  }

  #graph(hasGraphNames: boolean): NamedNode | BlankNode | DefaultGraph | undefined {
    if (this.#takes(lineEnd)) return defaultGraph()
    if (!hasGraphNames || !this.#takes(' ')) return undefined
    const name = this.#node()
    return this.#takes(lineEnd) ? name : undefined
  }

  /** Reads a lexical form and its quotation marks. A regular expression would need memory per character. */
  #lexicalForm(): string | undefined {
    const text = this.#text
    const start = this.#at + 1
    let end = text.indexOf('"', start)
    while (end >= 0 && this.#isEscaped(end)) end = text.indexOf('"', end + 1)
    if (end < 0) return undefined
    this.#at = end + 1
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
