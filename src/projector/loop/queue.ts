/** Marks that wait to be projected: one per resource, the newest version, in the order in which resources came. */

import type { Fresh, Landed } from '../../store/marks.ts'

/** All versions of a resource that were marked; they are cleared together once the newest state is indexed. */
export type Pending = {
  readonly resource: string
  readonly version: number
  /** Versions whose marks stand in the store. */
  readonly marked: readonly number[]
  /** What the newest version holds, when its writer handed it over. */
  readonly fresh?: Fresh
}

export type Queue = {
  /** `stored` = the mark stands in the store and must be cleared there. False when the queue is full. */
  add(mark: Landed, stored: boolean): boolean
  /** Takes up to `most` resources out. */
  take(most: number): readonly Pending[]
  /** Puts back what could not be done. */
  restore(pending: readonly Pending[]): void
  has(resource: string): boolean
  readonly size: number
}

/** Graphs kept in memory, about 10 KB each; those of later resources are read back from the store. An import hands over 600. */
const mostFresh = 1000

/**
 * Holds at most `capacity` resources: what is beyond stays marked in the store and is read from there later. `isFirst` names
 * resources that others embed; they are taken before the others, or those would be built from what was.
 */
export function queue(capacity: number, isFirst: (resource: string) => boolean): Queue {
  const first = new Map<string, Pending>()
  const rest = new Map<string, Pending>()
  const lineOf = (resource: string) => (isFirst(resource) ? first : rest)
  const size = () => first.size + rest.size

  const merge = (next: Pending) => {
    const line = lineOf(next.resource)
    const known = line.get(next.resource)
    const newest = known && known.version > next.version ? known : next
    const kept = size() < mostFresh ? newest.fresh : undefined
    line.set(next.resource, {
      resource: next.resource,
      version: newest.version,
      marked: [...new Set([...(known?.marked ?? []), ...next.marked])],
      ...(kept && { fresh: kept }),
    })
  }

  return {
    add: (mark, stored) => {
      if (size() >= capacity && !lineOf(mark.resource).has(mark.resource)) return false
      merge({ ...mark, marked: stored ? [mark.version] : [] })
      return true
    },
    take: (most) => {
      const taken: Pending[] = []
      for (const line of [first, rest]) {
        for (const pending of line.values()) {
          if (taken.length === most) return taken
          taken.push(pending)
          line.delete(pending.resource)
        }
      }
      return taken
    },
    restore: (pending) => pending.forEach(merge),
    has: (resource) => lineOf(resource).has(resource),
    get size() {
      return size()
    },
  }
}
