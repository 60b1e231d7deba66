/** The order of checks: work that many want at once is done once, and only a few at a time at each host. Waiting costs next to nothing. */

import { unlessAborted } from '../../workers/condition.ts'

type Lanes = {
  /**
   * Does the work when it is its turn at this host: owners take turns, each in its order of arrival, so that a small run
   * does not wait for a large one. Not done at all when the signal is earlier.
   */
  take<T>(turn: Turn, work: () => Promise<T>, signal: AbortSignal): Promise<T>
}

type Turn = { readonly host: string; readonly owner: string }

type Host = { active: number; readonly waiting: Map<string, Set<() => void>> }

export function lanes(atOnce: number): Lanes {
  const hosts = new Map<string, Host>()
  return {
    take: async ({ host: name, owner }, work, signal) => {
      signal.throwIfAborted()
      const host = hosts.get(name) ?? { active: 0, waiting: new Map() }
      hosts.set(name, host)
      if (host.active < atOnce) host.active += 1
      else await called(host, owner, signal)
      try {
        signal.throwIfAborted()
        return await work()
      } finally {
        leave(host)
        if (host.active === 0) hosts.delete(name)
      }
    },
  }
}

/** The place of one that leaves goes to the next, so `active` stays. */
async function called({ waiting }: Host, owner: string, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const own = waiting.get(owner) ?? new Set()
  waiting.set(owner, own.add(resolve))
  await unlessAborted(promise, signal).catch((error: unknown) => {
    // Who was called in the moment of giving up has the place, and leaves it in order.
    if (own.delete(resolve)) throw error
  })
}

function leave(host: Host): void {
  const next = nextOf(host)
  if (!next) host.active -= 1
  next?.()
}

/** The owner that was called goes to the end of the line. */
function nextOf({ waiting }: Host): (() => void) | undefined {
  for (const [owner, own] of waiting) {
    waiting.delete(owner)
    const [first] = own
    if (!first) continue
    own.delete(first)
    if (own.size > 0) waiting.set(owner, own)
    return first
  }
  return undefined
}

// Work that many want at once and that is done once.

type Joining<T> = {
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
