/** Spelling notes: our own lines, kept in the system graph beside a graph whose store spells them in another way. */

import { fromLines, quoted } from '../../../rdf/lines.ts'
import { ctl } from '../../../rdf/namespaces.ts'
import type { Fidelity } from '../dialect.ts'
import { isSpelled } from './value.ts'

const spelling = ctl('spelling').value

const headOf = (graph: string) => `<${graph}> <${spelling}> "`

/** The line of the system graph that keeps `line` of `graph`. */
export const noteOf = (graph: string, line: string): string =>
  `<${graph}> <${spelling}> ${quoted(line)} .`

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
