/**
 * Cursors for Meilisearch, which has none. The memory holds the numbers of all hits of a search, and copies of documents that are
 * replaced while a cursor needs them. The writer is in the same process and announces the documents that it replaces.
 */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import { type CursorLimits, Cursors, type PageSpan } from '../cursors.ts'
import { includeText } from '../include.ts'
import type { Answer, CursorRequest, Hit, Page, PageOptions } from '../search-index.ts'
import { attributes } from './attributes.ts'
import { filterText } from './condition.ts'
import { fetchDocuments, type IndexPart, type ReadContext } from './engine-reads.ts'
import { hasNumberAmong } from './matching.ts'
import { sortAttributeOf, isRanked } from './ranking.ts'
import { runQuery, type AnswerContext } from './search-answer.ts'

/** Hits of a search in their order. */
type Snapshot = {
  readonly numbers: Uint32Array
  /** Position in `parts` of the index of each hit. */
  readonly of: Uint8Array
  readonly parts: readonly IndexPart[]
  readonly scores?: Float64Array
  /** First sort attribute of each part; absent for texts and scores. */
  readonly sortedBy: readonly (string | undefined)[]
  /** `ReplacedVersions.time` when the snapshot was taken. */
  readonly since: number
}

const numberRow = z.object({ n: z.number() })

/** Limit that is greater than the number of hits. */
const allHits = 1_000_000_000

/** Opens and reads cursors. Pages are read by number, from the server or from the copies of replaced documents. */
export class MeilisearchCursors {
  readonly #using: AnswerContext
  readonly #cursors: Cursors<Snapshot>
  readonly #replaced: ReplacedVersions
  #opening = 0

  constructor(using: AnswerContext, limits: CursorLimits) {
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

  /**
   * Must be called before documents of a searched index are replaced or removed. The result is to be called after the write has ended.
   */
  beforeWrite(uid: string, keys: readonly string[]): Promise<() => void> {
    this.#sweep()
    return this.#replaced.beforeWrite(uid, keys)
  }

  /** Must be called before another index is swapped to this uid. */
  async beforeSwap(uid: string): Promise<void> {
    this.#sweep()
    for (const { numbers, of, parts } of this.#cursors.snapshots()) {
      const own = [...numbers].filter((_, place) => parts[of[place] ?? 0]?.uid === uid)
      await this.#replaced.copy(uid, own)
    }
  }

  /** As `SearchIndex.openCursor`. */
  async open(request: CursorRequest, signal?: AbortSignal): Promise<Page> {
    this.#sweep()
    this.#cursors.admit(request.client)
    this.#opening++
    try {
      const since = this.#replaced.time
      await this.#replaced.copyUnderway()
      const { facets, truncatedPatterns, snapshot } = await this.#snapshot(request, since, signal)
      const { include, score, limit } = request
      const count = snapshot.numbers.length
      const bytes =
        snapshot.numbers.byteLength + snapshot.of.byteLength + (snapshot.scores?.byteLength ?? 0)
      const end = Math.min(limit, count)
      const page =
        end > 0
          ? await this.#read(snapshot, { start: 0, end, include, score }, signal)
          : { hits: [] }
      const found = { ...page, facets, truncatedPatterns }
      return this.#cursors.open(request, { ...found, count, bytes, snapshot })
    } finally {
      this.#opening--
    }
  }

  /** As `SearchIndex.readPage`. */
  async page(cursor: string, options?: PageOptions, signal?: AbortSignal): Promise<Page> {
    this.#sweep()
    return this.#cursors.page(cursor, options, signal)
  }

  async #snapshot(
    asked: CursorRequest,
    since: number,
    signal?: AbortSignal,
  ): Promise<{ readonly snapshot: Snapshot } & Pick<Answer, 'facets' | 'truncatedPatterns'>> {
    const { client: _, note: __, ...request } = asked
    const window = { offset: 0, limit: allHits, row: numberRow }
    const { hits, parts, keys, ...answer } = await runQuery(request, window, this.#using, signal)
    const [key] = keys
    const isScored = isRanked(keys)
    const isText = ({ settings }: IndexPart) =>
      settings.orders.some((name) => key?.by === name || key?.by.startsWith(`${name}.`))
    const snapshot = {
      numbers: Uint32Array.from(hits, ({ hit }) => hit.n),
      of: Uint8Array.from(hits, ({ part }) => parts.indexOf(part)),
      parts,
      ...(isScored && { scores: Float64Array.from(hits, ({ score }) => score) }),
      sortedBy: parts.map((part) =>
        key && !isScored && !isText(part) ? sortAttributeOf(key, part) : undefined,
      ),
      since,
    }
    return { ...answer, snapshot }
  }

  /** Records of a page as they were, and the sort value of the last one. */
  async #read(
    snapshot: Snapshot,
    { start, end, include, score: isScored }: PageSpan,
    signal: AbortSignal | undefined,
  ) {
    const { numbers, of, parts, scores, sortedBy } = snapshot
    const places = Array.from({ length: end - start }, (_, i) => start + i)
    const live = await this.#live(snapshot, places, signal)
    // The copies are read after the server: documents that are replaced meanwhile were copied before.
    const shown = places.flatMap((place) => {
      const n = numbers[place] ?? 0
      const at = of[place] ?? 0
      const [version, part] = [live.get(n) ?? this.#replaced.version(n), parts[at]]
      const value = version?.[sortedBy[at] ?? '']
      return version && part ? [{ version, part, value, score: scores?.[place] }] : []
    })
    const lost = places.length - shown.length
    if (lost > 0) {
      // Another process writes without copying. Pages with gaps would look complete.
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

  /** Documents at some positions of the snapshot that are still on the server, by number. */
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
        filter: filterText(hasNumberAmong(own)),
        row: versionRow,
        extraAttributes: sorted === undefined ? [] : [sorted],
        limit: own.length,
      }
      const { results } = await fetchDocuments(this.#using.context, part.uid, request, signal)
      for (const version of results) live.set(version.n, version)
    }
    return live
  }

  /** Drops expired cursors, and copies that no cursor needs. */
  #sweep(): void {
    this.#cursors.sweep()
    if (this.#opening > 0) return
    const oldest = Math.min(Infinity, ...this.#cursors.snapshots().map(({ since }) => since))
    this.#replaced.dropCopiedBefore(oldest)
  }
}

/** Version of a document, with the attribute that it is sorted by. */
const versionRow = z.looseObject({ n: z.number(), i: z.string(), r: z.string() })
type Version = z.infer<typeof versionRow>

/** Estimated bytes of a copy: two for each code unit, and the entry of the map. */
const bytesOf = ({ i, r }: Version) => 2 * (i.length + r.length) + 200

const perCall = 1_000

type Write = { readonly uid: string; readonly keys: readonly string[] }

type VersionsContext = {
  readonly context: ReadContext
  /** Whether a cursor is open; else nothing is copied. */
  readonly isNeeded: () => boolean
  /** Most bytes of copies; if they are exceeded, all copies are dropped and `onOverflow` is called. */
  readonly bytes: number
  readonly onOverflow: () => void
}

/** Copies of documents that open cursors need, made before they are replaced. */
class ReplacedVersions {
  readonly #using: VersionsContext
  readonly #versions = new Map<number, { readonly version: Version; readonly at: number }>()
  /** Running writes; the documents that they replace may be gone already. */
  readonly #writes = new Set<Write>()
  #bytes = 0
  /** Number of copies that were made. */
  time = 0

  constructor(using: VersionsContext) {
    this.#using = using
  }

  /** Copy of a version. */
  version(n: number): Version | undefined {
    return this.#versions.get(n)?.version
  }

  /** Copies documents before they are replaced or removed. The result is to be called after the write has ended. */
  async beforeWrite(uid: string, keys: readonly string[]): Promise<() => void> {
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

  /** Copies the documents of running writes, which began before a cursor was open; to be called before a snapshot is taken. */
  async copyUnderway(): Promise<void> {
    for (const write of this.#writes) await this.#copyKeys(write)
  }

  /** Copies the documents with these numbers that exist. */
  async copy(uid: string, numbers: readonly number[]): Promise<void> {
    for (let at = 0; at < numbers.length; at += perCall) {
      const some = numbers.slice(at, at + perCall)
      await this.#copyBy(uid, { filter: `${attributes.number} IN [${some.join(', ')}]` })
    }
  }

  /** Drops the copies made before `time`. */
  dropCopiedBefore(time: number): void {
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
    const { results } = await fetchDocuments(context, uid, request)
    for (const version of results) {
      if (this.#versions.has(version.n)) continue
      this.#versions.set(version.n, { version, at: this.time++ })
      this.#bytes += bytesOf(version)
    }
    if (this.#bytes <= bytes) return
    this.dropCopiedBefore(Infinity)
    onOverflow()
  }
}
