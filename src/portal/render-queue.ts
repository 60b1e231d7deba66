/**
 * Limits how many pages and files are made at the same time, so that crowds of crawlers wait or are refused, and writing clients
 * have precedence.
 */

import { Failure } from '../errors.ts'
import { inProcess, isLoopback, machineOf } from '../http/peer.ts'
import { FairLimiter } from '../workers/fair-limiter.ts'

/** Queue of pages and files, as `renderQueue` makes it. */
export type RenderQueue = ReturnType<typeof renderQueue>

/** Clients that write through the API of the platform. */
export type ExternalWriters = {
  /** Whether a client writes now or has just written. */
  readonly isActive: () => boolean
  /** Waits until no request writes, for a bounded time. */
  readonly waitForGap: (signal: AbortSignal) => Promise<void>
}

const noWriters: ExternalWriters = { isActive: () => false, waitForGap: () => Promise.resolve() }

/** Most pages at the same time, and waiting; one client has at most half of each, readers on this host have no such limit. */
const [mostRenders, mostWaiting] = [16, 64]

/** Most pages at the same time while clients write. */
const rendersBesideWriters = 3

/**
 * Milliseconds after which a page probably waits for another host or a long query, and frees its place among
 * `rendersBesideWriters`.
 */
const slowMs = 100

/**
 * Makes the queue. While clients write, few pages are made at the same time, each waits for a gap between two writes before it
 * begins, and a page that takes longer than `slow` ms does not hold back the next one.
 */
export function renderQueue(writers = noWriters, slow = slowMs) {
  const limiter = new FairLimiter({
    atOnce: mostRenders,
    perClient: mostRenders / 2,
    waiting: mostWaiting,
    waitingPerClient: mostWaiting / 2,
    refusal: () => {
      const detail = 'too many requests at once: try again in a moment'
      return new Failure('queue-full', detail, { retryAfter: 5 })
    },
  })
  const turns = new FairLimiter({ atOnce: rendersBesideWriters, waiting: mostRenders })
  // A proxy on this host may forward requests of many readers, so each of its requests counts as a client of its own.
  let local = 0
  const readerOf = (client: string) =>
    client === inProcess || isLoopback(client) ? `local ${(local += 1)}` : machineOf(client)
  const inTurn = async <Result>(
    client: string,
    work: () => Promise<Result>,
    signal: AbortSignal,
  ) => {
    if (!writers.isActive()) return work()
    const release = await turns.take(client, signal)
    const timer = setTimeout(release, slow)
    try {
      await writers.waitForGap(signal)
      return await work()
    } finally {
      clearTimeout(timer)
      release()
    }
  }
  return {
    /** Whether a further request would be refused. */
    isFull: () => limiter.isFull,
    /** Runs the work in its turn. Rejects with `queue-full` where too many wait, and with the signal's reason. */
    run: <Result>(
      work: () => Promise<Result>,
      signal: AbortSignal,
      client = inProcess,
    ): Promise<Result> => {
      const reader = readerOf(client)
      return limiter.run(reader, () => inTurn(reader, work, signal), signal)
    },
  }
}
