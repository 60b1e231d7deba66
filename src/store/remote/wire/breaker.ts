/** A circuit breaker: while the store is away, calls fail at once instead of queueing up for their time limits. */

import { ConnectionFault, unavailable } from './faults.ts'

type Options = {
  readonly now: () => number
  /** Told when the store is given up, with what was wrong last, and when it is back. */
  readonly onChange: (state: 'open' | 'closed', cause?: ConnectionFault) => void
}

export type Breaker = {
  /** Does `work`, or rejects at once with `store-unavailable` while the circuit is open. */
  readonly guard: <T>(work: () => Promise<T>) => Promise<T>
  readonly state: () => 'closed' | 'open' | 'half-open'
}

/** So many connections in a row must fail before the circuit opens. */
const mostFaults = 5

/** So long it stays open before one call is let through to see. */
const openMs = 2000

/**
 * Counts connections that could not be made or broke, one after the other. Any answer closes the circuit; a connection
 * that had served before says nothing when it breaks, because its other end may have been gone for long.
 */
export function circuitBreaker({ now, onChange }: Options): Breaker {
  let faults = 0
  let probes = 0
  let openUntil: number | undefined
  let last: ConnectionFault | undefined

  const fail = (fault: ConnectionFault): void => {
    last = fault
    faults += 1
    if (faults < mostFaults) return
    if (openUntil === undefined) onChange('open', fault)
    openUntil = now() + openMs
  }
  const succeed = (): void => {
    if (openUntil !== undefined) onChange('closed')
    faults = 0
    openUntil = undefined
  }
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      const done = await work()
      succeed()
      return done
    } catch (error) {
      if (error instanceof ConnectionFault && !error.reused) fail(error)
      throw error
    }
  }

  return {
    guard: async (work) => {
      if (openUntil === undefined) return run(work)
      if (now() < openUntil) throw unavailable('The store is away.', last)
      // A slow probe keeps the others out no longer than a failed one.
      openUntil = now() + openMs
      probes += 1
      return run(work).finally(() => (probes -= 1))
    },
    state: () => {
      if (openUntil === undefined) return 'closed'
      return probes > 0 || now() >= openUntil ? 'half-open' : 'open'
    },
  }
}
