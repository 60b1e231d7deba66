/**
 * Cursors on Meilisearch, which has none: all hits of a search at one moment, as numbers of versions in our memory, and the old
 * versions of what is written meanwhile. In one process with the writer, which says what it is about to replace.
 */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import { type CursorLimits, Cursors, type PageSpan } from '../cursors.ts'
import { includeText } from '../include.ts'
import type { Answer, CursorRequest, Hit, Page, PageOptions } from '../search-index.ts'
import { attributes } from './attributes.ts'
import { textOf } from './condition.ts'
import { fetched, type IndexPart, type ReadContext } from './engine-reads.ts'
import { amongNumbers } from './matching.ts'
import { attributeOf, isRanked } from './ranking.ts'
import { queried, type SearchContext } from './search-answer.ts'

/** Hits in their order, as they were at one time. */
type Snapshot = {
  readonly numbers: Uint32Array
  /** Which index each is of, as a place in `parts`. */
  readonly of: Uint8Array
  readonly parts: readonly IndexPart[]
  readonly scores?: Float64Array
  /** First sort attribute per place in `parts`; absent for texts and scores. */
  readonly sortedBy: readonly (string | undefined)[]
  /** The time of the replaced versions at which it was taken. */
  readonly since: number
}

const numberRow = z.object({ n: z.number() })

/** More than there are. */
const allHits = 1_000_000_000

/** Pages are read by number, from the server or from the copies of what was replaced. */
export class MeilisearchCursors {
  readonly #using: SearchContext
  readonly #cursors: Cursors<Snapshot>
  readonly #replaced: ReplacedVersions
  #opening = 0

  constructor(using: SearchContext, limits: CursorLimits) {
    const { context } = using
    const { now, log } = context
    const { bytes } = limits
    this.#using = using
    this.#cursors = new Cursors(
      { limits, now },
      (snapshot, span, signal) => this.#read(snapshot, span, signal),
      () => undefined,
    )
    const onOverflow = () => {
      log.warn({ cursors: this.#cursors.size, bytes }, 'cursors.given-up')
      this.#cursors.clear()
    }
    const isNeeded = () => this.#opening > 0 || this.#cursors.size > 0
    this.#replaced = new ReplacedVersions({ context, isNeeded, bytes, onOverflow })
  }

  /** Before documents of an answering index are replaced or removed; the answer is to be called when they were. */
  before(uid: string, keys: readonly string[]): Promise<() => void> {
    this.#sweep()
    return this.#replaced.before(uid, keys)
  }

  /** Before another index answers under this name. */
  async beforeSwap(uid: string): Promise<void> {
    this.#sweep()
    for (const { numbers, of, parts } of this.#cursors.kept()) {
      const own = [...numbers].filter((_, place) => parts[of[place] ?? 0]?.uid === uid)
      await this.#replaced.copy(uid, own)
    }
  }

  async open(request: CursorRequest, signal?: AbortSignal): Promise<Page> {
    this.#sweep()
    this.#cursors.admit(request.client)
    this.#opening++
    try {
      const since = this.#replaced.time
      await this.#replaced.copyUnderway()
      const { facets, shortened, kept } = await this.#snapshot(request, since, signal)
      const { include, score, limit } = request
      const count = kept.numbers.length
      const bytes = kept.numbers.byteLength + kept.of.byteLength + (kept.scores?.byteLength ?? 0)
      const end = Math.min(limit, count)
      const page =
        end > 0 ? await this.#read(kept, { start: 0, end, include, score }, signal) : { hits: [] }
      const found = { ...page, facets, shortened }
      return this.#cursors.open(request, { ...found, count, bytes, kept })
    } finally {
      this.#opening--
    }
  }

  async page(cursor: string, options?: PageOptions, signal?: AbortSignal): Promise<Page> {
    this.#sweep()
    return this.#cursors.page(cursor, options, signal)
  }

  async #snapshot(
    asked: CursorRequest,
    since: number,
    signal?: AbortSignal,
  ): Promise<{ readonly kept: Snapshot } & Pick<Answer, 'facets' | 'shortened'>> {
    const { client: _, note: __, ...request } = asked
    const window = { offset: 0, limit: allHits, row: numberRow }
    const { hits, parts, keys, ...answer } = await queried(request, window, this.#using, signal)
    const [key] = keys
    const isScored = isRanked(keys)
    const isText = ({ settings }: IndexPart) =>
      settings.orders.some((name) => key?.by === name || key?.by.startsWith(`${name}.`))
    const kept = {
      numbers: Uint32Array.from(hits, ({ hit }) => hit.n),
      of: Uint8Array.from(hits, ({ part }) => parts.indexOf(part)),
      parts,
      ...(isScored && { scores: Float64Array.from(hits, ({ score }) => score) }),
      sortedBy: parts.map((part) =>
        key && !isScored && !isText(part) ? attributeOf(key, part) : undefined,
      ),
      since,
    }
    return { ...answer, kept }
  }

  /** The records of a page as they were, and what the last of them is sorted by. */
  async #read(
    snapshot: Snapshot,
    { start, end, include, score: isScored }: PageSpan,
    signal: AbortSignal | undefined,
  ) {
    const { numbers, of, parts, scores, sortedBy } = snapshot
    const places = Array.from({ length: end - start }, (_, i) => start + i)
    const live = await this.#live(snapshot, places, signal)
    // Looked for second: what was replaced meanwhile was copied before.
    const shown = places.flatMap((place) => {
      const n = numbers[place] ?? 0
      const at = of[place] ?? 0
      const [version, part] = [live.get(n) ?? this.#replaced.version(n), parts[at]]
      const value = version?.[sortedBy[at] ?? '']
      return version && part ? [{ version, part, value, score: scores?.[place] }] : []
    })
    const lost = places.length - shown.length
    if (lost > 0) {
      // Only a process that knows of the cursor copies what it replaces: pages with gaps would look whole.
      this.#using.context.log.warn({ lost }, 'cursor.versions-lost')
      throw new Failure('unknown-cursor', 'records of the cursor have changed: begin again')
    }
    const hits = shown.map(({ version, part, score = 0 }): Hit => ({
      index: part.index,
      id: version.i,
      ...(isScored && { score }),
      record: includeText(version.r, include),
    }))
    const last = shown.at(-1)
    const value = scores ? last?.score : last?.value
    return { hits, ...(typeof value === 'number' && { value }) }
  }

  /** The versions at some places that are still there, by number. */
  async #live(
    { numbers, of, parts, sortedBy }: Snapshot,
    places: readonly number[],
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<number, Version>> {
    const live = new Map<number, Version>()
    for (const [at, part] of parts.entries()) {
      const own = places.filter((place) => of[place] === at).map((place) => numbers[place] ?? 0)
      if (own.length === 0) continue
      const sorted = sortedBy[at]
      const request = {
        filter: textOf(amongNumbers(own)),
        row: versionRow,
        more: sorted === undefined ? [] : [sorted],
        limit: own.length,
      }
      const { results } = await fetched(this.#using.context, part.uid, request, signal)
      for (const version of results) live.set(version.n, version)
    }
    return live
  }

  /** Drops cursors that are too old, and versions that nobody shows any more. */
  #sweep(): void {
    this.#cursors.sweep()
    if (this.#opening > 0) return
    const oldest = Math.min(Infinity, ...this.#cursors.kept().map(({ since }) => since))
    this.#replaced.forget(oldest)
  }
}

// Versions of records that open cursors still show are copied before they are replaced.

/** A version of a record, with what it is sorted by. */
const versionRow = z.looseObject({ n: z.number(), i: z.string(), r: z.string() })
type Version = z.infer<typeof versionRow>

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

class ReplacedVersions {
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

  /** Waits for writes that began before anybody read; to be called before a snapshot is taken. */
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
