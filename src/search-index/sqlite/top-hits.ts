/** The first records of a set in an order, without sorting the rest, and the lists of several indices as one. */

import { compareCodePoints } from '../../text/code-points.ts'
import { type Bitmap, membersOf } from './bitmap.ts'
import { compareValues, type SortKey } from './sort-keys.ts'
import type { View } from './view.ts'

/**
 * The first `count` members by the keys, then by `ties`. A heap with the worst kept record on top: most records of a large
 * set are compared once, with that one.
 */
export function top(
  set: Bitmap,
  count: number,
  keys: readonly SortKey[],
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

export type Ordered = {
  readonly view: View
  readonly numbers: Uint32Array
  readonly keys: readonly SortKey[]
  readonly scores: Float32Array | undefined
}

/** One list out of several: numbers, and which of the lists each is from. */
export type Merged = {
  readonly lists: readonly Ordered[]
  readonly numbers: Uint32Array
  /** Absent when there is one list. */
  readonly of?: Uint16Array
}

/** Steps between two looks at whether the answer is still wanted. */
const stride = 4096

/** The first `count` of all lists by their keys; ties by the name of the index, then as in the list. */
export function merge(unsorted: readonly Ordered[], count: number, check: () => void): Merged {
  const lists = unsorted.toSorted((a, b) =>
    compareCodePoints(a.view.generation.index, b.view.generation.index),
  )
  const [first] = lists
  if (first && lists.length === 1) return { lists, numbers: first.numbers }
  const all = lists.reduce((sum, list) => sum + list.numbers.length, 0)
  const numbers = new Uint32Array(Math.min(count, all))
  const of = new Uint16Array(numbers.length)
  const heads = lists.map((list) => new Head(list))
  for (let at = 0; at < numbers.length; at++) {
    if (at % stride === 0) check()
    let best: number | undefined
    for (const [i, head] of heads.entries()) {
      const other = best === undefined ? undefined : heads[best]
      if (!head.isEmpty && (!other || compare(head, other) < 0)) best = i
    }
    of[at] = best ?? 0
    numbers[at] = heads[of[at] ?? 0]?.take() ?? 0
  }
  return { lists, numbers, of }
}

/** The next of a list. */
class Head {
  readonly keys: readonly SortKey[]
  readonly #numbers: Uint32Array
  #at = 0
  /** Read once and not for every comparison. */
  #texts: readonly (string | undefined)[] | undefined

  constructor({ keys, numbers }: Ordered) {
    this.keys = keys
    this.#numbers = numbers
  }

  get isEmpty(): boolean {
    return this.#at >= this.#numbers.length
  }

  get number(): number {
    return this.#numbers[this.#at] ?? 0
  }

  text(key: number): string | undefined {
    this.#texts ??= this.keys.map((one) => one.text?.(this.number))
    return this.#texts[key]
  }

  take(): number {
    const { number } = this
    this.#at++
    this.#texts = undefined
    return number
  }
}

function compare(a: Head, b: Head): number {
  for (const [i, key] of a.keys.entries()) {
    const other = b.keys[i]
    if (!other) continue
    const order =
      key.text && other.text
        ? compareTexts(a.text(i), b.text(i), key.descending)
        : compareValues(key.value(a.number), other.value(b.number), key.descending)
    if (order !== 0) return order
  }
  return 0
}

function compareTexts(a: string | undefined, b: string | undefined, descending: boolean): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  return descending ? compareCodePoints(b, a) : compareCodePoints(a, b)
}
