/** What a lease in the system graph of a store promises, whatever store it is. */

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { logger } from '../../src/log.ts'
import { fuseki } from '../../src/store/remote/fuseki.ts'
import type { StoreConfig } from '../../src/store/open-store.ts'
import { openEndpoint } from '../../src/store/remote/store-endpoint.ts'
import { StoreLease, type LeaseOptions } from '../../src/store/remote/store-lease.ts'
import { unlessAborted } from '../../src/workers/condition.ts'
import { type Pause, pause as realPause } from '../../src/workers/pause.ts'
import { serviceClient } from '../../src/client/service.ts'
import { sparql11 } from '../../src/store/remote/sparql11.ts'
import { virtuoso } from '../../src/store/virtuoso/virtuoso.ts'

const dialects = { fuseki, sparql11, virtuoso } as const
const log = logger('silent')
const { signal } = new AbortController()

const times = { heartbeatMs: 200, trustedMs: 3000, deadMs: 1500, pollMs: 10 }

type Process = Partial<
  Pick<LeaseOptions, 'isPredecessor' | 'onWaiting' | 'times' | 'onRegained'>
> & {
  readonly recover?: () => Promise<void>
  /** How its clock goes and how long it waits: a process that stands still does neither. */
  readonly now?: () => number
  readonly pause?: Pause
}

/** The pauses of a process that stands still. */
const still: Pause = (_, ending) => unlessAborted(new Promise<void>(() => undefined), ending)

/** Processes that want to write to one store. */
export function candidates(config: StoreConfig) {
  const dialect = dialects[config.dialect]
  const { username, password, queryEndpoint, updateEndpoint } = config
  const pause = (ms: number) => sleep(ms)
  const wire = serviceClient({
    service: { name: 'store', unavailable: 'store-unavailable' },
    ...(username !== undefined && password !== undefined && { auth: { username, password } }),
    closesAfterError: dialect.closesAfterError,
    sockets: 8,
    retryable: dialect.isRetryable,
    log,
    pause: realPause,
    random: Math.random,
    now: () => performance.now(),
    limits: { connectMs: 5000, firstByteMs: 60_000, totalMs: 60_000, bytes: 2 ** 26 },
  })
  const name = () => crypto.randomUUID()
  const endpoint = openEndpoint({
    dialect,
    service: wire,
    queryEndpoint,
    updateEndpoint,
    name,
    pause,
  })
  return {
    endpoint,
    candidate: (holder: string, own: Process = {}): StoreLease =>
      new StoreLease({
        endpoint,
        pause: own.pause ?? realPause,
        log,
        now: own.now ?? (() => performance.now()),
        random: Math.random,
        holder,
        isPredecessor: own.isPredecessor ?? (() => false),
        onWaiting: own.onWaiting ?? (() => undefined),
        ...(own.recover && { recover: own.recover }),
        ...(own.onRegained && { onRegained: own.onRegained }),
        times: { ...times, ...own.times },
      }),
    end: () => wire.close(),
  }
}

/** So many rounds of two that claim at once, each giving up what it has got; answers how often both had it. */
async function contest(config: StoreConfig, rounds: number): Promise<number> {
  const { candidate, end } = candidates(config)
  let [held, both] = [0, 0]
  const contender = async (name: string) => {
    for (let round = 0; round < rounds; round += 1) {
      const lease = candidate(`${name}:${round}`, { times: { deadMs: 60_000, heartbeatMs: 1000 } })
      await lease.acquire(signal)
      held += 1
      if (held > 1) both += 1
      await sleep(Math.random() * 5)
      held -= 1
      await lease.release()
    }
  }
  await Promise.all([contender('a'), contender('b')])
  await end()
  return both
}

export function leaseContract(config: () => StoreConfig, rounds: number): void {
  it('is never had by two that claim it at once', { timeout: 600_000 }, async () => {
    expect(await contest(config(), rounds)).toBe(0)
  })

  it('is waited for while its holder beats, who is named, and had at once when it is given up', async () => {
    const { candidate, end } = candidates(config())
    const first = candidate('host-1:17')
    const details: (string | undefined)[] = []
    const second = candidate('host-2:4', { onWaiting: (detail) => void details.push(detail) })
    expect(await first.acquire(signal)).toBe(false)
    const waiting = second.acquire(signal)
    await expect
      .poll(() => details[0])
      .toMatch(/^host-1:17 writes to the store: this gateway waits/)
    await sleep(times.deadMs * 1.5)
    expect([first.isHeld, second.isHeld]).toEqual([true, false])
    await expect(second.requireHeld()).rejects.toMatchObject({ kind: 'store-unavailable' })
    await first.requireHeld()
    await first.release()
    expect(await waiting).toBe(false)
    expect(details.at(-1)).toBeUndefined()
    await second.requireHeld()
    await second.release()
    await end()
  })

  it('is taken from one who stands still, and whoever stood still writes no more', async () => {
    const { candidate, end } = candidates(config())
    const stopped = { now: 0 }
    const first = candidate('still:1', {
      now: () => stopped.now,
      pause: still,
    })
    await first.acquire(signal)
    await first.requireHeld()
    const second = candidate('awake:2')
    expect(await second.acquire(signal)).toBe(true)
    stopped.now += times.trustedMs
    await expect(first.requireHeld()).rejects.toMatchObject({
      kind: 'store-unavailable',
      detail: expect.stringContaining('Another gateway'),
    })
    await expect(first.requireHeld()).rejects.toMatchObject({ kind: 'store-unavailable' })
    await first.release()
    await second.requireHeld()
    await second.release()
    await end()
  })

  it('is had again by one who lost it, once the other one has stopped, after a look at the store', async () => {
    const { candidate, end } = candidates(config())
    const clock = { now: 0 }
    const steps: string[] = []
    const first = candidate('still:1', {
      now: () => clock.now,
      pause: still,
      recover: async () => void steps.push('recovered'),
      onRegained: () => void steps.push('onRegained'),
    })
    await first.acquire(signal)
    const second = candidate('awake:2', { isPredecessor: () => true })
    await second.acquire(signal)
    clock.now += times.trustedMs
    await expect(first.requireHeld()).rejects.toMatchObject({ kind: 'store-unavailable' })
    await expect(first.requireHeld()).rejects.toMatchObject({ kind: 'store-unavailable' })
    expect(steps).toEqual([])
    await second.release()
    await first.requireHeld()
    expect(first.isHeld).toBe(true)
    expect(steps).toEqual(['recovered', 'onRegained'])
    const third = candidate('third:3', {
      isPredecessor: () => true,
      pause: still,
    })
    await third.acquire(signal)
    // It beats no more, and gives nothing up, as a process that was killed.
    clock.now += times.trustedMs
    await expect(first.requireHeld()).rejects.toMatchObject({ kind: 'store-unavailable' })
    await expect(first.requireHeld()).rejects.toMatchObject({ kind: 'store-unavailable' })
    clock.now += times.deadMs
    await first.requireHeld()
    expect(steps).toHaveLength(4)
    await first.release()
    await end()
  })

  it('is kept by one who stood still when nobody else came', async () => {
    const { candidate, end } = candidates(config())
    const clock = { now: 0 }
    const only = candidate('only:1', {
      now: () => clock.now,
      pause: still,
    })
    await only.acquire(signal)
    clock.now += 10 * times.trustedMs
    expect(only.isHeld).toBe(false)
    await only.requireHeld()
    expect(only.isHeld).toBe(true)
    await only.release()
    await end()
  })

  it('is kept when somebody has emptied the store', async () => {
    const { candidate, endpoint, end } = candidates(config())
    const only = candidate('only:1')
    await only.acquire(signal)
    await endpoint.update('CLEAR SILENT GRAPH <urn:cartulary:system>')
    const { promise, resolve } = Promise.withResolvers<void>()
    const second = candidate('second:2', { onWaiting: () => resolve() })
    await expect.poll(() => only.isHeld, { timeout: 5000 }).toBe(true)
    await sleep(times.heartbeatMs * 3)
    const waiting = second.acquire(signal)
    await promise
    await only.requireHeld()
    await only.release()
    await waiting
    await second.release()
    await end()
  })

  it('goes at once to the next process of a data directory whose last one was killed', async () => {
    const { candidate, end } = candidates(config())
    await candidate('killed:1:here').acquire(signal)
    const next = candidate('next:2:here', {
      isPredecessor: (holder) => holder.endsWith(':here'),
      times: { deadMs: 600_000 },
    })
    expect(await next.acquire(signal)).toBe(true)
    await next.release()
    await end()
  })
}
