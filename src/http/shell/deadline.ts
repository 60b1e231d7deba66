/** Time limits of requests: the one place of this folder that sets timers. */

import { Failure } from '../../errors.ts'

export type Deadline = {
  /** Aborted with a `Failure` as its reason: `time-limit`, or `request-timeout` when the client left. */
  readonly signal: AbortSignal
  /** Replaces the limit, counted from now, for endpoints that are known to take longer. */
  extend(milliseconds: number): void
  /**
   * Rejects with the signal's reason when it is aborted, even if the work does not listen to it. Work that does may say in
   * the same turn how it ends, which is then what counts.
   */
  race<T>(work: Promise<T>): Promise<T>
  /** Stops the clock; to be called when the answer is out. */
  done(): void
}

/** A signal that aborts after so many milliseconds, or when the given one does. */
export function deadline(outer: AbortSignal | undefined, milliseconds: number): Deadline {
  const controller = new AbortController()
  const { signal } = controller
  let limit = milliseconds
  const expire = () => {
    const detail = `the request took longer than ${limit / 1000} s (limit requestMs)`
    controller.abort(new Failure('time-limit', detail))
  }
  const leave = () =>
    controller.abort(
      new Failure('request-timeout', 'the client closed the connection', { cause: outer?.reason }),
    )
  let timer = startTimer(expire, milliseconds)
  outer?.addEventListener('abort', leave)
  if (outer?.aborted) leave()
  return {
    signal,
    extend: (longer) => {
      clearTimeout(timer)
      limit = longer
      timer = startTimer(expire, longer)
    },
    race: (work) => race(work, signal),
    done: () => {
      clearTimeout(timer)
      outer?.removeEventListener('abort', leave)
    },
  }
}

/** Waits for the work, but not longer than so many milliseconds between two steps; then throws what `late` makes. */
export async function within<T>(
  work: Promise<T>,
  milliseconds: number,
  late: () => Error,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = startTimer(() => reject(late()), milliseconds)
  })
  try {
    return await Promise.race([work, limit])
  } finally {
    clearTimeout(timer)
  }
}

/** A timer that does not keep the process alive. */
const startTimer = (run: () => void, milliseconds: number): NodeJS.Timeout =>
  setTimeout(run, milliseconds).unref()

function race<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    // Promises that hang on the signal settle before the next turn.
    const stop = () => void setImmediate(() => reject(signal.reason))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
