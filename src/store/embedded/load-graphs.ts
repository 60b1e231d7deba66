/** Loads the graphs of the file into an empty index. */

import { isBroken, type Quads } from './quads.ts'
import type { QuadsPart } from './quads-parts.ts'

/** Loads a part, all at once or, where one graph cannot be loaded, each alone; returns the names of such graphs. */
function loadPart(quads: Quads, { bytes, graphs }: QuadsPart): string[] {
  try {
    quads.loadQuads(
      bytes,
      graphs.reduce((sum, { lines }) => sum + lines, 0),
    )
    return []
  } catch (error) {
    if (isBroken(error)) throw error
  }
  return graphs.flatMap(({ name, end, lines }, at) => {
    try {
      quads.loadQuads(bytes.subarray(graphs[at - 1]?.end ?? 0, end), lines)
      return []
    } catch (error) {
      if (isBroken(error)) throw error
      quads.drop(name)
      return [name]
    }
  })
}

/**
 * Loads parts into an empty index. Returns the names of graphs that cannot be loaded, and the number of lines that are left out.
 * `progress` is called with the number of graphs after each part. Throws traps of the engine (`isBroken`).
 */
export function loadGraphs(
  parts: Iterable<QuadsPart>,
  quads: Quads,
  progress: (done: number) => void = () => undefined,
): { readonly unreadable: readonly string[]; readonly others: number } {
  const unreadable: string[] = []
  let others = 0
  for (const part of parts) {
    unreadable.push(...loadPart(quads, part))
    others += part.others
    progress(part.done)
  }
  return { unreadable, others }
}
