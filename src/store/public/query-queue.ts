/** Queue of public queries: a few run at the same time in lanes, clients take turns, and none of them keeps all of several lanes. */

import { Failure } from '../../errors.ts'
import { waitWhile } from '../../workers/condition.ts'
import { ClientQueue } from '../../workers/fair-limiter.ts'
import { showLevel } from '../../workers/numbers.ts'
import { type Pause, pause as wait } from '../../workers/pause.ts'
import type { PublicAnswer, PublicQuery } from '../graph-store.ts'

/** A query with the limits of its answer. */
export type PublicJob = {
  readonly request: PublicQuery
  readonly rows: number
  readonly bytes: number
}

/** Lane: runs one query at a time. */
export type QueryRunner = {
  readonly isReady: boolean
  readonly run: (job: PublicJob) => Promise<PublicAnswer>
  /** Ends the running query and makes the lane ready again soon; absent where this takes long. */
  readonly end?: (() => void) | undefined
}

/** Limits of public queries. */
export type PublicLimits = {
  /** Rows (or triples) and bytes at which an answer is truncated. */
  readonly rows: number
  readonly bytes: number
  /** Queries of one client, running and waiting. */
  readonly perClient: number
  /** Waiting queries of all clients. */
  readonly waiting: number
  /** Queries that run at the same time. */
  readonly lanes: number
}

type QueueSettings = Omit<PublicLimits, 'lanes'> & {
  /** Lanes, ready or not. */
  readonly lanes: () => readonly QueryRunner[]
  /** Milliseconds after which, and then again, a waiting query fails if no lane is ready; `unavailable` makes its failure. */
  readonly buildMs: number
  readonly unavailable: () => Failure
  /** Called when a query waits although a lane is ready; each of those that are ready is busy. */
  readonly onShortage?: () => void
  readonly pause?: Pause
}

type QueuedQuery = PromiseWithResolvers<PublicAnswer> & {
  readonly client: string
  readonly job: PublicJob
  /** Whether it has waited for `longMs`. */
  isLate: boolean
}

type Run = {
  readonly queued: QueuedQuery
  /** Whether its client uses the last lane in addition to its limit. */
  readonly isExtra: boolean
  /** Whether it has run for `longMs`, after which it may be ended while others wait. */
  isLong: boolean
}

/** Milliseconds after which a query counts as waiting, or running, long. */
const longMs = 1000
/** Milliseconds of an extra query in the last lane, and for which its client gets no other after exceeding them. */
const [extraMs, blockMs] = [500, 600_000]

const tooMany = (why: string) => new Failure('too-many-requests', why, { retryAfter: 5 })

/**
 * Queue before the lanes. `startWaiting` is to be called whenever a lane becomes ready or ceases to be. Clients take turns, as in
 * `FairLimiter`. In addition, one limit counts the running and waiting queries of a client together, a client may run an extra query in
 * the last lane, and a long query is ended when a client without a lane waits.
 */
export class PublicQueue {
  readonly #settings: QueueSettings
  readonly #waiting = new ClientQueue<QueuedQuery>()
  readonly #running = new Map<QueryRunner, Run>()
  /** Lane → client of its last query. */
  readonly #lastClients = new Map<QueryRunner, string>()
  /** Clients whose extra query took too long, and until when they have none. */
  readonly #blocked = new Map<string, number>()

  constructor(settings: QueueSettings) {
    this.#settings = settings
    showLevel('cartulary_sparql_queue', () => this.#waiting.size)
  }

  /**
   * Runs a query. Rejects with `too-many-requests`, with `time-limit` when it is ended for others, with the failure of `unavailable`,
   * with the signal's reason, and as the lane does.
   */
  async query(request: PublicQuery, signal?: AbortSignal): Promise<PublicAnswer> {
    signal?.throwIfAborted()
    const { client } = request
    const { rows, bytes, perClient, waiting } = this.#settings
    const queriesOfClient = this.#runningOf(client) + this.#waiting.countOf(client)
    if (queriesOfClient >= perClient) {
      throw tooMany(`A client may have ${perClient} queries at once (sparqlPerClient).`)
    }
    const job = { request, rows, bytes }
    const queued: QueuedQuery = {
      ...Promise.withResolvers<PublicAnswer>(),
      client,
      job,
      isLate: false,
    }
    const refuse = (why: unknown) => {
      this.#waiting.remove(client, queued)
      queued.reject(why)
    }
    this.#waiting.add(client, queued)
    this.startWaiting()
    const refuseWaiting = (why: unknown) => {
      if (this.#waiting.has(client, queued)) refuse(why)
    }
    if (this.#waiting.size > waiting)
      refuseWaiting(tooMany(`No more than ${waiting} queries may wait (sparqlWaiting).`))
    const settled = new AbortController()
    void this.#unavailability(settled.signal).then(refuseWaiting, () => undefined)
    const late = setTimeout(() => {
      queued.isLate = true
      this.startWaiting()
    }, longMs).unref()
    const abort = () => refuse(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    return queued.promise.finally(() => {
      settled.abort()
      clearTimeout(late)
      signal?.removeEventListener('abort', abort)
    })
  }

  /** Resolves with the failure of queries that wait when no lane is ready after `buildMs`, or each time so many ms later. */
  async #unavailability(signal: AbortSignal): Promise<Failure> {
    const { lanes, buildMs, unavailable, pause = wait } = this.#settings
    await pause(buildMs, signal)
    const isAnyReady = () => lanes().some(({ isReady }) => isReady)
    await waitWhile(() => (isAnyReady() ? buildMs : undefined), pause, signal)
    return unavailable()
  }

  /** Starts waiting queries in the lanes that are ready and free. */
  startWaiting(): void {
    for (const lane of this.#settings.lanes()) {
      if (!lane.isReady || this.#running.has(lane)) continue
      const queued = this.#waiting.take((client) => this.#mayRun(client))
      const next =
        queued ?? this.#waiting.take((_, candidate) => this.#mayUseLastLane(candidate, lane))
      if (next) this.#run(lane, { queued: next, isExtra: !queued, isLong: false })
    }
    if (this.#waiting.size > 0 && this.#running.size > 0) this.#settings.onShortage?.()
    this.#endLongest()
  }

  /**
   * Ends the query that has run longest beyond `longMs` when all lanes are busy and a client without one waits; one at a time, because
   * its lane has to become ready again, and never in the only lane.
   */
  #endLongest(): void {
    const lanes = this.#settings.lanes()
    if (lanes.length < 2 || !lanes.every((lane) => lane.isReady && this.#running.has(lane))) return
    if (!this.#waiting.clients.some((client) => this.#runningOf(client) === 0)) return
    // In order of their start.
    for (const [lane, { isLong }] of this.#running)
      if (isLong && lane.end)
        return this.#end(lane, `While others wait, a query may run ${longMs} ms`)
  }

  #end(lane: QueryRunner, why: string): void {
    const detail = `${why}: try again when fewer ask, or ask for less.`
    this.#running.get(lane)?.queued.reject(new Failure('time-limit', detail, { retryAfter: 10 }))
    lane.end?.()
  }

  #runningOf(client: string): number {
    return [...this.#running.values()].filter(({ queued }) => queued.client === client).length
  }

  /**
   * Whether a client may start a query: no client gets all of several lanes, and one whose query ended a lane waits until that is ready
   * again.
   */
  #mayRun(client: string): boolean {
    const maxLanes = Math.max(1, this.#settings.lanes().length - 1)
    return !this.#hasEndedLane(client) && this.#runningOf(client) < maxLanes
  }

  #hasEndedLane(client: string): boolean {
    return this.#settings
      .lanes()
      .some((lane) => !lane.isReady && this.#lastClients.get(lane) === client)
  }

  /**
   * Whether a client that has waited long may use the last lane for `extraMs` while no other client waits, because many people may
   * share one address.
   */
  #mayUseLastLane({ client, isLate }: QueuedQuery, { end }: QueryRunner): boolean {
    if (!isLate || !end || this.#waiting.clients.length > 1 || this.#hasEndedLane(client))
      return false
    return (this.#blocked.get(client) ?? 0) <= performance.now()
  }

  #run(lane: QueryRunner, run: Run): void {
    const { client, job, resolve, reject } = run.queued
    this.#running.set(lane, run)
    this.#lastClients.set(lane, client)
    const clock = setTimeout(
      () => {
        if (run.isExtra) this.#endExtra(lane, client)
        run.isLong = true
        this.#endLongest()
      },
      run.isExtra ? extraMs : longMs,
    ).unref()
    const endRun = () => {
      clearTimeout(clock)
      this.#running.delete(lane)
      this.startWaiting()
    }
    lane.run(job).then(resolve, reject).then(endRun, endRun)
  }

  /** Ends an extra query; its client gets no other for some time, because each of its long queries costs others a lane. */
  #endExtra(lane: QueryRunner, client: string): void {
    const now = performance.now()
    for (const [blockedClient, until] of this.#blocked)
      if (until <= now) this.#blocked.delete(blockedClient)
    this.#blocked.set(client, now + blockMs)
    this.#end(lane, `While another query of your network runs, one may run ${extraMs} ms`)
  }
}
