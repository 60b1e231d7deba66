/** How long one answer is waited for: step by step, and all steps together. */

import { Failure } from '../errors.ts'
import type { Deadlines } from './limits.ts'

export type Pause = (milliseconds: number, signal: AbortSignal) => Promise<void>

type Step = 'connectMs' | 'firstByteMs' | 'idleMs'

export type Patience = {
  /** The work, or `source-timeout` when it takes longer than its step or than what is left of the page. */
  within<T>(work: Promise<T>, step: Step): Promise<T>
}

type Clock = { readonly now: () => number; readonly pause: Pause }

/**
 * Only waiting counts: a reader that writes records while the source holds the rest may take as long as it needs. The
 * work that was waited for in vain goes on; whoever asked for it breaks it off.
 */
export function patience(deadlines: Deadlines, { now, pause }: Clock): Patience {
  let spent = 0
  return {
    within: async (work, step) => {
      const left = Math.max(0, Math.min(deadlines[step], deadlines.pageMs - spent))
      const start = now()
      const stop = new AbortController()
      const late = pause(left, stop.signal).then(() => {
        throw timedOut(deadlines, left < deadlines[step] ? 'pageMs' : step)
      })
      try {
        return await Promise.race([work, late])
      } finally {
        spent += now() - start
        stop.abort()
      }
    },
  }
}

function timedOut(deadlines: Deadlines, key: keyof Deadlines): Failure {
  const seconds = `${deadlines[key] / 1000} s`
  const words = {
    connectMs: `no connection within ${seconds}`,
    firstByteMs: `no answer within ${seconds}`,
    idleMs: `nothing more came for ${seconds}`,
    pageMs: `the page took longer than ${seconds}`,
  } as const
  return new Failure('source-timeout', words[key])
}
