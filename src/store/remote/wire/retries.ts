/** Another try after a broken connection or a passing error, for requests that may be repeated. */

import type { Bounds } from './exchange.ts'
import { broken, ConnectionFault } from './faults.ts'
import type { WireAnswer } from './messages.ts'

export type RetryOptions = {
  readonly retryable: (answer: WireAnswer) => boolean
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  readonly random: () => number
  readonly now: () => number
  /** Called when a connection broke that had served before. */
  readonly onStale: () => void
}

type Call = {
  readonly attempt: () => Promise<WireAnswer>
  readonly idempotent: boolean
  readonly bounds: Bounds
  /** Any of them ends a pause. */
  readonly signals: readonly AbortSignal[]
}

/**
 * The answer of the last try, or a `Failure` store-unavailable when that one broke. There are up to four tries, fewer when
 * the time of the call would pass, or `connectMs` without a connection.
 */
export async function retried(call: Call, options: RetryOptions): Promise<WireAnswer> {
  const patience = new Patience(call.bounds, options)
  for (;;) {
    const outcome = await call.attempt().catch(faultOf)
    const isFault = outcome instanceof ConnectionFault
    if (isFault && outcome.reused) options.onStale()
    const again = call.idempotent && (isFault || options.retryable(outcome))
    const ms = again ? patience.next(outcome) : undefined
    if (ms === undefined) {
      if (isFault) throw broken(outcome)
      return outcome
    }
    if (ms > 0) await paused(ms, call.signals, options)
  }
}

function faultOf(error: unknown): ConnectionFault {
  if (error instanceof ConnectionFault) return error
  throw error
}

async function paused(
  ms: number,
  signals: readonly AbortSignal[],
  { pause }: RetryOptions,
): Promise<void> {
  const signal = AbortSignal.any([...signals])
  // An aborted pause needs no error of its own: the next try rejects with the reason before it sends anything.
  await pause(ms, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}

/** Milliseconds between the tries, before they are spread. */
const pauses = [50, 200, 800]

/** How long to wait before the next try of one call. */
class Patience {
  readonly #bounds: Bounds
  readonly #options: RetryOptions
  readonly #connectUntil: number
  #turn = 0
  #isRaced = false

  constructor(bounds: Bounds, options: RetryOptions) {
    this.#bounds = bounds
    this.#options = options
    this.#connectUntil = options.now() + bounds.connectMs
  }

  /** Milliseconds, or `undefined` when `outcome` is final. */
  next(outcome: WireAnswer | ConnectionFault): number | undefined {
    const isFault = outcome instanceof ConnectionFault
    // The server hung up while the request was on its way: nothing is wrong with it, a new connection will do.
    if (isFault && outcome.reused && !this.#isRaced) {
      this.#isRaced = true
      return 0
    }
    const pause = pauses[this.#turn]
    if (pause === undefined) return undefined
    this.#turn += 1
    const ms = pause * (0.5 + this.#options.random())
    const isAway = isFault && outcome.stage === 'connecting'
    const until = Math.min(this.#bounds.until, isAway ? this.#connectUntil : Infinity)
    return this.#options.now() + ms < until ? ms : undefined
  }
}
