/** Waiting for the next change of something. */

import { unlessAborted } from '../../../workers/abort.ts'

export type Bell = {
  ring(): void
  /** Resolves at the next ring; rejects with the signal's reason. */
  next(signal?: AbortSignal): Promise<void>
}

export function bell(): Bell {
  let coming = Promise.withResolvers<void>()
  return {
    ring() {
      coming.resolve()
      coming = Promise.withResolvers<void>()
    },
    next: (signal) => (signal ? unlessAborted(coming.promise, signal) : coming.promise),
  }
}
