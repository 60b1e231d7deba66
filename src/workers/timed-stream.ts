/** Reading of a stream that may pause for long. */

/**
 * Yields the items of a stream, and `undefined` whenever a timer ends before the next item comes. `timer` is called before each
 * item; its promise must not reject, and without one the stream is waited for. Closes the stream at the end.
 */
export async function* itemsAndTimeouts<Item>(
  input: AsyncIterable<Item>,
  timer: () => Promise<undefined> | undefined,
): AsyncGenerator<Item | undefined, void, undefined> {
  const iterator = input[Symbol.asyncIterator]()
  let next = iterator.next()
  try {
    for (;;) {
      const timeout = timer()
      const result = timeout ? await Promise.race([next, timeout]) : await next
      if (result?.done === true) return
      yield result?.value
      if (result) next = iterator.next()
    }
  } finally {
    next.catch(() => undefined)
    await iterator.return?.()
  }
}
