/** Hosts of the open internet for URL checks, a clock that goes fast, and the real reach on the real outbound client. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { logger } from '../../../src/log.ts'
import {
  openReach,
  type UrlReach,
  type ReachOptions,
} from '../../../src/metrics/reach/url-reach.ts'
import type { Outbound, OutboundRequest } from '../../../src/client/outbound.ts'
import { outboundFixture, type OutboundFixture } from '../../support/portals/outbound.ts'

type Clock = Pick<ReachOptions, 'now' | 'pause'> & {
  /** Goes on at once. */
  readonly jump: (ms: number) => void
  readonly stop: () => void
}

const stepMs = 200

/**
 * A fifth of a second passes with every millisecond, but only while the process gets to answer: it stands still when the
 * machine does, so no deadline passes because of that.
 */
function quickClock(): Clock {
  let time = Date.parse('2026-11-22T00:00:00Z')
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>()
  const tick = () => {
    time += stepMs
    for (const sleeper of sleepers) if (sleeper.at <= time) sleeper.wake()
  }
  const timer = setInterval(tick, 1)
  return {
    now: () => time,
    pause: (ms, signal) =>
      new Promise((resolve, reject) => {
        const over = () => {
          sleepers.delete(sleeper)
          signal.removeEventListener('abort', stop)
        }
        const sleeper = { at: time + ms, wake: () => (over(), resolve()) }
        const stop = () => (over(), reject(signal.reason))
        if (signal.aborted) return reject(signal.reason)
        sleepers.add(sleeper)
        signal.addEventListener('abort', stop, { once: true })
      }),
    jump: (ms) => {
      time += ms
    },
    stop: () => clearInterval(timer),
  }
}

/** Whether an attempt is one that is never answered: it is given up after half a second in place of ten. */
type Silent = (url: string, asked: 'page' | 'robots') => boolean

type Scene = Pick<Parameters<typeof outboundFixture>[0], 'names' | 'world' | 'honest'> & {
  readonly silent?: Silent
}

const silentMs = 500

/** The client, with less patience where no answer will ever come. */
function impatient(client: Outbound, silent: Silent): Outbound {
  const hurried = <Request extends Pick<OutboundRequest, 'url' | 'deadlines'>>(
    request: Request,
    asked: 'page' | 'robots',
  ): Request => {
    if (request.deadlines?.firstByteMs !== 10_000) throw new Error('an attempt has ten seconds')
    if (!silent(request.url, asked)) return request
    return { ...request, deadlines: { ...request.deadlines, firstByteMs: silentMs } }
  }
  return {
    ...client,
    request: (request, signal) => client.request(hurried(request, 'page'), signal),
    robots: (request, signal) => client.robots(hurried(request, 'robots'), signal),
  }
}

export type ReachFixture = Pick<OutboundFixture, 'client' | 'dialled'> & {
  readonly clock: Clock
  /** Where the file of verdicts is. */
  readonly directory: string
  /** A reach on the file of this town; one that was opened before is stopped. */
  open(options?: Partial<ReachOptions>): Promise<UrlReach>
  close(): Promise<void>
}

export const quiet = { alive: () => undefined, request: () => undefined }

export function reachFixture(scene: Scene): ReachFixture {
  const clock = quickClock()
  const { client, dialled } = outboundFixture({ ...scene, clock })
  const directory = mkdtempSync(join(tmpdir(), 'reach-'))
  let last: UrlReach | undefined
  return {
    clock,
    client,
    dialled,
    directory,
    open: async (options) => {
      await last?.stop()
      last = openReach({
        path: join(directory, 'verdicts.sqlite'),
        outbound: impatient(client, scene.silent ?? (() => false)),
        recheckDays: 14,
        unreachableDays: 3,
        budget: 20_000,
        atOnce: 16,
        hostDelayMs: 1000,
        now: clock.now,
        random: () => 0.5,
        pause: clock.pause,
        log: logger('silent'),
        ...options,
      })
      return last
    },
    close: async () => {
      await last?.stop()
      await client.close()
      clock.stop()
      rmSync(directory, { recursive: true })
    },
  }
}

export const dayMs = 86_400_000
