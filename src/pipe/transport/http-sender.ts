/**
 * Messages to a segment service over HTTP: the whole pipe, by POST or PUT, sent again while that may help; and the outbox of
 * one segment, whatever leads there.
 */

import { Failure, type Kind } from '../../errors.ts'
import type { Outbound, Reach } from '../../client/outbound.ts'
import { conditionVariable } from '../../workers/condition.ts'
import type { Pipe } from '../document.ts'
import { backoffMs, isTransient, retryAfterMs } from '../../workers/retry.ts'
import type { TransportLimits } from './transport-limits.ts'

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

export type HttpContext = {
  readonly outbound: Pick<Outbound, 'request'>
  readonly limits: TransportLimits
  readonly now: () => number
  /** 0..1 */
  readonly random: () => number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

type Answer = { readonly status: number; readonly headers: Headers }
type Sending = (
  target: HttpTarget,
  body: string,
  deps: HttpContext,
  signal: AbortSignal,
) => Promise<Answer>

/**
 * Hands messages over to the target: 2xx means that it has taken over. A segment that knows only the other one of POST and
 * PUT answers 404, 405 or 501, and gets that from then on. Network errors, 429 and 5xx are tried again after 1, 2, 4 … s with jitter, or when `Retry-After` says. Throws `Failure`: `source-refused` (401, 403),
 * `source-not-found` (404, 405, 410), `item-too-large` (413), `item-malformed` (other 4xx), `source-unreachable`,
 * `source-timeout`, `source-error`, `source-throttled`, `address-refused`.
 */
export function httpPost(target: HttpTarget, deps: HttpContext): Post {
  const { limits, pause, random, now } = deps
  let { method } = target
  const either = async (body: string, signal: AbortSignal): Promise<Answer | Failure> => {
    const first = method
    const answer = await asked({ ...target, method: first }, body, deps, signal)
    if (answer instanceof Failure || !unknownMethod.has(answer.status)) return answer
    const other = first === 'POST' ? 'PUT' : 'POST'
    const second = await asked({ ...target, method: other }, body, deps, signal)
    if (second instanceof Failure || unknownMethod.has(second.status)) return answer
    method = other
    return second
  }
  return async (message, signal) => {
    const body = JSON.stringify(message)
    for (let attempt = 1; ; attempt += 1) {
      const answer = await either(body, signal)
      if (!(answer instanceof Failure) && isTaken(answer)) return
      const failure = answer instanceof Failure ? answer : refusal(answer.status)
      const told = answer instanceof Failure ? null : answer.headers.get('Retry-After')
      const after = retryAfterMs(told, now())
      const isLater = after !== undefined && after > limits.retryAfterMaxMs
      if (attempt >= limits.attempts || isLater || !mayPass(answer)) throw failure
      await pause(after ?? backoffMs(attempt, random), signal)
      signal.throwIfAborted()
    }
  }
}

const isTaken = ({ status }: Answer): boolean => status >= 200 && status < 300

/** What servers say of a method that they do not route. */
const unknownMethod: ReadonlySet<number> = new Set([404, 405, 501])

const passingKinds: ReadonlySet<Kind> = new Set([
  'source-unreachable',
  'source-timeout',
  'source-truncated',
  'source-malformed',
])

const mayPass = (answer: Answer | Failure): boolean =>
  answer instanceof Failure ? passingKinds.has(answer.kind) : isTransient(answer.status)

async function asked(
  target: HttpTarget,
  body: string,
  deps: HttpContext,
  signal: AbortSignal,
): Promise<Answer | Failure> {
  try {
    return await (target.reach ? guarded : direct)(target, body, deps, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof Failure) return error
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    return isLate
      ? new Failure('source-timeout', 'the segment did not answer in time', { cause: error })
      : new Failure('source-unreachable', 'the segment cannot be reached', { cause: error })
  }
}

const contentType = { 'Content-Type': 'application/json' }

const direct: Sending = async (target, body, { limits }, signal) => {
  const answer = await fetch(target.address, {
    method: target.method,
    headers: { ...target.headers, ...contentType },
    body,
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(limits.answerMs)]),
  })
  await answer.body?.cancel()
  return answer
}

const guarded: Sending = async (target, body, { outbound, limits }, signal) => {
  const { address: url, method, headers: credentials, reach = { kind: 'public' } } = target
  const answer = await outbound.request(
    {
      url,
      method,
      headers: contentType,
      credentials,
      body,
      reach,
      maxBytes: 65_536,
      deadlines: { firstByteMs: limits.answerMs },
      attempts: 1,
      redirects: 0,
    },
    signal,
  )
  answer.discard()
  return answer
}

function refusal(status: number): Failure {
  const told = (kind: Kind) => new Failure(kind, `the segment answered ${status}`)
  if (status === 401 || status === 403) return told('source-refused')
  if (status === 404 || status === 405 || status === 410) return told('source-not-found')
  if (status === 413) return told('item-too-large')
  if (status === 429 || status === 503) return told('source-throttled')
  if (status >= 500 || status < 400) return told('source-error')
  return told('item-malformed')
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
  readonly #inFlight: number
  readonly #signal: AbortSignal
  readonly #sending = new Set<Promise<void>>()
  readonly #changed = conditionVariable()
  #inARow = 0
  #broken: { readonly reason: unknown } | undefined

  constructor(post: Post, inFlight: number, signal: AbortSignal) {
    this.#post = post
    this.#inFlight = inFlight
    this.#signal = signal
  }

  /** Resolves when the message is under way; `done` is called when it has arrived, or with why it did not. */
  async send(message: Pipe, done: (failure?: Failure) => void): Promise<void> {
    while (this.#sending.size >= this.#inFlight && !this.#broken) {
      await this.#changed.next(this.#signal)
    }
    this.#check()
    const sending = this.#handOver(message, done).finally(() => {
      this.#sending.delete(sending)
      this.#changed.notify()
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
      this.#inARow = 0
      done()
    } catch (error) {
      const isFailure = error instanceof Failure && !this.#signal.aborted
      if (isFailure) this.#inARow += 1
      const isHopeless = !isFailure || hopeless.has(error.kind) || this.#inARow >= mostInARow
      if (isHopeless) this.#broken ??= { reason: error }
      if (isFailure) done(error)
    }
  }
}
