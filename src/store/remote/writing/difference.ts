/** What has to go and to come so that one content becomes another, in the lines that the store is told. */

import { systemGraph } from '../../../rdf/namespaces.ts'
import { hasTwins, prefixOf } from '../../lines.ts'
import type { Edit, Fidelity } from '../dialect.ts'
import type { Content } from '../reading.ts'
import { noteOf, toNote } from '../values/notes.ts'
import { hasDots } from '../values/value.ts'

const without = (lines: Iterable<string>, other: ReadonlySet<string>) =>
  [...lines].filter((line) => !other.has(line))

/** An edit whose sets share no line: what goes and comes stays. */
function editOf(graph: string, remove: Iterable<string>, add: ReadonlySet<string>): Edit {
  return { graph, clear: false, remove: new Set(without(remove, add)), add }
}

/**
 * Lines that stay but share subject and property, or what the store makes of their IRIs, with one that goes: where the store
 * holds two spellings as one triple, deleting the one deletes both, so they come in again.
 */
function twins(removed: readonly string[], after: ReadonlySet<string>, fidelity: Fidelity) {
  const prefixes = new Set(removed.filter(hasTwins).map(prefixOf))
  const keys = new Set(removed.filter(hasDots).map(fidelity.key))
  if (prefixes.size + keys.size === 0) return []
  return [...after].filter(
    (line) => prefixes.has(prefixOf(line)) || (keys.size > 0 && keys.has(fidelity.key(line))),
  )
}

const sent = (lines: Iterable<string>, fidelity: Fidelity) =>
  new Set(Array.from(lines, (line) => fidelity.encode(line).line))

/** The edit of the system graph that takes notes away and brings others. */
export function noteEdit(
  graph: string,
  before: Iterable<string>,
  after: ReadonlySet<string>,
): Edit {
  const old = new Set(before)
  const noted = (lines: readonly string[]) => new Set(lines.map((line) => noteOf(graph, line)))
  const [remove, add] = [noted(without(old, after)), noted(without(after, old))]
  return { graph: systemGraph, clear: false, remove, add }
}

/** The edits of a graph and of its notes. */
export function difference(
  graph: string,
  { before, after }: { readonly before: Content; readonly after: ReadonlySet<string> },
  fidelity: Fidelity,
): readonly Edit[] {
  const removed = without(before.lines, after)
  const added = without(after, before.lines)
  if (removed.length + added.length === 0) return []
  const come = sent([...added, ...twins(removed, after, fidelity)], fidelity)
  return [
    editOf(graph, sent(removed, fidelity), come),
    noteEdit(graph, before.notes, toNote(after, fidelity)),
  ]
}

/** The edits that write a graph anew, for one that holds triples which cannot be named. */
export function rewriting(
  graph: string,
  { whole, after }: { readonly whole: Content; readonly after: ReadonlySet<string> },
  fidelity: Fidelity,
): readonly Edit[] {
  const edit = { graph, clear: true, remove: new Set<string>(), add: sent(after, fidelity) }
  return [edit, noteEdit(graph, whole.notes, toNote(after, fidelity))]
}
