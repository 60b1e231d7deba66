/** Work at hosts, a few at once at each: who waits here costs next to nothing. */

import { unlessAborted } from '../../aborting.ts'

export type Lanes = {
  /** Does the work when it is its turn at this host, in order of arrival; not at all when the signal is earlier. */
  take<T>(host: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>
}

type Host = { active: number; readonly waiting: Set<() => void> }

export function lanes(atOnce: number): Lanes {
  const hosts = new Map<string, Host>()
  return {
    take: async (name, work, signal) => {
      signal.throwIfAborted()
      const host = hosts.get(name) ?? { active: 0, waiting: new Set() }
      hosts.set(name, host)
      if (host.active < atOnce) host.active += 1
      else await turn(host, signal)
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
async function turn({ waiting }: Host, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  waiting.add(resolve)
  await unlessAborted(promise, signal).catch((error: unknown) => {
    // Who was called in the moment of giving up has the place, and leaves it in order.
    if (waiting.delete(resolve)) throw error
  })
}

function leave(host: Host): void {
  const [first] = host.waiting
  if (first) host.waiting.delete(first)
  else host.active -= 1
  first?.()
}
