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

/**
 * Nothing here runs by itself: what is too old goes with the next call of anything. `now` gives milliseconds that never go
 * back.
 */
export function cursorRegistry<Held extends { readonly bytes: number }>(
  limits: CursorLimits,
  now: () => number,
) {
  // Both in the order of the last use: what expires next is first.
  const open = new Map<string, Cursor<Held>>()
  const ended = new Map<string, Cursor<Held>>()

  const sweep = (): void => {
    const oldest = now() - limits.ttlMs
    for (const some of [open, ended]) {
      for (const [id, { used }] of some) {
        if (used > oldest) break
        some.delete(id)
      }
    }
  }

  /** Throws `too-many-cursors` when a client, or all together, may not hold that many bytes more. */
  const admit = (client: string, bytes = 0): void => {
    sweep()
    const all = [...open.values()]
    const own = all.filter((cursor) => cursor.client === client)
    const held = all.reduce((sum, cursor) => sum + cursor.held.bytes, 0)
    if (own.length >= limits.perClient) throw full(own, `${limits.perClient} of one client`)
    if (all.length >= limits.total) throw full(all, `${limits.total} of all clients`)
    if (held + bytes > limits.bytes) throw full(all, 'and they hold all the memory there is')
  }

  const full = (some: readonly Cursor<Held>[], detail: string): Failure => {
    const used = some[0]?.used ?? now()
    const retryAfter = Math.max(1, Math.ceil((used + limits.ttlMs - now()) / 1000))
    return new Failure('too-many-cursors', `too many open cursors: ${detail}`, { retryAfter })
  }

  return {
    /** Refuses before the work is done. */
    admit,

    /** The name of a new cursor: 128 random bits, safe in an address. Throws `too-many-cursors`. */
    open(client: string, held: Held, note: string): string {
      admit(client, held.bytes)
      const id = randomBytes(16).toString('base64url')
      open.set(id, { client, held, note, used: now() })
      return id
    },

    /** Begins the cursor's life anew, under another note where one is given. Throws `unknown-cursor`. */
    use(id: string, note?: string): { readonly held: Held; readonly note: string } {
      sweep()
      const home = open.has(id) ? open : ended
      const cursor = home.get(id)
      if (!cursor) throw new Failure('unknown-cursor', 'there is no such cursor, or no longer')
      const next = { ...cursor, note: note ?? cursor.note, used: now() }
      home.delete(id)
      home.set(id, next)
      return next
    },

    /** Was read to its end: it still answers, with `rest`, but counts no more. Of these too there are at most `total`. */
    end(id: string, rest: Held): void {
      const cursor = open.get(id)
      if (!cursor) return
      open.delete(id)
      ended.set(id, { ...cursor, held: rest })
      const [oldest] = ended.keys()
      if (ended.size > limits.total && oldest !== undefined) ended.delete(oldest)
    },

    sweep,

    get size(): number {
      return open.size
    },

    held: (): Iterable<Held> => [...open.values()].map((cursor) => cursor.held),

    /** Forgets all: what they held is gone. */
    clear(): void {
      open.clear()
      ended.clear()
    },
  }
}

export type CursorRegistry<Held extends { readonly bytes: number }> = ReturnType<
  typeof cursorRegistry<Held>
>
