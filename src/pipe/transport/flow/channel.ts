/** Messages that wait for one reader, bounded in number and weight by whoever asks before it puts. */

import { bell } from './bell.ts'

export type Channel<Value> = AsyncIterable<Value> & {
  /** Whether so much more may be put. An empty channel takes anything. */
  hasRoom(weight?: number): boolean
  /** Resolves when there is room; rejects with the signal's reason. */
  room(signal: AbortSignal): Promise<void>
  /** Adds whatever it is; nothing once the channel is closed. */
  put(value: Value, weight?: number): void
  /** The reader gets what is there, then the end or this error. */
  close(error?: unknown): void
  readonly isEmpty: boolean
}

export type ChannelBounds = { readonly messages: number; readonly weight?: number }

export function channel<Value>({
  messages,
  weight: most = Infinity,
}: ChannelBounds): Channel<Value> {
  const waiting: { readonly value: Value; readonly weight: number }[] = []
  const changed = bell()
  let total = 0
  const state: { closed?: { readonly error?: unknown } } = {}
  const hasRoom = (weight = 0) =>
    waiting.length === 0 || (waiting.length < messages && total + weight <= most)
  return {
    hasRoom,
    async room(signal) {
      while (!hasRoom() && !state.closed) await changed.next(signal)
    },
    put(value, weight = 0) {
      if (state.closed) return
      waiting.push({ value, weight })
      total += weight
      changed.ring()
    },
    close(error) {
      state.closed ??= error === undefined ? {} : { error }
      changed.ring()
    },
    get isEmpty() {
      return waiting.length === 0
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const first = waiting.shift()
        if (first) {
          total -= first.weight
          changed.ring()
          yield first.value
        } else if (state.closed) {
          if ('error' in state.closed) throw state.closed.error
          return
        } else await changed.next()
      }
    },
  }
}
