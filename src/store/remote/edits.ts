/** What has to go and to come so that one content becomes another, in the lines that the store is told. */

import { systemGraph } from '../../rdf/namespaces.ts'
import { hasTwins, prefixOf } from '../graph-lines.ts'
import type { Edit, Fidelity, Size } from './dialect.ts'
import type { Content } from './reading.ts'
import { noteOf, toNote } from './spelling-notes.ts'
import { hasDots } from './spelled-values.ts'

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
export function contentDifference(
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

// Edits of several changes or groups put together, so that they say what all of them one after the other would do.

type Open = {
  readonly graph: string
  clear: boolean
  readonly remove: Set<string>
  readonly add: Set<string>
}

/** Edits by graph, in the order in which the graphs came. */
export class Sum {
  readonly #edits = new Map<string, Open>()

  /** Puts more behind what is there; the two sets of one edit share no line afterwards. */
  put({ graph, clear, remove, add }: Edit): void {
    const edit = this.#of(graph)
    if (clear) {
      edit.clear = true
      edit.add.clear()
    }
    for (const line of remove) {
      edit.add.delete(line)
      edit.remove.add(line)
    }
    for (const line of add) {
      if (!edit.clear) edit.remove.delete(line)
      edit.add.add(line)
    }
  }

  get edits(): readonly Edit[] {
    return [...this.#edits.values()].filter(
      ({ clear, remove, add }) => clear || remove.size + add.size > 0,
    )
  }

  #of(graph: string): Open {
    const known = this.#edits.get(graph)
    if (known) return known
    const edit: Open = { graph, clear: false, remove: new Set(), add: new Set() }
    this.#edits.set(graph, edit)
    return edit
  }
}

/** The edits of all groups as one list. */
export function sumOf(groups: readonly (readonly Edit[])[]): readonly Edit[] {
  if (groups.length === 1) return groups[0] ?? []
  const sum = new Sum()
  for (const edits of groups) for (const edit of edits) sum.put(edit)
  return sum.edits
}

const lengthOf = (lines: ReadonlySet<string>) => {
  let length = 0
  for (const line of lines) length += line.length + 1
  return length
}

/** How much the edits of one group are. */
export function editsSize(edits: readonly Edit[]): Size {
  let [cleared, removed, added, largest, length] = [0, 0, 0, 0, 0]
  for (const edit of edits) {
    if (edit.clear) cleared += 1
    removed += edit.remove.size
    added += edit.add.size
    largest = Math.max(largest, edit.add.size)
    length += lengthOf(edit.remove) + lengthOf(edit.add)
  }
  return { graphs: edits.length, cleared, removed, added, largest, length }
}

/** The size of two groups together. Graphs that both name count twice, and their largest as if it were one graph. */
export const together = (one: Size, other: Size): Size => ({
  graphs: one.graphs + other.graphs,
  cleared: one.cleared + other.cleared,
  removed: one.removed + other.removed,
  added: one.added + other.added,
  largest: Math.max(one.largest, other.largest),
  length: one.length + other.length,
})
