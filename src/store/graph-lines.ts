/** What a line of a graph may be: one ground triple of N-Triples in our own spelling, with terms every dialect can keep. */

import { Failure } from '../errors.ts'
import { isIri, maxIriBytes } from '../rdf/iri.ts'
import { maxLiteralBytes } from '../rdf/terms.ts'
import type { GraphStore } from './graph-store.ts'

const iri = String.raw`<([A-Za-z][A-Za-z0-9+.-]*:[^\u0000-\u0020<>"{}|^${'`'}\\]*)>`
const literal =
  String.raw`"[^"\\\n\r]*(?:\\(?:[tbnrf"'\\]|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})[^"\\\n\r]*)*"` +
  String.raw`(?:@[A-Za-z]+(?:-[A-Za-z0-9]+)*|\^\^${iri})?`
const pattern = new RegExp(`${iri} ${iri} (?:${iri}|${literal}) \\.\\n`, 'y')
const terms = new RegExp(pattern.source)

/** No term of a line of so few characters is too long, whatever bytes they have. */
const shortLine = maxIriBytes / 4

const tooLong = (text: string | undefined) =>
  text !== undefined && text.length > shortLine && Buffer.byteLength(text) > maxIriBytes

const escape = /\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|.)/g

/** Whether the value of a line's literal is too long; a character has three bytes at most. */
function tooMuch(line: string): boolean {
  if (line.length <= maxLiteralBytes / 3) return false
  const raw = line.slice(line.indexOf('"') + 1, line.lastIndexOf('"'))
  const value = raw.replace(escape, (_, four?: string, eight?: string) =>
    String.fromCodePoint(Number.parseInt(four ?? eight ?? '20', 16)),
  )
  return Buffer.byteLength(value) > maxLiteralBytes
}

function refuse(text: string, at: number, why: string): never {
  const line = text.slice(0, at).split('\n').length
  throw new Failure('invalid-content', `A triple cannot be stored: ${why}.`, {
    errors: [{ line, detail: text.slice(at, at + 200).split('\n')[0] ?? '' }],
  })
}

/** The lines of a text, each with its line end. `Failure` invalid-content, with the line, for anything else than triples. */
export function triplesOf(text: string): string[] {
  if (!text.isWellFormed()) refuse(text, 0, 'it holds half of a surrogate pair')
  const lines: string[] = []
  for (let at = 0; at < text.length; at = pattern.lastIndex) {
    pattern.lastIndex = at
    if (!pattern.test(text)) refuse(text, at, 'it is not one ground triple per line')
    const line = text.slice(at, pattern.lastIndex)
    const why = line.length > shortLine ? excessOf(line) : undefined
    if (why !== undefined) refuse(text, at, why)
    lines.push(line)
  }
  return lines
}

/** Which term of a line is too long for a store. */
function excessOf(line: string): string | undefined {
  const [, ...iris] = terms.exec(line) ?? []
  if (iris.some(tooLong)) return `an IRI is longer than ${maxIriBytes} bytes`
  return tooMuch(line) ? `a literal is longer than ${maxLiteralBytes} bytes` : undefined
}

/** Whether a line (without its end) is a triple that can be named to a store: what came from elsewhere may not be one. */
export function isTriple(line: string): boolean {
  pattern.lastIndex = 0
  const match = pattern.exec(`${line}\n`)
  return match !== null && pattern.lastIndex === line.length + 1 && line.isWellFormed()
}

/** Checks the name of a graph; `Failure` invalid-content. */
export function checkGraph(graph: string): void {
  if (isIri(graph) && !tooLong(graph)) return
  throw new Failure(
    'invalid-content',
    `The name of a graph must be an IRI of at most ${maxIriBytes} bytes.`,
  )
}

/** Subject and predicate with the space behind each. */
export const prefixOf = (line: string) =>
  line.slice(0, line.indexOf(' ', line.indexOf(' ') + 1) + 1)

/** True when another spelling may mean the same value to a store: typed literals and language tags. */
export const hasTwins = (line: string) => /"(?:@[^"]+|\^\^<[^"]+>) \.\n?$/.test(line)

// Graphs in chunks.

/** UTF-16 units of a chunk, about. */
const chunkSize = 256 * 1024

/** A text of whole lines in chunks of whole lines. */
export function* chunksOf(text: string, size = chunkSize): Generator<string> {
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', Math.min(at + size, text.length - 1)) + 1 || text.length
    yield text.slice(at, end)
    at = end
  }
}

/** The chunks of what `read` gives, which is content before links: sorted over both. */
export async function* graphLines(
  read: GraphStore['read'],
  graph: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  const text = await read(graph, {}, signal)
  const lines = text?.split('\n').slice(0, -1).sort()
  if (lines) yield* chunksOf(`${lines.join('\n')}\n`)
}
