/** Ordered lists of several indices as one. */

import { compareCodePoints } from '../../../text/code-points.ts'
import type { View } from '../reading/view.ts'
import { compareValues, type Key } from './keys.ts'

export type Ordered = {
  readonly view: View
  readonly numbers: Uint32Array
  readonly keys: readonly Key[]
  readonly scores: Float64Array | undefined
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
  readonly keys: readonly Key[]
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
