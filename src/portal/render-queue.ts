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

/** Milliseconds after which a page is thought to wait for somebody else: a file for a preview, a long query. */
const slowMs = 500

/** `isWriting`: whether somebody writes, or has a moment ago; pages that are slow do not keep others waiting then. */
export function renderQueue(isWriting: () => boolean, slow = slowMs): RenderQueue {
  const all = new Semaphore(mostRenders)
  const besideWriters = new Semaphore(mostBesideWriters)
  const run: RenderQueue['run'] = async (work, signal) => {
    if (!isWriting()) return work()
    const release = await besideWriters.acquire(signal)
    const late = setTimeout(release, slow)
    try {
      return await work()
    } finally {
      clearTimeout(late)
      release()
    }
  }
  return {
    isFull: () => all.waiting >= mostWaiting,
    run: (work, signal) => all.run(() => run(work, signal), signal),
  }
}
