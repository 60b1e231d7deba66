/** Who may ask in public when: one query at a time or a few, few per client, few waiting. */

import { Failure } from '../../errors.ts'
import type { PublicAnswer, PublicQuery } from '../graph-store.ts'
import type { ReplicaJob } from './replica.ts'

export type PublicLimits = {
  /** Rows (or triples) and bytes of an answer; what is beyond is cut. */
  readonly rows: number
  readonly bytes: number
  /** Queries of one client, running and waiting. */
  readonly perClient: number
  /** Waiting queries of all clients. */
  readonly waiting: number
  /** Queries that run at the same time; one, when absent. */
  readonly lanes?: number
}

type Visit = {
  readonly job: ReplicaJob
  readonly settle: (outcome: Promise<PublicAnswer>) => void
}

const tooMany = (why: string) => new Failure('too-many-requests', why, { retryAfter: 5 })

/** Puts `run` behind the limits. `Failure` too-many-requests when there are too many, the signal's reason when aborted. */
export function publicDoor(run: (job: ReplicaJob) => Promise<PublicAnswer>, limits: PublicLimits) {
  const { lanes = 1 } = limits
  const clients = new Map<string, number>()
  const waiting: Visit[] = []
  let running = 0

  const count = (client: string, by: number) => {
    const now = (clients.get(client) ?? 0) + by
    if (now > 0) clients.set(client, now)
    else clients.delete(client)
  }

  async function next(): Promise<void> {
    if (running >= lanes) return
    running += 1
    for (let visit = waiting.shift(); visit; visit = waiting.shift()) {
      const outcome = run(visit.job)
      visit.settle(outcome)
      await Promise.allSettled([outcome])
      count(visit.job.request.client, -1)
    }
    running -= 1
  }

  return async (request: PublicQuery, signal?: AbortSignal): Promise<PublicAnswer> => {
    signal?.throwIfAborted()
    if ((clients.get(request.client) ?? 0) >= limits.perClient) {
      throw tooMany(`A client may have ${limits.perClient} queries at once (sparqlPerClient).`)
    }
    if (running >= lanes && waiting.length >= limits.waiting) {
      throw tooMany(`No more than ${limits.waiting} queries may wait (sparqlWaiting).`)
    }
    count(request.client, 1)
    const { promise, resolve, reject } = Promise.withResolvers<PublicAnswer>()
    const visit: Visit = {
      job: { request, rows: limits.rows, bytes: limits.bytes },
      settle: (outcome) => void outcome.then(resolve, reject),
    }
    const abort = () => {
      const at = waiting.indexOf(visit)
      if (at >= 0) {
        waiting.splice(at, 1)
        count(request.client, -1)
      }
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', abort, { once: true })
    waiting.push(visit)
    void next()
    return promise.finally(() => signal?.removeEventListener('abort', abort))
  }
}
