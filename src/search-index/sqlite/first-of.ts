/** Selection of the first of many numbers without sorting the rest. */

type Numbers = Uint32Array<ArrayBuffer>

type Order = {
  readonly compare: (a: number, b: number) => number
  /** Quick test that is true only if `a` comes after `b`. */
  readonly isAfter?: (a: number, b: number) => boolean
}

/**
 * The first `count` numbers in their order. Uses a heap of the best ones with the worst on top, so that most numbers are compared once.
 */
export function firstOf(numbers: Numbers, count: number, { compare, isAfter }: Order): Numbers {
  if (numbers.length <= count) return numbers.sort(compare)
  if (count === 0) return new Uint32Array(0)
  const heap = numbers.slice(0, count)
  for (let i = (count >>> 1) - 1; i >= 0; i--) sink(heap, i, compare)
  for (let i = count; i < numbers.length; i++) {
    const [n, worst] = [numbers[i] ?? 0, heap[0] ?? 0]
    if (isAfter?.(n, worst) || compare(n, worst) >= 0) continue
    heap[0] = n
    sink(heap, 0, compare)
  }
  return heap.sort(compare)
}

function sink(heap: Numbers, from: number, compare: Order['compare']): void {
  const sinking = heap[from] ?? 0
  let position = from
  for (;;) {
    let child = 2 * position + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && compare(heap[child + 1] ?? 0, heap[child] ?? 0) > 0) child++
    if (compare(heap[child] ?? 0, sinking) <= 0) break
    heap[position] = heap[child] ?? 0
    position = child
  }
  heap[position] = sinking
}
