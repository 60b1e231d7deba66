/** N-Triples in the spelling of the platform: one triple per line, sorted, without duplicates. Stores and diffs use this form. */
import type { Literal, Quad, Term } from '@rdfjs/types'
import { scanLines } from './reading/line-scanner.ts'
import { readN3 } from './reading/n3-reader.ts'
import { nextTurn } from '../workers/event-loop.ts'

const xsdString = 'http://www.w3.org/2001/XMLSchema#string'
/** Escapes that N-Triples and SPARQL share (RDF 1.2 N-Triples, ECHAR; SPARQL 1.1, ECHAR). */
export const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
}
const unicodeEscape = (character: string) =>
  `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`

const literalEscape = /["\\\p{Cc}\ufffe\uffff]/u
const literalEscapes = new RegExp(literalEscape, 'gu')
// oxlint-disable-next-line no-control-regex -- the control characters are what is looked for
const iriEscape = /[\u0000-\u0020\u007f-\u009f<>"{}|^`\\]/
const iriEscapes = new RegExp(iriEscape, 'gu')

/** Quoted and escaped lexical form of a literal (RDF 1.2 N-Triples, 4.1). */
export const quoteLiteral = (text: string): string =>
  literalEscape.test(text)
    ? `"${text.replace(literalEscapes, (character) => shortEscapes[character] ?? unicodeEscape(character))}"`
    : `"${text}"`

/** IRI in angle brackets. Escapes characters that would end or break it, to prevent injection. */
export const quoteIri = (iri: string): string =>
  iriEscape.test(iri) ? `<${iri.replace(iriEscapes, unicodeEscape)}>` : `<${iri}>`

const literalText = (term: Literal) => {
  if (term.language) return `${quoteLiteral(term.value)}@${term.language}`
  const datatype = term.datatype.value
  return datatype === xsdString
    ? quoteLiteral(term.value)
    : `${quoteLiteral(term.value)}^^${quoteIri(datatype)}`
}

/** Writes a term as N-Triples. Throws for variables, triple terms and the default graph. */
export function termText(term: Term): string {
  switch (term.termType) {
    case 'NamedNode':
      return quoteIri(term.value)
    case 'Literal':
      return literalText(term)
    case 'BlankNode':
      return `_:${term.value}`
    case 'DefaultGraph':
    case 'Variable':
    case 'Quad':
      throw new Error(`N-Triples has no ${term.termType}`)
    default:
      throw new Error(`unknown term ${String(term satisfies never)}`)
  }
}

/** Maximum number of cached predicates; vocabularies have a few hundred. */
const maxPredicates = 10_000
const predicates = new Map<string, string>()

/** Text of a predicate between two blanks, cached by its IRI. */
function predicateText(iri: string): string {
  const cached = predicates.get(iri)
  if (cached !== undefined) return cached
  if (predicates.size >= maxPredicates) return ` ${quoteIri(iri)} `
  // Copies the IRI: a substring would keep the whole source text in memory.
  const copy = Buffer.from(iri).toString()
  const text = ` ${quoteIri(copy)} `
  predicates.set(copy, text)
  return text
}

/** Writes a triple without line end; ignores the graph. */
export const toLine = ({ subject, predicate, object }: Quad): string =>
  `${termText(subject)}${predicateText(predicate.value)}${termText(object)} .`

/** Creates a writer of lines that serialises the subject of successive quads once, if it is one object. */
export function lineWriter(): (quad: Quad) => string {
  let last: Term | undefined
  let start = ''
  return ({ subject, predicate, object }) => {
    if (subject !== last) {
      start = termText(subject)
      last = subject
    }
    return `${start}${predicateText(predicate.value)}${termText(object)} .`
  }
}

/**
 * Joins lines, each with a line end; `''` for none. A single `join` is faster than appending, because V8 copies ropes when
 * they are first read.
 */
export const joinLines = (lines: readonly string[]): string => lines.concat('').join('\n')

/** Sorts lines in place and joins the distinct ones. A set of them would need a hash of each. */
export const joinDistinct = (lines: string[]): string =>
  joinLines(lines.sort().filter((line, at) => line !== lines[at - 1]))

/** Sorts the lines of a text and removes repeated ones, as stores have them, after terms in them were replaced. */
export const sortedLines = (text: string): string => joinDistinct(text.split('\n').filter(Boolean))

/**
 * Distinct lines, sorted by UTF-16 code unit. They are kept and sorted by subject: lines of one subject have long equal starts, and
 * subjects are in the order of their lines, because none is the start of another followed by less than a blank.
 */
export class LineSet {
  readonly #ends = new Map<string, string[]>()
  #last: Term | undefined
  #lastEnds: string[] = []

  /** Adds a triple; ignores the graph. */
  add({ subject, predicate, object }: Quad): void {
    if (subject !== this.#last) {
      this.#lastEnds = this.#endsOf(termText(subject))
      this.#last = subject
    }
    this.#lastEnds.push(`${predicateText(predicate.value)}${termText(object)} .\n`)
  }

  /** Adds a line of N-Triples with its line end. */
  addLine(line: string): void {
    const at = line.indexOf(' ')
    this.#endsOf(line.slice(0, at)).push(line.slice(at))
  }

  /** Joins the lines, each with a line end; `''` for none. */
  text(): string {
    const parts: string[] = []
    for (const subject of [...this.#ends.keys()].sort()) {
      let last = ''
      for (const end of this.#endsOf(subject).sort()) {
        if (end !== last) parts.push(subject, end)
        last = end
      }
    }
    return parts.join('')
  }

  #endsOf(subject: string): string[] {
    let ends = this.#ends.get(subject)
    if (!ends) this.#ends.set(subject, (ends = []))
    return ends
  }
}

/**
 * Writes triples as distinct lines, sorted by UTF-16 code unit, each with a line end; `''` for no triples. Graphs are ignored.
 */
export function toLines(quads: Iterable<Quad>): string {
  const lines = new LineSet()
  for (const quad of quads) lines.add(quad)
  return lines.text()
}

/** Triples of one subject in lines as written by `toLines`; other lines are not parsed. */
export function subjectQuads(lines: string, iri: string): Quad[] {
  const start = `${quoteIri(iri)} `
  const matches: string[] = []
  for (let at = 0; at < lines.length;) {
    const next = lines.indexOf('\n', at) + 1 || lines.length
    if (lines.startsWith(start, at)) matches.push(lines.slice(at, next))
    at = next
  }
  return fromLines(matches.join(''))
}

/** Parses N-Triples, fast for lines as written by `toLines`, whose labels stay. Throws on syntax errors. */
export const fromLines = (text: string): Quad[] =>
  scanLines(text) ?? readN3(text, 'ntriples', { baseIri: '' })

/** Reads one term as N-Triples; `undefined` for any other text. */
export function termIn(text: string): Quad['object'] | undefined {
  try {
    const [triple, other] = fromLines(`<x:s> <x:p> ${text} .\n`)
    return other ? undefined : triple?.object
  } catch {
    return undefined
  }
}

/**
 * In UTF-16 units: size of a chunk, minimum size of a text that is split, and maximum size of a subject that is kept in one
 * chunk.
 */
const [chunkLength, minSplitLength, maxSubjectLength] = [60_000, 300_000, 240_000]

/** Splits long texts at line ends, so that the caller can yield to the event loop in between. */
export function* splitLines(lines: string): Generator<string, void> {
  if (lines.length <= minSplitLength) yield lines
  else
    for (let start = 0; start < lines.length;) {
      const end = endOfText(lines, start)
      yield lines.slice(start, end)
      start = end
    }
}

/** End of the chunk, after the last line of a subject if possible. */
function endOfText(lines: string, start: number): number {
  const afterLine = (at: number) => lines.indexOf('\n', at) + 1 || lines.length
  let end = afterLine(start + chunkLength)
  const line = lines.lastIndexOf('\n', end - 2) + 1
  const subject = lines.slice(line, lines.indexOf(' ', line) + 1)
  while (end - start < maxSubjectLength && lines.startsWith(subject, end)) end = afterLine(end)
  return end
}

/** Parses like `fromLines`, and yields to the event loop in long texts. */
export async function readLines(text: string): Promise<Quad[]> {
  const quads: Quad[] = []
  for (const chunk of splitLines(text)) {
    if (chunk === text) return fromLines(text)
    await nextTurn()
    for (const q of fromLines(chunk)) quads.push(q)
  }
  return quads
}

// Triples as text, where no terms are needed.

/** Triple or quad as text. */
export type Statement = {
  /** N-Triples. */
  readonly subject: string
  /** IRI without brackets. */
  readonly predicate: string
  /** N-Triples. */
  readonly object: string
  /** N-Triples; `''` = default graph. */
  readonly graph: string
  /** The triple with line end, without its graph. */
  readonly line: string
}

/**
 * Creates a converter of quads to text, which writes the subject of successive quads once, if it is one object. It throws for terms
 * that N-Triples does not have.
 */
export function statementWriter(): (quad: Quad) => Statement {
  let last: Term | undefined
  let start = ''
  return ({ subject, predicate, object, graph }) => {
    if (subject !== last) {
      start = termText(subject)
      last = subject
    }
    const objectText = termText(object)
    return {
      subject: start,
      predicate: predicate.value,
      object: objectText,
      graph: graph.termType === 'DefaultGraph' ? '' : termText(graph),
      line: `${start}${predicateText(predicate.value)}${objectText} .\n`,
    }
  }
}

/** Converts batches of quads to text. */
export async function* statementsOf(batches: AsyncIterable<Quad[]>): AsyncIterable<Statement[]> {
  const statement = statementWriter()
  for await (const quads of batches) yield quads.map((quad) => statement(quad))
}
