/** How many may be at work at once, whichever hosts they are at. */

import { unlessAborted } from '../../workers/abort.ts'

/** Places for requests that stand for one purpose together; waiting for a host takes none. */
export type Room = {
  /** Resolves when there is a place, in order of arrival; what it gives is called to leave. Rejects with the signal's reason. */
  enter(signal: AbortSignal): Promise<() => void>
  /** The same without waiting; nothing when there is no place. */
  tryEnter(): (() => void) | undefined
}

export function room(places: number): Room {
  const waiting = new Set<() => void>()
  let free = places
  const leave = () => {
    const [first] = waiting
    if (first) waiting.delete(first)
    else free += 1
    first?.()
  }
  return {
    tryEnter: () => {
      if (free === 0) return undefined
      free -= 1
      return once(leave)
    },
    enter: async (signal) => {
      signal.throwIfAborted()
      if (free > 0) free -= 1
      else await turn(waiting, signal)
      return once(leave)
    },
  }
}

async function turn(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  waiting.add(resolve)
  await unlessAborted(promise, signal).catch((error: unknown) => {
    // Who was called in the moment of giving up has a place, and says so when it learns of its signal.
    if (waiting.delete(resolve)) throw error
  })
}

function once(work: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    work()
  }
}
