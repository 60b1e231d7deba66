/** Versions of records that open cursors still show, copied before they are replaced. */

import { z } from 'zod'
import { attributes } from './attributes.ts'
import { fetched, type ReadContext } from './documents.ts'

/** A version of a record, with what it is sorted by. */
export const versionRow = z.looseObject({ n: z.number(), i: z.string(), r: z.string() })
export type Version = z.infer<typeof versionRow>

/** What the writer tells. */
export type Keeping = {
  /** Before documents of an answering index are replaced or removed; the answer is to be called when they were. */
  before(uid: string, keys: readonly string[]): Promise<() => void>
  /** Before another index answers under this name. */
  beforeSwap(uid: string): Promise<void>
}

type Kept = { readonly version: Version; readonly at: number }

/** A text takes two bytes per unit at most; the rest is the map's. */
const bytesOf = ({ i, r }: Version) => 2 * (i.length + r.length) + 200

const perCall = 1_000

/**
 * Nothing is copied while `isNeeded` says that nobody reads. Over `bytes` everything is given up: `overflow` is told, and
 * whoever reads has to begin again.
 */
export class Past {
  readonly #reading: ReadContext
  readonly #isNeeded: () => boolean
  readonly #limit: { readonly bytes: number; readonly overflow: () => void }
  readonly #versions = new Map<number, Kept>()
  /** Writes under way: what they replace may still be there or not. */
  readonly #underway = new Set<{ readonly uid: string; readonly keys: readonly string[] }>()
  #bytes = 0
  #time = 0

  constructor(
    reading: ReadContext,
    isNeeded: () => boolean,
    limit: { readonly bytes: number; readonly overflow: () => void },
  ) {
    this.#reading = reading
    this.#isNeeded = isNeeded
    this.#limit = limit
  }

  /** Grows with every copy. */
  get time(): number {
    return this.#time
  }

  version(n: number): Version | undefined {
    return this.#versions.get(n)?.version
  }

  async before(uid: string, keys: readonly string[]): Promise<() => void> {
    const write = { uid, keys }
    this.#underway.add(write)
    const done = () => void this.#underway.delete(write)
    try {
      if (this.#isNeeded()) await this.#copyKeys(write)
      return done
    } catch (error) {
      done()
      throw error
    }
  }

  /** Of writes that began before anybody read: to be awaited before a snapshot is taken. */
  async copyUnderway(): Promise<void> {
    for (const write of this.#underway) await this.#copyKeys(write)
  }

  /** Copies versions by their numbers, those that are there. */
  async copy(uid: string, numbers: readonly number[]): Promise<void> {
    for (let at = 0; at < numbers.length; at += perCall) {
      const some = numbers.slice(at, at + perCall)
      await this.#copyBy(uid, { filter: `${attributes.number} IN [${some.join(', ')}]` })
    }
  }

  /** Forgets what was copied before `time`. */
  forget(time: number): void {
    for (const [n, { version, at }] of this.#versions) {
      if (at >= time) return
      this.#versions.delete(n)
      this.#bytes -= bytesOf(version)
    }
  }

  async #copyKeys({ uid, keys }: { readonly uid: string; readonly keys: readonly string[] }) {
    for (let at = 0; at < keys.length; at += perCall) {
      await this.#copyBy(uid, { ids: keys.slice(at, at + perCall) })
    }
  }

  async #copyBy(
    uid: string,
    which: { readonly ids: readonly string[] } | { readonly filter: string },
  ): Promise<void> {
    const what = { ...which, row: versionRow, limit: perCall }
    const { results } = await fetched(this.#reading, uid, what)
    for (const version of results) {
      if (this.#versions.has(version.n)) continue
      this.#versions.set(version.n, { version, at: this.#time++ })
      this.#bytes += bytesOf(version)
    }
    if (this.#bytes <= this.#limit.bytes) return
    this.forget(Infinity)
    this.#limit.overflow()
  }
}
