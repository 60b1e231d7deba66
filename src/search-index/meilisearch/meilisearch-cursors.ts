/**
 * Cursors for Meilisearch, which has none. The memory holds the numbers of all hits of a search, and copies of documents that are
 * replaced while a cursor needs them. The writer is in the same process and announces the documents that it replaces.
 */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import { type CursorLimits, Cursors, type PageSpan } from '../cursors.ts'
import { includeText } from '../include.ts'
import type { IndexPart } from '../remote/generation.ts'
import type { Answer, CursorRequest, Hit, Page, PageOptions } from '../search-index.ts'
import { documentKey } from './attributes.ts'
import { filterText } from './condition.ts'
import { fetchDocuments, type ReadContext, type Rows } from './engine-reads.ts'
import { hasNumberAmong } from './filter-conditions.ts'
import { isRanked, sortAttributeOf } from './ranking.ts'
import type { AnswerContext } from './related-hits.ts'
import { runQuery } from './search-answer.ts'

/** Hits of a search in their order. */
type Snapshot = {
  readonly numbers: Uint32Array
  /** Position in `parts` of the index of each hit. */
  readonly partIndexes: Uint8Array
  readonly parts: readonly IndexPart[]
  /** Id of each hit, by which its present version is found; only where another process writes. */
  readonly ids?: readonly string[]
  readonly scores?: Float64Array
  /** First sort attribute of each part; absent for texts and scores. */
  readonly sortedBy: readonly (string | undefined)[]
  /** `ReplacedVersions.time` when the snapshot was taken. */
  readonly takenAt: number
}

type HitRow = { readonly n: number; readonly i?: string | undefined }
const numberRow = z.object({ n: z.number() })
const identifiedRow = z.object({ n: z.number(), i: z.string() })

/** Limit that is greater than the number of hits. */
const allHits = 1_000_000_000

/** Opens and reads cursors. Pages are read by number, from the server or from the copies of replaced documents. */
export class MeilisearchCursors {
  readonly #answerContext: AnswerContext
  readonly #cursors: Cursors<Snapshot>
  readonly #replaced: ReplacedVersions
  readonly #isReader: boolean
  #opening = 0

  /** `isReader`: another process writes, so that pages show records as they are by then, without those that are gone. */
  constructor(answerContext: AnswerContext, limits: CursorLimits, isReader: boolean) {
    this.#isReader = isReader
    const { context } = answerContext
    const { now, log } = context
    const { bytes } = limits
    this.#answerContext = answerContext
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
    this.sweep()
    return this.#replaced.beforeWrite(uid, keys)
  }

  /** Whether a cursor reads an index, or may do so. */
  isRead(uid: string): boolean {
    if (this.#opening > 0) return true
    return this.#cursors.snapshots().some(({ parts }) => parts.some((part) => part.uid === uid))
  }

  /** As `SearchIndex.openCursor`. */
  async open(request: CursorRequest, signal?: AbortSignal): Promise<Page> {
    this.sweep()
    this.#cursors.admit(request.client)
    this.#opening++
    try {
      const takenAt = this.#replaced.time
      await this.#replaced.copyUnderway()
      const { facets, truncatedPatterns, snapshot } = await this.#snapshot(request, takenAt, signal)
      const { include, score, limit } = request
      const count = snapshot.numbers.length
      const bytes =
        snapshot.numbers.byteLength +
        snapshot.partIndexes.byteLength +
        (snapshot.ids ?? []).reduce((sum, id) => sum + 2 * id.length + 16, 0) +
        (snapshot.scores?.byteLength ?? 0)
      const end = Math.min(limit, count)
      const page =
        end > 0
          ? await this.#read(snapshot, { start: 0, end, include, score }, signal)
          : { hits: [] }
      const firstPage = { ...page, facets, truncatedPatterns }
      return this.#cursors.open(request, { ...firstPage, count, bytes, snapshot })
    } finally {
      this.#opening--
    }
  }

  /** As `SearchIndex.readPage`. */
  async page(cursor: string, options?: PageOptions, signal?: AbortSignal): Promise<Page> {
    this.sweep()
    return this.#cursors.page(cursor, options, signal)
  }

  async #snapshot(
    cursorRequest: CursorRequest,
    takenAt: number,
    signal?: AbortSignal,
  ): Promise<{ readonly snapshot: Snapshot } & Pick<Answer, 'facets' | 'truncatedPatterns'>> {
    const { client: _, note: __, ...request } = cursorRequest
    const row: Rows<HitRow> = this.#isReader ? identifiedRow : numberRow
    const window = { offset: 0, limit: allHits, row }
    const {
      hits,
      parts,
      keys: sortKeys,
      ...answer
    } = await runQuery(request, window, this.#answerContext, signal)
    const [sortKey] = sortKeys
    const isScored = isRanked(sortKeys)
    const isText = ({ settings }: IndexPart) =>
      settings.orders.some((name) => sortKey?.name === name || sortKey?.name.startsWith(`${name}.`))
    const snapshot = {
      numbers: Uint32Array.from(hits, ({ hit }) => hit.n),
      partIndexes: Uint8Array.from(hits, ({ part }) => parts.indexOf(part)),
      parts,
      ...(this.#isReader && { ids: hits.map(({ hit }) => hit.i ?? '') }),
      ...(isScored && { scores: Float64Array.from(hits, ({ score }) => score) }),
      sortedBy: parts.map((part) =>
        sortKey && !isScored && !isText(part) ? sortAttributeOf(sortKey, part) : undefined,
      ),
      takenAt,
    }
    return { ...answer, snapshot }
  }

  /** Records of a page as they were, and the sort value of the last one. */
  async #read(
    snapshot: Snapshot,
    { start, end, include, score: isScored }: PageSpan,
    signal: AbortSignal | undefined,
  ) {
    const { numbers, partIndexes, parts, scores, sortedBy } = snapshot
    const positions = Array.from({ length: end - start }, (_, i) => start + i)
    const currentVersions = await this.#currentVersions(snapshot, positions, signal)
    // The copies are read after the server: documents that are replaced meanwhile were copied before.
    const rows = positions.flatMap((position) => {
      const partIndex = partIndexes[position] ?? 0
      const version =
        currentVersions.get(position) ?? this.#replaced.version(numbers[position] ?? 0)
      const part = parts[partIndex]
      const value = version?.[sortedBy[partIndex] ?? '']
      return version && part ? [{ version, part, value, score: scores?.[position] }] : []
    })
    const lost = positions.length - rows.length
    if (lost > 0 && !this.#isReader) {
      // Another process writes without copying. Pages with gaps would look complete.
      this.#answerContext.context.log.warn({ lost }, 'cursor.versions-lost')
      throw new Failure('unknown-cursor', 'records of the cursor have changed: begin again')
    }
    const hits = rows.map(({ version, part, score = 0 }): Hit => ({
      index: part.index,
      id: version.i,
      ...(isScored && { score }),
      record: includeText(version.r, include),
    }))
    const last = rows.at(-1)
    const value = scores ? last?.score : last?.value
    return { hits, ...(typeof value === 'number' && { value }) }
  }

  /**
   * Documents at some positions of the snapshot that are on the server, by position: those of its versions, or, where it has ids, as
   * they are now.
   */
  async #currentVersions(
    { ids, numbers, partIndexes, parts, sortedBy }: Snapshot,
    positions: readonly number[],
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<number, Version>> {
    const { context } = this.#answerContext
    const found = new Map<number, Version>()
    const byPart = Map.groupBy(positions, (position) => partIndexes[position] ?? 0)
    for (const [partIndex, positionsOfPart] of byPart) {
      const part = parts[partIndex]
      if (!part) continue
      const sortAttribute = sortedBy[partIndex]
      const request = {
        ...(ids
          ? { ids: positionsOfPart.map((position) => documentKey(ids[position] ?? '')) }
          : {
              filter: filterText(
                hasNumberAmong(positionsOfPart.map((position) => numbers[position] ?? 0)),
              ),
            }),
        row: versionRow,
        extraAttributes: sortAttribute === undefined ? [] : [sortAttribute],
        limit: positionsOfPart.length,
      }
      // Another process may have replaced the index.
      const uid = ids ? (context.searched(part.index)?.uid ?? part.uid) : part.uid
      const { results } = await fetchDocuments(context, uid, request, signal)
      const versions = new Map(results.map((version) => [ids ? version.i : version.n, version]))
      for (const position of positionsOfPart) {
        const version = versions.get((ids ?? numbers)[position] ?? '')
        if (version) found.set(position, version)
      }
    }
    return found
  }

  /** Drops expired cursors, and copies that no cursor needs. */
  sweep(): void {
    this.#cursors.sweep()
    if (this.#opening > 0) return
    const oldest = Math.min(Infinity, ...this.#cursors.snapshots().map(({ takenAt }) => takenAt))
    this.#replaced.dropCopiedBefore(oldest)
  }
}

/** Version of a document, with the attribute that it is sorted by. */
const versionRow = z.looseObject({ n: z.number(), i: z.string(), r: z.string() })
type Version = z.infer<typeof versionRow>

/** Estimated bytes of a copy: two for each code unit, and the entry of the map. */
const bytesOf = ({ i, r }: Version) => 2 * (i.length + r.length) + 200

const documentsPerCall = 1_000

type Write = { readonly uid: string; readonly keys: readonly string[] }

type VersionsContext = {
  readonly context: ReadContext
  /** Whether a cursor is open or is being opened; else nothing is copied. */
  readonly isNeeded: () => boolean
  /** Most bytes of copies; if they are exceeded, all copies are dropped and `onOverflow` is called. */
  readonly bytes: number
  readonly onOverflow: () => void
}

/** Copies of documents that open cursors need, made before they are replaced. */
class ReplacedVersions {
  readonly #context: VersionsContext
  readonly #versions = new Map<number, { readonly version: Version; readonly time: number }>()
  /** Running writes; the documents that they replace may be gone already. */
  readonly #writes = new Set<Write>()
  #bytes = 0
  /** Number of copies that were made. */
  time = 0

  constructor(context: VersionsContext) {
    this.#context = context
  }

  /** Copy of a version. */
  version(n: number): Version | undefined {
    return this.#versions.get(n)?.version
  }

  /** Copies documents before they are replaced or removed. The result is to be called after the write has ended. */
  async beforeWrite(uid: string, keys: readonly string[]): Promise<() => void> {
    const write = { uid, keys }
    this.#writes.add(write)
    const endWrite = () => void this.#writes.delete(write)
    try {
      if (this.#context.isNeeded()) await this.#copyKeys(write)
      return endWrite
    } catch (error) {
      endWrite()
      throw error
    }
  }

  /** Copies the documents of running writes, which began before a cursor was open; to be called before a snapshot is taken. */
  async copyUnderway(): Promise<void> {
    for (const write of this.#writes) await this.#copyKeys(write)
  }

  /** Drops the copies made before `time`. */
  dropCopiedBefore(time: number): void {
    for (const [n, { version, time: at }] of this.#versions) {
      if (at >= time) return
      this.#versions.delete(n)
      this.#bytes -= bytesOf(version)
    }
  }

  async #copyKeys({ uid, keys }: Write): Promise<void> {
    for (let at = 0; at < keys.length; at += documentsPerCall)
      await this.#copy(uid, keys.slice(at, at + documentsPerCall))
  }

  async #copy(uid: string, ids: readonly string[]): Promise<void> {
    const { context, bytes, onOverflow } = this.#context
    const request = { ids, row: versionRow, limit: documentsPerCall }
    const { results } = await fetchDocuments(context, uid, request)
    for (const version of results) {
      if (this.#versions.has(version.n)) continue
      this.#versions.set(version.n, { version, time: this.time++ })
      this.#bytes += bytesOf(version)
    }
    if (this.#bytes <= bytes) return
    this.dropCopiedBefore(Infinity)
    onOverflow()
  }
}
