/** Parallel mapping of an async stream that keeps the order of its items. */

/** Marks a rejection as handled; the caller awaits the promise later. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}

const isFirst = (one: Promise<unknown>, other: Promise<unknown>): Promise<boolean> =>
  Promise.race([one.then(() => true), other.then(() => false)])

/**
 * Maps the items of `source` with at most `most` calls of `work` at a time. Yields each result as soon as all results before
 * it were yielded, even while the source is slow to produce its next item. An error of the source or of `work` ends the
 * stream and closes the source.
 */
export async function* mapOrdered<In, Out>(
  source: AsyncIterable<In>,
  work: (one: In) => Promise<Out>,
  most: number,
): AsyncGenerator<Out> {
  const iterator = source[Symbol.asyncIterator]()
  let pending: Promise<Out>[] = []
  let next: Promise<IteratorResult<In, unknown>> | undefined
  let ended = false
  try {
    while (!ended || pending.length > 0) {
      const [head] = pending
      if (!ended && pending.length < most) {
        next ??= handled(iterator.next())
        if (!head || (await isFirst(next, head))) {
          const result = await next
          next = undefined
          if (result.done) ended = true
          else pending.push(handled(work(result.value)))
          continue
        }
      }
      if (head) yield await head
      pending = pending.slice(1)
    }
  } finally {
    // A pending `next` delays `return`; after an error the caller does not wait for it.
    const closed = ended ? undefined : iterator.return?.()
    if (next) closed?.catch(() => undefined)
    else await closed
  }
}
