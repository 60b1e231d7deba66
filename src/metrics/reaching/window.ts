/** How much may be under way in a segment that works ahead, in the size of what it holds. */

import { unlessAborted } from '../../workers/abort.ts'
import type { Message } from '../../pipe/message.ts'
import type { SegmentContext, SegmentFunction } from '../../pipe/segment.ts'

export type Window = {
  /** What may be held at once; a single message may weigh more. */
  readonly most: number
  readonly weigh: (message: Message, context: SegmentContext) => Promise<number>
}

/**
 * The segment, which gives exactly one message for each that it takes and keeps their order, takes another one only when
 * the weight of those that it holds leaves room.
 */
export const within = ({ most, weigh }: Window, run: SegmentFunction): SegmentFunction =>
  async function* (input, context, signal) {
    const weights: number[] = []
    let held = 0
    let wake: (() => void) | undefined
    const isFull = (weight: number) => held > 0 && held + weight > most
    async function* entering(): AsyncGenerator<Message> {
      for await (const message of input) {
        const weight = await weigh(message, context)
        while (isFull(weight)) {
          const { promise, resolve } = Promise.withResolvers<void>()
          wake = resolve
          await unlessAborted(promise, signal)
        }
        weights.push(weight)
        held += weight
        yield message
      }
    }
    for await (const message of run(entering(), context, signal)) {
      yield message
      held -= weights.shift() ?? 0
      wake?.()
    }
  }
