/**
 * Notes on graphs, literals in the system graph. Where a store returns a line of a graph in another spelling, a note has the original
 * line, and readers put it in place of the returned one. Where a store shows parts of a commit, a note has the digest of all lines of the
 * content, by which the readers of other processes know that they have all of them.
 */

import { hash } from 'node:crypto'
import { fromLines, quoteLiteral, toLine } from '../../rdf/lines.ts'
import { ctl } from '../../rdf/namespaces.ts'
import type { Dialect, Fidelity } from './dialect.ts'
import { mayBeRespelled } from './spelled-values.ts'

const spelling = ctl('spelling').value

const headOf = (graph: string) => `<${graph}> <${spelling}> "`

/** Line of the system graph with a note, which is an original line of `graph` or a digest. */
export const noteOf = (graph: string, note: string): string =>
  `<${graph}> <${spelling}> ${quoteLiteral(note)} .`

/** Note of a line of the system graph, an original line or a digest; `undefined` for other lines. */
export function noteIn(graph: string, line: string): string | undefined {
  if (!line.startsWith(headOf(graph))) return undefined
  return fromLines(`${line}\n`)[0]?.object.value
}

/**
 * Lines of a content that need a note: those that the store returns changed, and those that it may treat as one triple, because it
 * then returns one for several.
 */
export function linesToNote(lines: ReadonlySet<string>, fidelity: Fidelity): Set<string> {
  const noted = new Set<string>()
  const firstByKey = new Map<string, string>()
  for (const line of lines) {
    if (!mayBeRespelled(line)) continue
    const key = fidelity.key(line)
    const other = firstByKey.get(key) ?? (key !== line && lines.has(key) ? key : undefined)
    if (other === undefined) firstByKey.set(key, line)
    else noted.add(other).add(line)
    if (!fidelity.encode(line).exact) noted.add(line)
  }
  return noted
}

/** Digest of a content, whose lines may be in any order. */
export const digestOf = (lines: Iterable<string>): string =>
  `sha-256 ${hash('sha256', [...lines].sort().join('\n'), 'hex')}`

/** Notes of a content. */
export function notesOf(
  lines: ReadonlySet<string>,
  { fidelity, showsPartialCommits = false }: Dialect,
): ReadonlySet<string> {
  const notes = linesToNote(lines, fidelity)
  return showsPartialCommits && lines.size > 0 ? notes.add(digestOf(lines)) : notes
}

const isDigest = (note: string) => !note.startsWith('<')

/** Replaces lines of an answer by the original lines with the same key; `notes` are as `noteIn` returns them. */
export function applyNotes(
  lines: ReadonlySet<string>,
  notes: readonly string[],
  fidelity: Fidelity,
): ReadonlySet<string> {
  const originals = notes.filter((note) => !isDigest(note))
  if (originals.length === 0) return lines
  const notesByKey = Map.groupBy(originals, (note) => fidelity.key(note))
  const result = new Set<string>()
  for (const line of lines) {
    for (const original of notesByKey.get(fidelity.key(line)) ?? [line]) result.add(original)
  }
  return result
}

// Answers of stores as lines of the platform: stores differ in white space, escapes and comments.

// Escapes that `toLine` does not write, and characters that it escapes, such as tabs between terms.
// oxlint-disable-next-line no-control-regex -- the control characters are what is looked for
const otherEscapes = /\\[uU']|[\u0000-\u0009\u000b-\u001f\u007f-\u009f\ufffe\uffff]/

/** One triple per line and a single space between terms, as all stores but one write. */
const normalLine = /^<[^ ]*> <[^ ]*> [<"_].* \.$/

const normaliseLine = (line: string): string[] =>
  !otherEscapes.test(line) && normalLine.test(line) ? [line] : fromLines(`${line}\n`).map(toLine)

/** Lines of an answer without line ends, duplicates and comments, in their order. */
export function linesOf(text: string): Set<string> {
  const lines = text.split('\n')
  const triples = lines.filter((line) => line !== '' && !line.startsWith('#'))
  const isNormal = !otherEscapes.test(text) && triples.every((line) => normalLine.test(line))
  return new Set(isNormal ? triples : triples.flatMap(normaliseLine))
}
