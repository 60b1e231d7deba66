/** The first records of a set in an order, without sorting the rest. */

import { membersOf, type Bitmap } from '../columns/bitmap.ts'
import { compareValues, type Key } from './keys.ts'

/**
 * The first `count` members by the keys, then by `ties`. A heap with the worst kept record on top: most records of a large
 * set are compared once, with that one.
 */
export function top(
  set: Bitmap,
  count: number,
  keys: readonly Key[],
  ties: Float64Array,
): Uint32Array {
  const compare = (a: number, b: number): number => {
    for (const key of keys) {
      const order = compareValues(key.value(a), key.value(b), key.descending)
      if (order !== 0) return order
    }
    return compareValues(ties[a] ?? Number.NaN, ties[b] ?? Number.NaN, false)
  }
  const members = membersOf(set)
  if (members.length <= count) return members.sort(compare)
  if (count === 0) return new Uint32Array(0)
  const heap = members.slice(0, count)
  for (let i = (count >>> 1) - 1; i >= 0; i--) sink(heap, i, compare)
  const [first] = keys
  let worst = first?.value(heap[0] ?? 0) ?? Number.NaN
  for (let i = count; i < members.length; i++) {
    const n = members[i] ?? 0
    // Most are told apart by one look; what is missing, and what is equal, compares as neither.
    const value = first?.value(n) ?? Number.NaN
    if (first?.descending ? value < worst : value > worst) continue
    if (compare(n, heap[0] ?? 0) >= 0) continue
    heap[0] = n
    sink(heap, 0, compare)
    worst = first?.value(heap[0]) ?? Number.NaN
  }
  return heap.sort(compare)
}

function sink(heap: Uint32Array, from: number, compare: (a: number, b: number) => number): void {
  const moved = heap[from] ?? 0
  let at = from
  for (;;) {
    let child = 2 * at + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && compare(heap[child + 1] ?? 0, heap[child] ?? 0) > 0) child++
    if (compare(heap[child] ?? 0, moved) <= 0) break
    heap[at] = heap[child] ?? 0
    at = child
  }
  heap[at] = moved
}
