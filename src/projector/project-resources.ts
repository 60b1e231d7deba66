/** Projects many resources again with a bounded number in flight, for fillings, cascades, comparisons and operators. */

import { conditionVariable } from '../workers/condition.ts'
import type { Pause } from '../workers/pause.ts'

/** Functions to submit resources and to wait, and the limits. */
export type ProjectResourcesContext = {
  /** Submits a resource; resolves when it is indexed. `undefined` when the projector is full. */
  readonly submit: (resource: string) => Promise<void> | undefined
  readonly pause: Pause
  /**
   * Maximum number of resources in flight, 400 by default: enough for the next batch while one is projected. A resource that
   * fails repeatedly takes one place.
   */
  readonly maxInFlight?: number
  /** Called from time to time with the number of indexed resources. */
  readonly progress?: (done: number) => void
}

/** Four batches of the usual size. */
const standardWindow = 400
/** Milliseconds before the next attempt when the projector is full. */
const retryMs = 1000
/** Resources between two calls of `progress`. */
const progressEvery = 200

/**
 * Submits all resources of all pages; resolves with their number when they are indexed, rejects with the reason of the signal.
 */
export async function projectResources(
  pages: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
  { submit, pause, progress, maxInFlight = standardWindow }: ProjectResourcesContext,
  signal: AbortSignal,
): Promise<number> {
  const changed = conditionVariable()
  const count = { submitted: 0, done: 0 }
  const onIndexed = () => {
    count.done += 1
    changed.notify()
  }
  const waitUntilBelow = async (limit: number) => {
    while (count.submitted - count.done > limit) await changed.next(signal)
    signal.throwIfAborted()
  }
  for await (const page of pages)
    for (const resource of page) {
      let indexed = submit(resource)
      while (!indexed) {
        await pause(retryMs, signal)
        signal.throwIfAborted()
        indexed = submit(resource)
      }
      count.submitted += 1
      indexed.then(onIndexed, onIndexed)
      await waitUntilBelow(maxInFlight)
      if (count.submitted % progressEvery === 0) progress?.(count.done)
    }
  await waitUntilBelow(0)
  progress?.(count.done)
  return count.done
}
