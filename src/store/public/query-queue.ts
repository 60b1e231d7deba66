/** Which public query runs when: a few at the same time, clients by turns, and none of them has every lane. */

import { Failure } from '../../errors.ts'
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
}

const tooMany = (why: string) => new Failure('too-many-requests', why, { retryAfter: 5 })

/** The limits in front of the lanes, which may become ready, or cease to be, at any time; `free` is to be called then. */
export class PublicQueue {
  readonly #settings: Settings
  /** By client, in the order of turns: who was served goes to the end. */
  readonly #waiting = new Map<string, Visit[]>()
  readonly #running = new Map<QueryRunner, string>()
  /** Whose query ran in a lane last. */
  readonly #last = new Map<QueryRunner, string>()

  constructor(settings: Settings) {
    this.#settings = settings
  }

  /** `Failure` too-many-requests when there are too many, the signal's reason when aborted, and what the lane says. */
  async query(request: PublicQuery, signal?: AbortSignal): Promise<PublicAnswer> {
    signal?.throwIfAborted()
    const { client } = request
    const { rows, bytes, perClient, waiting, buildMs, lanes, closed } = this.#settings
    const own = this.#runningOf(client) + (this.#waiting.get(client)?.length ?? 0)
    if (own >= perClient) {
      throw tooMany(`A client may have ${perClient} queries at once (sparqlPerClient).`)
    }
    const job = { request, rows, bytes }
    const visit: Visit = { ...Promise.withResolvers<PublicAnswer>(), client, job }
    const refuse = (why: unknown) => {
      this.#remove(visit)
      visit.reject(why)
    }
    this.#waiting.set(client, [...(this.#waiting.get(client) ?? []), visit])
    this.free()
    const all = [...this.#waiting.values()].flat()
    if (all.length > waiting && all.includes(visit)) {
      refuse(tooMany(`No more than ${waiting} queries may wait (sparqlWaiting).`))
    }
    const look = () => {
      const isWaiting = this.#waiting.get(client)?.includes(visit) ?? false
      if (isWaiting && lanes().every(({ isReady }) => !isReady)) refuse(closed())
    }
    const clock = setInterval(look, buildMs).unref()
    const abort = () => refuse(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    return visit.promise.finally(() => {
      clearInterval(clock)
      signal?.removeEventListener('abort', abort)
    })
  }

  /** Gives lanes that are ready and free to those whose turn it is. */
  free(): void {
    for (const lane of this.#settings.lanes()) {
      const visit = lane.isReady && !this.#running.has(lane) ? this.#take() : undefined
      if (visit) void this.#run(lane, visit)
    }
  }

  #remove(visit: Visit): void {
    const left = this.#waiting.get(visit.client)?.filter((other) => other !== visit) ?? []
    if (left.length > 0) this.#waiting.set(visit.client, left)
    else this.#waiting.delete(visit.client)
  }

  #take(): Visit | undefined {
    for (const [client, [visit, ...rest]] of this.#waiting) {
      if (!visit || !this.#mayCome(client)) continue
      this.#waiting.delete(client)
      if (rest.length > 0) this.#waiting.set(client, rest)
      return visit
    }
    return undefined
  }

  #runningOf(client: string): number {
    return [...this.#running.values()].filter((other) => other === client).length
  }

  /** Nobody has all lanes, and whoever has cost a lane waits until that one is back. */
  #mayCome(client: string): boolean {
    const lanes = this.#settings.lanes()
    if (lanes.some((lane) => !lane.isReady && this.#last.get(lane) === client)) return false
    return this.#runningOf(client) < Math.max(1, lanes.length - 1)
  }

  async #run(lane: QueryRunner, { client, job, resolve, reject }: Visit): Promise<void> {
    this.#running.set(lane, client)
    this.#last.set(lane, client)
    await lane.run(job).then(resolve, reject)
    this.#running.delete(lane)
    this.free()
  }
}
