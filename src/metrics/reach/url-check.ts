/** Check of one URL: robots.txt, HEAD, and a ranged GET where the host refuses HEAD. */

import { pseudoCodes } from '../indicators.ts'
import { Failure } from '../../errors.ts'
import { type Outbound, outboundOutcome, type OutboundRequest } from '../../client/outbound.ts'
import type { Log } from '../../log.ts'
import { reportNumber } from '../../workers/numbers.ts'
import type { Pause } from '../../workers/pause.ts'

const { connectionFailure, invalidUrl } = pseudoCodes

/** Outcome of the check of one URL. */
export type CheckOutcome = {
  /** HTTP status (RFC 9110) or a pseudo code; absent when the check has no result for the URL. */
  readonly status?: number
  /**
   * Whether the URL itself was requested; false when robots.txt or the address guard refused it before, or its host is left alone
   * or asks for a long pause.
   */
  readonly wasRequested: boolean
  /** Status of the last answer to a request of the URL. */
  readonly lastStatus?: number
}

/** Result of the requests so far. */
type CheckProgress = { wasRequested: boolean; lastStatus?: number }

/** Dependencies of checks. */
export type CheckContext = {
  readonly outbound: Outbound
  /** Members that all requests of checks share. */
  readonly requestDefaults: Pick<OutboundRequest, 'reach' | 'globalLimit' | 'deadlines' | 'delayMs'>
  readonly pause: Pause
  readonly log: Log
}

/** Checks a URL. Throws the signal's reason only; an unexpected error is logged and gives no status. */
export async function checkUrl(
  context: CheckContext,
  url: URL,
  signal: AbortSignal,
): Promise<CheckOutcome> {
  const progress: CheckProgress = { wasRequested: false }
  try {
    await checkRobots(context, url.href, signal)
    const urlCheck: UrlCheck = { context, url, progress }
    const head = await statusOf(urlCheck, 'HEAD', signal)
    const status = refusesHead.has(head) ? await statusOf(urlCheck, 'GET', signal) : head
    return { ...progress, ...(!overloadCodes.has(status) && { status }) }
  } catch (error) {
    signal.throwIfAborted()
    const status = statusOfFailure(error, url, context.log)
    return { ...progress, ...(status !== undefined && { status }) }
  }
}

/** Statuses of HEAD after which GET is tried. */
const refusesHead: ReadonlySet<number> = new Set([400, 403, 404, 405, 406, 501])

/** Statuses of an overloaded host, which give no result for the URL. */
const overloadCodes: ReadonlySet<number> = new Set([429, 503])

/**
 * Thrown when robots.txt forbids a URL or cannot be read; ends the check. `status` is the result that follows for the URL, if
 * any.
 */
class RobotsRefusal extends Error {
  readonly status: number | undefined

  constructor(status?: number) {
    super('robots.txt forbids the URL or cannot be read')
    this.status = status
  }
}

/**
 * Reads robots.txt. A failed connection is the result for the URL too, and so is a refused address; a host that forbids the URL,
 * or answers without a usable robots.txt, gives no result. Throws `RobotsRefusal` unless the URL may be requested.
 */
async function checkRobots(context: CheckContext, url: string, signal: AbortSignal): Promise<void> {
  const permission = await context.outbound.robots({ ...context.requestDefaults, url }, signal)
  if (permission === 'allowed') return
  throw new RobotsRefusal(
    permission === 'unreachable'
      ? connectionFailure
      : permission === 'refused'
        ? invalidUrl
        : undefined,
  )
}

type UrlCheck = {
  readonly context: CheckContext
  readonly url: URL
  readonly progress: CheckProgress
}

/** Attempts of a request, and milliseconds between them. */
const attempts = 2
const retryDelayMs = 1000

/** Status after redirects; a request whose connection fails or is too slow is repeated once. */
async function statusOf(urlCheck: UrlCheck, method: 'HEAD' | 'GET', signal: AbortSignal) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await requestStatus(urlCheck, method, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (attempt === attempts || !isConnectionFailure(error)) throw error
      await urlCheck.context.pause(retryDelayMs, signal)
    }
  }
}

async function requestStatus(
  { context, url, progress }: UrlCheck,
  method: 'HEAD' | 'GET',
  signal: AbortSignal,
): Promise<number> {
  const beforeRedirect = (next: string) => checkRobots(context, next, signal)
  const request: OutboundRequest = {
    ...context.requestDefaults,
    url: url.href,
    method,
    ...(method === 'GET' && { headers: { range: 'bytes=0-0' } }),
    maxBytes: 1,
    attempts: 1,
    retryAfterMaxMs,
    atOnce,
    whenBackedOff: 'fail',
    beforeRedirect,
  }
  try {
    const answer = await context.outbound.request(request, signal)
    progress.wasRequested = true
    progress.lastStatus = answer.status
    reportNumber('cartulary_url_checks_total', [answer.status < 400 ? 'ok' : 'refused'])
    answer.discard()
    return answer.status
  } catch (error) {
    progress.wasRequested ||= !wasBackedOff(error)
    const kind = error instanceof Failure ? error.kind : undefined
    reportNumber('cartulary_url_checks_total', [outboundOutcome(kind)])
    throw error
  }
}

/** Requests at once at one host. */
const atOnce = 2
/** Longest `Retry-After` in ms that is waited for; the URLs of a host that asks for more keep their stored statuses. */
const retryAfterMaxMs = 30_000

/**
 * Whether a request failed because its host is left alone or asks for a long pause: without being sent, or by the answer that
 * asks for it.
 */
const wasBackedOff = (error: unknown): boolean =>
  error instanceof Failure && error.retryAfter !== undefined

const isConnectionFailure = (error: unknown): boolean =>
  error instanceof Failure &&
  (error.kind === 'source-unreachable' || error.kind === 'source-timeout') &&
  !wasBackedOff(error)

const statusOfKind: Partial<Record<Failure['kind'], number>> = {
  'address-refused': invalidUrl,
  'source-unreachable': connectionFailure,
  'source-timeout': connectionFailure,
  'source-malformed': connectionFailure,
  // Too many redirects, or a circle.
  'source-error': connectionFailure,
}

function statusOfFailure(error: unknown, { host }: URL, log: Log): number | undefined {
  if (error instanceof RobotsRefusal) return error.status
  const status = error instanceof Failure ? statusOfKind[error.kind] : undefined
  const isExpected =
    status !== undefined || (error instanceof Failure && error.kind === 'source-throttled')
  if (!isExpected) log.warn({ err: error, host }, 'reach.check-failed')
  return status
}
