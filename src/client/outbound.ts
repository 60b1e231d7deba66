/**
 * HTTP client for foreign addresses, such as sources of harvests and URLs found in records: it checks each address before
 * connecting, limits requests per host, and bounds time and size. A request consists of attempts; an attempt is one HTTP request
 * and its redirects, each of which is checked and limited again.
 */

import type { IncomingMessage } from 'node:http'
import { Failure, type Kind } from '../errors.ts'
import type { Log } from '../log.ts'
import { shownUrl } from '../secrets.ts'
import { reportNumber } from '../workers/numbers.ts'
import type { Pause } from '../workers/pause.ts'
import { backoffMs, isTransient, retry, retryAfterMs } from '../workers/retry.ts'
import { hostPermission, portOf, parseTarget, type Resolve } from './address-guard.ts'
import {
  deadlineClock,
  outboundLimits,
  type DeadlineClock,
  type OutboundLimits,
} from './deadlines.ts'
import { guardedConnections, type Connections, type Dial } from './connections.ts'
import { exchange } from './exchange.ts'
import { wrapResponse, readWhole } from './outbound-answer.ts'
import type { Outbound, OutboundAnswer, OutboundRequest } from './outbound-request.ts'
import { Hosts, type HostPermit } from './politeness.ts'
import { Cookies, nextStep, splitHeaders, type Step } from './redirect.ts'
import { robotsOf } from './robots.ts'
import { withDefaults } from '../text/defaults.ts'

export type { Outbound, OutboundRequest, Reach } from './outbound-request.ts'

/** Settings and dependencies of the client; `now` is in milliseconds since 1970. */
export type OutboundOptions = {
  readonly userAgent: string
  /** Limits that differ from `outboundLimits`. */
  readonly limits?: Partial<OutboundLimits>
  readonly now: () => number
  /** Random number from 0 to 1. */
  readonly random: () => number
  readonly pause: Pause
  readonly log: Log
  /** Resolver; that of the system by default. */
  readonly resolve?: Resolve
  /** Connects to one of the permitted addresses; for tests. */
  readonly dial?: Dial
}

/** State shared by all requests of a process. */
type ClientContext = {
  readonly userAgent: string
  readonly limits: OutboundLimits
  readonly connections: Connections
  readonly hosts: Hosts
  readonly now: () => number
  readonly random: () => number
  readonly pause: Pause
  readonly log: Log
}

/** Creates the client. There is one per process, because politeness is per host. */
export function outbound(options: OutboundOptions): Outbound {
  const { now, random, pause, log, userAgent } = options
  const limits = withDefaults(outboundLimits, options.limits)
  const closing = new AbortController()
  const context: ClientContext = {
    userAgent,
    limits,
    connections: guardedConnections({ resolve: options.resolve, dial: options.dial }),
    hosts: new Hosts({ limits, now, pause, log }),
    now,
    random,
    pause,
    log,
  }
  const untilClosed = (signal: AbortSignal) => AbortSignal.any([signal, closing.signal])
  const request: Outbound['request'] = (outgoing, signal) =>
    attempts(context, outgoing, async (answer) => answer, untilClosed(signal))
  return {
    request,
    read: (outgoing, signal) => attempts(context, outgoing, readWhole, untilClosed(signal)),
    robots: robotsOf({ request, closing: closing.signal, limits, now }),
    close: async () => {
      closing.abort(new Failure('run-cancelled', 'the process is shutting down'))
      context.connections.close()
    },
  }
}

/**
 * Thrown for a response that may differ later, such as 429 or 503, so that it is asked for again; `afterMs` is its `Retry-After`.
 */
class TemporaryAnswer extends Error {
  readonly afterMs: number | undefined

  constructor(afterMs: number | undefined) {
    super('to be asked again')
    this.name = 'TemporaryAnswer'
    this.afterMs = afterMs
  }
}

/** Failures of an attempt that are retried while attempts are left. */
const transientKinds: ReadonlySet<Kind> = new Set([
  'source-unreachable',
  'source-timeout',
  'source-truncated',
])

/**
 * Repeats the request after temporary failures, those of `read` included, up to the maximum number of attempts, and passes the
 * last response, whatever its status, to `read`. Throws `source-throttled` for a temporary response whose `Retry-After` is too
 * long.
 */
function attempts<Result>(
  context: ClientContext,
  request: OutboundRequest,
  read: (answer: OutboundAnswer) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const { limits, now, random, pause } = context
  const isRepeatable = request.isRepeatable ?? request.method !== 'POST'
  const mostAttempts = isRepeatable ? (request.attempts ?? limits.attempts) : 1
  const longestMs = request.retryAfterMaxMs ?? limits.retryAfterMaxMs
  const attemptOnce = async (number: number): Promise<Result> => {
    const answer = await attempt(request, context, signal)
    if (!isTransient(answer.status)) return read(answer)
    const afterMs = retryAfterMs(answer.headers.get('retry-after'), now())
    const isTooLong = afterMs !== undefined && afterMs > longestMs
    if (!isTooLong && number >= mostAttempts) return read(answer)
    answer.discard()
    throw isTooLong ? throttled(afterMs, now()) : new TemporaryAnswer(afterMs)
  }
  return retry(attemptOnce, {
    delayMs: (outcome, number) => {
      if ('value' in outcome) return undefined
      const { error } = outcome
      if (error instanceof TemporaryAnswer) return error.afterMs ?? backoffMs(number, random)
      const isTransientFailure = error instanceof Failure && transientKinds.has(error.kind)
      return isTransientFailure && number < mostAttempts ? backoffMs(number, random) : undefined
    },
    pause: (ms) => pause(ms, signal),
    signal,
  })
}

function throttled(afterMs: number, now: number): Failure {
  const time = new Date(Math.min(now + afterMs, latest)).toISOString()
  const detail = `the source asks us to come back at ${time}`
  return new Failure('source-throttled', detail, { retryAfter: Math.ceil(afterMs / 1000) })
}

/** Latest time that a message names: later years may have more than four digits. */
const latest = Date.UTC(9999, 11, 31)

/** Maximum number of redirects of a request that sets none. */
const mostRedirects = 5

/** Sends a request and follows its redirects; returns the final response. Throws also what `beforeRedirect` throws. */
async function attempt(
  request: OutboundRequest,
  context: ClientContext,
  signal: AbortSignal,
): Promise<OutboundAnswer> {
  const deadlines = withDefaults(context.limits.deadlines, request.deadlines)
  const clock = deadlineClock(deadlines, context.now)
  const attemptContext: AttemptContext = { request, clock, context }
  const { url, method = 'GET', headers, credentials, body } = request
  const parts = splitHeaders(headers, credentials)
  let step: Step = { url: parseTarget(url), method, ...parts, ...(body !== undefined && { body }) }
  const cookies = new Cookies()
  for (const earlierSteps: Step[] = []; ;) {
    const { message, permit } = await sendStep(step, attemptContext, signal)
    const discard = () => {
      message.destroy()
      permit.leave()
    }
    let next: Step | undefined
    cookies.store(step.url, message.headers['set-cookie'])
    try {
      next = nextStep(step, message.statusCode ?? 0, message.headers.location)
    } catch (error) {
      discard()
      throw error
    }
    if (!next) {
      const bounds = { maxBytes: request.maxBytes, ratio: context.limits.bodyRatio }
      return wrapResponse(
        {
          message,
          url: step.url.href,
          method: step.method,
          redirected: earlierSteps.map((redirected) => redirected.url.href),
          bounds: { ...bounds, clock },
          release: () => permit.leave(),
        },
        signal,
      )
    }
    discard()
    earlierSteps.push(step)
    next = { ...next, cookie: cookies.header(next.url) }
    checkRedirects(earlierSteps, next, request.redirects ?? mostRedirects)
    await request.beforeRedirect?.(next.url.href, signal)
    step = next
  }
}

/** Request, time-outs and client to which a step of an attempt belongs. */
type AttemptContext = {
  readonly request: OutboundRequest
  readonly clock: DeadlineClock
  readonly context: ClientContext
}

/**
 * Waits for a slot of the host, sends one request and reports the result to the host's limiter. The caller releases the slot with
 * `permit.leave()`; after an error it is released already.
 */
async function sendStep(
  step: Step,
  { request, clock, context }: AttemptContext,
  signal: AbortSignal,
): Promise<{ readonly message: IncomingMessage; readonly permit: HostPermit }> {
  const { url } = step
  const longestMs = request.retryAfterMaxMs ?? context.limits.retryAfterMaxMs
  const politeness = {
    delayMs: request.delayMs ?? 0,
    atOnce: request.atOnce ?? Infinity,
    whenBackedOff: request.whenBackedOff ?? 'wait',
    longestMs,
    globalLimit: request.globalLimit,
  }
  const permit = await context.hosts.enter(`${url.hostname}:${portOf(url)}`, politeness, signal)
  let isConnected = false
  const onConnected = () => {
    isConnected = true
    permit.connected()
    request.onConnected?.()
  }
  try {
    const headers = headersOf(step, context.userAgent)
    const message = await exchange(
      { ...step, headers },
      {
        connections: context.connections,
        permission: hostPermission(request.reach, url),
        clock,
        signal,
        isRepeatable: step.method !== 'POST',
        onConnected,
      },
    )
    const afterMs = retryAfterMs(message.headers['retry-after'], context.now())
    permit.answered(message.statusCode ?? 0, afterMs, longestMs)
    reportOutcome((message.statusCode ?? 0) < 400 ? 'ok' : 'refused')
    return { message, permit }
  } catch (error) {
    const kind = error instanceof Failure ? error.kind : undefined
    reportOutcome(outboundOutcome(kind))
    const isDown = kind === 'source-unreachable' || kind === 'source-timeout'
    if (isDown && !isConnected) permit.failed()
    else if (kind === 'source-timeout') permit.silent()
    if (kind === 'address-refused') context.log.warn({ host: url.host }, 'outbound.refused')
    permit.leave()
    throw error
  }
}

const reportOutcome = (outcome: string) =>
  reportNumber('cartulary_outbound_requests_total', [outcome])

/** Outcome of a failed request in `/metrics`. */
export const outboundOutcome = (kind: Kind | undefined): string =>
  kind === 'source-timeout' ? 'timeout' : kind === 'address-refused' ? 'guarded' : 'refused'

const headersOf = (step: Step, userAgent: string): Readonly<Record<string, string>> => ({
  accept: '*/*',
  ...step.headers,
  ...step.credentials,
  ...(step.cookie !== undefined && { cookie: step.cookie }),
  'accept-encoding': 'gzip, deflate, br',
  'user-agent': userAgent,
})

/** Throws `source-error` for a redirect loop or too many redirects. */
function checkRedirects(earlierSteps: readonly Step[], next: Step, mostFollowed: number): void {
  const start = shownUrl(earlierSteps[0]?.url.href ?? '')
  const hint = next.cookie === undefined ? '' : ', and sets cookies on the way'
  // After a POST, a redirect to the same URL is followed with GET; a new cookie also makes a difference.
  const isSame = ({ url, method, cookie }: Step) =>
    url.href === next.url.href && method === next.method && cookie === next.cookie
  if (earlierSteps.some(isSame)) {
    throw new Failure('source-error', `${start} redirects in a circle${hint}`)
  }
  if (earlierSteps.length > mostFollowed) {
    throw new Failure('source-error', `${start} redirects more than ${mostFollowed} times${hint}`)
  }
}
