/**
 * Messages to a segment service over HTTP: the whole pipe, by POST or PUT, sent again while that may help; and the outbox of
 * one segment, whatever leads there.
 */

import { Failure, type Kind } from '../../errors.ts'
import type { Reach } from '../../client/outbound.ts'
import type { Pipe } from '../document.ts'
import { backoffMs, isTransient, retry, retryAfterMs } from '../../workers/retry.ts'
import { Semaphore } from '../../workers/semaphore.ts'
import type { TransportContext } from './transport-limits.ts'

/** Hands one message over; throws `Failure` when that is given up. */
export type Post = (message: Pipe, signal: AbortSignal) => Promise<void>

type HttpTarget = {
  readonly address: string
  /** Tried first. */
  readonly method: 'POST' | 'PUT'
  readonly headers: Readonly<Record<string, string>>
  /** Absent: the operator has named the address, which is then a neighbour that no guard keeps us from. */
  readonly reach?: Reach
}

type HttpContext = Pick<TransportContext, 'outbound' | 'limits' | 'now' | 'random' | 'pause'>

type Answer = { readonly status: number; readonly headers: Headers }

/** What servers say of a method that they do not route. */
const unknownMethod: ReadonlySet<number> = new Set([404, 405, 501])

/** Failures that may pass. */
const passing: ReadonlySet<Kind> = new Set([
  'source-unreachable',
  'source-timeout',
  'source-truncated',
  'source-malformed',
])

/**
 * Hands messages over to the target: 2xx means that it has taken over. A segment that knows only the other one of POST and
 * PUT answers 404, 405 or 501, and gets that from then on. Network errors, 429 and 5xx are tried again after 1, 2, 4 … s
 * with jitter, or when `Retry-After` says. Throws `Failure`: `source-refused` (401, 403), `source-not-found` (404, 405, 410),
 * `item-too-large` (413), `item-malformed` (other 4xx), `source-unreachable`, `source-timeout`, `source-error`,
 * `source-throttled`, `address-refused`.
 */
export function httpPost(target: HttpTarget, context: HttpContext): Post {
  const { limits, pause, random, now } = context
  let { method } = target
  const either = async (body: string, signal: AbortSignal): Promise<Answer> => {
    const answer = await sent({ ...target, method }, body, context, signal)
    if (!unknownMethod.has(answer.status)) return answer
    const other = method === 'POST' ? 'PUT' : 'POST'
    const second = await sent({ ...target, method: other }, body, context, signal)
    if (unknownMethod.has(second.status)) return answer
    method = other
    return second
  }
  return async (message, signal) => {
    const body = JSON.stringify(message)
    const { status } = await retry(() => either(body, signal), {
      signal,
      pause: (ms) => pause(ms, signal),
      delayMs: (outcome, attempt) => {
        if (attempt >= limits.attempts) return undefined
        if ('error' in outcome) {
          const isPassing = outcome.error instanceof Failure && passing.has(outcome.error.kind)
          return isPassing ? backoffMs(attempt, random) : undefined
        }
        const { status, headers } = outcome.value
        const afterMs = retryAfterMs(headers.get('Retry-After'), now())
        const isLong = afterMs !== undefined && afterMs > limits.retryAfterMaxMs
        if (isLong || !isTransient(status)) return undefined
        return afterMs ?? backoffMs(attempt, random)
      },
    })
    if (status < 200 || status >= 300) {
      throw new Failure(refusal(status), `the segment answered ${status}`)
    }
  }
}

function refusal(status: number): Kind {
  if (status === 401 || status === 403) return 'source-refused'
  if (status === 404 || status === 405 || status === 410) return 'source-not-found'
  if (status === 413) return 'item-too-large'
  if (status === 429 || status === 503) return 'source-throttled'
  return status >= 500 || status < 400 ? 'source-error' : 'item-malformed'
}

/** One request, its answer's body dropped. */
async function sent(
  { address: url, method, headers: credentials, reach }: HttpTarget,
  body: string,
  { outbound, limits }: HttpContext,
  signal: AbortSignal,
): Promise<Answer> {
  const headers = { 'Content-Type': 'application/json' }
  if (reach) {
    const limited = { maxBytes: 65_536, attempts: 1, redirects: 0 }
    const deadlines = { firstByteMs: limits.answerMs }
    const request = { url, method, headers, credentials, body, reach, deadlines, ...limited }
    const answer = await outbound.request(request, signal)
    answer.discard()
    return answer
  }
  const late = AbortSignal.timeout(limits.answerMs)
  try {
    const answer = await fetch(url, {
      method,
      headers: { ...credentials, ...headers },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, late]),
    })
    await answer.body?.cancel()
    return answer
  } catch (cause) {
    signal.throwIfAborted()
    throw late.aborted
      ? new Failure('source-timeout', 'the segment did not answer in time', { cause })
      : new Failure('source-unreachable', 'the segment cannot be reached', { cause })
  }
}

/** No other message would fare better. */
const hopeless: ReadonlySet<Kind> = new Set([
  'address-refused',
  'source-refused',
  'source-not-found',
  'unknown-segment',
])
const mostInARow = 10

/** Messages on their way to one segment: several at once, and no more when it is plain that none arrives. */
export class Outbox {
  readonly #post: Post
  readonly #places: Semaphore
  readonly #signal: AbortSignal
  readonly #sending = new Set<Promise<void>>()
  #failedInARow = 0
  #broken: { readonly reason: unknown } | undefined

  constructor(post: Post, atOnce: number, signal: AbortSignal) {
    this.#post = post
    this.#places = new Semaphore(atOnce)
    this.#signal = signal
  }

  /** Resolves when the message is under way; `done` is called when it has arrived, or with why it did not. */
  async send(message: Pipe, done: (failure?: Failure) => void): Promise<void> {
    const leave = await this.#places.acquire(this.#signal)
    if (this.#broken) leave()
    this.#check()
    const sending = this.#handOver(message, done).finally(() => {
      this.#sending.delete(sending)
      leave()
    })
    this.#sending.add(sending)
  }

  /** Resolves when nothing is under way any more. Both methods throw what makes the whole run pointless. */
  async drained(): Promise<void> {
    await Promise.all(this.#sending)
    this.#check()
  }

  #check(): void {
    this.#signal.throwIfAborted()
    if (this.#broken) throw this.#broken.reason
  }

  async #handOver(message: Pipe, done: (failure?: Failure) => void): Promise<void> {
    try {
      await this.#post(message, this.#signal)
      this.#failedInARow = 0
      done()
    } catch (error) {
      const isFailure = error instanceof Failure && !this.#signal.aborted
      if (isFailure) this.#failedInARow += 1
      const isHopeless = !isFailure || hopeless.has(error.kind) || this.#failedInARow >= mostInARow
      if (isHopeless) this.#broken ??= { reason: error }
      if (isFailure) done(error)
    }
  }
}
