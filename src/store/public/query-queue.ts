/** Which public query runs when: a few at the same time, clients by turns, and none of them has every lane. */

import { Failure } from '../../errors.ts'
import { ClientQueue } from '../../workers/fair-limiter.ts'
import type { PublicAnswer, PublicQuery } from '../graph-store.ts'

/** A query with the limits of its answer. */
export type PublicJob = {
  readonly request: PublicQuery
  readonly rows: number
  readonly bytes: number
}

/** Runs one query at a time. */
export type QueryRunner = {
  readonly isReady: boolean
  readonly run: (job: PublicJob) => Promise<PublicAnswer>
  /** Ends what runs and makes the lane ready again, which takes little time; absent where that is not so. */
  readonly end?: (() => void) | undefined
}

export type PublicLimits = {
  /** Rows (or triples) and bytes of an answer; what is beyond is cut. */
  readonly rows: number
  readonly bytes: number
  /** Queries of one client, running and waiting. */
  readonly perClient: number
  /** Waiting queries of all clients. */
  readonly waiting: number
  /** Queries that run at the same time. */
  readonly lanes: number
}

type Settings = Omit<PublicLimits, 'lanes'> & {
  /** Those that there are, ready or not. */
  readonly lanes: () => readonly QueryRunner[]
  /** How long queries wait while no lane is ready, in ms, and what they are told then. */
  readonly buildMs: number
  readonly closed: () => Failure
}

type Visit = PromiseWithResolvers<PublicAnswer> & {
  readonly client: string
  readonly job: PublicJob
  /** It has waited for `longMs`. */
  isLate: boolean
}

type Run = {
  readonly visit: Visit
  /** Its client has as many lanes as one may have, without this one. */
  readonly isGuest: boolean
  /** It has run for as long as it may while others wait. */
  isLong: boolean
}

/** Milliseconds after which a query waits, or runs, for long. */
const longMs = 1000
/** Milliseconds of a query in the last lane, and for how long its client gets none there when it needed more. */
const [guestMs, barMs] = [500, 600_000]

const tooMany = (why: string) => new Failure('too-many-requests', why, { retryAfter: 5 })

/**
 * The limits in front of the lanes, which may become ready, or cease to be, at any time; `free` is to be called then. It shares
 * the turns of clients with `FairLimiter`. Its own are the lanes, the limit that counts running and waiting queries of a client
 * together, guests in the last lane, and long queries that give way to clients without a lane.
 */
export class PublicQueue {
  readonly #settings: Settings
  readonly #waiting = new ClientQueue<Visit>()
  readonly #running = new Map<QueryRunner, Run>()
  /** Whose query ran in a lane last. */
  readonly #last = new Map<QueryRunner, string>()
  /** Clients whose guest query took too long, and until when they have none. */
  readonly #barred = new Map<string, number>()

  constructor(settings: Settings) {
    this.#settings = settings
  }

  /** `Failure` too-many-requests when there are too many, the signal's reason when aborted, and what the lane says. */
  async query(request: PublicQuery, signal?: AbortSignal): Promise<PublicAnswer> {
    signal?.throwIfAborted()
    const { client } = request
    const { rows, bytes, perClient, waiting, buildMs, lanes, closed } = this.#settings
    const own = this.#runningOf(client) + this.#waiting.countOf(client)
    if (own >= perClient) {
      throw tooMany(`A client may have ${perClient} queries at once (sparqlPerClient).`)
    }
    const job = { request, rows, bytes }
    const visit: Visit = { ...Promise.withResolvers<PublicAnswer>(), client, job, isLate: false }
    const refuse = (why: unknown) => {
      this.#waiting.remove(client, visit)
      visit.reject(why)
    }
    this.#waiting.add(client, visit)
    this.free()
    if (this.#waiting.size > waiting && this.#waiting.has(client, visit)) {
      refuse(tooMany(`No more than ${waiting} queries may wait (sparqlWaiting).`))
    }
    const look = () => {
      const isWaiting = this.#waiting.has(client, visit)
      if (isWaiting && lanes().every(({ isReady }) => !isReady)) refuse(closed())
    }
    const clock = setInterval(look, buildMs).unref()
    const late = setTimeout(() => {
      visit.isLate = true
      this.free()
    }, longMs).unref()
    const abort = () => refuse(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    return visit.promise.finally(() => {
      clearInterval(clock)
      clearTimeout(late)
      signal?.removeEventListener('abort', abort)
    })
  }

  /** Gives lanes that are ready and free to those whose turn it is. */
  free(): void {
    for (const lane of this.#settings.lanes()) {
      if (!lane.isReady || this.#running.has(lane)) continue
      const visit = this.#waiting.take((client) => this.#mayCome(client))
      const guest = visit ?? this.#waiting.take((_, one) => this.#mayBeGuest(one, lane))
      if (guest) this.#run(lane, { visit: guest, isGuest: !visit, isLong: false })
    }
    this.#makeRoom()
  }

  /**
   * Where every lane runs and a client without one waits, the query that has run longest beyond `longMs` is ended. One lane at a
   * time, because it has to become ready again, and never the only one there is.
   */
  #makeRoom(): void {
    const lanes = this.#settings.lanes()
    if (lanes.length < 2 || !lanes.every((lane) => lane.isReady && this.#running.has(lane))) return
    if (!this.#waiting.clients.some((client) => this.#runningOf(client) === 0)) return
    // In the order in which they began.
    for (const [lane, { isLong }] of this.#running)
      if (isLong && lane.end)
        return this.#end(lane, `While others wait, a query may run ${longMs} ms`)
  }

  #end(lane: QueryRunner, why: string): void {
    const detail = `${why}: try again when fewer ask, or ask for less.`
    this.#running.get(lane)?.visit.reject(new Failure('time-limit', detail, { retryAfter: 10 }))
    lane.end?.()
  }

  #runningOf(client: string): number {
    return [...this.#running.values()].filter(({ visit }) => visit.client === client).length
  }

  /** No client gets all lanes, and one whose query has cost a lane waits until that lane is back. */
  #mayCome(client: string): boolean {
    const most = Math.max(1, this.#settings.lanes().length - 1)
    return !this.#hasCost(client) && this.#runningOf(client) < most
  }

  #hasCost(client: string): boolean {
    return this.#settings.lanes().some((one) => !one.isReady && this.#last.get(one) === client)
  }

  /** Behind one address there may be many people: who has waited for long gets the last lane for a moment while nobody else wants it. */
  #mayBeGuest({ client, isLate }: Visit, { end }: QueryRunner): boolean {
    if (!isLate || !end || this.#waiting.clients.length > 1 || this.#hasCost(client)) return false
    return (this.#barred.get(client) ?? 0) <= performance.now()
  }

  #run(lane: QueryRunner, run: Run): void {
    const { client, job, resolve, reject } = run.visit
    this.#running.set(lane, run)
    this.#last.set(lane, client)
    const clock = setTimeout(
      () => {
        if (run.isGuest) this.#bar(lane, client)
        run.isLong = true
        this.#makeRoom()
      },
      run.isGuest ? guestMs : longMs,
    ).unref()
    const ended = () => {
      clearTimeout(clock)
      this.#running.delete(lane)
      this.free()
    }
    lane.run(job).then(resolve, reject).then(ended, ended)
  }

  /** Ends a guest, whose client is none for some time: each of its long queries costs others a lane. */
  #bar(lane: QueryRunner, client: string): void {
    const now = performance.now()
    for (const [other, until] of this.#barred) if (until <= now) this.#barred.delete(other)
    this.#barred.set(client, now + barMs)
    this.#end(lane, `While another query of your network runs, one may run ${guestMs} ms`)
  }
}
