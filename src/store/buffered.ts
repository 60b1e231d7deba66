/** Streamed reading and writing for stores that can do neither: whole graphs in memory. */

import type { GraphStore } from './graph-store.ts'
import { chunksOf } from './spool/chunks.ts'

type Streamed = Pick<GraphStore, 'readLines' | 'replaceStreamed'>

/** What is streamed by way of `read` and `write`. */
export function buffered({ read, write }: Pick<GraphStore, 'read' | 'write'>): Streamed {
  return {
    async *readLines(graph, signal) {
      const text = await read(graph, {}, signal)
      const lines = text?.split('\n').slice(0, -1).sort()
      if (lines) yield* chunksOf(`${lines.join('\n')}\n`)
    },
    replaceStreamed: async (graph, lines, others, signal) => {
      const chunks: string[] = []
      for await (const chunk of lines) {
        signal?.throwIfAborted()
        chunks.push(chunk)
      }
      await write([{ graph, content: chunks.join('') }, ...others], signal)
    },
  }
}
