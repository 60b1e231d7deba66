/** Work that many want at once and that is done once. */

import { unlessAborted } from '../workers/condition.ts'

export type Joining<T> = {
  has(key: string): boolean
  /** What is under way for this key, else this work; it is broken off when nobody waits for it any more. */
  join(key: string, work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T>
  /** Breaks off everything for this reason, and waits for the end of it. */
  close(reason: Error): Promise<void>
}

type Flight<T> = { readonly outcome: Promise<T>; readonly stop: AbortController; waiting: number }

export function joining<T>(): Joining<T> {
  const flights = new Map<string, Flight<T>>()
  const begin = (key: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> => {
    const stop = new AbortController()
    const flight = { outcome: work(stop.signal), stop, waiting: 0 }
    flights.set(key, flight)
    const over = () => {
      if (flights.get(key) === flight) flights.delete(key)
    }
    flight.outcome.then(over, over)
    return flight
  }
  return {
    has: (key) => flights.has(key),
    join: async (key, work, signal) => {
      signal.throwIfAborted()
      const flight = flights.get(key) ?? begin(key, work)
      flight.waiting += 1
      try {
        return await unlessAborted(flight.outcome, signal)
      } finally {
        flight.waiting -= 1
        if (flight.waiting === 0 && flights.get(key) === flight) {
          // Who comes now starts afresh.
          flights.delete(key)
          if (signal.aborted) flight.stop.abort(signal.reason)
        }
      }
    },
    close: async (reason) => {
      const all = [...flights.values()]
      for (const { stop } of all) stop.abort(reason)
      await Promise.allSettled(all.map(({ outcome }) => outcome))
    },
  }
}
