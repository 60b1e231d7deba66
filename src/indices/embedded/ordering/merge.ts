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

export type Placed = { readonly list: Ordered; readonly n: number }

/** The first `count` of all lists by their keys; ties by the name of the index, then as in the list. */
export function merge(lists: readonly Ordered[], count: number): Placed[] {
  const sorted = lists.toSorted((a, b) =>
    compareCodePoints(a.view.generation.index, b.view.generation.index),
  )
  const heads = sorted.map((list) => ({ list, at: 0 }))
  const placed: Placed[] = []
  while (placed.length < count) {
    let best: { list: Ordered; at: number } | undefined
    for (const head of heads) {
      if (head.at >= head.list.numbers.length) continue
      if (!best || compare(head, best) < 0) best = head
    }
    if (!best) break
    placed.push({ list: best.list, n: numberAt(best) })
    best.at++
  }
  return placed
}

type Head = { readonly list: Ordered; readonly at: number }

const numberAt = ({ list, at }: Head) => list.numbers[at] ?? 0

function compare(a: Head, b: Head): number {
  for (const [i, key] of a.list.keys.entries()) {
    const other = b.list.keys[i]
    if (!other) continue
    const order =
      key.text && other.text
        ? compareTexts(key.text(numberAt(a)), other.text(numberAt(b)), key.descending)
        : compareValues(key.value(numberAt(a)), other.value(numberAt(b)), key.descending)
    if (order !== 0) return order
  }
  return 0
}

function compareTexts(a: string | undefined, b: string | undefined, descending: boolean): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  return descending ? compareCodePoints(b, a) : compareCodePoints(a, b)
}
