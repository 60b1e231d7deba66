/** Streams of stores behind a wire: what is read and what is written lies on disk first, so that both are whole. */

import { setImmediate } from 'node:timers/promises'
import type { GraphStore } from '../../graph-store.ts'
import { checkGraph } from '../../lines.ts'
import type { Reading } from '../reading.ts'
import type { Turns } from '../writing/turns.ts'
import type { Landings } from '../writing/writing.ts'
import { spooledGraph } from './download.ts'
import { received } from './incoming.ts'
import { closeParts, differenceParts, dropsOf, requestOf } from './replacing.ts'

type Settings = {
  readonly reading: Reading
  readonly turns: Turns
  readonly landings: Landings
  /** Folder for what does not fit into memory. */
  readonly directory: string
  /** Lands in a turn among the requests that write. */
  readonly landAlone: (work: () => Promise<void>) => Promise<void>
}

const chunkSize = 256 * 1024

async function* chunksOf(lines: Iterable<string>): AsyncGenerator<string> {
  let chunk = ''
  for (const line of lines) {
    chunk += `${line}\n`
    if (chunk.length < chunkSize) continue
    yield chunk
    chunk = ''
    await setImmediate()
  }
  if (chunk !== '') yield chunk
}

export function streaming(settings: Settings): Pick<GraphStore, 'readLines' | 'replaceStreamed'> {
  const { reading, turns, landings, landAlone, directory } = settings
  const { door, dialect } = reading

  async function* readLines(graph: string, signal?: AbortSignal): AsyncGenerator<string> {
    checkGraph(graph)
    const { spool } = await turns.share(graph, () =>
      spooledGraph(graph, { reading, directory, signal }),
    )
    try {
      yield* chunksOf(spool.sorted())
    } finally {
      spool.close()
    }
  }

  const replaceStreamed: GraphStore['replaceStreamed'] = async (graph, lines, others, signal) => {
    checkGraph(graph)
    const after = await received(graph, lines, { directory, signal })
    const { dropped, rest } = dropsOf(others)
    const work = async () => {
      signal?.throwIfAborted()
      await landings.settled([graph])
      const { edits } = await landings.plan(rest)
      const isEmpty = after.bytes() === 0
      const before = isEmpty ? undefined : await spooledGraph(graph, { reading, directory, signal })
      try {
        const isCleared = isEmpty || before?.isStrange === true
        const sides = { graph, before: isCleared ? undefined : before, after }
        const parts = isEmpty
          ? undefined
          : await differenceParts(sides, dialect.fidelity, directory)
        try {
          const body = requestOf({ graph, parts, isCleared, dropped, edits })
          const send = () => landAlone(() => door.updateStreamed(body, signal))
          if (body.bytes > 0) await landings.watched([graph, ...dropped], send)
        } finally {
          if (parts) closeParts(parts)
        }
      } finally {
        before?.spool.close()
      }
    }
    try {
      await turns.take([graph, ...landings.contents(others)], work)
    } finally {
      after.close()
    }
  }

  return { readLines, replaceStreamed }
}
