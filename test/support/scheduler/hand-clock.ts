/** A clock that only goes on when a test says so. */

export type HandClock = {
  readonly now: () => number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  /** Goes on, waking everybody at their time. */
  readonly advance: (ms: number) => Promise<void>
  /** Goes on while everybody sleeps, as for a process that was held up. */
  readonly jump: (ms: number) => void
}

export function handClock(start: string): HandClock {
  let time = Date.parse(start)
  const waiting = new Set<{ readonly at: number; readonly wake: () => void }>()
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return {
    now: () => time,
    pause: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        const sleeper = { at: time + ms, wake: resolve }
        waiting.add(sleeper)
        signal.addEventListener('abort', () => {
          waiting.delete(sleeper)
          reject(signal.reason)
        })
      }),
    jump: (ms) => {
      time += ms
    },
    advance: async (ms) => {
      const end = time + ms
      await settled()
      for (;;) {
        const next = [...waiting].toSorted((a, b) => a.at - b.at)[0]
        if (!next || next.at > end) break
        time = Math.max(time, next.at)
        waiting.delete(next)
        next.wake()
        await settled()
      }
      time = end
      await settled()
    },
  }
}
