/** How many pages and files are made at once: a crowd of crawlers waits or is refused, and never slows down those who write. */

import { Failure } from '../errors.ts'
import { Semaphore } from '../workers/semaphore.ts'

export type RenderQueue = ReturnType<typeof renderQueue>

/** Those who write from outside. */
export type Writers = {
  /** Whether one is here, or has been a moment ago. */
  readonly isExpected: () => boolean
  /** Waits until none is here, though never long. */
  readonly gap: (signal: AbortSignal) => Promise<void>
}

const nobody: Writers = { isExpected: () => false, gap: () => Promise.resolve() }

/** At once, and waiting. */
const [mostRenders, mostWaiting] = [16, 64]

/** Milliseconds after which a page is thought to wait for somebody else: a file for a preview, a long query. */
const slowMs = 100

/** While somebody writes, pages begin one after the other, between two writes; a slow one does not keep the next one waiting. */
export function renderQueue(writers = nobody, slow = slowMs) {
  const all = new Semaphore(mostRenders)
  const turns = new Semaphore(1)
  const inTurn = async <Result>(work: () => Promise<Result>, signal: AbortSignal) => {
    if (!writers.isExpected()) return work()
    const release = await turns.acquire(signal)
    const late = setTimeout(release, slow)
    try {
      await writers.gap(signal)
      return await work()
    } finally {
      clearTimeout(late)
      release()
    }
  }
  /** Whether so many wait already that one more is refused. */
  const isFull = () => all.waiting >= mostWaiting
  return {
    isFull,
    /** Does the work in its turn. Rejects with `queue-full` where so many wait already, and with the signal's reason. */
    run: async <Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> => {
      const detail = 'too many requests at once: try again in a moment'
      if (isFull()) throw new Failure('queue-full', detail, { retryAfter: 5 })
      return all.run(() => inTurn(work, signal), signal)
    },
  }
}
