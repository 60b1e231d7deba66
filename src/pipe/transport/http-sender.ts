/** One message to a segment service over HTTP: the whole pipe, by POST or PUT, asked again while that may help. */

import { Failure, type Kind } from '../../errors.ts'
import type { Outbound, Reach } from '../../client/outbound.ts'
import { backoffMs, isTransient, retryAfterMs } from '../../workers/retry.ts'
import type { TransportLimits } from './transport-limits.ts'
import type { Post } from './remote-outbox.ts'

export type HttpTarget = {
  readonly address: string
  /** Tried first. */
  readonly method: 'POST' | 'PUT'
  readonly headers: Readonly<Record<string, string>>
  /** Absent: the operator has named the address, which is then a neighbour that no guard keeps us from. */
  readonly reach?: Reach
}

export type HttpDeps = {
  readonly outbound: Pick<Outbound, 'request'>
  readonly limits: TransportLimits
  readonly now: () => number
  /** 0..1 */
  readonly random: () => number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

type Answer = { readonly status: number; readonly headers: Headers }

/**
 * Hands messages over to the target: 2xx means that it has taken over. A segment that knows only the other one of POST and
 * PUT answers 404, 405 or 501, and gets that from then on. Network errors, 429 and 5xx are tried again after 1, 2, 4 … s with jitter, or when `Retry-After` says. Throws `Failure`: `source-refused` (401, 403),
 * `source-not-found` (404, 405, 410), `item-too-large` (413), `item-malformed` (other 4xx), `source-unreachable`,
 * `source-timeout`, `source-error`, `source-throttled`, `address-refused`.
 */
export function httpPost(target: HttpTarget, deps: HttpDeps): Post {
  const { limits, pause, random, now } = deps
  let { method } = target
  const either = async (body: string, signal: AbortSignal): Promise<Answer | Failure> => {
    const first = method
    const answer = await asked({ target: { ...target, method: first }, deps, body }, signal)
    if (answer instanceof Failure || !unknownMethod.has(answer.status)) return answer
    const other = first === 'POST' ? 'PUT' : 'POST'
    const second = await asked({ target: { ...target, method: other }, deps, body }, signal)
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

type Asking = { readonly target: HttpTarget; readonly deps: HttpDeps; readonly body: string }

async function asked(asking: Asking, signal: AbortSignal): Promise<Answer | Failure> {
  try {
    return await (asking.target.reach ? guarded(asking, signal) : direct(asking, signal))
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof Failure) return error
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    return isLate
      ? new Failure('source-timeout', 'the segment did not answer in time', { cause: error })
      : new Failure('source-unreachable', 'the segment cannot be reached', { cause: error })
  }
}

async function direct({ target, deps, body }: Asking, signal: AbortSignal): Promise<Answer> {
  const answer = await fetch(target.address, {
    method: target.method,
    headers: { ...target.headers, 'Content-Type': 'application/json' },
    body,
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(deps.limits.answerMs)]),
  })
  await answer.body?.cancel()
  return answer
}

async function guarded({ target, deps, body }: Asking, signal: AbortSignal): Promise<Answer> {
  const answer = await deps.outbound.request(
    {
      url: target.address,
      method: target.method,
      headers: { 'Content-Type': 'application/json' },
      credentials: target.headers,
      body,
      reach: target.reach ?? { kind: 'public' },
      maxBytes: 65_536,
      deadlines: { firstByteMs: deps.limits.answerMs },
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
