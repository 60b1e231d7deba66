/** The cursors that are open: how many there may be, how long they live, and what they hold meanwhile. */

import { randomBytes } from 'node:crypto'
import { Failure } from '../../errors.ts'

export type CursorLimits = {
  readonly perClient: number
  readonly total: number
  /** Milliseconds after its last use at which a cursor is forgotten. */
  readonly ttlMs: number
  /** Of all that cursors hold together. */
  readonly bytes: number
}

export const defaultCursorLimits: CursorLimits = {
  perClient: 16,
  total: 256,
  ttlMs: 60_000,
  bytes: 256 * 2 ** 20,
}

type Cursor<Held> = {
  readonly client: string
  readonly held: Held
  readonly note: string
  /** When it was used last. */
  readonly used: number
}

/** Nothing here runs by itself: what is too old goes with the next call of anything. */
export class CursorRegistry<Held extends { readonly bytes: number }> {
  readonly #limits: CursorLimits
  readonly #now: () => number
  // Both in the order of the last use: what expires next is first.
  readonly #open = new Map<string, Cursor<Held>>()
  readonly #ended = new Map<string, Cursor<Held>>()

  constructor(limits: CursorLimits, now: () => number) {
    this.#limits = limits
    this.#now = now
  }

  /** Throws `too-many-cursors` when a client, or all together, may not hold that many bytes more. */
  admit(client: string, bytes = 0): void {
    this.sweep()
    const { perClient, total, bytes: most } = this.#limits
    const all = [...this.#open.values()]
    const own = all.filter((cursor) => cursor.client === client)
    const held = all.reduce((sum, cursor) => sum + cursor.held.bytes, 0)
    if (own.length >= perClient) throw this.#full(own, `${perClient} of one client`)
    if (all.length >= total) throw this.#full(all, `${total} of all clients`)
    if (held + bytes > most) throw this.#full(all, 'and they hold all the memory there is')
  }

  /** The name of a new cursor: 128 random bits, safe in an address. Throws `too-many-cursors`. */
  open(client: string, held: Held, note: string): string {
    this.admit(client, held.bytes)
    const id = randomBytes(16).toString('base64url')
    this.#open.set(id, { client, held, note, used: this.#now() })
    return id
  }

  /** Begins the cursor's life anew, under another note where one is given. Throws `unknown-cursor`. */
  use(id: string, note?: string): { readonly held: Held; readonly note: string } {
    this.sweep()
    const home = this.#open.has(id) ? this.#open : this.#ended
    const cursor = home.get(id)
    if (!cursor) throw new Failure('unknown-cursor', 'there is no such cursor, or no longer')
    const next = { ...cursor, note: note ?? cursor.note, used: this.#now() }
    home.delete(id)
    home.set(id, next)
    return next
  }

  /** Was read to its end: it still answers, with `rest`, but counts no more. Of these too there are at most `total`. */
  end(id: string, rest: Held): void {
    const cursor = this.#open.get(id)
    if (!cursor) return
    this.#open.delete(id)
    this.#ended.set(id, { ...cursor, held: rest })
    const [oldest] = this.#ended.keys()
    if (this.#ended.size > this.#limits.total && oldest !== undefined) this.#ended.delete(oldest)
  }

  /** Forgets what nobody used for too long. */
  sweep(): void {
    const oldest = this.#now() - this.#limits.ttlMs
    for (const some of [this.#open, this.#ended]) {
      for (const [id, { used }] of some) {
        if (used > oldest) break
        some.delete(id)
      }
    }
  }

  get size(): number {
    return this.#open.size
  }

  /** Of those that are open. */
  held(): Iterable<Held> {
    return [...this.#open.values()].map((cursor) => cursor.held)
  }

  /** Forgets all: what they held is gone. */
  clear(): void {
    this.#open.clear()
    this.#ended.clear()
  }

  #full(some: readonly Cursor<Held>[], detail: string): Failure {
    const now = this.#now()
    const seconds = Math.ceil(((some[0]?.used ?? now) + this.#limits.ttlMs - now) / 1000)
    const retryAfter = Math.max(1, seconds)
    return new Failure('too-many-cursors', `too many open cursors: ${detail}`, { retryAfter })
  }
}

/** `now` gives milliseconds that never go back. */
export const cursorRegistry = <Held extends { readonly bytes: number }>(
  limits: CursorLimits,
  now: () => number,
): CursorRegistry<Held> => new CursorRegistry(limits, now)
