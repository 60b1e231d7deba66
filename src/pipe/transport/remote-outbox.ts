/** Messages on their way to one segment: several at once, and no more when it is plain that none arrives. */

import { Failure, type Kind } from '../../errors.ts'
import { conditionVariable } from '../../workers/condition.ts'
import type { Pipe } from '../document.ts'

/** Hands one message over; throws `Failure` when that is given up. */
export type Post = (message: Pipe, signal: AbortSignal) => Promise<void>

export type Outbox = {
  /** Resolves when the message is under way; `done` is called when it has arrived, or with why it did not. */
  send(message: Pipe, done: (failure?: Failure) => void): Promise<void>
  /** Resolves when nothing is under way any more. */
  drained(): Promise<void>
}

/** No other message would fare better. */
const hopeless: ReadonlySet<Kind> = new Set([
  'address-refused',
  'source-refused',
  'source-not-found',
  'unknown-segment',
])
const mostInARow = 10

/** Both methods throw, from then on, what makes the whole journey pointless. */
export function outbox(post: Post, inFlight: number, signal: AbortSignal): Outbox {
  const changed = conditionVariable()
  const under = new Set<Promise<void>>()
  let inARow = 0
  const state: { over?: { readonly why: unknown } } = {}
  const fly = async (message: Pipe, done: (failure?: Failure) => void): Promise<void> => {
    try {
      await post(message, signal)
      inARow = 0
      done()
    } catch (error) {
      if (!(error instanceof Failure) || signal.aborted) state.over ??= { why: error }
      else {
        inARow += 1
        if (hopeless.has(error.kind) || inARow >= mostInARow) state.over ??= { why: error }
        done(error)
      }
    }
  }
  const check = () => {
    signal.throwIfAborted()
    if (state.over) throw state.over.why
  }
  return {
    async send(message, done) {
      while (under.size >= inFlight && !state.over) await changed.next(signal)
      check()
      const flight = fly(message, done).finally(() => {
        under.delete(flight)
        changed.notify()
      })
      under.add(flight)
    },
    async drained() {
      await Promise.all(under)
      check()
    },
  }
}
