/** Sends messages to foreign segments over HTTP with retries; `Outbox` limits the messages on the way to one segment. */

import { Failure, type Kind } from '../../errors.ts'
import { traceHeaders } from '../../trace.ts'
import type { Reach } from '../../client/outbound.ts'
import type { Pipe } from '../document.ts'
import { backoffMs, isTransient, retry, retryAfterMs } from '../../workers/retry.ts'
import { FairLimiter } from '../../workers/fair-limiter.ts'
import type { TransportContext } from './transport-limits.ts'

/** Delivers one message; throws `Failure` after the last attempt. */
export type SendMessage = (message: Pipe, signal: AbortSignal) => Promise<void>

type HttpTarget = {
  readonly address: string
  /** Method of the first attempt. */
  readonly method: 'POST' | 'PUT'
  readonly headers: Readonly<Record<string, string>>
  /** Address restrictions; absent for addresses that the operator has configured. */
  readonly reach?: Reach
}

type HttpContext = Pick<TransportContext, 'outbound' | 'limits' | 'now' | 'random' | 'pause'>

type Answer = { readonly status: number; readonly headers: Headers }

/** Statuses that servers answer for a method that they do not route. */
const unknownMethod: ReadonlySet<number> = new Set([404, 405, 501])

/** Transient failures, which are retried. */
const transientKinds: ReadonlySet<Kind> = new Set([
  'source-unreachable',
  'source-timeout',
  'source-truncated',
  'source-malformed',
])

/**
 * Returns the sender for a target; any 2xx status means that the message was accepted. On 404, 405 or 501 it switches between
 * POST and PUT and keeps the method that works. Network errors and transient statuses (`isTransient`) are retried after up to
 * 1, 2, 4 … s, or as `Retry-After` says, unless that is longer than `retryAfterMaxMs`. Throws `Failure`: `source-refused` (401,
 * 403), `source-not-found` (404, 405, 410), `item-too-large` (413), `source-throttled` (429, 503), `item-malformed` (other 4xx),
 * `source-error` (other statuses), `source-unreachable`, `source-timeout`, `address-refused`.
 */
export function httpSender(target: HttpTarget, context: HttpContext): SendMessage {
  const { limits, pause, random, now } = context
  let { method } = target
  const sendEither = async (body: string, signal: AbortSignal): Promise<Answer> => {
    const answer = await sendOnce({ ...target, method }, body, context, signal)
    if (!unknownMethod.has(answer.status)) return answer
    const otherMethod = method === 'POST' ? 'PUT' : 'POST'
    const otherAnswer = await sendOnce({ ...target, method: otherMethod }, body, context, signal)
    if (unknownMethod.has(otherAnswer.status)) return answer
    method = otherMethod
    return otherAnswer
  }
  return async (message, signal) => {
    const body = JSON.stringify(message)
    const { status } = await retry(() => sendEither(body, signal), {
      signal,
      pause: (ms) => pause(ms, signal),
      delayMs: (outcome, attempt) => {
        if (attempt >= limits.attempts) return undefined
        if ('error' in outcome) {
          const isTransientFailure =
            outcome.error instanceof Failure && transientKinds.has(outcome.error.kind)
          return isTransientFailure ? backoffMs(attempt, random) : undefined
        }
        const { status, headers } = outcome.value
        const afterMs = retryAfterMs(headers.get('Retry-After'), now())
        const isLong = afterMs !== undefined && afterMs > limits.retryAfterMaxMs
        if (isLong || !isTransient(status)) return undefined
        return afterMs ?? backoffMs(attempt, random)
      },
    })
    if (status < 200 || status >= 300) {
      throw new Failure(refusalKind(status), `the segment answered ${status}`)
    }
  }
}

function refusalKind(status: number): Kind {
  if (status === 401 || status === 403) return 'source-refused'
  if (status === 404 || status === 405 || status === 410) return 'source-not-found'
  if (status === 413) return 'item-too-large'
  if (status === 429 || status === 503) return 'source-throttled'
  return status >= 500 || status < 400 ? 'source-error' : 'item-malformed'
}

/** Sends one request and discards the body of the answer. */
async function sendOnce(
  { address: url, method, headers: credentials, reach }: HttpTarget,
  body: string,
  { outbound, limits }: HttpContext,
  signal: AbortSignal,
): Promise<Answer> {
  const headers = { 'Content-Type': 'application/json', ...traceHeaders() }
  if (reach) {
    const limited = { maxBytes: 65_536, attempts: 1, redirects: 0 }
    const deadlines = { firstByteMs: limits.answerMs }
    const request = { url, method, headers, credentials, body, reach, deadlines, ...limited }
    const answer = await outbound.request(request, signal)
    answer.discard()
    return answer
  }
  const timeout = AbortSignal.timeout(limits.answerMs)
  try {
    const answer = await fetch(url, {
      method,
      headers: { ...credentials, ...headers },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
    })
    await answer.body?.cancel()
    return answer
  } catch (cause) {
    signal.throwIfAborted()
    throw timeout.aborted
      ? new Failure('source-timeout', 'the segment did not answer in time', { cause })
      : new Failure('source-unreachable', 'the segment cannot be reached', { cause })
  }
}

/** Failures that every other message would meet as well. */
const permanentKinds: ReadonlySet<Kind> = new Set([
  'address-refused',
  'source-refused',
  'source-not-found',
  'unknown-segment',
])
const mostFailuresInARow = 10

/**
 * Messages on the way to one segment, limited in number. Fails the run after a permanent failure, ten failures in a row, or an
 * error that is no `Failure`.
 */
export class Outbox {
  readonly #post: SendMessage
  readonly #slots: FairLimiter
  readonly #signal: AbortSignal
  readonly #sending = new Set<Promise<void>>()
  #failedInARow = 0
  #fatal: { readonly reason: unknown } | undefined

  constructor(post: SendMessage, atOnce: number, signal: AbortSignal) {
    this.#post = post
    this.#slots = new FairLimiter({ atOnce, waiting: Infinity })
    this.#signal = signal
  }

  /**
   * Resolves when sending has started; calls `onSent` when the message was accepted, or with its failure. Throws failures
   * that end the run.
   */
  async send(message: Pipe, onSent: (failure?: Failure) => void): Promise<void> {
    const leave = await this.#slots.take('', this.#signal)
    if (this.#fatal) leave()
    this.#check()
    const sending = this.#handOver(message, onSent).finally(() => {
      this.#sending.delete(sending)
      leave()
    })
    this.#sending.add(sending)
  }

  /** Resolves when no message is on the way. Throws failures that end the run. */
  async waitUntilSent(): Promise<void> {
    await Promise.all(this.#sending)
    this.#check()
  }

  #check(): void {
    this.#signal.throwIfAborted()
    if (this.#fatal) throw this.#fatal.reason
  }

  async #handOver(message: Pipe, onSent: (failure?: Failure) => void): Promise<void> {
    try {
      await this.#post(message, this.#signal)
      this.#failedInARow = 0
      onSent()
    } catch (error) {
      const isFailure = error instanceof Failure && !this.#signal.aborted
      if (isFailure) this.#failedInARow += 1
      const isHopeless =
        !isFailure || permanentKinds.has(error.kind) || this.#failedInARow >= mostFailuresInARow
      if (isHopeless) this.#fatal ??= { reason: error }
      if (isFailure) onSent(error)
    }
  }
}
