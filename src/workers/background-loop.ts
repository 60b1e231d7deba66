/** Background loop: repeats work with pauses until it is stopped; a failure is logged and never ends it. */

import { Failure } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Pause } from './pause.ts'

/** A running loop. The code that started it stops it. */
export type BackgroundLoop = {
  /** Begins the next round now, or as soon as the current one has ended. */
  readonly wake: () => void
  /** Aborts the signal of the work; resolves when the current round has ended. */
  readonly stop: () => Promise<void>
}

type LoopOptions = {
  readonly log: Log
  readonly pause: Pause
  /** Milliseconds until the first round, by default those between two rounds. With 0 it begins before the call returns. */
  readonly firstMs?: number
  /** Milliseconds after the first failure, by default those between two rounds; they double with each further one. */
  readonly retryMs?: number
  /** The longest pause after a failure, unless `retryMs` is longer; by default 10,000. */
  readonly longestRetryMs?: number
}

/** One round. A number is the milliseconds until the next round, in place of the usual ones: 0 = at once, `Infinity` = at `wake`. */
type Round = (signal: AbortSignal) => Promise<number | void> | number | void

/** Least milliseconds before the next try, from the failure of an overloaded service. */
export const askedPauseMs = (error: unknown): number | undefined =>
  error instanceof Failure ? error.pauseMs : undefined

/** The longest time that a timer of Node can wait. */
const longestTimerMs = 2 ** 31 - 1

/**
 * Repeats the work every so many milliseconds; with `Infinity` only when it is woken. `name` is the log event of a round that
 * failed, after which the loop waits longer and longer and then goes on.
 */
export function backgroundLoop(
  name: string,
  everyMs: number,
  work: Round,
  { log, pause, firstMs = everyMs, retryMs = everyMs, longestRetryMs = 10_000 }: LoopOptions,
): BackgroundLoop {
  const stopping = new AbortController()
  const { signal } = stopping
  let waking = new AbortController()
  let failures = 0
  const round = async (): Promise<number> => {
    try {
      const nextMs = (await work(signal)) ?? everyMs
      failures = 0
      return nextMs
    } catch (err) {
      if (signal.aborted) return 0
      const ownMs = Math.min(retryMs * 2 ** failures, Math.max(retryMs, longestRetryMs))
      const ms = Math.max(ownMs, askedPauseMs(err) ?? 0)
      failures += 1
      log.error({ err, retryInMs: ms }, name)
      return ms
    }
  }
  const waitFor = async (ms: number) => {
    // Rejects when the loop is woken or stopped.
    if (ms < Infinity)
      await pause(Math.min(ms, longestTimerMs), waking.signal).catch(() => undefined)
    else await aborted(waking.signal)
    waking = new AbortController()
  }
  const run = async () => {
    if (firstMs > 0) await waitFor(firstMs)
    while (!signal.aborted) {
      const ms = await round()
      if (!signal.aborted && ms > 0) await waitFor(ms)
    }
  }
  const running = run()
  return {
    wake: () => waking.abort(),
    stop: async () => {
      stopping.abort()
      waking.abort()
      await running
    },
  }
}

/** Resolves when the signal fires. */
const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
