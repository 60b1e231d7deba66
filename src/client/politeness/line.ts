/** A queue in front of a door: one decides at a time, in order of arrival, and may leave the queue at any time. */

import { unlessAborted } from '../../workers/abort.ts'

export type Line = {
  /** Resolves when it is our turn; to be ended by calling what it gives. Rejects with the signal's reason. */
  turn(signal: AbortSignal): Promise<() => void>
  /** The one whose turn it is waits until somebody says `changed`. */
  change(signal: AbortSignal): Promise<void>
  changed(): void
  busy(): boolean
}

export function line(): Line {
  let tail: Promise<void> = Promise.resolve()
  let waiting = 0
  let wake: (() => void) | undefined
  return {
    turn: async (signal) => {
      const before = tail
      const own = Promise.withResolvers<void>()
      tail = own.promise
      waiting += 1
      const next = () => {
        waiting -= 1
        own.resolve()
      }
      try {
        await unlessAborted(before, signal)
        return next
      } catch (error) {
        void moveUp(before, next)
        throw error
      }
    },
    change: async (signal) => {
      const changed = Promise.withResolvers<void>()
      wake = changed.resolve
      await unlessAborted(changed.promise, signal)
    },
    changed: () => {
      wake?.()
      wake = undefined
    },
    busy: () => waiting > 0,
  }
}

/** Who stands behind one that left moves up when those before it are done. */
async function moveUp(before: Promise<void>, next: () => void): Promise<void> {
  await before
  next()
}
