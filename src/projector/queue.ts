/**
 * Queue of the projector: pending marks as the store holds them; in memory one entry per resource with its newest version, in
 * order of arrival; and the callers that wait for them.
 */

import { systemGraph, xsd } from '../rdf/namespaces.ts'
import { literal } from '../rdf/terms.ts'
import type { Change, GraphStore, Row } from '../store/graph-store.ts'
import {
  fact,
  type WrittenContent,
  type CommittedMark,
  type Mark,
  markLine,
  systemChange,
} from '../store/marks.ts'
import { bind, loadQuery, paged, type Query } from '../store/queries.ts'

const queries = {
  pending: loadQuery('pending'),
  cascades: loadQuery('cascades'),
  newest: loadQuery('newest-mark'),
  indexed: loadQuery('newest-indexed'),
}

/** Marks read at a time: some stores sort no more than this. */
const page = 5000

/** Reads the oldest marks, at most `limit`. */
export async function readMarks(
  store: GraphStore,
  limit: number,
  signal: AbortSignal,
): Promise<readonly Mark[]> {
  const marks: Mark[] = []
  for (let most = 0, rows = 0; rows === most && marks.length < limit;) {
    most = Math.min(page, limit - marks.length)
    const after = literal(String(marks.at(-1)?.version ?? 0), xsd('integer'))
    const query = paged(bind(queries.pending, { after }), { limit: most })
    const read = await store.select(query, signal)
    marks.push(...marksIn(read, 'resource'))
    rows = read.length
  }
  return marks
}

/** Reads the cascade marks of catalogues and vocabularies, at most `limit`. */
export const readCascades = async (
  store: GraphStore,
  limit: number,
  signal: AbortSignal,
): Promise<readonly Mark[]> =>
  marksIn(await store.select(paged(bind(queries.cascades, {}), { limit }), signal), 'catalogue')

const marksIn = (rows: readonly Row[], name: string): readonly Mark[] =>
  rows.flatMap(({ [name]: resource, version }) =>
    resource && version ? [{ resource: resource.value, version: Number(version.value) }] : [],
  )

async function newest(store: GraphStore, query: Query): Promise<number> {
  const [row] = await store.select(bind(query, {}))
  return Number(row?.['newest']?.value ?? 0)
}

/** Returns the largest version of all marks, 0 without any. */
export const newestMark = (store: GraphStore): Promise<number> => newest(store, queries.newest)

/** Returns the largest version whose mark was cleared, 0 where the store was written by a version that records none. */
export const newestIndexed = (store: GraphStore): Promise<number> => newest(store, queries.indexed)

/** Creates the change that removes exactly the marks that were read; newer ones stay. It also records the largest indexed version. */
export function clearMarks(
  done: readonly PendingResource[],
  { indexed, before }: { readonly indexed: number; readonly before: number },
): Change {
  const lines = (version: number) =>
    indexed === before ? [] : [fact(systemGraph, 'indexed', String(version))]
  const marks = done.flatMap(({ resource, marked }) =>
    marked.map((version) => markLine('pending', { resource, version })),
  )
  return systemChange({ remove: [...marks, ...lines(before)], add: lines(indexed) })
}

/** Resource to project, with all its marked versions; they are cleared together when the newest state is indexed. */
export type PendingResource = {
  readonly resource: string
  /** Newest version; 0 when the resource is projected again without a write. */
  readonly version: number
  /** Versions with marks in the store. */
  readonly marked: readonly number[]
  /** Content of the newest version, when its writer handed it over. */
  readonly content?: WrittenContent
  /** True when only indices that are being filled need the resource. */
  readonly filling?: boolean
  /** Called when the resource is indexed. */
  readonly callbacks?: readonly (() => void)[]
}

/** Resource that is projected again without a write. */
type Again = Required<Pick<PendingResource, 'resource' | 'filling'>> & {
  readonly callback: () => void
}

/**
 * Maximum number of graphs in memory, about 10 KB each; those of later resources are read from the store. A harvest hands over 300
 * at once.
 */
const maxFresh = 1000

/**
 * One of this many places in a batch is for resources without a write: many writes do not block them, and a write does not wait
 * for many of them.
 */
const share = 5
/**
 * Number of batches without a write after which batches of other resources grow. Until then they are small, because the next write
 * waits for one.
 */
const calmAfter = 10

/**
 * Holds at most `capacity` resources; further marks stay in the store and are read later. Resources for which `isFirst` is true
 * are embedded by others and taken before them. Resources without a write come last, because writers wait until their record is
 * searchable.
 */
export class ProjectionQueue {
  readonly #capacity: number
  readonly #isFirst: (resource: string) => boolean
  readonly #first = new Map<string, PendingResource>()
  readonly #rest = new Map<string, PendingResource>()
  readonly #last = new Map<string, PendingResource>()
  /** Number of batches since the last one with a write. */
  #calm = calmAfter

  constructor(capacity: number, isFirst: (resource: string) => boolean) {
    this.#capacity = capacity
    this.#isFirst = isFirst
  }

  get size(): number {
    return this.written + this.#last.size
  }

  /** Number of queued writes. */
  get written(): number {
    return this.#first.size + this.#rest.size
  }

  /** Tells whether a write of the resource is queued. */
  has(resource: string): boolean {
    return this.#lineOf(resource).has(resource)
  }

  /** Adds a mark that is in the store. False when the queue is full. */
  add(mark: CommittedMark): boolean {
    return this.#admit({ ...mark, marked: [mark.version] })
  }

  /** Adds a resource without a write. False when the queue is full. */
  addAgain({ resource, filling, callback }: Again): boolean {
    return this.#admit({ resource, filling, version: 0, marked: [], callbacks: [callback] })
  }

  /** Removes and returns up to `most` resources. */
  take(most: number): readonly PendingResource[] {
    const taken: PendingResource[] = []
    const takeFrom = (line: Map<string, PendingResource>, until: number) => {
      for (const pending of line.values()) {
        if (taken.length >= until) return
        taken.push(pending)
        line.delete(pending.resource)
      }
    }
    const reserved = Math.min(this.#last.size, Math.floor(most / share))
    takeFrom(this.#first, most - reserved)
    takeFrom(this.#rest, most - reserved)
    this.#calm = taken.length > 0 ? 0 : this.#calm + 1
    const others = taken.length > 0 ? reserved : Math.ceil(most / share)
    takeFrom(this.#last, this.#calm > calmAfter ? most : taken.length + others)
    return taken
  }

  /** Puts back resources that could not be projected. */
  restore(pending: readonly PendingResource[]): void {
    for (const one of pending) this.#merge(one)
  }

  #lineOf(resource: string): Map<string, PendingResource> {
    return this.#isFirst(resource) ? this.#first : this.#rest
  }

  #find(resource: string): PendingResource | undefined {
    return this.#lineOf(resource).get(resource) ?? this.#last.get(resource)
  }

  #admit(next: PendingResource): boolean {
    const isRefused = this.size >= this.#capacity && !this.#find(next.resource)
    if (!isRefused) this.#merge(next)
    return !isRefused
  }

  #merge(next: PendingResource): void {
    const { resource } = next
    const known = this.#find(resource)
    const newest = known && known.version > next.version ? known : next
    const content = this.size < maxFresh ? newest.content : undefined
    const filling = next.filling === true && (known === undefined || known.filling === true)
    const callbacks = [...(known?.callbacks ?? []), ...(next.callbacks ?? [])]
    const merged: PendingResource = {
      resource,
      version: newest.version,
      marked: [...new Set([...(known?.marked ?? []), ...next.marked])],
      content,
      ...(filling && { filling }),
      ...(callbacks.length > 0 && { callbacks }),
    }
    this.#last.delete(resource)
    const line = merged.marked.length > 0 ? this.#lineOf(resource) : this.#last
    line.set(resource, merged)
  }
}

/** Callers that wait until a version of a resource is searchable. */
export class IndexWaiters {
  readonly #waiting = new Set<Mark & { readonly resolve: (isDone: boolean) => void }>()

  get size(): number {
    return this.#waiting.size
  }

  /** Resolves true when the version of the mark or a newer one is indexed, false when the signal fires first. */
  async wait(mark: Mark, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const waiter = { ...mark, resolve }
    const abort = () => resolve(false)
    signal.addEventListener('abort', abort, { once: true })
    this.#waiting.add(waiter)
    return promise.finally(() => {
      signal.removeEventListener('abort', abort)
      this.#waiting.delete(waiter)
    })
  }

  /** Resolves the waiters of these resources. */
  done(indexed: readonly Mark[]): void {
    const versions = new Map(indexed.map(({ resource, version }) => [resource, version]))
    for (const { resource, version, resolve } of this.#waiting)
      if (version <= (versions.get(resource) ?? -1)) resolve(true)
  }

  /** Resolves all waiters with false. */
  giveUp(): void {
    for (const { resolve } of this.#waiting) resolve(false)
  }
}
