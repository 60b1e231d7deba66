/** N-Triples in our own spelling: one triple per line, sorted, no doubles; the form that stores and diffs work on. */
import type { Literal, Quad, Term } from '@rdfjs/types'
import { scanLines } from './reading/line-scanner.ts'
import { readN3 } from './reading/n3-reader.ts'
import { nextTurn } from '../workers/event-loop.ts'

const xsdString = 'http://www.w3.org/2001/XMLSchema#string'
/** The escapes that N-Triples and SPARQL have in common (RDF 1.2 N-Triples, ECHAR; SPARQL 1.1, ECHAR). */
export const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
}
const code = (character: string) =>
  `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`

const unquotable = /["\\\p{Cc}\ufffe\uffff]/u
const unquotables = new RegExp(unquotable, 'gu')
// oxlint-disable-next-line no-control-regex -- the control characters are what is looked for
const unbracketable = /[\u0000-\u0020\u007f-\u009f<>"{}|^`\\]/
const unbracketables = new RegExp(unbracketable, 'gu')

/** A literal's lexical form between quotes, escaped so that every N-Triples reader takes it (RDF 1.2 N-Triples, 4.1). */
export const quoted = (text: string): string =>
  unquotable.test(text)
    ? `"${text.replace(unquotables, (found) => shortEscapes[found] ?? code(found))}"`
    : `"${text}"`

/** An IRI between angle brackets. Characters that would end or break it are escaped, so no IRI can smuggle syntax in. */
export const bracketed = (iri: string): string =>
  unbracketable.test(iri) ? `<${iri.replace(unbracketables, code)}>` : `<${iri}>`

const literalText = (term: Literal) => {
  if (term.language) return `${quoted(term.value)}@${term.language}`
  const datatype = term.datatype.value
  return datatype === xsdString
    ? quoted(term.value)
    : `${quoted(term.value)}^^${bracketed(datatype)}`
}

/** One term as N-Triples writes it; throws on variables, triple terms and the default graph. */
export function termText(term: Term): string {
  switch (term.termType) {
    case 'NamedNode':
      return bracketed(term.value)
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

/** A vocabulary has a few hundred predicates; a document that makes them up must not fill the memory. */
const mostPredicates = 10_000
const predicates = new Map<string, string>()

/** The text of a predicate by its IRI. */
function predicateText(iri: string): string {
  const known = predicates.get(iri)
  if (known !== undefined) return known
  if (predicates.size >= mostPredicates) return bracketed(iri)
  // Readers cut IRIs out of their text, which would be kept with them.
  const kept = Buffer.from(iri).toString()
  const made = bracketed(kept)
  predicates.set(kept, made)
  return made
}

/** One triple without its line end; the graph is ignored. */
export const toLine = ({ subject, predicate, object }: Quad): string =>
  `${termText(subject)} ${predicateText(predicate.value)} ${termText(object)} .`

/** Makes a writer of lines for triples in sequence; a subject that repeats is serialised once. */
export function lineWriter(): (quad: Quad) => string {
  let last: Term | undefined
  let start = ''
  return ({ subject, predicate, object }) => {
    if (subject !== last) {
      start = termText(subject)
      last = subject
    }
    return `${start} ${predicateText(predicate.value)} ${termText(object)} .`
  }
}

/**
 * Lines as one text, an end after each; `''` for none. Joined in one go: a text that something is added to is copied as a
 * whole by the first who reads it.
 */
export const endedLines = (lines: readonly string[]): string => lines.concat('').join('\n')

/** Sorted (by UTF-16 code unit), deduplicated lines, `\n` after each; `''` for no triples. Graphs are ignored. */
export function toLines(quads: Iterable<Quad>): string {
  const lines = new Set<string>()
  const line = lineWriter()
  for (const quad of quads) lines.add(line(quad))
  return endedLines([...lines].sort())
}

/** The triples of one subject out of lines in our own spelling; the others are not parsed. */
export function subjectQuads(lines: string, iri: string): Quad[] {
  const start = `${bracketed(iri)} `
  const found: string[] = []
  for (let at = 0; at < lines.length;) {
    const next = lines.indexOf('\n', at) + 1 || lines.length
    if (lines.startsWith(start, at)) found.push(lines.slice(at, next))
    at = next
  }
  return fromLines(found.join(''))
}

/** Reads N-Triples, fast for the spelling of `toLines`, whole N-Triples otherwise. Throws on anything else. */
export const fromLines = (text: string): Quad[] =>
  scanLines(text) ?? readN3(text, 'ntriples', { baseIri: '' })

/** UTF-16 units of a piece, of a text that is cut into pieces, and of the lines about one subject that stay in one piece. */
const [shortText, longText, longSubject] = [60_000, 300_000, 240_000]

/** Lines that take long to work on as several short texts, so that others can have a turn in between; other lines as they are. */
export function* shortTexts(lines: string): Generator<string, void> {
  if (lines.length <= longText) yield lines
  else
    for (let start = 0; start < lines.length;) {
      const end = endOfText(lines, start)
      yield lines.slice(start, end)
      start = end
    }
}

/** Behind the last line about a subject, so that few subjects are cut. */
function endOfText(lines: string, start: number): number {
  const behind = (at: number) => lines.indexOf('\n', at) + 1 || lines.length
  let end = behind(start + shortText)
  const line = lines.lastIndexOf('\n', end - 2) + 1
  const subject = lines.slice(line, lines.indexOf(' ', line) + 1)
  while (end - start < longSubject && lines.startsWith(subject, end)) end = behind(end)
  return end
}

/** Reads as `fromLines` does, a long text with turns for others in between. */
export async function readLines(text: string): Promise<Quad[]> {
  const quads: Quad[] = []
  for (const short of shortTexts(text)) {
    if (short === text) return fromLines(text)
    await nextTurn()
    for (const one of fromLines(short)) quads.push(one)
  }
  return quads
}

// Triples as text, for those who pass them on and need no terms.

export type Statement = {
  /** N-Triples. */
  readonly subject: string
  /** The IRI itself. */
  readonly predicate: string
  /** N-Triples. */
  readonly object: string
  /** N-Triples; `''` = default graph. */
  readonly graph: string
  /** The triple with its line end, without its graph. */
  readonly line: string
}

/** Throws on what N-Triples has no words for. */
export function statementOf({ subject, predicate, object, graph }: Quad): Statement {
  const [subjectText, objectText] = [termText(subject), termText(object)]
  return {
    subject: subjectText,
    predicate: predicate.value,
    object: objectText,
    graph: graph.termType === 'DefaultGraph' ? '' : termText(graph),
    line: `${subjectText} ${predicateText(predicate.value)} ${objectText} .\n`,
  }
}

export async function* statementsOf(batches: AsyncIterable<Quad[]>): AsyncIterable<Statement[]> {
  for await (const quads of batches) yield quads.map(statementOf)
}
