/** Who may ask in public when: clients take turns, and one who asks what takes long leaves a lane to the others. */

import { Failure } from '../../errors.ts'
import type { PublicAnswer, PublicQuery } from '../graph-store.ts'

// Whose query is next: clients take turns, however many each of them has waiting.

type Visitor = { readonly client: string }

/** Waiting visits, for each client in the order in which they came. */
export class FairQueue<Visit extends Visitor> {
  /** In the order of turns: who was served goes to the end. */
  readonly #queues = new Map<string, Visit[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(visit: Visit): void {
    const queue = this.#queues.get(visit.client)
    if (queue) queue.push(visit)
    else this.#queues.set(visit.client, [visit])
    this.#size += 1
  }

  /** False when it does not wait. */
  remove(visit: Visit): boolean {
    const queue = this.#queues.get(visit.client) ?? []
    const at = queue.indexOf(visit)
    if (at < 0) return false
    queue.splice(at, 1)
    this.#size -= 1
    if (queue.length === 0) this.#queues.delete(visit.client)
    return true
  }

  /** The first visit, by turns, of a client that may come now. */
  take(mayCome: (client: string) => boolean): Visit | undefined {
    for (const [client, queue] of this.#queues) {
      const [visit] = queue
      if (visit === undefined || !mayCome(client)) continue
      this.remove(visit)
      this.#queues.delete(client)
      if (queue.length > 0) this.#queues.set(client, queue)
      return visit
    }
    return undefined
  }

  clients(): readonly string[] {
    return [...this.#queues.keys()]
  }

  all(): readonly Visit[] {
    return [...this.#queues.values()].flat()
  }

  /** The last visit of the client that has most of them, where that is more than `client` would have with one more. */
  displaced(client: string): Visit | undefined {
    const most = [...this.#queues.values()].reduce(
      (longest, queue) => (queue.length > longest.length ? queue : longest),
      [],
    )
    const own = (this.#queues.get(client)?.length ?? 0) + 1
    return most.length > own ? most.at(-1) : undefined
  }
}

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
  /** Ends what runs, where that can be done; it costs the lane some time. */
  readonly end?: (reason: Failure) => void
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
  /** Milliseconds. */
  readonly now: () => number
}

type Visit = {
  readonly client: string
  readonly job: PublicJob
  readonly settle: (outcome: Promise<PublicAnswer>) => void
  /** Milliseconds, when it was given a lane. */
  started: number
  /** A query is ended once at most so that others can ask, and comes again. */
  state: 'first' | 'ending' | 'again'
  /** Its client does not wait for it any more. */
  left: boolean
}

/** A query may have a lane for itself so long, whoever waits. */
const sliceMs = 2000
/** So long after a slow query its client leaves a lane to the others. */
const slowMs = 60_000

/** How exact these times are. */
const tickMs = 200

const tooMany = (why: string) => new Failure('too-many-requests', why, { retryAfter: 5 })
const stepAside = () => new Failure('time-limit', 'The query made room for others.')

/** The limits in front of the lanes, which may become ready, or cease to be, at any time; `free` is to be called then. */
export class PublicQueue {
  readonly #settings: Settings
  readonly #turns = new FairQueue<Visit>()
  readonly #running = new Map<QueryRunner, Visit>()
  /** Running and waiting, by client. */
  readonly #counts = new Map<string, number>()
  /** Until when a client counts as one that asks what takes long. */
  readonly #slow = new Map<string, number>()
  /** Looks at what runs and waits, while there is any. */
  #clock: NodeJS.Timeout | undefined

  /** No lane has been ready since then. */
  #closedSince: number | undefined

  constructor(settings: Settings) {
    this.#settings = settings
  }

  get #lanes(): readonly QueryRunner[] {
    return this.#settings.lanes()
  }

  /** `Failure` too-many-requests when there are too many, the signal's reason when aborted, and what the lane says. */
  async query(request: PublicQuery, signal?: AbortSignal): Promise<PublicAnswer> {
    signal?.throwIfAborted()
    const { client } = request
    const { rows, bytes } = this.#settings
    this.#makeRoom(client)
    this.#count(client, 1)
    const { promise, resolve, reject } = Promise.withResolvers<PublicAnswer>()
    const visit: Visit = {
      client,
      job: { request, rows, bytes },
      settle: (outcome) => void outcome.then(resolve, reject),
      started: 0,
      state: 'first',
      left: false,
    }
    const abort = () => {
      visit.left = true
      if (this.#turns.remove(visit)) this.#count(client, -1)
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', abort, { once: true })
    this.#turns.add(visit)
    this.free()
    this.#clock ??= setInterval(() => this.#tick(), tickMs).unref()
    return promise.finally(() => signal?.removeEventListener('abort', abort))
  }

  /** Gives lanes that are ready and free to those whose turn it is. */
  free(): void {
    for (const lane of this.#lanes) {
      if (!lane.isReady || this.#running.has(lane)) continue
      const visit = this.#turns.take((client) => this.#mayCome(client))
      if (visit) void this.#run(lane, visit)
    }
  }

  #count(client: string, by: number): void {
    const now = (this.#counts.get(client) ?? 0) + by
    if (now > 0) this.#counts.set(client, now)
    else this.#counts.delete(client)
  }

  /** Refuses the newcomer, or one of those who have more waiting. */
  #makeRoom(client: string): void {
    const { perClient, waiting } = this.#settings
    if ((this.#counts.get(client) ?? 0) >= perClient) {
      throw tooMany(`A client may have ${perClient} queries at once (sparqlPerClient).`)
    }
    const isFree = this.#lanes.some((lane) => lane.isReady && !this.#running.has(lane))
    if (this.#turns.size < waiting || (isFree && this.#mayCome(client))) return
    const full = tooMany(`No more than ${waiting} queries may wait (sparqlWaiting).`)
    const other = this.#turns.displaced(client)
    if (!other) throw full
    this.#refuse(other, full)
  }

  #refuse(visit: Visit, why: Failure): void {
    if (!this.#turns.remove(visit)) return
    this.#count(visit.client, -1)
    visit.settle(Promise.reject<PublicAnswer>(why))
  }

  #isSlow(client: string): boolean {
    return (this.#slow.get(client) ?? -Infinity) > this.#settings.now()
  }

  /** Nobody has all lanes, and those whose queries take long leave one to the others. */
  #mayCome(client: string): boolean {
    const running = [...this.#running.values()]
    const most = Math.max(1, this.#lanes.length - 1)
    if (running.filter((visit) => visit.client === client).length >= most) return false
    if (!this.#isSlow(client)) return true
    if (this.#lanes.length === 1) return this.#turns.clients().every((one) => this.#isSlow(one))
    const ready = this.#lanes.filter(({ isReady }) => isReady).length
    return ready - running.filter((visit) => this.#isSlow(visit.client)).length > 1
  }

  async #run(lane: QueryRunner, visit: Visit): Promise<void> {
    const { now } = this.#settings
    this.#running.set(lane, visit)
    visit.started = now()
    const outcome = lane.run(visit.job)
    const [result] = await Promise.allSettled([outcome])
    this.#running.delete(lane)
    if (now() - visit.started >= sliceMs || !lane.isReady) this.#markSlow(visit.client)
    if (visit.state === 'ending' && result.status === 'rejected' && !visit.left) {
      visit.state = 'again'
      this.#turns.add(visit)
    } else {
      this.#count(visit.client, -1)
      visit.settle(outcome)
    }
    this.free()
  }

  #tick(): void {
    const { now, buildMs, closed } = this.#settings
    const isClosed = this.#lanes.every(({ isReady }) => !isReady)
    this.#closedSince = isClosed ? (this.#closedSince ?? now()) : undefined
    if (this.#closedSince !== undefined && now() - this.#closedSince >= buildMs) {
      for (const visit of this.#turns.all()) this.#refuse(visit, closed())
    }
    for (const { client, started } of this.#running.values()) {
      if (now() - started >= sliceMs) this.#markSlow(client)
    }
    // Who keeps on asking does not become quick by waiting.
    for (const client of this.#turns.clients()) if (this.#isSlow(client)) this.#markSlow(client)
    this.#sendAside()
    this.free()
    if (this.#running.size + this.#turns.size > 0) return
    clearInterval(this.#clock)
    this.#clock = undefined
  }

  /** Ends the youngest of the long queries when they have all lanes and somebody else waits. */
  #sendAside(): void {
    const running = [...this.#running]
    const oldest = this.#settings.now() - sliceMs
    if (running.length < this.#lanes.length) return
    if (running.some(([lane, { started }]) => !lane.isReady || started > oldest)) return
    if (this.#turns.clients().every((client) => this.#isSlow(client))) return
    const [lane, visit] = running
      .filter(([{ end }, { state }]) => end !== undefined && state === 'first')
      .reduce((last, one) => (one[1].started > last[1].started ? one : last))
    visit.state = 'ending'
    lane.end?.(stepAside())
  }

  #markSlow(client: string): void {
    const now = this.#settings.now()
    for (const [one, until] of this.#slow) if (until <= now) this.#slow.delete(one)
    this.#slow.set(client, now + slowMs)
  }
}
