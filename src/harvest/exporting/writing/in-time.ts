/** Records that wait for others to be written with wait no longer than a moment: the source may pause. */

export type InTime = {
  /** Whether something waits. */
  readonly waits: () => boolean
  readonly flush: () => Promise<void>
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

const mostMs = 1000

/** The messages as they come; what waits a second after the first of it came is flushed meanwhile. */
export async function* inTime<Value>(
  input: AsyncIterable<Value>,
  { waits, flush, pause }: InTime,
): AsyncGenerator<Value> {
  const iterator = input[Symbol.asyncIterator]()
  const over = new AbortController()
  let due: Promise<'due'> | undefined
  const duePause = () =>
    pause(mostMs, over.signal).then(
      () => 'due' as const,
      () => 'due' as const,
    )
  let next = iterator.next()
  try {
    for (;;) {
      due ??= waits() ? duePause() : undefined
      const first = due ? await Promise.race([next, due]) : await next
      if (first === 'due') {
        due = undefined
        await flush()
      } else {
        if (first.done === true) return
        yield first.value
        next = iterator.next()
      }
    }
  } finally {
    over.abort()
    next.catch(() => undefined)
    await iterator.return?.()
  }
}
