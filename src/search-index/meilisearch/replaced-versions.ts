/** Versions of records that open cursors still show, copied before they are replaced. */

import { z } from 'zod'
import { attributes } from './attributes.ts'
import { fetched, type ReadContext } from './engine-reads.ts'

/** A version of a record, with what it is sorted by. */
export const versionRow = z.looseObject({ n: z.number(), i: z.string(), r: z.string() })
export type Version = z.infer<typeof versionRow>

/** A text takes two bytes per unit at most; the rest is the map's. */
const bytesOf = ({ i, r }: Version) => 2 * (i.length + r.length) + 200

const perCall = 1_000

type Write = { readonly uid: string; readonly keys: readonly string[] }

type VersionsContext = {
  readonly context: ReadContext
  /** Nothing is copied while this says that nobody reads. */
  readonly isNeeded: () => boolean
  /** Over so many bytes everything is dropped: `onOverflow` is called, and whoever reads has to begin again. */
  readonly bytes: number
  readonly onOverflow: () => void
}

export class ReplacedVersions {
  readonly #using: VersionsContext
  readonly #versions = new Map<number, { readonly version: Version; readonly at: number }>()
  /** Writes under way: what they replace may still be there or not. */
  readonly #writes = new Set<Write>()
  #bytes = 0
  /** Grows with every copy. */
  time = 0

  constructor(using: VersionsContext) {
    this.#using = using
  }

  version(n: number): Version | undefined {
    return this.#versions.get(n)?.version
  }

  /** Before documents are replaced or removed; the answer is to be called when they were. */
  async before(uid: string, keys: readonly string[]): Promise<() => void> {
    const write = { uid, keys }
    this.#writes.add(write)
    const done = () => void this.#writes.delete(write)
    try {
      if (this.#using.isNeeded()) await this.#copyKeys(write)
      return done
    } catch (error) {
      done()
      throw error
    }
  }

  /** Of writes that began before anybody read: to be awaited before a snapshot is taken. */
  async copyUnderway(): Promise<void> {
    for (const write of this.#writes) await this.#copyKeys(write)
  }

  /** Copies versions by their numbers, those that are there. */
  async copy(uid: string, numbers: readonly number[]): Promise<void> {
    for (let at = 0; at < numbers.length; at += perCall) {
      const some = numbers.slice(at, at + perCall)
      await this.#copyBy(uid, { filter: `${attributes.number} IN [${some.join(', ')}]` })
    }
  }

  /** Drops what was copied before `time`. */
  forget(time: number): void {
    for (const [n, { version, at }] of this.#versions) {
      if (at >= time) return
      this.#versions.delete(n)
      this.#bytes -= bytesOf(version)
    }
  }

  async #copyKeys({ uid, keys }: Write): Promise<void> {
    for (let at = 0; at < keys.length; at += perCall)
      await this.#copyBy(uid, { ids: keys.slice(at, at + perCall) })
  }

  async #copyBy(
    uid: string,
    which: { readonly ids: readonly string[] } | { readonly filter: string },
  ): Promise<void> {
    const { context, bytes, onOverflow } = this.#using
    const request = { ...which, row: versionRow, limit: perCall }
    const { results } = await fetched(context, uid, request)
    for (const version of results) {
      if (this.#versions.has(version.n)) continue
      this.#versions.set(version.n, { version, at: this.time++ })
      this.#bytes += bytesOf(version)
    }
    if (this.#bytes <= bytes) return
    this.forget(Infinity)
    onOverflow()
  }
}
