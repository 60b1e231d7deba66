/**
 * Reading and replacing a graph as a stream of chunks, for stores that read and write whole texts. What is replaced is held in
 * memory until all of it has come (a vocabulary has 200 MB at most), so that nothing changes when the stream fails.
 */

import { Failure } from '../errors.ts'
import type { GraphStore } from './graph-store.ts'

/** UTF-16 units of a graph that is replaced. */
const mostReplaced = 2 ** 28

/** UTF-16 units of a chunk, about. */
const chunkSize = 256 * 1024

/** A text of whole lines in chunks of whole lines. */
export function* chunksOf(text: string, size = chunkSize): Generator<string> {
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', Math.min(at + size, text.length - 1)) + 1 || text.length
    yield text.slice(at, end)
    at = end
  }
}

/** The chunks of what `read` gives, which is content before links: sorted over both. */
export async function* readWhole(
  read: GraphStore['read'],
  graph: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  const text = await read(graph, {}, signal)
  const lines = text?.split('\n').slice(0, -1).sort()
  if (lines) yield* chunksOf(`${lines.join('\n')}\n`)
}

/** `replaceStreamed` by way of `write`; `Failure` too-large beyond what memory is given. */
export function replacing(write: GraphStore['write']): GraphStore['replaceStreamed'] {
  return async (graph, lines, others, signal) => {
    const chunks: string[] = []
    let length = 0
    for await (const chunk of lines) {
      signal?.throwIfAborted()
      length += chunk.length
      if (length > mostReplaced) {
        throw new Failure('too-large', `A graph may have ${mostReplaced} characters.`)
      }
      chunks.push(chunk)
    }
    await write([{ graph, content: chunks.join('') }, ...others], signal)
  }
}
