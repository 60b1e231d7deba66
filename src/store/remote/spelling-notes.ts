/** Spelling notes: our own lines, kept in the system graph beside a graph whose store spells them in another way. */

import { fromLines, quoteLiteral, toLine } from '../../rdf/lines.ts'
import { ctl } from '../../rdf/namespaces.ts'
import type { Fidelity } from './dialect.ts'
import { isSpelled } from './spelled-values.ts'

const spelling = ctl('spelling').value

const headOf = (graph: string) => `<${graph}> <${spelling}> "`

/** The line of the system graph that keeps `line` of `graph`. */
export const noteOf = (graph: string, line: string): string =>
  `<${graph}> <${spelling}> ${quoteLiteral(line)} .`

/** A notes' line, taken back: `undefined` for every other line of the system graph. */
export function notedLine(graph: string, note: string): string | undefined {
  if (!note.startsWith(headOf(graph))) return undefined
  return fromLines(`${note}\n`)[0]?.object.value
}

/**
 * The lines of a content that need a note: those that would come back changed, and all that the store may take for the same
 * triple, because it then gives one for several.
 */
export function toNote(lines: ReadonlySet<string>, fidelity: Fidelity): Set<string> {
  const noted = new Set<string>()
  const first = new Map<string, string>()
  for (const line of lines) {
    if (!isSpelled(line)) continue
    const key = fidelity.key(line)
    const other = first.get(key) ?? (key !== line && lines.has(key) ? key : undefined)
    if (other === undefined) first.set(key, line)
    else noted.add(other).add(line)
    if (!fidelity.encode(line).exact) noted.add(line)
  }
  return noted
}

/** Lines that came back, in our spelling: a note stands in for every line of its key. */
export function respelled(
  lines: ReadonlySet<string>,
  notes: readonly string[],
  fidelity: Fidelity,
): ReadonlySet<string> {
  if (notes.length === 0) return lines
  const ours = Map.groupBy(notes, (note) => fidelity.key(note))
  const result = new Set<string>()
  for (const line of lines) {
    for (const one of ours.get(fidelity.key(line)) ?? [line]) result.add(one)
  }
  return result
}

// What a store sends, in our own spelling of N-Triples: stores differ in white space, escapes and comments.

// Escapes that we would not write, and characters that we would escape; tabs between terms are among these.
// oxlint-disable-next-line no-control-regex -- the control characters are what is looked for
const foreign = /\\[uU']|[\u0000-\u0009\u000b-\u001f\u007f-\u009f\ufffe\uffff]/

/** One triple per line and a single space between terms, which is how all but one store write. */
const spaced = /^<[^ ]*> <[^ ]*> [<"_].* \.$/

const respelt = (line: string): string[] =>
  !foreign.test(line) && spaced.test(line) ? [line] : fromLines(`${line}\n`).map(toLine)

/** The lines of an answer, without line ends, doubles and comments, in the order in which they came. */
export function linesOf(text: string): Set<string> {
  const lines = text.split('\n')
  const kept = lines.filter((line) => line !== '' && !line.startsWith('#'))
  const quick = !foreign.test(text) && kept.every((line) => spaced.test(line))
  return new Set(quick ? kept : kept.flatMap(respelt))
}
