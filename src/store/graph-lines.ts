/**
 * Checks lines that are written into a store: one triple of N-Triples without blank nodes, with terms that every store can keep. Also
 * splits graphs into chunks.
 */

import { Failure } from '../errors.ts'
import { isIri, maxIriBytes } from '../rdf/iri.ts'
import { maxLiteralBytes } from '../rdf/terms.ts'
import type { GraphStore } from './graph-store.ts'

const iri = String.raw`<([A-Za-z][A-Za-z0-9+.-]*:[^\u0000-\u0020<>"{}|^${'`'}\\]*)>`
const literal =
  String.raw`"[^"\\\n\r]*(?:\\(?:[tbnrf"'\\]|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})[^"\\\n\r]*)*"` +
  String.raw`(?:@[A-Za-z]+(?:-[A-Za-z0-9]+)*|\^\^${iri})?`
const triplePattern = new RegExp(`${iri} ${iri} (?:${iri}|${literal}) \\.\\n`, 'y')
const termsPattern = new RegExp(triplePattern.source)

/** Length in UTF-16 units up to which no term of a line can be longer than `maxIriBytes`; a unit has at most three bytes. */
const shortLineLength = maxIriBytes / 4

const isIriTooLong = (text: string | undefined) =>
  text !== undefined && text.length > shortLineLength && Buffer.byteLength(text) > maxIriBytes

const escapePattern = /\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|.)/g

/** Whether the value of the literal in a line is too long; a UTF-16 unit has at most three bytes. */
function isLiteralTooLong(line: string): boolean {
  if (line.length <= maxLiteralBytes / 3) return false
  const raw = line.slice(line.indexOf('"') + 1, line.lastIndexOf('"'))
  const value = raw.replace(escapePattern, (_, shortCode?: string, longCode?: string) =>
    String.fromCodePoint(Number.parseInt(shortCode ?? longCode ?? '20', 16)),
  )
  return Buffer.byteLength(value) > maxLiteralBytes
}

function throwInvalid(text: string, at: number, why: string): never {
  const line = text.slice(0, at).split('\n').length
  throw new Failure('invalid-content', `A triple cannot be stored: ${why}.`, {
    errors: [{ line, detail: text.slice(at, at + 200).split('\n')[0] ?? '' }],
  })
}

/** Lines of a text, each with its line end. Throws `invalid-content`, with the line, for anything else than triples. */
export function triplesOf(text: string): string[] {
  if (!text.isWellFormed()) throwInvalid(text, 0, 'it holds half of a surrogate pair')
  const lines: string[] = []
  for (let at = 0; at < text.length; at = triplePattern.lastIndex) {
    triplePattern.lastIndex = at
    if (!triplePattern.test(text)) throwInvalid(text, at, 'it is not one ground triple per line')
    const line = text.slice(at, triplePattern.lastIndex)
    const problem = line.length > shortLineLength ? lengthProblem(line) : undefined
    if (problem !== undefined) throwInvalid(text, at, problem)
    lines.push(line)
  }
  return lines
}

/** Reason why a term of a line is too long for a store; `undefined` when none is. */
function lengthProblem(line: string): string | undefined {
  const [, ...iris] = termsPattern.exec(line) ?? []
  if (iris.some(isIriTooLong)) return `an IRI is longer than ${maxIriBytes} bytes`
  return isLiteralTooLong(line) ? `a literal is longer than ${maxLiteralBytes} bytes` : undefined
}

/** Whether a line (without line end) is a triple that can be sent to a store; lines of foreign writers may have blank nodes. */
export function isTriple(line: string): boolean {
  triplePattern.lastIndex = 0
  const match = triplePattern.exec(`${line}\n`)
  return match !== null && triplePattern.lastIndex === line.length + 1 && line.isWellFormed()
}

/** Checks the name of a graph; throws `invalid-content`. */
export function checkGraph(graph: string): void {
  if (isIri(graph) && !isIriTooLong(graph)) return
  throw new Failure(
    'invalid-content',
    `The name of a graph must be an IRI of at most ${maxIriBytes} bytes.`,
  )
}

/** Number of lines of a text. */
export const linesIn = (text: string): number => {
  let lines = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1
  return lines
}

/** Subject and predicate of a line, with the space after each. */
export const prefixOf = (line: string) =>
  line.slice(0, line.indexOf(' ', line.indexOf(' ') + 1) + 1)

/** Whether a store may equate other spellings with the line: typed literals and language tags. */
export const hasOtherSpellings = (line: string) => /"(?:@[^"]+|\^\^<[^"]+>) \.\n?$/.test(line)

// Graphs in chunks.

/** Approximate UTF-16 units of a chunk. */
const chunkSize = 256 * 1024

/** Splits a text of whole lines into chunks of whole lines. */
export function* chunksOf(text: string, size = chunkSize): Generator<string> {
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', Math.min(at + size, text.length - 1)) + 1 || text.length
    yield text.slice(at, end)
    at = end
  }
}

/** Reads a graph and yields chunks of its lines, sorted over content and links. */
export async function* graphLines(
  read: GraphStore['read'],
  graph: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  const text = await read(graph, {}, signal)
  const lines = text?.split('\n').slice(0, -1).sort()
  if (lines) yield* chunksOf(`${lines.join('\n')}\n`)
}
