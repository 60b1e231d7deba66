/** Background work (exports, measurements) gives way to those who write from outside. */

import type { FetchHandler } from '../http/app.ts'
import { Semaphore } from '../workers/semaphore.ts'
import type { Pause } from '../workers/pause.ts'

export type BackgroundThrottle = {
  /** The same handler, whose writers go first. */
  readonly front: (handler: FetchHandler) => FetchHandler
  /** Whether a writer is here, or has been a moment ago. */
  readonly isExpected: () => boolean
  /** Waits until nobody writes, though never long. */
  readonly gap: (signal: AbortSignal) => Promise<void>
  /** Waits until nobody writes, though never long, and says to the work how much may be done at once then. */
  readonly turn: <T>(work: (most: number) => Promise<T>, signal: AbortSignal) => Promise<T>
}

const lookMs = 2
/** Many writers must not stop the work for ever. */
const mostLooks = 50
/** A writer is here or has been lately: the next one is expected. */
const expectedMs = 1000
/** Datasets at once, when a writer is expected and when none is; in the first case also milliseconds of rest before them. */
const few = 3
const restMs = 8
const many = 64
/** Background works at once when a writer is expected: a writer waits for one of them then, not for all. */
const mostWorks = 1

type Time = {
  /** Milliseconds of a clock that only goes forward. */
  readonly elapsed: () => number
  readonly pause: Pause
}

/** One for all background work of the process; nothing is held up while nobody writes. */
export function backgroundThrottle({ elapsed, pause }: Time): BackgroundThrottle {
  let activeWriters = 0
  let lastWrite = -Infinity
  const isWriting = () => activeWriters > 0
  const isExpected = () => isWriting() || elapsed() - lastWrite < expectedMs
  const quietly = new Semaphore(mostWorks)
  const gap = async (signal: AbortSignal) => {
    for (let looks = 0; isWriting() && looks < mostLooks; looks += 1) await pause(lookMs, signal)
  }
  return {
    isExpected,
    gap,
    front: (handler) => ({
      fetch: async (request, env) => {
        if (request.method === 'GET' || request.method === 'HEAD')
          return handler.fetch(request, env)
        activeWriters += 1
        try {
          return await handler.fetch(request, env)
        } finally {
          activeWriters -= 1
          lastWrite = elapsed()
        }
      },
    }),
    turn: async (work, signal) => {
      if (!isExpected()) return work(many)
      const end = await quietly.acquire(signal)
      try {
        // Half of the time nobody works in the background then, so that a writer mostly has to wait for nobody.
        await pause(restMs, signal)
        await gap(signal)
        return await work(isExpected() ? few : many)
      } finally {
        end()
      }
    },
  }
}
