/** How many pages and files are made at once: a crowd of crawlers waits or is refused, and never slows down those who write. */

import { Semaphore } from '../workers/semaphore.ts'

export type RenderQueue = {
  /** Whether so many wait already that one more is refused. */
  readonly isFull: () => boolean
  /** Does the work in its turn. Rejects with the signal's reason. */
  readonly run: <Result>(work: () => Promise<Result>, signal: AbortSignal) => Promise<Result>
}

/** At once, at once while somebody writes, and waiting. */
const [mostRenders, mostBesideWriters, mostWaiting] = [16, 2, 64]

/** `isWriting`: whether somebody writes, or has a moment ago. */
export function renderQueue(isWriting: () => boolean): RenderQueue {
  const all = new Semaphore(mostRenders)
  const besideWriters = new Semaphore(mostBesideWriters)
  return {
    isFull: () => all.waiting >= mostWaiting,
    run: (work, signal) =>
      all.run(() => (isWriting() ? besideWriters.run(work, signal) : work()), signal),
  }
}
