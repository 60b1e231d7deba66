/**
 * Cursors on Meilisearch, which has none: all hits of a search at one moment, as numbers of versions in our memory, and the old
 * versions of what is written meanwhile.
 */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import { type CursorLimits, Cursors, type PageSpan } from '../cursors.ts'
import type { Answer, CursorRequest, Hit, Page, PageOptions, SearchIndex } from '../search-index.ts'
import { textOf } from './condition.ts'
import { fetched, type IndexPart, type ReadContext } from './documents.ts'
import { amongNumbers } from './match-condition.ts'
import { type Keeping, Past, type Version, versionRow } from './replaced-versions.ts'
import { found, reduced, type Tools } from './search-answer.ts'
import { attributeOf, isRanked } from './sort-attributes.ts'

/** `since` = the time of the past at which the snapshot was taken. */
type Kept = { readonly snapshot: Snapshot; readonly since: number }

/** In one process with the writer: it tells what it is about to replace. */
export class MeilisearchCursors implements Pick<SearchIndex, 'open' | 'page'>, Keeping {
  readonly #tools: Tools
  readonly #cursors: Cursors<Kept>
  readonly #past: Past
  #opening = 0

  constructor(tools: Tools, limits: CursorLimits) {
    const { now, log } = tools.reading
    this.#tools = tools
    const read = (kept: Kept, span: PageSpan, signal?: AbortSignal) =>
      this.#read(kept, span, signal)
    this.#cursors = new Cursors({ limits, now }, read, () => undefined)
    const overflow = () => {
      log.warn({ cursors: this.#cursors.size, bytes: limits.bytes }, 'cursors.given-up')
      this.#cursors.clear()
    }
    const isNeeded = () => this.#opening > 0 || this.#cursors.size > 0
    this.#past = new Past(tools.reading, isNeeded, { bytes: limits.bytes, overflow })
  }

  before(uid: string, keys: readonly string[]): Promise<() => void> {
    this.#sweep()
    return this.#past.before(uid, keys)
  }

  async beforeSwap(uid: string): Promise<void> {
    this.#sweep()
    for (const { snapshot } of this.#cursors.kept())
      await this.#past.copy(uid, numbersOf(snapshot, uid))
  }

  async open(request: CursorRequest, signal?: AbortSignal): Promise<Page> {
    this.#sweep()
    this.#cursors.admit(request.client)
    this.#opening++
    try {
      const since = this.#past.time
      await this.#past.copyUnderway()
      const { client: _, note: __, ...search } = request
      const opened = await snapshotOf(search, this.#tools, signal)
      const { snapshot } = opened
      const { limit, include, score } = request
      const { count, bytes } = snapshot
      const kept = { snapshot, since }
      const first = { start: 0, end: Math.min(limit, count), include, score }
      const page = count > 0 && limit > 0 ? await this.#read(kept, first, signal) : { hits: [] }
      return this.#cursors.open(request, { ...opened, ...page, count, bytes, kept })
    } finally {
      this.#opening--
    }
  }

  async page(cursor: string, wish?: PageOptions, signal?: AbortSignal): Promise<Page> {
    this.#sweep()
    return this.#cursors.page(cursor, wish, signal)
  }

  async #read(
    { snapshot }: Kept,
    { start, end, include, score: isScored }: PageSpan,
    signal: AbortSignal | undefined,
  ) {
    const { reading } = this.#tools
    const at = { reading, past: this.#past }
    const shown = await versionsOf(snapshot, { start, end }, at, signal)
    const lost = end - start - shown.length
    if (lost > 0) {
      // Only a process that knows of the cursor keeps what it replaces: pages with gaps would look whole.
      reading.log.warn({ lost }, 'cursor.versions-lost')
      throw new Failure('unknown-cursor', 'records behind the cursor were changed: begin again')
    }
    const hits = shown.map(({ version, part, score }): Hit => ({
      index: part.index,
      id: version.i,
      ...(isScored && { score }),
      record: reduced(version.r, include),
    }))
    const value = shown.at(-1)?.value
    return { hits, ...(value !== undefined && { value }) }
  }

  /** Forgets cursors that are too old, and versions that nobody shows any more. */
  #sweep(): void {
    this.#cursors.sweep()
    if (this.#opening > 0) return
    this.#past.forget(Math.min(Infinity, ...this.#cursors.kept().map(({ since }) => since)))
  }
}

type Snapshot = {
  readonly count: number
  readonly bytes: number
  readonly numbers: Uint32Array
  /** Which index each is of, as a place in `parts`. */
  readonly of: Uint8Array
  readonly parts: readonly IndexPart[]
  readonly scores?: Float64Array
  /** What it is sorted by first, per place in `parts`; absent for texts and scores. */
  readonly sortedBy: readonly (string | undefined)[]
}

type Span = { readonly start: number; readonly end: number }

const numberRow = z.object({ n: z.number() })

/** More than there are. */
const allHits = 1_000_000_000

async function snapshotOf(
  request: Omit<CursorRequest, 'client' | 'note'>,
  tools: Tools,
  signal?: AbortSignal,
): Promise<{ readonly snapshot: Snapshot } & Pick<Answer, 'facets' | 'shortened'>> {
  const window = { offset: 0, limit: allHits, row: numberRow }
  const answer = await found(request, window, tools, signal)
  const { hits, parts, keys, facets, shortened } = answer
  const numbers = Uint32Array.from(hits, ({ hit }) => hit.n)
  const of = Uint8Array.from(hits, ({ part }) => parts.indexOf(part))
  const ranked = isRanked(keys)
  const scores = ranked ? Float64Array.from(hits, ({ score }) => score) : undefined
  const [key] = keys
  const snapshot = {
    count: numbers.length,
    bytes: numbers.byteLength + of.byteLength + (scores?.byteLength ?? 0),
    numbers,
    of,
    parts,
    ...(scores && { scores }),
    sortedBy: parts.map((part) => {
      const isNumber = key && !ranked && !part.settings.orders.some((name) => begins(key.by, name))
      return isNumber ? attributeOf(key, part) : undefined
    }),
  }
  return { snapshot, ...(facets && { facets }), ...(shortened && { shortened }) }
}

/** `title.de` sorts by `title`. */
const begins = (by: string, name: string) => by === name || by.startsWith(`${name}.`)

/** Numbers of the versions that an index held. */
const numbersOf = ({ numbers, of, parts }: Snapshot, uid: string): readonly number[] =>
  [...numbers].filter((_, place) => parts[of[place] ?? 0]?.uid === uid)

type Shown = {
  readonly version: Version
  readonly part: IndexPart
  readonly score: number
  /** What it is sorted by. */
  readonly value: number | undefined
}

/** The versions of a page; what is nowhere any more is left out. */
async function versionsOf(
  snapshot: Snapshot,
  { start, end }: Span,
  { reading, past }: { readonly reading: ReadContext; readonly past: Past },
  signal?: AbortSignal,
): Promise<readonly Shown[]> {
  const { numbers, of, parts, scores, sortedBy } = snapshot
  const places = Array.from({ length: end - start }, (_, i) => start + i)
  const live = new Map<number, Version>()
  for (const [at, part] of parts.entries()) {
    const own = places.filter((place) => of[place] === at).map((place) => numbers[place] ?? 0)
    if (own.length === 0) continue
    const sorted = sortedBy[at]
    const what = {
      filter: textOf(amongNumbers(own)),
      row: versionRow,
      more: sorted === undefined ? [] : [sorted],
      limit: own.length,
    }
    const { results } = await fetched(reading, part.uid, what, signal)
    for (const version of results) live.set(version.n, version)
  }
  // Looked for second: what was replaced meanwhile was copied before.
  return places.flatMap((place) => {
    const n = numbers[place] ?? 0
    const at = of[place] ?? 0
    const [version, part] = [live.get(n) ?? past.version(n), parts[at]]
    if (!version || !part) return []
    const value = version[sortedBy[at] ?? '']
    const score = scores?.[place] ?? 0
    const sortValue = scores ? score : typeof value === 'number' ? value : undefined
    return [{ version, part, score, value: sortValue }]
  })
}
