/** Runs the segments of one run as connected async generators; each is at most one message ahead of the next. */

import { Failure } from '../errors.ts'
import { unlessAborted } from '../workers/condition.ts'
import type { Message } from './message.ts'
import type { SegmentContext, SegmentFunction } from './segment.ts'

/**
 * Runs the steps to their end with back-pressure: a step is asked for a message only when the next one wants it. The first
 * error of a step, or the signal, aborts all steps, waits for them to close, and rejects with that error or the signal's
 * reason. The wait for steps that ignore the signal ends when the promise of `grace` resolves.
 *
 * Every stream between two steps ends with exactly one `end` message. If a step returns without one, an incomplete end is
 * added; if a step sends messages after it, the chain rejects with `internal`, because removals depend on that message.
 */
export async function chain(
  steps: readonly SegmentFunction[],
  context: SegmentContext,
  signal: AbortSignal,
  grace: () => Promise<void> = () => new Promise(() => undefined),
): Promise<void> {
  const chainEnded = new AbortController()
  const stepSignal = AbortSignal.any([signal, chainEnded.signal])
  const iterators: AsyncIterator<Message>[] = []
  let flow: AsyncIterable<Message> = noMessages()
  for (const [index, step] of steps.entries()) {
    const iterator = step(flow, context, stepSignal)[Symbol.asyncIterator]()
    iterators.push(iterator)
    const messages = untilAborted(iterator, stepSignal)
    flow = index < steps.length - 1 ? withOneEnd(messages) : messages
  }
  try {
    signal.throwIfAborted()
    for await (const _ of flow) {
      // Messages of the last step are dropped.
    }
  } catch (error) {
    // After an abort, steps may throw anything; the reason of the signal is the real cause.
    const reason: unknown = signal.aborted ? signal.reason : error
    chainEnded.abort(reason)
    throw reason
  } finally {
    chainEnded.abort(new Failure('run-cancelled', 'the chain has ended'))
    // `return` of a generator waits until its current step reaches a `yield`.
    const closed = Promise.allSettled(iterators.map(async (iterator) => iterator.return?.()))
    await Promise.race([closed, grace()])
  }
}

async function* noMessages(): AsyncGenerator<Message> {}

/**
 * Wraps an iterator so that a pending `next` rejects as soon as the signal fires, even if the source never answers. It is no
 * generator, because `return` of a generator waits for its pending `next`.
 */
export const untilAborted = <Value>(
  iterator: AsyncIterator<Value>,
  signal: AbortSignal,
): AsyncIterable<Value> => ({
  [Symbol.asyncIterator]: () => ({
    next: async () => {
      signal.throwIfAborted()
      return unlessAborted(iterator.next(), signal)
    },
    return: async () => {
      const closed = Promise.resolve(iterator.return?.())
      await unlessAborted(closed, signal).catch(() => undefined)
      return { done: true, value: undefined }
    },
  }),
})

/** Passes messages on and ensures that the stream ends with exactly one `end`. */
async function* withOneEnd(source: AsyncIterable<Message>): AsyncGenerator<Message> {
  let end: Message | undefined
  for await (const message of source) {
    if (end) throw new Failure('internal', 'a segment sent messages after the end of its stream')
    if (message.kind === 'end') end = message
    else yield message
  }
  // The `end` is sent only here, after the source has returned.
  const problem = new Failure(
    'internal',
    'a segment ended without saying whether its records are complete',
  )
  yield end ?? { kind: 'end', completeness: { kind: 'incomplete', problem } }
}
