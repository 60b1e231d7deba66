/**
 * What waits to be projected: pending marks as they stand in the store; in memory one entry per resource, its newest version, in
 * the order in which resources came; and who waits for it.
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

/** Marks read at a time: some stores do not sort more. */
const page = 5000

/** The oldest marks, at most `limit`. */
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

/** Catalogues and vocabularies whose users wait to be projected again, at most `limit`. */
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

/** The largest version of all marks, 0 without any. */
export const newestMark = (store: GraphStore): Promise<number> => newest(store, queries.newest)

/** The largest version whose mark was cleared, 0 where a version that keeps none has written the store. */
export const newestIndexed = (store: GraphStore): Promise<number> => newest(store, queries.indexed)

/**
 * The change that removes exactly the marks that were read: a newer one survives. The store knows from then on how far the index
 * had come.
 */
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

/** All versions of a resource that were marked; they are cleared together once the newest state is indexed. */
export type PendingResource = {
  readonly resource: string
  /** 0 = nothing was written, the resource is projected again. */
  readonly version: number
  /** Versions whose marks stand in the store. */
  readonly marked: readonly number[]
  /** What the newest version holds, when its writer handed it over. */
  readonly content?: WrittenContent
  /** Only for indices that are being filled. */
  readonly filling?: boolean
  /** Called when the resource is indexed. */
  readonly callbacks?: readonly (() => void)[]
}

/** A resource that is projected again although nobody wrote it. */
type Again = Required<Pick<PendingResource, 'resource' | 'filling'>> & {
  readonly callback: () => void
}

/** Graphs kept in memory, about 10 KB each; those of later resources are read back from the store. A harvest hands over 300 at once. */
const maxFresh = 1000

/**
 * One place in so many is for resources that nobody wrote: many writes do not keep them waiting for ever, and a write does not
 * wait for many of them.
 */
const share = 5
/** Batches without a write after which nobody seems to write any more. Until then they are small: the next write waits for one. */
const calmAfter = 10

/**
 * Holds at most `capacity` resources: what is beyond stays marked in the store and is read from there later. `isFirst` names
 * resources that others embed; they are taken before the others, or those would be built from what was. Resources that
 * nobody wrote come last: a writer waits until its record is searchable.
 */
export class ProjectionQueue {
  readonly #capacity: number
  readonly #isFirst: (resource: string) => boolean
  readonly #first = new Map<string, PendingResource>()
  readonly #rest = new Map<string, PendingResource>()
  readonly #last = new Map<string, PendingResource>()
  /** Batches since the last one with a write. */
  #calm = calmAfter

  constructor(capacity: number, isFirst: (resource: string) => boolean) {
    this.#capacity = capacity
    this.#isFirst = isFirst
  }

  get size(): number {
    return this.written + this.#last.size
  }

  /** How many of them were written. */
  get written(): number {
    return this.#first.size + this.#rest.size
  }

  /** Whether a write of the resource waits. */
  has(resource: string): boolean {
    return this.#lineOf(resource).has(resource)
  }

  /** A mark that stands in the store. False when the queue is full. */
  add(mark: CommittedMark): boolean {
    return this.#admit({ ...mark, marked: [mark.version] })
  }

  /** False when the queue is full. */
  addAgain({ resource, filling, callback }: Again): boolean {
    return this.#admit({ resource, filling, version: 0, marked: [], callbacks: [callback] })
  }

  /** Takes up to `most` resources out. */
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

  /** Puts back what could not be done. */
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

/** Those who wait until a version of a resource is searchable. */
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

  /** Resolves those who wait for these resources. */
  done(indexed: readonly Mark[]): void {
    const versions = new Map(indexed.map(({ resource, version }) => [resource, version]))
    for (const { resource, version, resolve } of this.#waiting)
      if (version <= (versions.get(resource) ?? -1)) resolve(true)
  }

  /** It will take longer than anybody can wait. */
  giveUp(): void {
    for (const { resolve } of this.#waiting) resolve(false)
  }
}
