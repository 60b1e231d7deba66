/** The worker's side of what can go wrong: failures that the main thread can pass on, and events for its log. */

import { Failure } from '../../errors.ts'
import { emit } from '../../workers/serve.ts'
import { isDamage } from './index-file.ts'
import type { WorkerEvent } from './worker-messages.ts'

/** Thrown inside a worker when nobody waits for the answer any more. */
export class Cancelled extends Error {}

/** Does the work of a call; what it throws becomes a `Failure`, and is reported. `isAtFault` says whether the file is. */
export function reported<Result>(
  work: () => Result,
  isAtFault: (error: unknown) => boolean = isDamage,
): Result {
  try {
    return work()
  } catch (error) {
    const retryAfter = 10
    if (error instanceof Cancelled)
      throw new Failure('time-limit', 'the search took too long and was stopped', { retryAfter })
    const damaged = isAtFault(error)
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    emit({ damaged, message } satisfies WorkerEvent)
    const detail = damaged
      ? 'the search index is damaged; it is built again'
      : 'the search index could not answer'
    throw new Failure('engine-unavailable', detail, { retryAfter })
  }
}
