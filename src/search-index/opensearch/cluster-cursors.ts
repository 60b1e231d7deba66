/**
 * Cursors on a cluster: points in time, which keep the documents of a search as they were, even if another process writes. Cursors of one state of the
 * same indices share a point in time, because a node has 300 of them for each shard.
 */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import { type CursorLimits, Cursors, type PageSpan } from '../cursors.ts'
import { parseAnswer } from '../remote/answers.ts'
import type { CursorRequest, Page, PageOptions } from '../search-index.ts'
import {
  type ClusterAnswers,
  clusterHead,
  hitOf,
  partHits,
  type RankedHit,
  searchOnCluster,
  searchBody,
} from './cluster-answer.ts'
import { ClusterRefusal } from './cluster-client.ts'
import { type ClusterPlan, sortNumber } from './cluster-plan.ts'
import { clusterSearch, fieldsOfHits } from './cluster-reads.ts'

/** Point in time of some indices. */
type Point = { readonly id: string; readonly uids: readonly string[] }

type SortValues = RankedHit['sort']

/** Hits of a search: those that our scores order, and the way to the others. */
type Snapshot = {
  readonly point: Point
  readonly plan: ClusterPlan
  /** Keys and scores of the first hits, in our order; empty if they are not ordered by relevance. */
  readonly head: readonly Pick<RankedHit, 'uid' | 'id' | 'score'>[]
  /** Sort values of the last hit before a place. */
  readonly places: Map<number, SortValues>
}

/** Most hits that are passed over in one call. */
const mostSkipped = 10_000
/** Most seconds between two pages beyond the lifetime of a cursor. */
const marginSeconds = 60

const openedPoint = z.object({ pit_id: z.string() })

/** Opens and reads cursors. */
export class ClusterCursors {
  readonly #answers: ClusterAnswers
  readonly #cursors: Cursors<Snapshot>
  readonly #keepAlive: string
  /** Points in time of the present state, by their indices. */
  #latest: { readonly changes: number; readonly points: Map<string, Promise<Point>> }
  /** Points in time that are open, and the number of calls that open cursors on each. */
  readonly #points = new Map<Point, { opening: number }>()

  constructor(answers: ClusterAnswers, limits: CursorLimits) {
    this.#answers = answers
    this.#keepAlive = `${Math.ceil(limits.ttlMs / 1000) + marginSeconds}s`
    this.#latest = { changes: -1, points: new Map() }
    this.#cursors = new Cursors(
      { limits, now: answers.context.now },
      (snapshot, span, signal) => this.#read(snapshot, span, signal),
      () => void this.sweep(),
    )
  }

  /** Whether a cursor reads an index. */
  isRead(uid: string): boolean {
    return [...this.#points.keys()].some(({ uids }) => uids.includes(uid))
  }

  /** Drops expired cursors, and the points in time that no cursor needs. */
  async sweep(): Promise<void> {
    this.#cursors.sweep()
    const needed = new Set(this.#cursors.snapshots().map(({ point }) => point))
    const unneeded = [...this.#points].filter(
      ([point, { opening }]) => opening === 0 && !needed.has(point),
    )
    if (unneeded.length === 0) return
    for (const [point] of unneeded) this.#points.delete(point)
    this.#latest = { changes: -1, points: new Map() }
    const { client } = this.#answers.context
    const body = { pit_id: unneeded.map(([{ id }]) => id) }
    // It ends by itself if this fails.
    await client
      .call({ method: 'DELETE', path: '/_search/point_in_time', body })
      .catch(() => undefined)
  }

  /** As `SearchIndex.openCursor`. */
  async open(request: CursorRequest, signal?: AbortSignal): Promise<Page> {
    await this.sweep()
    this.#cursors.admit(request.client)
    const { client: _, note: __, ...wanted } = request
    const opened: { point?: Point } = {}
    const { limit, include } = request
    try {
      const span = { offset: 0, limit: Math.max(limit, clusterHead), isRead: include?.length !== 0 }
      const search: typeof clusterSearch = async (context, uids = [], body, end) => {
        opened.point ??= await this.#pointOf(uids, signal)
        return clusterSearch(context, undefined, { ...body, ...this.#at(opened.point) }, end)
      }
      const { count, facets, hits, plan } = await searchOnCluster(
        wanted,
        span,
        { ...this.#answers, search },
        signal,
      )
      const { point = { id: '', uids: [] } } = opened
      const head = plan.scored ? hits.slice(0, clusterHead) : []
      const kept = head.map(({ uid, id, score }) => ({ uid, id, score }))
      const snapshot: Snapshot = { point, plan, head: kept, places: new Map() }
      const page = hits.slice(0, limit)
      const last = page.at(-1)
      if (last && page.length > head.length) snapshot.places.set(page.length, last.sort)
      const bytes = kept.reduce((sum, { id }) => sum + 2 * id.length + 100, 4_000)
      const content = {
        hits: page.map((hit) => hitOf(hit, request)),
        count,
        facets,
        bytes,
        snapshot,
      }
      return this.#cursors.open(request, { ...content, ...valueOf(plan, last) })
    } finally {
      const use = opened.point && this.#points.get(opened.point)
      if (use) use.opening--
    }
  }

  /** As `SearchIndex.readPage`. */
  async page(cursor: string, options?: PageOptions, signal?: AbortSignal): Promise<Page> {
    await this.sweep()
    return this.#cursors.page(cursor, options, signal)
  }

  /** Members of a search at a point in time. */
  #at({ id }: Point) {
    return { pit: { id, keep_alive: this.#keepAlive } }
  }

  /** The point in time of the present state of some indices; counted as used by a call that opens a cursor. */
  async #pointOf(uids: readonly string[], signal?: AbortSignal): Promise<Point> {
    const { changes } = this.#answers.context
    if (this.#latest.changes !== changes()) this.#latest = { changes: changes(), points: new Map() }
    const { points } = this.#latest
    const key = uids.join()
    const opening = points.get(key) ?? this.#openPoint(uids, signal)
    points.set(key, opening)
    try {
      const point = await opening
      const use = this.#points.get(point) ?? { opening: 0 }
      use.opening++
      this.#points.set(point, use)
      return point
    } catch (error) {
      points.delete(key)
      throw error
    }
  }

  async #openPoint(uids: readonly string[], signal?: AbortSignal): Promise<Point> {
    const { client } = this.#answers.context
    const path = `/${uids.map(encodeURIComponent).join(',')}/_search/point_in_time`
    const query = { keep_alive: this.#keepAlive, allow_partial_pit_creation: false }
    try {
      const answer = await client.call({ method: 'POST', path, query }, signal)
      return { id: parseAnswer(openedPoint, answer).pit_id, uids }
    } catch (error) {
      const cause = error instanceof Failure ? error.cause : undefined
      if (cause instanceof ClusterRefusal && /Point In Time/i.test(cause.message))
        throw new Failure(
          'too-many-cursors',
          'too many open cursors: the search engine has no more',
          {
            retryAfter: 10,
            cause: error,
          },
        )
      throw error
    }
  }

  async #read(snapshot: Snapshot, { start, end, include, score }: PageSpan, signal?: AbortSignal) {
    const { plan, head } = snapshot
    const isRead = include?.length !== 0
    try {
      const first = head.slice(start, end)
      const ofHead = first.length > 0 ? await this.#headHits(snapshot, first, isRead, signal) : []
      const from = Math.max(start, head.length)
      const others =
        end > from
          ? await this.#hitsFrom(snapshot, { start: from, size: end - from, isRead }, signal)
          : []
      const hits = [...ofHead, ...others]
      // A copy of the documents was on a node that is gone.
      if (hits.length < end - start) throw lostCursor()
      const page = hits.map((hit) => hitOf(hit, { include, score }))
      return { hits: page, ...valueOf(plan, hits.at(-1)) }
    } catch (error) {
      throw isLost(error) ? lostCursor(error) : error
    }
  }

  /** Hits of the head with their records, in our order. */
  async #headHits(
    { point, plan }: Snapshot,
    wanted: Snapshot['head'],
    isRead: boolean,
    signal?: AbortSignal,
  ): Promise<readonly RankedHit[]> {
    const query = { bool: { filter: [{ terms: { i: wanted.map(({ id }) => id) } }] } }
    const fields = fieldsOfHits({ record: isRead })
    // Records of several indices may have the same id.
    const size = wanted.length * plan.parts.length
    const body = { query, size, sort: ['_doc'], ...fields, ...this.#at(point) }
    const { context } = this.#answers
    const found = await clusterSearch(
      context,
      undefined,
      { ...body, track_total_hits: true },
      signal,
    )
    const hits = partHits(plan.parts, found.hits)
    return wanted.flatMap(({ uid, id, score }) => {
      const hit = hits.find((one) => one.uid === uid && one.id === id)
      return hit ? [{ ...hit, score }] : []
    })
  }

  /** Hits from a place on, which is reached from the nearest known one before it. */
  async #hitsFrom(
    { point, plan, places }: Snapshot,
    {
      start,
      size,
      isRead,
    }: { readonly start: number; readonly size: number; readonly isRead: boolean },
    signal?: AbortSignal,
  ): Promise<readonly RankedHit[]> {
    const { context } = this.#answers
    const body = { ...searchBody(plan), ...this.#at(point), track_total_hits: false }
    const known = [...places.keys()].filter((place) => place <= start)
    let place = Math.max(0, ...known)
    for (;;) {
      const isThere = place === start
      const after = places.get(place)
      const window = {
        size: isThere ? size : Math.min(mostSkipped, start - place),
        ...fieldsOfHits({ record: isThere && isRead }),
        ...(after && { search_after: after }),
      }
      const { hits } = await clusterSearch(context, undefined, { ...body, ...window }, signal)
      const last = hits.at(-1)
      place += hits.length
      if (last) places.set(place, last.sort)
      if (isThere) return partHits(plan.parts, hits)
      if (!last) throw lostCursor()
    }
  }
}

const lostCursor = (cause?: unknown): Failure =>
  new Failure('unknown-cursor', 'the search engine has lost the cursor: begin again', { cause })

/** Whether a failure means that a point in time is gone, or that some of its shards are. */
const isLost = (error: unknown): boolean =>
  error instanceof Failure &&
  error.cause instanceof ClusterRefusal &&
  (error.cause.status === 404 || /search_context_missing|illegal_state/.test(error.cause.type))

/** Sort value of a hit: its score, or a date or number. */
function valueOf({ scored, keys }: ClusterPlan, hit: RankedHit | undefined) {
  const isSorted = !scored && keys.length > 0
  const value = !hit
    ? undefined
    : scored
      ? hit.score
      : isSorted
        ? sortNumber(hit.sort[0])
        : undefined
  return value === undefined ? {} : { value }
}
