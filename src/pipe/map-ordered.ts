/** Parallel mapping of an async stream that keeps the order of its items, for work that waits for requests or workers. */

/** Marks a rejection as handled and returns the promise, which the caller awaits later. */
function markHandled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}

/** Resolves when one of the promises has settled: whether `promise` was the first. */
const isFirst = (promise: Promise<unknown>, rival: Promise<unknown>): Promise<boolean> =>
  Promise.race([promise.then(() => true), rival.then(() => false)])

/**
 * Maps the items of `source` with at most `mostParallel` calls of `work` at a time. Yields each result as soon as all results
 * before it were yielded, even while the source is slow to produce its next item. An error of the source or of `work` ends the
 * stream and closes the source.
 */
export async function* mapOrdered<In, Out>(
  source: AsyncIterable<In>,
  work: (item: In) => Promise<Out>,
  mostParallel: number,
): AsyncGenerator<Out> {
  const iterator = source[Symbol.asyncIterator]()
  let pending: Promise<Out>[] = []
  let next: Promise<IteratorResult<In, unknown>> | undefined
  let hasSourceEnded = false
  try {
    while (!hasSourceEnded || pending.length > 0) {
      const [head] = pending
      if (!hasSourceEnded && pending.length < mostParallel) {
        next ??= markHandled(iterator.next())
        if (!head || (await isFirst(next, head))) {
          const result = await next
          next = undefined
          if (result.done) hasSourceEnded = true
          else pending.push(markHandled(work(result.value)))
          continue
        }
      }
      if (head) yield await head
      pending = pending.slice(1)
    }
  } finally {
    // A pending `next` delays `return`; after an error the caller does not wait for it.
    const closed = hasSourceEnded ? undefined : iterator.return?.()
    if (next) closed?.catch(() => undefined)
    else await closed
  }
}
