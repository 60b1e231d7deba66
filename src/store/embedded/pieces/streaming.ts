/** The main thread's side of streaming: one piece at a time goes to the writing worker, or comes from it. */

import { randomUUID } from 'node:crypto'
import { merged } from '../../spool/merging.ts'
import { chunksOf } from '../../spool/chunks.ts'
import type { GraphStore } from '../../graph-store.ts'
import type { Calls } from '../calls.ts'

/** UTF-16 units of a piece, about. */
const pieceSize = 1024 * 1024

/** Chunks put together to pieces that are worth a row on disk. */
async function* pieced(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let waiting: string[] = []
  let length = 0
  for await (const chunk of chunks) {
    waiting.push(chunk)
    length += chunk.length
    if (length < pieceSize) continue
    yield waiting.join('')
    waiting = []
    length = 0
  }
  if (length > 0) yield waiting.join('')
}

const linesOf = (text: string) => text.split('\n').slice(0, -1)

const textOf = (lines: Iterable<string>) => Array.from(lines, (line) => `${line}\n`).join('')

export function streaming(calls: Calls): Pick<GraphStore, 'readLines' | 'replaceStreamed'> {
  async function* readLines(graph: string, signal?: AbortSignal): AsyncGenerator<string> {
    const { text, links, owner, pieces } = await calls.call('visit', { graph }, { signal })
    if (owner === undefined) {
      yield* chunksOf(links.length === 0 ? text : textOf(merged([linesOf(text).sort(), links])))
      return
    }
    try {
      for (let number = 0; number < pieces; number += 1) {
        yield await calls.call('piece', { owner, number }, { signal })
      }
      // Graphs that are replaced as streams have none.
      if (links.length > 0) yield textOf(links)
    } finally {
      // A worker that is gone has forgotten who reads.
      await calls.call('leave', { owner }).catch(() => undefined)
    }
  }

  return {
    readLines,
    replaceStreamed: async (graph, lines, others, signal) => {
      const staging = randomUUID()
      try {
        for await (const text of pieced(lines)) {
          await calls.call('stage', { staging, text }, { signal })
        }
        signal?.throwIfAborted()
        await calls.call('swap', { graph, staging, changes: others }, { isLong: true })
      } catch (error) {
        await calls.call('unstage', { staging }).catch(() => undefined)
        throw error
      }
    },
  }
}
