/** Slows measurements and pages down while requests write. */

import type { FetchHandler } from '../http/app.ts'
import { KeyedLock } from '../workers/keyed-lock.ts'
import type { Pause } from '../workers/pause.ts'

/** Throttle of background work. */
export type BackgroundThrottle = {
  /** Wraps a handler, and counts its writing requests: all but GET and HEAD. */
  readonly countWrites: (handler: FetchHandler) => FetchHandler
  /** Whether a request writes now, or wrote within the last second. */
  readonly isActive: () => boolean
  /** Waits until no request writes, at most a tenth of a second. */
  readonly waitForGap: (signal: AbortSignal) => Promise<void>
  /**
   * Runs the work with the number of datasets that it may read or write at once. While `isActive`, it first waits for other work,
   * rests and waits like `waitForGap`.
   */
  readonly turn: <T>(work: (most: number) => Promise<T>, signal: AbortSignal) => Promise<T>
}

/** Milliseconds between two checks for writing requests. */
const lookMs = 2
/** Maximum number of checks before the work continues in spite of writers. */
const mostLooks = 50
/** Milliseconds after a write in which another one is expected. */
const expectedMs = 1000
/** Datasets at once while a write is expected, after a rest in milliseconds; and while none is. */
const few = 3
const restMs = 8
const many = 64

type Time = {
  /** Milliseconds of a clock that only goes forward. */
  readonly elapsed: () => number
  readonly pause: Pause
}

/** Makes the throttle that measurements and pages of the process share; without writing requests it delays nothing. */
export function backgroundThrottle({ elapsed, pause }: Time): BackgroundThrottle {
  let activeWriters = 0
  let lastWrite = -Infinity
  const isWriting = () => activeWriters > 0
  const isActive = () => isWriting() || elapsed() - lastWrite < expectedMs
  // While clients write, one work of `turn` runs at a time, so that a write waits for one at most.
  const lock = new KeyedLock()
  const waitForGap = async (signal: AbortSignal) => {
    for (let looks = 0; isWriting() && looks < mostLooks; looks += 1) await pause(lookMs, signal)
  }
  return {
    isActive,
    waitForGap,
    countWrites: (handler) => ({
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
      if (!isActive()) return work(many)
      const inTurn = async () => {
        // The rest leaves time to writers.
        await pause(restMs, signal)
        await waitForGap(signal)
        return work(isActive() ? few : many)
      }
      return lock.run(['background'], inTurn, signal)
    },
  }
}
