/**
 * Time-outs of outgoing HTTP requests, per step and in total, and the default limits of the outbound client. A page is an attempt
 * of the outbound client with its redirects, or a whole call of a service.
 */

import { Failure } from '../errors.ts'

/** Time-outs in ms. */
export type Deadlines = {
  /** Name resolution, connection and TLS together. */
  readonly connectMs: number
  /** From the connection to the head of the response. */
  readonly firstByteMs: number
  /** Between two chunks of the body. */
  readonly idleMs: number
  /**
   * Total waiting time of one page, without the wait for the slot of a foreign host and the time that the reader takes between
   * chunks.
   */
  readonly pageMs: number
}

/** Step of a request, named by its time-out. */
type Step = keyof Deadlines

/** Clock of one page: enforces the time-outs of its steps and adds up the time spent waiting. */
export type DeadlineClock = {
  readonly deadlines: Deadlines
  /** Awaits the work. Rejects with `source-timeout` after the time-out of the step or of the page. */
  within<T>(work: Promise<T>, step: Step): Promise<T>
  /** Remaining ms of the page. */
  remainingMs(): number
}

/**
 * Creates the clock of a page. It measures only waiting, so that a slow reader does not cause a time-out. The caller has to
 * abort work that timed out.
 */
export function deadlineClock(deadlines: Deadlines, now: () => number): DeadlineClock {
  let spentMs = 0
  const remainingMs = () => Math.max(0, deadlines.pageMs - spentMs)
  return {
    deadlines,
    remainingMs,
    within: async (work, step) => {
      const start = now()
      const limitingStep: Step = remainingMs() < deadlines[step] ? 'pageMs' : step
      try {
        return await timeLimited(
          work,
          limitingStep,
          deadlines[limitingStep],
          Math.min(deadlines[step], remainingMs()),
        )
      } finally {
        spentMs += now() - start
      }
    },
  }
}

/** Awaits the work. Rejects after `ms` with a `source-timeout` whose message names the step and `limitMs`. */
export function timeLimited<T>(
  work: Promise<T>,
  step: Step,
  limitMs: number,
  ms = limitMs,
): Promise<T> {
  // Avoids `Promise.race`, because this runs several times per request.
  return new Promise((resolve, reject) => {
    const onTimeout = () => reject(new StepTimeout(step, limitMs))
    const timer = setTimeout(onTimeout, Math.min(ms, longestTimer))
    const clearThen = <Value>(settle: (value: Value) => void) => {
      return (value: Value) => {
        clearTimeout(timer)
        settle(value)
      }
    }
    work.then(clearThen(resolve), clearThen(reject))
  })
}

/** Time-out of a step, a `source-timeout`. */
export class StepTimeout extends Failure {
  readonly step: Step

  constructor(step: Step, limitMs: number) {
    super('source-timeout', messages[step](`${limitMs / 1000} s`))
    this.step = step
  }
}

/** Longest timer of Node; longer ones fire at once. */
const longestTimer = 2 ** 31 - 1

const messages: Readonly<Record<Step, (seconds: string) => string>> = {
  connectMs: (seconds) => `no connection within ${seconds}`,
  firstByteMs: (seconds) => `no answer within ${seconds}`,
  idleMs: (seconds) => `nothing more came for ${seconds}`,
  pageMs: (seconds) => `the page took longer than ${seconds}`,
}

/** Default limits of outbound requests; a request may override some of them. */
export type OutboundLimits = {
  readonly deadlines: Deadlines
  /** Maximum number of attempts of a repeatable request. */
  readonly attempts: number
  /** Longest `Retry-After` to wait for, in ms. */
  readonly retryAfterMaxMs: number
  /** Maximum number of parallel requests to one host. */
  readonly hostConcurrency: number
  /** Minimum ms between the starts of two requests to one host. */
  readonly hostDelayMs: number
  /** Maximum ratio of decompressed to compressed bytes of a body, after the first megabyte. */
  readonly bodyRatio: number
  /** Size of the robots.txt cache: characters of all rules, and 500 for each file. */
  readonly robotsCharacters: number
}

/** Limits of a client whose options set no others. */
export const outboundLimits: OutboundLimits = {
  deadlines: { connectMs: 10_000, firstByteMs: 120_000, idleMs: 30_000, pageMs: 600_000 },
  attempts: 4,
  retryAfterMaxMs: 600_000,
  hostConcurrency: 2,
  hostDelayMs: 200,
  bodyRatio: 100,
  robotsCharacters: 8_000_000,
}
