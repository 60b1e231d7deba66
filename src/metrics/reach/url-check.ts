/** One check of one URL: robots.txt, HEAD, a ranged GET where HEAD is not liked, and what the answer means. */

import { pseudoCodes } from '../indicators.ts'
import { Failure } from '../../errors.ts'
import type { Outbound, OutboundRequest } from '../../client/outbound.ts'
import type { Log } from '../../log.ts'
import type { Pause } from '../../workers/pause.ts'

const { connectionFailure, invalidUrl } = pseudoCodes

/** What came of asking about one URL. */
export type CheckOutcome = {
  /** HTTP status (RFC 9110) or a pseudo code; absent when the check says nothing about the URL. */
  readonly status?: number
  /** The URL itself was requested: not so where robots.txt or the guard refused. */
  readonly asked: boolean
  /** Status of the last answer, whatever it means. */
  readonly answered?: number
}

type Noted = { asked: boolean; answered?: number }

/** What every check needs. */
export type CheckContext = {
  readonly outbound: Outbound
  /** What all requests of checks have in common. */
  readonly requestDefaults: Pick<OutboundRequest, 'reach' | 'room' | 'deadlines' | 'delayMs'>
  readonly pause: Pause
  readonly log: Log
}

/** Throws the signal's reason only. */
export async function check(
  context: CheckContext,
  url: URL,
  signal: AbortSignal,
): Promise<CheckOutcome> {
  const noted: Noted = { asked: false }
  try {
    await checkRobots(context, url.href, signal)
    const visit: Visit = { context, url, noted }
    const head = await statusOf(visit, 'HEAD', signal)
    const status = dislikesHead.has(head) ? await statusOf(visit, 'GET', signal) : head
    return { ...noted, ...(!overloadCodes.has(status) && { status }) }
  } catch (error) {
    signal.throwIfAborted()
    const status = statusOfFailure(error, url, context.log)
    return { ...noted, ...(status !== undefined && { status }) }
  }
}

const dislikesHead: ReadonlySet<number> = new Set([400, 403, 404, 405, 406, 501])

/** The host has too much to do: that is no verdict on the URL. */
const overloadCodes: ReadonlySet<number> = new Set([429, 503])

/** What robots.txt says ends the check. */
class Barred extends Error {
  readonly status: number | undefined

  constructor(status?: number) {
    super('robots.txt says no, or nothing')
    this.status = status
  }
}

/**
 * A host that cannot be connected to for robots.txt cannot be for anything, and nothing else may be asked of it: that is the
 * verdict. One that is there and does not give its robots.txt has said nothing about the URL.
 */
async function checkRobots(context: CheckContext, url: string, signal: AbortSignal): Promise<void> {
  const word = await context.outbound.robots({ ...context.requestDefaults, url }, signal)
  if (word === 'allowed') return
  throw new Barred(
    word === 'unreachable' ? connectionFailure : word === 'refused' ? invalidUrl : undefined,
  )
}

type Visit = { readonly context: CheckContext; readonly url: URL; readonly noted: Noted }

const attempts = 2
const beforeAgainMs = 1000

/** The status after redirects; a connection that fails is tried once more. */
async function statusOf(visit: Visit, method: 'HEAD' | 'GET', signal: AbortSignal) {
  for (let number = 1; ; number += 1) {
    try {
      return await answerOf(visit, method, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (number === attempts || !isConnectionFailure(error)) throw error
      await visit.context.pause(beforeAgainMs, signal)
    }
  }
}

async function answerOf(
  { context, url, noted }: Visit,
  method: 'HEAD' | 'GET',
  signal: AbortSignal,
): Promise<number> {
  const mayFollow = (next: string) => checkRobots(context, next, signal)
  const request: OutboundRequest = {
    ...context.requestDefaults,
    url: url.href,
    method,
    ...(method === 'GET' && { headers: { range: 'bytes=0-0' } }),
    maxBytes: 1,
    attempts: 1,
    retryAfterMaxMs,
    atOnce,
    whenLeftAlone: 'fail',
    mayFollow,
  }
  try {
    const answer = await context.outbound.request(request, signal)
    noted.asked = true
    noted.answered = answer.status
    answer.discard()
    return answer.status
  } catch (error) {
    noted.asked ||= !wasLeftAlone(error)
    throw error
  }
}

/** At one host, of all its clients here. */
const atOnce = 2
/** A host that wants more is not asked until then, and its URLs keep what is known of them. */
const retryAfterMaxMs = 30_000

/** With a time: the host was not asked at all. */
const wasLeftAlone = (error: unknown): boolean =>
  error instanceof Failure && error.retryAfter !== undefined

const isConnectionFailure = (error: unknown): boolean =>
  error instanceof Failure &&
  (error.kind === 'source-unreachable' || error.kind === 'source-timeout') &&
  !wasLeftAlone(error)

const statuses: Partial<Record<Failure['kind'], number>> = {
  'address-refused': invalidUrl,
  'source-unreachable': connectionFailure,
  'source-timeout': connectionFailure,
  'source-malformed': connectionFailure,
  // Too many redirects, or a circle.
  'source-error': connectionFailure,
}

function statusOfFailure(error: unknown, { host }: URL, log: Log): number | undefined {
  if (error instanceof Barred) return error.status
  const status = error instanceof Failure ? statuses[error.kind] : undefined
  const isKnown =
    status !== undefined || (error instanceof Failure && error.kind === 'source-throttled')
  if (!isKnown) log.warn({ err: error, host }, 'reach.check-failed')
  return status
}
