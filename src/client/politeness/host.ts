/** What is remembered of one host: how fast it may be asked, and since when it has been failing, silent or overworked. */

import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { OutboundLimits } from '../limits.ts'
import { line, type Line } from './line.ts'

export type Host = {
  readonly name: string
  readonly line: Line
  active: number
  delayMs: number
  lastStart: number
  /** Nobody asks before. */
  notBefore: number
  /** Who does not wait for hosts that are left alone fails until then, for this reason. */
  avoided: { readonly until: number; readonly because: 'source-timeout' | 'source-throttled' }
  /** Connections in a row that did not come about. */
  failures: number
  /** Requests in a row that were heard and not answered in time. */
  silences: number
  /** Answers in a row that were 429 or 503. */
  groans: number
  good: number
}

type Limits = Pick<OutboundLimits, 'hostConcurrency' | 'hostDelayMs'>
type Means = { readonly limits: Limits; readonly now: () => number; readonly log: Log }

const slowestMs = 60_000
const firstSlowMs = 200
const answersToRecover = 10
const inARow = 5
const leftAloneMs = 300_000

export const newHost = (name: string, { hostDelayMs }: Limits): Host => ({
  name,
  line: line(),
  active: 0,
  delayMs: hostDelayMs,
  lastStart: -Infinity,
  notBefore: -Infinity,
  avoided: { until: -Infinity, because: 'source-throttled' },
  failures: 0,
  silences: 0,
  groans: 0,
  good: 0,
})

/**
 * For who does not wait: `source-unreachable` while the host is left alone because it cannot be reached, `source-timeout`
 * while it has been saying nothing, `source-throttled` while it wants to be left alone for longer than `longestMs`. All
 * with `retryAfter`: the request was not made.
 */
export function checkLeftAlone(host: Host, longestMs: number, now: number): void {
  const { notBefore, failures, avoided, name } = host
  const say = (kind: Failure['kind'], words: string, until: number) =>
    new Failure(kind, `${name} ${words}`, { retryAfter: Math.ceil((until - now) / 1000) })
  if (failures >= inARow && now < notBefore) {
    throw say('source-unreachable', 'could not be reached and is left alone', notBefore)
  }
  if (now < avoided.until) {
    const words = avoided.because === 'source-timeout' ? 'says nothing' : 'has too much to do'
    throw say(avoided.because, `${words} and is left alone`, avoided.until)
  }
  if (notBefore - now > longestMs)
    throw say('source-throttled', 'wants to be left alone', notBefore)
}

/** There was no connection. */
export function failed(host: Host, { now, log }: Means): void {
  host.failures += 1
  if (host.failures < inARow) return
  host.notBefore = now() + leftAloneMs
  log.warn({ host: host.name, failures: host.failures }, 'outbound.left-alone')
}

/** There was a connection, and no answer in time. */
export function fellSilent(host: Host, { now, log }: Means): void {
  host.silences += 1
  if (host.silences >= inARow) avoid(host, 'source-timeout', now() + leftAloneMs)
  log.debug({ host: host.name, silences: host.silences }, 'outbound.silent')
}

export type Said = {
  readonly status: number
  readonly retryAfterMs: number
  /** Of a longer `Retry-After` only those hear who do not wait. */
  readonly longestMs: number
  /** What who asked kept between two requests by itself: the host groaned at that pace. */
  readonly delayMs: number
}

export function answered(host: Host, said: Said, means: Means): void {
  host.silences = 0
  const { status } = said
  if (status === 429 || status === 503) return groaned(host, said, means)
  host.groans = 0
  if (status < 500) recover(host, means)
}

function groaned(host: Host, said: Said, { now, log }: Means): void {
  const { retryAfterMs, longestMs, delayMs } = said
  host.good = 0
  host.groans += 1
  const slower = Math.min(slowestMs, Math.max(host.delayMs, delayMs, firstSlowMs / 2) * 2)
  host.delayMs = Math.max(host.delayMs, slower)
  const until = now() + retryAfterMs
  if (retryAfterMs <= longestMs) host.notBefore = Math.max(host.notBefore, until)
  else avoid(host, 'source-throttled', until)
  if (host.groans >= inARow) avoid(host, 'source-throttled', now() + leftAloneMs)
  log.debug({ host: host.name, delayMs: host.delayMs, retryAfterMs }, 'outbound.slower')
}

function avoid(host: Host, because: Host['avoided']['because'], until: number): void {
  if (until > host.avoided.until) host.avoided = { until, because }
}

/** Ten good answers undo one doubling, down to the configured delay. */
function recover(host: Host, { limits }: Means): void {
  host.good += 1
  if (host.good < answersToRecover) return
  host.good = 0
  const faster = host.delayMs / 2
  host.delayMs =
    faster < firstSlowMs / 2 ? limits.hostDelayMs : Math.max(limits.hostDelayMs, faster)
}
