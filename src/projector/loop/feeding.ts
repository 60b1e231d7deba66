/** Feeds the projector with many resources that nobody wrote, a few at a time. */

export type Feed = {
  /** Resolves when the resource is indexed; `undefined` when there is no room now. */
  readonly take: (resource: string) => Promise<void> | undefined
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  /** Told of every page: how many resources are done. */
  readonly progress?: (done: number) => void
}

/** Resources that wait at a time: enough for the next batch while one is projected. One that fails again and again takes one place. */
const window = 400
/** Milliseconds, when the projector is full. */
const fullMs = 1000

/** Resolves with their number when all resources of all pages are indexed; rejects with the signal's reason when it fires. */
export async function feed(
  pages: AsyncIterable<readonly string[]>,
  { take, pause, progress }: Feed,
  signal: AbortSignal,
): Promise<number> {
  let [waiting, done] = [0, 0]
  let moved = Promise.withResolvers<void>()
  const move = () => moved.resolve()
  const ended = () => {
    waiting -= 1
    done += 1
    move()
  }
  const below = async (most: number) => {
    while (waiting > most) {
      signal.throwIfAborted()
      await moved.promise
      moved = Promise.withResolvers()
    }
  }
  signal.addEventListener('abort', move)
  try {
    for await (const page of pages) {
      for (const resource of page) {
        let taken = take(resource)
        while (!taken) {
          await pause(fullMs, signal)
          signal.throwIfAborted()
          taken = take(resource)
        }
        waiting += 1
        void taken.then(ended)
        await below(window)
      }
      progress?.(done)
    }
    await below(0)
    signal.throwIfAborted()
    return done
  } finally {
    signal.removeEventListener('abort', move)
  }
}
