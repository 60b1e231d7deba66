/**
 * Queue of the projector: pending marks as the store holds them; in memory one entry per resource with its newest version, in
 * order of arrival; and the callers that wait for them.
 */

import { systemGraph, xsd } from '../rdf/namespaces.ts'
import { literal } from '../rdf/terms.ts'
import type { GraphChange, GraphStore, Row, SelectStore } from '../store/graph-store.ts'
import {
  factLine,
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
const marksPerQuery = 5000

/** Reads the oldest marks, at most `limit`. */
export async function readMarks(
  store: GraphStore,
  limit: number,
  signal: AbortSignal,
): Promise<readonly Mark[]> {
  const marks: Mark[] = []
  for (let pageLimit = 0, rowCount = 0; rowCount === pageLimit && marks.length < limit;) {
    pageLimit = Math.min(marksPerQuery, limit - marks.length)
    const after = literal(String(marks.at(-1)?.version ?? 0), xsd('integer'))
    const query = paged(bind(queries.pending, { after }), { limit: pageLimit })
    const rows = await store.select(query, signal)
    marks.push(...marksIn(rows, 'resource'))
    rowCount = rows.length
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

async function newest(store: SelectStore, query: Query): Promise<number> {
  const [row] = await store.select(bind(query, {}))
  return Number(row?.['newest']?.value ?? 0)
}

/** Returns the largest version of all marks, pending and cascade, 0 without any. */
export const newestMark = (store: GraphStore): Promise<number> => newest(store, queries.newest)

/** Returns the largest version whose mark was cleared, 0 where the store records none: a new one, or one of an old release. */
export const newestIndexed = (store: SelectStore): Promise<number> => newest(store, queries.indexed)

/**
 * Creates the change that removes exactly the marks of these resources; newer ones stay. It also records the largest indexed
 * version in place of `previousVersion`.
 */
export function clearMarks(
  done: readonly PendingResource[],
  {
    indexedVersion,
    previousVersion,
  }: { readonly indexedVersion: number; readonly previousVersion: number },
): GraphChange {
  const lines = (version: number) =>
    indexedVersion === previousVersion ? [] : [factLine(systemGraph, 'indexed', String(version))]
  const marks = done.flatMap(({ resource, markedVersions }) =>
    markedVersions.map((version) => markLine('pending', { resource, version })),
  )
  return systemChange({ remove: [...marks, ...lines(previousVersion)], add: lines(indexedVersion) })
}

/** Resource to project, with all its marked versions; they are cleared together when the newest state is indexed. */
export type PendingResource = {
  readonly resource: string
  /** Newest version; 0 when the resource is projected again without a write. */
  readonly version: number
  /** Versions with marks in the store. */
  readonly markedVersions: readonly number[]
  /** Content of the newest version, when its writer handed it over and memory had room. */
  readonly content?: WrittenContent
  /** True when only indices that are being filled need the resource. */
  readonly onlyIfMissing?: boolean
  /** Called when the resource is indexed. */
  readonly callbacks?: readonly (() => void)[]
}

/** Returns a resource without content and callbacks, as the removal of its marks needs it. */
export const marksOf = ({
  resource,
  version,
  markedVersions,
}: PendingResource): PendingResource => ({
  resource,
  version,
  markedVersions,
})

/** Returns the newest version that is marked; 0 without any. */
export const newestOf = (resources: readonly PendingResource[]): number =>
  resources.reduce((newest, { markedVersions }) => Math.max(newest, ...markedVersions), 0)

/** Resource that is projected again without a write. */
type Reprojection = Required<Pick<PendingResource, 'resource' | 'onlyIfMissing'>> & {
  readonly callback: () => void
}

/**
 * Number of queued resources from which the graphs of further writes, about 10 KB each, are not kept but read from the store. A
 * harvest hands over 300 at once.
 */
const maxContents = 1000

/**
 * One of this many entries of a batch is for a resource without a write, so that writes do not block them, and a write does not
 * wait for many of them.
 */
const reprojectionShare = 5
/**
 * Number of batches without a write after which batches of other resources grow. Until then they are small, because the next
 * write waits for one.
 */
const quietBatches = 10

/**
 * Queue of at most `capacity` resources, besides those that are put back; further marks stay in the store and are read later.
 * Resources for which `isEmbedded` is true are embedded by others and taken before them. Resources without a write come last,
 * apart from their share of a batch, because writers wait until their record is searchable.
 */
export class ProjectionQueue {
  readonly #capacity: number
  readonly #isEmbedded: (resource: string) => boolean
  readonly #embedded = new Map<string, PendingResource>()
  readonly #others = new Map<string, PendingResource>()
  readonly #reprojections = new Map<string, PendingResource>()
  /** Number of batches since the last one with a write. */
  #batchesWithoutWrite = quietBatches

  constructor(capacity: number, isEmbedded: (resource: string) => boolean) {
    this.#capacity = capacity
    this.#isEmbedded = isEmbedded
  }

  /** Number of queued resources. */
  get size(): number {
    return this.queuedWrites + this.#reprojections.size
  }

  /** Number of queued writes. */
  get queuedWrites(): number {
    return this.#embedded.size + this.#others.size
  }

  /** Version of the first queued write; `undefined` without any. */
  get oldestVersion(): number | undefined {
    return (
      this.#others.values().next().value?.version ?? this.#embedded.values().next().value?.version
    )
  }

  /** Tells whether a write of the resource is queued. */
  has(resource: string): boolean {
    return this.#queueOf(resource).has(resource)
  }

  /** Adds a mark that is in the store. False when the queue is full and lacks the resource. */
  add(mark: CommittedMark): boolean {
    return this.#addIfRoom({ ...mark, markedVersions: [mark.version] })
  }

  /** Adds a resource without a write. False when the queue is full and lacks the resource. */
  addReprojection({ resource, onlyIfMissing, callback }: Reprojection): boolean {
    return this.#addIfRoom({
      resource,
      onlyIfMissing,
      version: 0,
      markedVersions: [],
      callbacks: [callback],
    })
  }

  /** Removes and returns up to `limit` resources; fewer of those without a write while writes are frequent. */
  takeBatch(limit: number): readonly PendingResource[] {
    const batch: PendingResource[] = []
    const takeFrom = (queue: Map<string, PendingResource>, maxTotal: number) => {
      for (const pending of queue.values()) {
        if (batch.length >= maxTotal) return
        batch.push(pending)
        queue.delete(pending.resource)
      }
    }
    const reserved = Math.min(this.#reprojections.size, Math.floor(limit / reprojectionShare))
    takeFrom(this.#embedded, limit - reserved)
    takeFrom(this.#others, limit - reserved)
    this.#batchesWithoutWrite = batch.length > 0 ? 0 : this.#batchesWithoutWrite + 1
    const others = batch.length > 0 ? reserved : Math.ceil(limit / reprojectionShare)
    takeFrom(
      this.#reprojections,
      this.#batchesWithoutWrite > quietBatches ? limit : batch.length + others,
    )
    return batch
  }

  /** Puts back resources that could not be projected. */
  restore(resources: readonly PendingResource[]): void {
    for (const pending of resources) this.#merge(pending)
  }

  #queueOf(resource: string): Map<string, PendingResource> {
    return this.#isEmbedded(resource) ? this.#embedded : this.#others
  }

  #find(resource: string): PendingResource | undefined {
    return this.#queueOf(resource).get(resource) ?? this.#reprojections.get(resource)
  }

  #addIfRoom(next: PendingResource): boolean {
    const isRefused = this.size >= this.#capacity && !this.#find(next.resource)
    if (!isRefused) this.#merge(next)
    return !isRefused
  }

  #merge(next: PendingResource): void {
    const { resource } = next
    const existing = this.#find(resource)
    const newest = existing && existing.version > next.version ? existing : next
    const content = this.size < maxContents ? newest.content : undefined
    const onlyIfMissing =
      next.onlyIfMissing === true && (existing === undefined || existing.onlyIfMissing === true)
    const callbacks = [...(existing?.callbacks ?? []), ...(next.callbacks ?? [])]
    const merged: PendingResource = {
      resource,
      version: newest.version,
      markedVersions: [...new Set([...(existing?.markedVersions ?? []), ...next.markedVersions])],
      content,
      ...(onlyIfMissing && { onlyIfMissing }),
      ...(callbacks.length > 0 && { callbacks }),
    }
    this.#reprojections.delete(resource)
    const queue = merged.markedVersions.length > 0 ? this.#queueOf(resource) : this.#reprojections
    queue.set(resource, merged)
  }
}

/** Callers that wait until a version of a resource is searchable. */
export class IndexWaiters {
  readonly #waiting = new Set<Mark & { readonly resolve: (isDone: boolean) => void }>()

  /** Number of waiting callers. */
  get size(): number {
    return this.#waiting.size
  }

  /**
   * Resolves true when the version of the mark or a newer one is indexed, false at `resolveWithFalse` or when the signal fires.
   */
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

  /** Resolves the waiters for these versions and older ones with true. */
  resolveIndexed(indexed: readonly Mark[]): void {
    const versions = new Map(indexed.map(({ resource, version }) => [resource, version]))
    for (const { resource, version, resolve } of this.#waiting)
      if (version <= (versions.get(resource) ?? -1)) resolve(true)
  }

  /** Resolves all waiters with false. */
  resolveWithFalse(): void {
    for (const { resolve } of this.#waiting) resolve(false)
  }
}
