/** Serialises writes: what runs under one name runs one after the other, in the order of asking. */

import { Failure } from '../../errors.ts'

export type Locks = {
  /** Runs `work` once all earlier work under `name` has ended. A signal that fires while waiting gives `time-limit`. */
  readonly run: <T>(name: string, work: () => Promise<T>, signal: AbortSignal) => Promise<T>
  /** The same under many names at once; they are taken in order, so that two such works never wait for each other. */
  readonly runAll: <T>(
    names: readonly string[],
    work: () => Promise<T>,
    signal: AbortSignal,
  ) => Promise<T>
}

export function locks(): Locks {
  const tails = new Map<string, Promise<void>>()

  const run = async <T>(name: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
    const before = tails.get(name)
    const turn = Promise.withResolvers<void>()
    const tail = before ? before.then(() => turn.promise) : turn.promise
    tails.set(name, tail)
    try {
      if (before) await turnOrAbort(before, signal)
      return await work()
    } finally {
      turn.resolve()
      if (tails.get(name) === tail) tails.delete(name)
    }
  }

  const runAll = <T>(
    names: readonly string[],
    work: () => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> => {
    const ordered = [...new Set(names)].sort()
    const from = (at: number): Promise<T> => {
      const name = ordered[at]
      return name === undefined ? work() : run(name, () => from(at + 1), signal)
    }
    return from(0)
  }

  return { run, runAll }
}

async function turnOrAbort(turn: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<never>()
  const abort = () =>
    aborted.reject(
      new Failure('time-limit', 'other writes to this resource took too long', { retryAfter: 1 }),
    )
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  try {
    await Promise.race([turn, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
