/** What waits to be projected: one entry per resource, its newest version, in the order in which resources came. */

import type { Fresh, Landed, Mark } from '../store/marks.ts'

/** All versions of a resource that were marked; they are cleared together once the newest state is indexed. */
export type Pending = {
  readonly resource: string
  /** 0 = nothing was written, the resource is projected again. */
  readonly version: number
  /** Versions whose marks stand in the store. */
  readonly marked: readonly number[]
  /** What the newest version holds, when its writer handed it over. */
  readonly fresh?: Fresh
  /** Only for indices that are being filled. */
  readonly filling?: boolean
  /** Told when the resource is indexed. */
  readonly told?: readonly (() => void)[]
}

/** A resource that is projected again although nobody wrote it. */
type Again = {
  readonly resource: string
  readonly filling: boolean
  readonly told: () => void
}

export type Queue = {
  /** A mark that stands in the store. False when the queue is full. */
  add(mark: Landed): boolean
  /** False when the queue is full. */
  again(one: Again): boolean
  /** Takes up to `most` resources out. */
  take(most: number): readonly Pending[]
  /** Puts back what could not be done. */
  restore(pending: readonly Pending[]): void
  /** Whether a write of the resource waits. */
  has(resource: string): boolean
  readonly size: number
  /** How many of them were written. */
  readonly written: number
}

/** Graphs kept in memory, about 10 KB each; those of later resources are read back from the store. A harvest hands over 300 at once. */
const mostFresh = 1000

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
export function queue(capacity: number, isFirst: (resource: string) => boolean): Queue {
  const first = new Map<string, Pending>()
  const rest = new Map<string, Pending>()
  const last = new Map<string, Pending>()
  const written = (resource: string) => (isFirst(resource) ? first : rest)
  const size = () => first.size + rest.size + last.size
  /** Batches since the last one with a write. */
  let calm = calmAfter
  const find = (resource: string) => written(resource).get(resource) ?? last.get(resource)

  const merge = (next: Pending) => {
    const { resource } = next
    const merged = both(find(resource), next, size() < mostFresh)
    last.delete(resource)
    if (merged.marked.length > 0) written(resource).set(resource, merged)
    else last.set(resource, merged)
  }
  const admit = (next: Pending) => {
    if (size() >= capacity && !find(next.resource)) return false
    merge(next)
    return true
  }

  return {
    add: (mark) => admit({ ...mark, marked: [mark.version] }),
    again: ({ told, ...one }) => admit({ ...one, version: 0, marked: [], told: [told] }),
    take: (most) => {
      const taken: Pending[] = []
      const takeFrom = (line: Map<string, Pending>, until: number) => {
        for (const pending of line.values()) {
          if (taken.length >= until) return
          taken.push(pending)
          line.delete(pending.resource)
        }
      }
      const kept = Math.min(last.size, Math.floor(most / share))
      takeFrom(first, most - kept)
      takeFrom(rest, most - kept)
      calm = taken.length > 0 ? 0 : calm + 1
      const others = taken.length > 0 ? kept : Math.ceil(most / share)
      takeFrom(last, calm > calmAfter ? most : taken.length + others)
      return taken
    },
    restore: (pending) => pending.forEach(merge),
    has: (resource) => written(resource).has(resource),
    get size() {
      return size()
    },
    get written() {
      return first.size + rest.size
    },
  }
}

function both(known: Pending | undefined, next: Pending, room: boolean): Pending {
  const newest = known && known.version > next.version ? known : next
  const fresh = room ? newest.fresh : undefined
  const filling = next.filling === true && (known === undefined || known.filling === true)
  const told = [...(known?.told ?? []), ...(next.told ?? [])]
  return {
    resource: next.resource,
    version: newest.version,
    marked: [...new Set([...(known?.marked ?? []), ...next.marked])],
    ...(fresh && { fresh }),
    ...(filling && { filling }),
    ...(told.length > 0 && { told }),
  }
}

type Waiters = {
  /** Resolves true when the version of the mark or a newer one is indexed, false when the signal fires first. */
  readonly wait: (mark: Mark, signal: AbortSignal) => Promise<boolean>
  /** Tells the waiters of these resources. */
  readonly done: (indexed: readonly Mark[]) => void
  /** Tells all that it will take longer than they can wait. */
  readonly giveUp: () => void
  readonly size: number
}

/** Those who wait until a version of a resource is searchable. */
export function waiters(): Waiters {
  const waiting = new Set<Mark & { readonly resolve: (isDone: boolean) => void }>()
  return {
    wait: (mark, signal) => {
      if (signal.aborted) return Promise.resolve(false)
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const waiter = { ...mark, resolve }
      const abort = () => resolve(false)
      signal.addEventListener('abort', abort, { once: true })
      waiting.add(waiter)
      return promise.finally(() => {
        signal.removeEventListener('abort', abort)
        waiting.delete(waiter)
      })
    },
    done: (indexed) => {
      const versions = new Map(indexed.map(({ resource, version }) => [resource, version]))
      for (const { resource, version, resolve } of waiting)
        if (version <= (versions.get(resource) ?? -1)) resolve(true)
    },
    giveUp: () => {
      for (const { resolve } of waiting) resolve(false)
    },
    get size() {
      return waiting.size
    },
  }
}
