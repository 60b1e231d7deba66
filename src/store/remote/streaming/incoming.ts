/** A new content on its way in: checked line by line, and kept on disk until it is compared. */

import { setImmediate } from 'node:timers/promises'
import { triplesOf } from '../../lines.ts'
import { openScratch, type Scratch } from '../../spool/scratch.ts'
import { checkReserved } from '../writing/parts.ts'

/** All of it; the caller closes what it gets. `Failure` invalid-content for what is no ground triple. */
export async function received(
  graph: string,
  lines: AsyncIterable<string>,
  { directory, signal }: { readonly directory: string; readonly signal: AbortSignal | undefined },
): Promise<Scratch> {
  const scratch = openScratch(directory)
  try {
    let last = ''
    for await (const chunk of lines) {
      signal?.throwIfAborted()
      checkReserved(graph, chunk)
      for (const line of triplesOf(chunk)) {
        if (line <= last) throw new Error('streamed lines must be sorted and without doubles')
        last = line
      }
      scratch.append(chunk)
      await setImmediate()
    }
    return scratch
  } catch (error) {
    scratch.close()
    throw error
  }
}
