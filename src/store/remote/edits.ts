/** Computes edits: the lines to be removed and added so that one content becomes another, as they are sent to the store. */

import { systemGraph } from '../../rdf/namespaces.ts'
import { hasOtherSpellings, prefixOf } from '../graph-lines.ts'
import type { Dialect, Edit, Fidelity, Size } from './dialect.ts'
import type { Content } from './reading.ts'
import { noteOf, notesOf } from './spelling-notes.ts'
import { hasDots } from './spelled-values.ts'

const difference = (lines: Iterable<string>, other: ReadonlySet<string>) =>
  [...lines].filter((line) => !other.has(line))

/** Edit whose sets share no line: lines in both are not removed. */
function editOf(graph: string, remove: Iterable<string>, add: ReadonlySet<string>): Edit {
  return { graph, clear: false, remove: new Set(difference(remove, add)), add }
}

/**
 * Remaining lines that the store may treat as one triple with a removed line: deleting that one would delete both, so they are added
 * again. These share subject and property, or have the same key after the IRIs are resolved.
 */
function otherSpellings(
  removed: readonly string[],
  after: ReadonlySet<string>,
  fidelity: Fidelity,
) {
  const prefixes = new Set(removed.filter(hasOtherSpellings).map(prefixOf))
  const keys = new Set(removed.filter(hasDots).map(fidelity.key))
  if (prefixes.size + keys.size === 0) return []
  return [...after].filter(
    (line) => prefixes.has(prefixOf(line)) || (keys.size > 0 && keys.has(fidelity.key(line))),
  )
}

const encodeLines = (lines: Iterable<string>, fidelity: Fidelity) =>
  new Set(Array.from(lines, (line) => fidelity.encode(line).line))

/** Edit of the system graph that replaces the notes of a graph. */
export function noteEdit(
  graph: string,
  before: Iterable<string>,
  after: ReadonlySet<string>,
): Edit {
  const oldNotes = new Set(before)
  const linesWith = (notes: readonly string[]) => new Set(notes.map((note) => noteOf(graph, note)))
  const remove = linesWith(difference(oldNotes, after))
  const add = linesWith(difference(after, oldNotes))
  return { graph: systemGraph, clear: false, remove, add }
}

/** Edits of a graph and of its notes from one content to another; none when they are equal. */
export function contentDifference(
  graph: string,
  { before, after }: { readonly before: Content; readonly after: ReadonlySet<string> },
  dialect: Dialect,
): readonly Edit[] {
  const { fidelity } = dialect
  const removed = difference(before.lines, after)
  const added = difference(after, before.lines)
  if (removed.length + added.length === 0) return []
  const addedLines = encodeLines([...added, ...otherSpellings(removed, after, fidelity)], fidelity)
  return [
    editOf(graph, encodeLines(removed, fidelity), addedLines),
    noteEdit(graph, before.notes, notesOf(after, dialect)),
  ]
}

/** Edits that clear a graph and write its content and its links again, for graphs with blank nodes, which cannot be deleted by name. */
export function rewriteEdits(
  graph: string,
  {
    stored,
    after,
    links,
  }: {
    readonly stored: Content
    readonly after: ReadonlySet<string>
    readonly links: readonly string[]
  },
  dialect: Dialect,
): readonly Edit[] {
  const add = encodeLines([...after, ...links], dialect.fidelity)
  const edit = { graph, clear: true, remove: new Set<string>(), add }
  return [edit, noteEdit(graph, stored.notes, notesOf(after, dialect))]
}

// Merges the edits of several changes or groups into edits with the same effect.

type MutableEdit = {
  readonly graph: string
  clear: boolean
  readonly remove: Set<string>
  readonly add: Set<string>
}

/** Merged edits by graph, in order of their first edit. */
export class EditMerger {
  readonly #edits = new Map<string, MutableEdit>()

  /** Adds an edit after the earlier ones. */
  add({ graph, clear, remove, add }: Edit): void {
    const edit = this.#editOf(graph)
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

  #editOf(graph: string): MutableEdit {
    const existing = this.#edits.get(graph)
    if (existing) return existing
    const edit: MutableEdit = { graph, clear: false, remove: new Set(), add: new Set() }
    this.#edits.set(graph, edit)
    return edit
  }
}

/** Merges the edits of groups. */
export function mergeEdits(groups: readonly (readonly Edit[])[]): readonly Edit[] {
  if (groups.length === 1) return groups[0] ?? []
  const merger = new EditMerger()
  for (const edits of groups) for (const edit of edits) merger.add(edit)
  return merger.edits
}

const lengthOf = (lines: ReadonlySet<string>) => {
  let length = 0
  for (const line of lines) length += line.length + 1
  return length
}

/** Size of the edits of one group. */
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

/** Approximate size of two groups together: common graphs count twice. */
export const addSizes = (first: Size, second: Size): Size => ({
  graphs: first.graphs + second.graphs,
  cleared: first.cleared + second.cleared,
  removed: first.removed + second.removed,
  added: first.added + second.added,
  largest: Math.max(first.largest, second.largest),
  length: first.length + second.length,
})
