/** Edits of several changes or groups put together, so that they say what all of them one after the other would do. */

import type { Edit, Size } from '../dialect.ts'

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
export function sizeOf(edits: readonly Edit[]): Size {
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
