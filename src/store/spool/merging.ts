/** Sorted sequences of lines put together into one, in the order of UTF-16 code units, like `Array.sort` of strings. */

type Head = { line: string; readonly rest: Iterator<string> }

/** Puts the smallest line on top again after the top has changed: a binary heap. */
function sift(heap: Head[]): void {
  const top = heap[0]
  if (!top) return
  for (let at = 0; ;) {
    let least = 2 * at + 1
    let child = heap[least]
    if (!child) break
    const other = heap[least + 1]
    if (other && other.line < child.line) {
      child = other
      least += 1
    }
    if (child.line >= top.line) break
    heap[at] = child
    heap[least] = top
    at = least
  }
}

/** The lines of all sources in order, each once. Every source is sorted; a line may stand in several. */
export function* merged(sources: readonly Iterable<string>[]): Generator<string> {
  const heads = sources.flatMap((source): Head[] => {
    const rest = source[Symbol.iterator]()
    const first = rest.next()
    return first.done === true ? [] : [{ line: first.value, rest }]
  })
  // A sorted array is a heap.
  const heap = heads.sort((a, b) => (a.line < b.line ? -1 : 1))
  let last: string | undefined
  for (let top = heap[0]; top; top = heap[0]) {
    if (top.line !== last) yield (last = top.line)
    const next = top.rest.next()
    if (next.done === true) {
      const end = heap.pop()
      if (end && end !== top) heap[0] = end
    } else top.line = next.value
    sift(heap)
  }
}

/** The lines of chunks, without their ends. */
export function* linesOf(chunks: Iterable<string>): Generator<string> {
  for (const chunk of chunks) {
    for (let at = 0; at < chunk.length;) {
      const end = chunk.indexOf('\n', at)
      yield chunk.slice(at, end)
      at = end + 1
    }
  }
}

/** The same for chunks that come one after the other. */
export async function* linesFrom(chunks: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  for await (const chunk of chunks) {
    const lines = chunk.split('\n')
    lines.pop()
    yield lines
  }
}
