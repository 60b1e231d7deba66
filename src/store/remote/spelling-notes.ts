/**
 * Spelling notes. Where a store returns a line of a graph in another spelling, the system graph has the original line as a literal, and
 * readers put it in place of the returned one.
 */

import { fromLines, quoteLiteral, toLine } from '../../rdf/lines.ts'
import { ctl } from '../../rdf/namespaces.ts'
import type { Fidelity } from './dialect.ts'
import { mayBeRespelled } from './spelled-values.ts'

const spelling = ctl('spelling').value

const headOf = (graph: string) => `<${graph}> <${spelling}> "`

/** Line of the system graph that notes `line` of `graph`. */
export const noteOf = (graph: string, line: string): string =>
  `<${graph}> <${spelling}> ${quoteLiteral(line)} .`

/** Original line of a note; `undefined` for other lines of the system graph. */
export function notedLine(graph: string, note: string): string | undefined {
  if (!note.startsWith(headOf(graph))) return undefined
  return fromLines(`${note}\n`)[0]?.object.value
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

/** Replaces lines of an answer by the original lines with the same key; `notes` are original lines, as `notedLine` returns them. */
export function applyNotes(
  lines: ReadonlySet<string>,
  notes: readonly string[],
  fidelity: Fidelity,
): ReadonlySet<string> {
  if (notes.length === 0) return lines
  const notesByKey = Map.groupBy(notes, (note) => fidelity.key(note))
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
