/** Segments in one process: each reads from the one before it, and nobody is ahead of the slowest by more than one. */

import { Failure } from '../errors.ts'
import { unlessAborted } from '../workers/condition.ts'
import type { Message } from './message.ts'
import type { SegmentContext, SegmentFunction } from './segment.ts'

/**
 * Runs the steps to their end. A message is asked for only when the next step wants one. The first error of any step, or
 * the signal, ends all of them: each gets an aborted signal, a closed input, and is waited for; then the promise rejects
 * with that error, or with the signal's reason. `grace` bounds the waiting for steps that do not listen.
 *
 * Between two steps a stream ends with exactly one `end`: a step that stops without one is answered for by an
 * incomplete end, and one that goes on after it fails the run, because removals hang on that mark.
 */
export async function chain(
  steps: readonly SegmentFunction[],
  context: SegmentContext,
  signal: AbortSignal,
  grace: () => Promise<void> = () => new Promise(() => undefined),
): Promise<void> {
  const ended = new AbortController()
  const all = AbortSignal.any([signal, ended.signal])
  const iterators: AsyncIterator<Message>[] = []
  let flow: AsyncIterable<Message> = nothing()
  for (const [index, step] of steps.entries()) {
    const iterator = step(flow, context, all)[Symbol.asyncIterator]()
    iterators.push(iterator)
    const messages = untilAborted(iterator, all)
    flow = index < steps.length - 1 ? ending(messages) : messages
  }
  try {
    signal.throwIfAborted()
    for await (const _ of flow) {
      // What the last step gives has arrived.
    }
  } catch (error) {
    // What a step throws because it was told to stop is not the reason why it was told to.
    const reason: unknown = signal.aborted ? signal.reason : error
    ended.abort(reason)
    throw reason
  } finally {
    ended.abort(new Failure('run-cancelled', 'the chain has ended'))
    // A generator ends at its next `yield`; its `return` waits for that.
    const closed = Promise.allSettled(iterators.map(async (one) => one.return?.()))
    await Promise.race([closed, grace()])
  }
}

async function* nothing(): AsyncGenerator<Message> {}

/**
 * What the iterator gives; whoever waits for a value is released when the signal fires, even if the source sleeps on. No
 * generator: a message more on its way when a later step fails would be one that nobody gives up.
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

/** The stream with exactly one `end`, and that last. */
async function* ending(source: AsyncIterable<Message>): AsyncGenerator<Message> {
  let last: Message | undefined
  for await (const message of source) {
    if (last) throw new Failure('internal', 'a segment sent messages after the end of its stream')
    if (message.kind === 'end') last = message
    else yield message
  }
  // Only now is it known that nothing follows.
  const problem = new Failure(
    'internal',
    'a segment ended without saying whether its records are complete',
  )
  yield last ?? { kind: 'end', completeness: { kind: 'incomplete', problem } }
}
