/** The one client for everything that leaves the house: guarded at the socket, polite, bounded in time and size. */

import { Failure } from '../errors.ts'
import type { Log } from '../log.ts'
import { whole } from './answering/answer.ts'
import { attempt, type Ground } from './attempt.ts'
import type { Resolve } from './guard/resolution.ts'
import { sockets, type Dial } from './guard/sockets.ts'
import { outboundLimits, type OutboundLimits } from './limits.ts'
import type { Pause } from './patience.ts'
import { hosts } from './politeness/hosts.ts'
import { backoff, isPassing, isWorthRetrying, retryAfter } from './politeness/retry.ts'
import { robotsOf } from './politeness/robots.ts'
import type { Outbound, OutboundAnswer, OutboundRequest } from './request.ts'

export type { Outbound, OutboundRequest, Reach } from './request.ts'

export type OutboundOptions = {
  readonly userAgent: string
  readonly limits?: Partial<OutboundLimits>
  readonly now: () => number
  /** 0..1 */
  readonly random: () => number
  readonly pause: Pause
  readonly log: Log
  /** All addresses of a name; the system's resolver when absent. */
  readonly resolve?: Resolve
  /** Connects to one of these addresses, all of them permitted; for tests. */
  readonly dial?: Dial
}

/** Makes the client; one per process, because politeness is per host. */
export function outbound(options: OutboundOptions): Outbound {
  const limits = { ...outboundLimits, ...options.limits }
  const closing = new AbortController()
  const ground: Ground = {
    userAgent: options.userAgent,
    limits,
    sockets: sockets(options),
    hosts: hosts({ ...options, limits }),
    now: options.now,
    pause: options.pause,
    log: options.log,
  }
  const trier: Trier = { ground, random: options.random }
  const open = (signal: AbortSignal) => AbortSignal.any([signal, closing.signal])
  const request: Outbound['request'] = (asked, signal) =>
    tried(trier, asked, async (answer) => answer, open(signal))
  return {
    request,
    read: (asked, signal) => tried(trier, asked, whole, open(signal)),
    robots: robotsOf({ request, closing: closing.signal, limits, now: options.now }),
    close: async () => {
      closing.abort(new Failure('run-cancelled', 'the process is shutting down'))
      ground.sockets.close()
    },
  }
}

type Trier = { readonly ground: Ground; readonly random: () => number }

/** Attempts until one is of use, or until there is no point or no attempt left. */
async function tried<T>(
  { ground, random }: Trier,
  request: OutboundRequest,
  use: (answer: OutboundAnswer) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const repeatable = request.repeatable ?? request.method !== 'POST'
  const attempts = repeatable ? (request.attempts ?? ground.limits.attempts) : 1
  for (let number = 1; ; number += 1) {
    const last = number >= attempts
    const outcome = await once({ ground, request, last, use }, signal)
    if (outcome.kind === 'done') return outcome.value
    if (last) throw outcome.error
    await ground
      .pause(outcome.afterMs ?? backoff(number, random), signal)
      .catch((error: unknown) => {
        signal.throwIfAborted()
        throw error
      })
  }
}

type Outcome<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'again'; readonly afterMs?: number | undefined; readonly error: unknown }

type Once<T> = {
  readonly ground: Ground
  readonly request: OutboundRequest
  readonly last: boolean
  readonly use: (answer: OutboundAnswer) => Promise<T>
}

async function once<T>(
  { ground, request, last, use }: Once<T>,
  signal: AbortSignal,
): Promise<Outcome<T>> {
  try {
    const answer = await attempt(request, ground, signal)
    if (!isPassing(answer.status)) return { kind: 'done', value: await use(answer) }
    const after = retryAfter(answer.headers.get('retry-after'), ground.now())
    const longest = request.retryAfterMaxMs ?? ground.limits.retryAfterMaxMs
    if (after !== undefined && after > longest) {
      answer.discard()
      throw comeBack(after, ground.now())
    }
    if (last) return { kind: 'done', value: await use(answer) }
    answer.discard()
    return { kind: 'again', afterMs: after, error: undefined }
  } catch (error) {
    signal.throwIfAborted()
    if (!isWorthRetrying(error)) throw error
    return { kind: 'again', error }
  }
}

function comeBack(afterMs: number, now: number): Failure {
  const time = new Date(Math.min(now + afterMs, latest)).toISOString()
  const detail = `the source asks us to come back at ${time}`
  return new Failure('source-throttled', detail, { retryAfter: Math.ceil(afterMs / 1000) })
}

/** The last moment that a `Date` can tell in four digits of a year. */
const latest = Date.UTC(9999, 11, 31)
