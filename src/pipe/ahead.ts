/** Work on several things of a stream at once, whose outcomes keep their order. */

/** Nobody waits for it yet, and its failure must not count as unheard. */
function kept<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}

const isFirst = (one: Promise<unknown>, other: Promise<unknown>): Promise<boolean> =>
  Promise.race([one.then(() => true), other.then(() => false)])

/**
 * At most `most` are worked on. What is done is given as soon as all before it was, however long the source takes for the
 * next one. An error of the source or of the work ends the stream, and the source is told.
 */
export async function* inOrder<In, Out>(
  source: AsyncIterable<In>,
  work: (one: In) => Promise<Out>,
  most: number,
): AsyncGenerator<Out> {
  const iterator = source[Symbol.asyncIterator]()
  const pending: Promise<Out>[] = []
  let next: Promise<IteratorResult<In, unknown>> | undefined
  let ended = false
  try {
    while (!ended || pending.length > 0) {
      const [head] = pending
      if (!ended && pending.length < most) {
        next ??= kept(iterator.next())
        if (!head || (await isFirst(next, head))) {
          const result = await next
          next = undefined
          if (result.done) ended = true
          else pending.push(kept(work(result.value)))
          continue
        }
      }
      if (head) yield await head
      void pending.shift()
    }
  } finally {
    // A source that was asked answers in its own time, and what has failed does not wait for it.
    const closed = ended ? undefined : iterator.return?.()
    if (next) closed?.catch(() => undefined)
    else await closed
  }
}
