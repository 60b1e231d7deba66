/** How long one answer is waited for: step by step, and all steps together. */

import { Failure } from '../errors.ts'

/** All in milliseconds. */
export type Deadlines = {
  /** Name, connection and TLS together. */
  readonly connectMs: number
  /** From the connection to the head of the answer. */
  readonly firstByteMs: number
  /** Between two pieces of the body. */
  readonly idleMs: number
  /** All waiting for one page together; time that the reader takes between pieces does not count. */
  readonly pageMs: number
}

type Step = keyof Deadlines

export type DeadlineClock = {
  readonly deadlines: Deadlines
  /** The work, or `source-timeout` when it takes longer than its step or than what is left of the page. */
  within<T>(work: Promise<T>, step: Step): Promise<T>
  /** Milliseconds that are left of the page. */
  left(): number
}

/**
 * Only waiting counts: a reader that writes records while the source holds the rest may take as long as it needs. The
 * work that was waited for in vain goes on; whoever asked for it breaks it off.
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

/** The work, or `source-timeout` after `ms` that names the limit. */
export function timeLimited<T>(
  work: Promise<T>,
  step: Step,
  limitMs: number,
  ms = limitMs,
): Promise<T> {
  // No race of promises: this runs several times in every request.
  return new Promise((resolve, reject) => {
    const end = () => reject(new Overdue(step, limitMs))
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

/** `source-timeout`: a step took longer than it may. */
export class Overdue extends Failure {
  readonly step: Step

  constructor(step: Step, limitMs: number) {
    super('source-timeout', words[step](`${limitMs / 1000} s`))
    this.step = step
  }
}

/** Longer timers of Node end at once. */
const longestTimer = 2 ** 31 - 1

const words: Readonly<Record<Step, (seconds: string) => string>> = {
  connectMs: (seconds) => `no connection within ${seconds}`,
  firstByteMs: (seconds) => `no answer within ${seconds}`,
  idleMs: (seconds) => `nothing more came for ${seconds}`,
  pageMs: (seconds) => `the page took longer than ${seconds}`,
}

/** The numbers that bound outbound requests. */
export type OutboundLimits = {
  readonly deadlines: Deadlines
  readonly attempts: number
  readonly retryAfterMaxMs: number
  readonly hostConcurrency: number
  readonly hostDelayMs: number
  /** Most bytes out per byte in of a compressed body, after the first megabyte. */
  readonly bodyRatio: number
  /** Hosts whose robots.txt is remembered, and characters of their rules together. */
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
