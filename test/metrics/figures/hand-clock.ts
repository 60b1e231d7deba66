/** A clock that moves when it is told to. */

type Sleeper = { readonly until: number; readonly wake: () => void }

export function handClock(at: string) {
  let now = Date.parse(at)
  const sleepers = new Set<Sleeper>()
  return {
    now: () => now,
    /** Wakes whoever waits for a moment up to then; clocks may go back too. */
    set: (to: string) => {
      now = Date.parse(to)
      for (const sleeper of sleepers) if (sleeper.until <= now) sleeper.wake()
    },
    forward: (ms: number) => {
      now += ms
      for (const sleeper of sleepers) if (sleeper.until <= now) sleeper.wake()
    },
    /** Rejects with the signal's reason when that is aborted. */
    pause: (ms: number, signal: AbortSignal): Promise<void> =>
      new Promise((resolve, reject) => {
        const sleeper = {
          until: now + ms,
          wake: () => {
            sleepers.delete(sleeper)
            resolve()
          },
        }
        const end = () => {
          sleepers.delete(sleeper)
          reject(signal.reason)
        }
        if (signal.aborted) end()
        else {
          sleepers.add(sleeper)
          signal.addEventListener('abort', end, { once: true })
        }
      }),
  }
}
