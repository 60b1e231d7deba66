/** Whoever watches a run: woken by changes, never more often than they can look. */

import { ended, type Run } from '../run.ts'

export type Followers = {
  /** Something changed in a run. */
  tell(id: string): void
  /** Runs that somebody watches. */
  watched(): readonly string[]
  /** Ends everything that is watched. */
  close(): void
  follow(id: string, look: () => Run, signal: AbortSignal): AsyncGenerator<Run, void, undefined>
}

type Pause = (ms: number, signal: AbortSignal) => Promise<void>

const restMs = 200

/** `look` throws when there is no such run. Aborting ends the watching without an error. */
export function followers(pause: Pause): Followers {
  const wakers = new Map<string, Set<() => void>>()
  const closing = new AbortController()
  const wake = (id: string): void => wakers.get(id)?.forEach((waker) => waker())
  return {
    tell: wake,
    watched: () => [...wakers.keys()],
    close: () => closing.abort(),
    async *follow(id, look, given) {
      const signal = AbortSignal.any([given, closing.signal])
      const bell = ring()
      const end = () => bell.strike()
      const wakersOfRun = wakers.get(id) ?? new Set()
      wakers.set(id, wakersOfRun.add(end))
      signal.addEventListener('abort', end)
      try {
        let told = ''
        while (!signal.aborted) {
          bell.reset()
          const run = look()
          const text = JSON.stringify(run)
          if (text !== told) yield run
          told = text
          if (ended(run)) return
          await bell.struck()
          await rest(pause, signal)
        }
      } finally {
        signal.removeEventListener('abort', end)
        wakersOfRun.delete(end)
        if (wakersOfRun.size === 0 && wakers.get(id) === wakersOfRun) wakers.delete(id)
      }
    },
  }
}

/** A bell that remembers that it was struck. */
function ring() {
  let stroke = Promise.withResolvers<void>()
  return {
    strike: () => stroke.resolve(),
    struck: () => stroke.promise,
    reset: () => {
      stroke = Promise.withResolvers<void>()
    },
  }
}

async function rest(pause: Pause, signal: AbortSignal): Promise<void> {
  try {
    await pause(restMs, signal)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
