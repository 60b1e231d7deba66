/** How many pages and files are made at once: a crowd of crawlers waits or is refused, and never slows down those who write. */

import { Failure } from '../errors.ts'
import { inProcess, isLoopback, machineOf } from '../http/peer.ts'
import { FairLimiter } from '../workers/fair-limiter.ts'
import { Semaphore } from '../workers/semaphore.ts'

export type RenderQueue = ReturnType<typeof renderQueue>

/** Those who write from outside. */
export type ExternalWriters = {
  /** Whether one is here, or has been a moment ago. */
  readonly isActive: () => boolean
  /** Waits until none is here, though never long. */
  readonly waitForGap: (signal: AbortSignal) => Promise<void>
}

const noWriters: ExternalWriters = { isActive: () => false, waitForGap: () => Promise.resolve() }

/** At once, and waiting; half of each is the most that one client has. */
const [mostRenders, mostWaiting] = [16, 64]

/** At once beside writers. */
const besideWriters = 3

/** Milliseconds after which a page is thought to wait for somebody else: a file for a preview, a long query. */
const slowMs = 100

/** While somebody writes, few pages are made at once, each begins between two writes, and a slow one does not keep the next one waiting. */
export function renderQueue(writers = noWriters, slow = slowMs) {
  const all = new FairLimiter({
    atOnce: mostRenders,
    perClient: mostRenders / 2,
    waiting: mostWaiting,
    waitingPerClient: mostWaiting / 2,
    refusal: () => {
      const detail = 'too many requests at once: try again in a moment'
      return new Failure('queue-full', detail, { retryAfter: 5 })
    },
  })
  const turns = new Semaphore(besideWriters)
  // Behind this host there may be a proxy, and behind that many readers.
  let local = 0
  const readerOf = (client: string) =>
    client === inProcess || isLoopback(client) ? `local ${(local += 1)}` : machineOf(client)
  const inTurn = async <Result>(work: () => Promise<Result>, signal: AbortSignal) => {
    if (!writers.isActive()) return work()
    const release = await turns.acquire(signal)
    const late = setTimeout(release, slow)
    try {
      await writers.waitForGap(signal)
      return await work()
    } finally {
      clearTimeout(late)
      release()
    }
  }
  return {
    /** Whether so many wait already that one more is refused. */
    isFull: () => all.isFull,
    /** Does the work in its turn. Rejects with `queue-full` where so many wait already, and with the signal's reason. */
    run: <Result>(
      work: () => Promise<Result>,
      signal: AbortSignal,
      client = inProcess,
    ): Promise<Result> => all.run(readerOf(client), () => inTurn(work, signal), signal),
  }
}
