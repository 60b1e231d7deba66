/** Feeds the projector with many resources that nobody wrote, a few at a time. */

import { conditionVariable } from '../workers/condition.ts'
import type { Pause } from '../workers/pause.ts'

/** Where the resources go, and how many may be on their way. */
export type ProjectResourcesContext = {
  /** Resolves when the resource is indexed; `undefined` when there is no room now. */
  readonly submit: (resource: string) => Promise<void> | undefined
  readonly pause: Pause
  /** Resources that wait at a time: enough for the next batch while one is projected. One that fails again and again takes one place. */
  readonly maxInFlight?: number
  /** Called now and then with the number of resources that are done. */
  readonly progress?: (done: number) => void
}

/** Four times the usual batch. */
const standardWindow = 400
/** Milliseconds, when the projector is full. */
const fullMs = 1000
/** Resources between two calls of `progress`. */
const progressEvery = 200

/** Resolves with their number when all resources of all pages are indexed; rejects with the signal's reason when it fires. */
export async function projectResources(
  pages: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
  { submit, pause, progress, maxInFlight = standardWindow }: ProjectResourcesContext,
  signal: AbortSignal,
): Promise<number> {
  const moved = conditionVariable()
  const count = { fed: 0, done: 0 }
  const ended = () => {
    count.done += 1
    moved.notify()
  }
  const below = async (most: number) => {
    while (count.fed - count.done > most) await moved.next(signal)
    signal.throwIfAborted()
  }
  for await (const page of pages)
    for (const resource of page) {
      let taken = submit(resource)
      while (!taken) {
        await pause(fullMs, signal)
        signal.throwIfAborted()
        taken = submit(resource)
      }
      count.fed += 1
      void taken.then(ended)
      await below(maxInFlight)
      if (count.fed % progressEvery === 0) progress?.(count.done)
    }
  await below(0)
  progress?.(count.done)
  return count.done
}
