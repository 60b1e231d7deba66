/** Who may ask a host now: few at once, not too fast, slower when it groans, not at all while it is down. */

import { Failure } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { OutboundLimits } from '../limits.ts'
import type { Pause } from '../patience.ts'
import { line, type Line } from './line.ts'

export type Wish = {
  /** Only longer than the configured delay counts. */
  readonly delayMs: number
  /** Only fewer than the configured number counts. */
  readonly atOnce: number
  readonly whenLeftAlone: 'wait' | 'fail'
}

/** A place at a host, to be given back by `leave`. */
export type Place = {
  /** There is a connection. */
  connected(): void
  /** There was none. */
  failed(): void
  /** The host answered; `retryAfterMs` is kept from everybody. */
  answered(status: number, retryAfterMs?: number): void
  leave(): void
}

export type Hosts = { enter(host: string, wish: Wish, signal: AbortSignal): Promise<Place> }

type Means = {
  readonly limits: Pick<OutboundLimits, 'hostConcurrency' | 'hostDelayMs'>
  readonly now: () => number
  readonly pause: Pause
  readonly log: Log
}

/** Politeness for the whole process: all runs and URL checks share it. */
export function hosts(means: Means): Hosts {
  const known = new Map<string, Host>()
  return {
    enter: async (name, wish, signal) => {
      const host = known.get(name) ?? newHost(means)
      // The one that was asked last is forgotten last.
      known.delete(name)
      known.set(name, host)
      if (known.size > mostHosts) forget(known)
      await admitted(host, { wish, means, name }, signal)
      return placeAt(host, means, name)
    },
  }
}

const mostHosts = 10_000
const slowestMs = 60_000
const firstSlowMs = 200
const answersToRecover = 10
const failuresInARow = 5
const leftAloneMs = 300_000

type Host = {
  active: number
  readonly line: Line
  delayMs: number
  lastStart: number
  notBefore: number
  failures: number
  good: number
}

const newHost = ({ limits }: Means): Host => ({
  active: 0,
  line: line(),
  delayMs: limits.hostDelayMs,
  lastStart: -Infinity,
  notBefore: -Infinity,
  failures: 0,
  good: 0,
})

function forget(known: Map<string, Host>): void {
  for (const [name, host] of known) {
    if (host.active === 0 && !host.line.busy()) return void known.delete(name)
  }
}

type Visit = { readonly wish: Wish; readonly means: Means; readonly name: string }

async function admitted(host: Host, visit: Visit, signal: AbortSignal): Promise<void> {
  const next = await host.line.turn(signal)
  try {
    await wait(host, visit, signal)
    host.active += 1
    host.lastStart = visit.means.now()
  } finally {
    next()
  }
}

async function wait(host: Host, { wish, means, name }: Visit, signal: AbortSignal): Promise<void> {
  const atOnce = Math.max(1, Math.min(means.limits.hostConcurrency, wish.atOnce))
  for (;;) {
    signal.throwIfAborted()
    if (wish.whenLeftAlone === 'fail' && isLeftAlone(host, means)) {
      throw new Failure('source-unreachable', `${name} could not be reached and is left alone`)
    }
    if (host.active >= atOnce) {
      await host.line.change(signal)
      continue
    }
    const delayed = host.lastStart + Math.max(host.delayMs, wish.delayMs)
    const left = Math.max(delayed, host.notBefore) - means.now()
    if (left <= 0) return
    await means.pause(left, signal)
  }
}

const isLeftAlone = (host: Host, { now }: Means): boolean =>
  host.failures >= failuresInARow && now() < host.notBefore

function placeAt(host: Host, means: Means, name: string): Place {
  let left = false
  return {
    connected: () => {
      host.failures = 0
    },
    failed: () => {
      host.failures += 1
      if (host.failures < failuresInARow) return
      host.notBefore = means.now() + leftAloneMs
      means.log.warn({ host: name, failures: host.failures }, 'outbound.left-alone')
    },
    answered: (status, retryAfterMs = 0) => {
      if (status === 429 || status === 503) slowDown(host, { means, name, retryAfterMs })
      else if (status < 500) recover(host, means)
    },
    leave: () => {
      if (left) return
      left = true
      host.active -= 1
      host.line.changed()
    },
  }
}

type Groan = { readonly means: Means; readonly name: string; readonly retryAfterMs: number }

function slowDown(host: Host, { means, name, retryAfterMs }: Groan): void {
  host.good = 0
  const slower = Math.min(slowestMs, Math.max(host.delayMs, firstSlowMs / 2) * 2)
  host.delayMs = Math.max(host.delayMs, slower)
  host.notBefore = Math.max(host.notBefore, means.now() + retryAfterMs)
  means.log.debug({ host: name, delayMs: host.delayMs, retryAfterMs }, 'outbound.slower')
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
