/** Limits concurrent work, in total and per client; waiting clients are served in rotation. */

import { Failure } from '../errors.ts'
import { unlessAborted } from './condition.ts'

/** Releases a slot; a second call does nothing. */
export type Release = () => void

/** Queue of entries of several clients, from which each client takes its turn; the code that adds entries bounds it. */
export class ClientQueue<Entry> {
  /** Entries by client, in the order of turns: a client whose entry was taken moves to the end. */
  readonly #entries = new Map<string, Set<Entry>>()
  #size = 0

  /** Number of entries. */
  get size(): number {
    return this.#size
  }

  /** Clients with entries, the one whose turn is next first. */
  get clients(): readonly string[] {
    return [...this.#entries.keys()]
  }

  /** Number of entries of one client. */
  countOf(client: string): number {
    return this.#entries.get(client)?.size ?? 0
  }

  /** Whether the entry waits. */
  has(client: string, entry: Entry): boolean {
    return this.#entries.get(client)?.has(entry) ?? false
  }

  add(client: string, entry: Entry): void {
    const clientEntries = this.#entries.get(client) ?? new Set()
    this.#entries.set(client, clientEntries.add(entry))
    this.#size += 1
  }

  /** Removes an entry; false when it was not in the queue. */
  remove(client: string, entry: Entry): boolean {
    const clientEntries = this.#entries.get(client)
    if (!clientEntries?.delete(entry)) return false
    this.#size -= 1
    if (clientEntries.size === 0) this.#entries.delete(client)
    return true
  }

  /** Takes the oldest entry of the first client for which `mayTake` is true, and ends that client's turn. */
  take(mayTake: (client: string, entry: Entry) => boolean): Entry | undefined {
    for (const [client, clientEntries] of this.#entries) {
      const [entry] = clientEntries
      if (entry === undefined || !mayTake(client, entry)) continue
      this.remove(client, entry)
      this.#entries.delete(client)
      if (clientEntries.size > 0) this.#entries.set(client, clientEntries)
      return entry
    }
    return undefined
  }
}

/** Limits of a `FairLimiter`. */
export type FairLimiterOptions = {
  /** Slots of all clients together, unlimited by default; a function is called whenever a slot is requested or released. */
  readonly atOnce?: number | (() => number)
  /** Slots of one client; by default all. */
  readonly perClient?: number
  /**
   * Places in the queue; by default none: a caller without a free slot is refused. `Infinity` where other code bounds the
   * callers.
   */
  readonly waiting?: number
  /** Places of one client in the queue, by default all. */
  readonly waitingPerClient?: number
  /** Makes the error for a caller that finds neither a slot nor a place in the queue, `queue-full` by default. */
  readonly refusal?: () => Failure
}

const queueFull = () =>
  new Failure('queue-full', 'too much work waits; try again in a moment', { retryAfter: 5 })

type Waiter = { readonly client: string; readonly start: (release: Release) => void }

/**
 * Slots for the work of clients. A client below its own limit never waits behind a client that has reached it; clients that wait
 * take turns, and one that begins to wait is the last. A client is any text, such as a key id or an address.
 */
export class FairLimiter {
  readonly #options: FairLimiterOptions
  /** Slots in use by client; a client without any has no entry. */
  readonly #used = new Map<string, number>()
  readonly #queue = new ClientQueue<Waiter>()
  #usedByAll = 0

  constructor(options: FairLimiterOptions) {
    this.#options = options
  }

  /** Whether every place in the queue is taken. */
  get isFull(): boolean {
    return this.#queue.size >= (this.#options.waiting ?? 0)
  }

  /**
   * Runs `work` in a slot. Rejects with the refusal when there is neither a slot nor a place in the queue, and with the signal's
   * reason while it waits; work that has begun ends by itself.
   */
  async run<T>(client: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted()
    const release = this.tryTake(client) ?? (await this.#wait(client, signal))
    try {
      return await work()
    } finally {
      release()
    }
  }

  /** Takes a slot that the caller releases; rejects as `run` does. */
  async take(client: string, signal: AbortSignal): Promise<Release> {
    signal.throwIfAborted()
    return this.tryTake(client) ?? this.#wait(client, signal)
  }

  /** Takes a slot if one is free now. */
  tryTake(client: string): Release | undefined {
    // There may be more slots than at the last call.
    this.#serve()
    return this.#isFree(client) ? this.#hold(client) : undefined
  }

  #isFree(client: string): boolean {
    const { atOnce = Infinity, perClient = Infinity } = this.#options
    const limit = typeof atOnce === 'function' ? atOnce() : atOnce
    return this.#usedByAll < limit && (this.#used.get(client) ?? 0) < perClient
  }

  #hold(client: string): Release {
    this.#count(client, 1)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#count(client, -1)
      this.#serve()
    }
  }

  #count(client: string, by: 1 | -1): void {
    const used = (this.#used.get(client) ?? 0) + by
    this.#usedByAll += by
    if (used > 0) this.#used.set(client, used)
    else this.#used.delete(client)
  }

  /** Gives free slots to waiting callers. */
  #serve(): void {
    for (;;) {
      const next = this.#queue.take((client) => this.#isFree(client))
      if (!next) return
      next.start(this.#hold(next.client))
    }
  }

  async #wait(client: string, signal: AbortSignal): Promise<Release> {
    const { waitingPerClient = Infinity, refusal = queueFull } = this.#options
    if (this.isFull || this.#queue.countOf(client) >= waitingPerClient) throw refusal()
    const { promise, resolve } = Promise.withResolvers<Release>()
    const waiter = { client, start: resolve }
    this.#queue.add(client, waiter)
    try {
      return await unlessAborted(promise, signal)
    } catch (error) {
      // A slot that was handed over at this very moment goes to the next caller.
      if (!this.#queue.remove(client, waiter)) (await promise)()
      throw error
    }
  }
}
