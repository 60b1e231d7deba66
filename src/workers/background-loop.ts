/** Work that is done again and again while a part of the process is open; a failure never ends it. */

import type { Log } from '../log.ts'
import type { Pause } from './pause.ts'

/** A running loop, to be stopped by the one who started it. */
export type BackgroundLoop = {
  /** Begins the next round now, or as soon as the present one has ended. */
  readonly wake: () => void
  /** Aborts the signal of the work; resolves when the present round has ended. */
  readonly stop: () => Promise<void>
}

type LoopOptions = {
  readonly log: Log
  readonly pause: Pause
  /** Milliseconds after the first failure, by default those between two rounds; they double with each further one. */
  readonly retryMs?: number
}

/** The longest pause after a failure, unless `retryMs` is longer. */
const longestRetryMs = 10_000

/**
 * Does the work every so many milliseconds, the first time after as many. `name` is the log event of a round that failed, after
 * which the loop waits longer and longer and then goes on.
 */
export function backgroundLoop(
  name: string,
  everyMs: number,
  work: (signal: AbortSignal) => unknown,
  { log, pause, retryMs = everyMs }: LoopOptions,
): BackgroundLoop {
  const stopping = new AbortController()
  const { signal } = stopping
  let resting = new AbortController()
  let waitMs = everyMs
  let failures = 0
  const round = async () => {
    try {
      await work(signal)
      failures = 0
      waitMs = everyMs
    } catch (err) {
      if (signal.aborted) return
      waitMs = Math.min(retryMs * 2 ** failures, Math.max(retryMs, longestRetryMs))
      failures += 1
      log.error({ err, retryInMs: waitMs }, name)
    }
  }
  const run = async () => {
    while (!signal.aborted) {
      // Rejects when the loop is woken or stopped.
      await pause(waitMs, resting.signal).catch(() => undefined)
      resting = new AbortController()
      if (!signal.aborted) await round()
    }
  }
  const running = run()
  return {
    wake: () => resting.abort(),
    stop: async () => {
      stopping.abort()
      resting.abort()
      await running
    },
  }
}
