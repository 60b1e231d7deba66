/** Who may ask a host now: few at once, not too fast, slower when it groans, not at all while it is down. */

import type { Log } from '../../log.ts'
import type { OutboundLimits } from '../limits.ts'
import type { Pause } from '../patience.ts'
import { answered, checkLeftAlone, failed, fellSilent, newHost, type Host } from './host.ts'
import type { Room } from './room.ts'

export type Wish = {
  /** Only longer than the configured delay counts. */
  readonly delayMs: number
  /** Only fewer than the configured number counts. */
  readonly atOnce: number
  readonly whenLeftAlone: 'wait' | 'fail'
  /** The longest that who does not wait for a host that is left alone waits all the same. */
  readonly longestMs?: number
  /** Where there must be a place too. */
  readonly room?: Room | undefined
}

/** A place at a host, to be given back by `leave`. */
export type Place = {
  /** There is a connection. */
  connected(): void
  /** There was none. */
  failed(): void
  /** There was one, and no answer in time. */
  silent(): void
  /** The host answered; a `Retry-After` up to `longestMs` is kept from everybody. */
  answered(status: number, retryAfterMs?: number, longestMs?: number): void
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
      const host = known.get(name) ?? newHost(name, means.limits)
      // The one that was asked last is forgotten last.
      known.delete(name)
      known.set(name, host)
      if (known.size > mostHosts) forget(known)
      const leaveRoom = await admitted(host, { wish, means }, signal)
      return placeAt(host, { wish, means }, leaveRoom)
    },
  }
}

const mostHosts = 10_000

function forget(known: Map<string, Host>): void {
  for (const [name, host] of known) {
    if (host.active === 0 && !host.line.busy()) return void known.delete(name)
  }
}

type Visit = { readonly wish: Wish; readonly means: Means }

/** What it gives is called to leave the room. Who waits for a place there holds nobody up here, nor the other way round. */
async function admitted(host: Host, visit: Visit, signal: AbortSignal): Promise<() => void> {
  const { room = everywhere } = visit.wish
  for (;;) {
    const leave = await inLine(host, signal, async () => {
      await free(host, visit, signal)
      const leave = room.tryEnter()
      if (leave) start(host, visit)
      return leave
    })
    if (leave) return leave
    const later = await room.enter(signal)
    if (!host.line.busy() && obstacle(host, visit) === undefined) {
      start(host, visit)
      return later
    }
    // While there was no place, others came, or the host asked for more time.
    later()
  }
}

const nothing = () => undefined
const everywhere: Room = { enter: async () => nothing, tryEnter: () => nothing }

async function inLine<T>(host: Host, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const next = await host.line.turn(signal)
  try {
    return await work()
  } finally {
    next()
  }
}

function start(host: Host, { means }: Visit): void {
  host.active += 1
  host.lastStart = means.now()
}

async function free(host: Host, visit: Visit, signal: AbortSignal): Promise<void> {
  const { wish, means } = visit
  for (;;) {
    signal.throwIfAborted()
    if (wish.whenLeftAlone === 'fail') checkLeftAlone(host, wish.longestMs ?? Infinity, means.now())
    const met = obstacle(host, visit)
    if (met === undefined) return
    await (met === 'crowded' ? host.line.change(signal) : means.pause(met, signal))
  }
}

/** Milliseconds before the host may be asked; `crowded` when others must leave first. */
function obstacle(host: Host, { wish, means }: Visit): number | 'crowded' | undefined {
  const atOnce = Math.max(1, Math.min(means.limits.hostConcurrency, wish.atOnce))
  if (host.active >= atOnce) return 'crowded'
  const delayed = host.lastStart + Math.max(host.delayMs, wish.delayMs)
  const left = Math.max(delayed, host.notBefore) - means.now()
  return left > 0 ? left : undefined
}

function placeAt(host: Host, { wish, means }: Visit, leaveRoom: () => void): Place {
  let left = false
  return {
    connected: () => {
      host.failures = 0
    },
    failed: () => failed(host, means),
    silent: () => fellSilent(host, means),
    answered: (status, retryAfterMs = 0, longestMs = Infinity) =>
      answered(host, { status, retryAfterMs, longestMs, delayMs: wish.delayMs }, means),
    leave: () => {
      if (left) return
      left = true
      host.active -= 1
      leaveRoom()
      host.line.changed()
    },
  }
}
