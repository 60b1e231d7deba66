/** Time-outs of a request: per step, and in total. */

import { Failure } from '../errors.ts'

/** Time-outs in ms. */
export type Deadlines = {
  /** Name resolution, connection and TLS together. */
  readonly connectMs: number
  /** From the connection to the head of the response. */
  readonly firstByteMs: number
  /** Between two chunks of the body. */
  readonly idleMs: number
  /** Total waiting time of one page, without the time that the reader takes between chunks. */
  readonly pageMs: number
}

type Step = keyof Deadlines

export type DeadlineClock = {
  readonly deadlines: Deadlines
  /** Awaits the work. Rejects with `source-timeout` after the time-out of the step or of the page. */
  within<T>(work: Promise<T>, step: Step): Promise<T>
  /** Remaining ms of the page. */
  left(): number
}

/**
 * Measures only waiting, so that a slow reader does not cause a time-out. Work that timed out is not aborted here; the caller
 * does that.
 */
export function deadlineClock(deadlines: Deadlines, now: () => number): DeadlineClock {
  let spent = 0
  const left = () => Math.max(0, deadlines.pageMs - spent)
  return {
    deadlines,
    left,
    within: async (work, step) => {
      const start = now()
      const nearest: Step = left() < deadlines[step] ? 'pageMs' : step
      try {
        return await timeLimited(
          work,
          nearest,
          deadlines[nearest],
          Math.min(deadlines[step], left()),
        )
      } finally {
        spent += now() - start
      }
    },
  }
}

/** Awaits the work. Rejects with `source-timeout`, which names the limit, after `ms`. */
export function timeLimited<T>(
  work: Promise<T>,
  step: Step,
  limitMs: number,
  ms = limitMs,
): Promise<T> {
  // Avoids `Promise.race`, because this runs several times per request.
  return new Promise((resolve, reject) => {
    const end = () => reject(new StepTimeout(step, limitMs))
    const timer = setTimeout(end, Math.min(ms, longestTimer))
    const done = <Value>(settle: (value: Value) => void) => {
      return (value: Value) => {
        clearTimeout(timer)
        settle(value)
      }
    }
    work.then(done(resolve), done(reject))
  })
}

/** Time-out of a step, a `source-timeout`. */
export class StepTimeout extends Failure {
  readonly step: Step

  constructor(step: Step, limitMs: number) {
    super('source-timeout', words[step](`${limitMs / 1000} s`))
    this.step = step
  }
}

/** Longest timer of Node; longer ones fire at once. */
const longestTimer = 2 ** 31 - 1

const words: Readonly<Record<Step, (seconds: string) => string>> = {
  connectMs: (seconds) => `no connection within ${seconds}`,
  firstByteMs: (seconds) => `no answer within ${seconds}`,
  idleMs: (seconds) => `nothing more came for ${seconds}`,
  pageMs: (seconds) => `the page took longer than ${seconds}`,
}

/** Limits of outbound requests. */
export type OutboundLimits = {
  readonly deadlines: Deadlines
  readonly attempts: number
  readonly retryAfterMaxMs: number
  readonly hostConcurrency: number
  readonly hostDelayMs: number
  /** Maximum ratio of decompressed to compressed bytes of a body, after the first megabyte. */
  readonly bodyRatio: number
  /** Number of cached robots.txt files, and the total characters of their rules. */
  readonly robotsCharacters: number
}

export const outboundLimits: OutboundLimits = {
  deadlines: { connectMs: 10_000, firstByteMs: 120_000, idleMs: 30_000, pageMs: 600_000 },
  attempts: 4,
  retryAfterMaxMs: 600_000,
  hostConcurrency: 2,
  hostDelayMs: 200,
  bodyRatio: 100,
  robotsCharacters: 8_000_000,
}
