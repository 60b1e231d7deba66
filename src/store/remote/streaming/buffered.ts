/** Streamed reading and writing for stores that can do neither: whole graphs in memory. */

import { Failure } from '../../../errors.ts'
import type { GraphStore } from '../../graph-store.ts'
import { chunksOf } from '../../spool/chunks.ts'

type Streamed = Pick<GraphStore, 'readLines' | 'replaceStreamed'>

/** UTF-16 units of a graph that is replaced, about a million lines. */
const most = 2 ** 27

/** What is streamed by way of `read` and `write`; `Failure` too-large beyond what memory is given. */
export function buffered({ read, write }: Pick<GraphStore, 'read' | 'write'>): Streamed {
  return {
    async *readLines(graph, signal) {
      const text = await read(graph, {}, signal)
      const lines = text?.split('\n').slice(0, -1).sort()
      if (lines) yield* chunksOf(`${lines.join('\n')}\n`)
    },
    replaceStreamed: async (graph, lines, others, signal) => {
      const chunks: string[] = []
      let length = 0
      for await (const chunk of lines) {
        signal?.throwIfAborted()
        length += chunk.length
        if (length > most) {
          throw new Failure('too-large', `This triplestore takes graphs of ${most} characters.`)
        }
        chunks.push(chunk)
      }
      await write([{ graph, content: chunks.join('') }, ...others], signal)
    },
  }
}
