/** Politeness per host, on a clock that the test moves. */

import { describe, expect, it } from 'vitest'
import { Hosts, type HostPermit, type PolitenessOptions } from '../../src/client/politeness.ts'
import { FairLimiter } from '../../src/workers/fair-limiter.ts'
import { logger } from '../../src/log.ts'

const plain: PolitenessOptions = { delayMs: 0, atOnce: Infinity, whenBackedOff: 'wait' }
const never = new AbortController().signal

/** Hosts on a clock of their own: a pause moves it on. */
function town(limits = { hostConcurrency: 2, hostDelayMs: 200 }): {
  all: Hosts
  now: () => number
} {
  let time = 1_000_000
  const all = new Hosts({
    limits,
    now: () => time,
    pause: async (milliseconds, signal) => {
      await Promise.resolve()
      signal.throwIfAborted()
      time += milliseconds
    },
    log: logger('silent'),
  })
  return { all, now: () => time }
}

async function visit(
  all: Hosts,
  use: (place: HostPermit) => void,
  wish: PolitenessOptions = plain,
): Promise<void> {
  const place = await all.enter('a.example:443', wish, never)
  use(place)
  place.leave()
}

/** Milliseconds between now and the start of the next request. */
async function gap(
  { all, now }: ReturnType<typeof town>,
  wish: PolitenessOptions = plain,
): Promise<number> {
  const before = now()
  await visit(all, () => undefined, wish)
  return now() - before
}

describe('a host', () => {
  it('is asked with a delay between the starts, longer where a request wants that', async () => {
    const scene = town()
    expect(await gap(scene)).toBe(0)
    expect(await gap(scene)).toBe(200)
    expect(await gap(scene, { ...plain, delayMs: 1000 })).toBe(1000)
    expect(await gap(scene, { ...plain, delayMs: 1 })).toBe(200)
  })

  it('is asked by two at once at most, in order of arrival', async () => {
    const { all } = town({ hostConcurrency: 2, hostDelayMs: 0 })
    const order: number[] = []
    const places: HostPermit[] = []
    const enter = async (number: number, atOnce = Infinity) => {
      places[number] = await all.enter('a.example:80', { ...plain, atOnce }, never)
      order.push(number)
    }
    const all5 = [0, 1, 2, 3].map((number) => enter(number))
    const alone = enter(4, 1)
    await expect.poll(() => order).toEqual([0, 1])
    places[1]?.leave()
    await expect.poll(() => order).toEqual([0, 1, 2])
    places[0]?.leave()
    places[0]?.leave()
    await expect.poll(() => order).toEqual([0, 1, 2, 3])
    places[2]?.leave()
    await Promise.resolve()
    expect(order).toHaveLength(4)
    places[3]?.leave()
    await Promise.all([...all5, alone])
    expect(order).toEqual([0, 1, 2, 3, 4])
  })

  it('does not wait for another host', async () => {
    const { all, now } = town()
    const before = now()
    await all.enter('a.example:443', plain, never)
    await all.enter('b.example:443', plain, never)
    await all.enter('a.example:8443', plain, never)
    expect(now()).toBe(before)
  })

  it('is left in peace by who gives up, without holding up those behind', async () => {
    const { all } = town({ hostConcurrency: 1, hostDelayMs: 0 })
    const first = await all.enter('a.example:80', plain, never)
    const stop = new AbortController()
    const second = all.enter('a.example:80', plain, stop.signal)
    const stop3 = new AbortController()
    const third = all.enter('a.example:80', plain, stop3.signal)
    const fourth = all.enter('a.example:80', plain, never)
    stop3.abort(new Error('third'))
    stop.abort(new Error('second'))
    await expect(second).rejects.toThrow('second')
    await expect(third).rejects.toThrow('third')
    first.leave()
    expect(await fourth).toBeDefined()
  })

  it('that says 429 or 503 is asked half as often each time, down to once a minute', async () => {
    const scene = town()
    const gaps: number[] = []
    for (let count = 0; count < 12; count += 1) {
      await visit(scene.all, (place) => place.answered(count % 2 ? 503 : 429))
      gaps.push(await gap(scene))
    }
    expect(gaps.slice(0, 4)).toEqual([400, 800, 1600, 3200])
    expect(gaps.at(-1)).toBe(60_000)
  })

  it('that says so to who asks slowly is asked half as often as that', async () => {
    const scene = town()
    const slow = { ...plain, delayMs: 1000 }
    const gaps: number[] = []
    for (let count = 0; count < 5; count += 1) {
      const before = scene.now()
      await visit(scene.all, (place) => place.answered(429), slow)
      gaps.push(scene.now() - before)
    }
    expect(gaps).toEqual([0, 2000, 4000, 8000, 16_000])
  })

  it('is asked faster again after ten good answers', async () => {
    const scene = town()
    for (const status of [429, 429]) await visit(scene.all, (place) => place.answered(status))
    const good = async (count: number) => {
      for (let left = count; left > 0; left -= 1) {
        await visit(scene.all, (place) => place.answered(200))
      }
    }
    expect(await gap(scene)).toBe(800)
    await good(9)
    expect(await gap(scene)).toBe(800)
    await good(1)
    expect(await gap(scene)).toBe(400)
    await good(100)
    expect(await gap(scene)).toBe(200)
  })

  it('that names a time is left until then by everybody', async () => {
    const scene = town()
    await visit(scene.all, (place) => place.answered(503, 5000))
    expect(await gap(scene)).toBe(5000)
  })

  it('that cannot be reached five times in a row is left alone for five minutes', async () => {
    const scene = town()
    const fail = () => visit(scene.all, (place) => place.failed())
    for (let count = 0; count < 4; count += 1) await fail()
    await visit(scene.all, (place) => place.connected())
    for (let count = 0; count < 4; count += 1) await fail()
    expect(await gap(scene)).toBe(200)
    await fail()
    const hasty = scene.all.enter('a.example:443', { ...plain, whenBackedOff: 'fail' }, never)
    await expect(hasty).rejects.toMatchObject({ kind: 'source-unreachable' })
    expect(await gap(scene)).toBe(300_000)
  })

  it('that names a longer time than a request waits for is avoided by those that do not wait', async () => {
    const scene = town()
    await visit(scene.all, (place) => place.answered(429, 60_000, 30_000))
    const hasty = { ...plain, whenBackedOff: 'fail', longestMs: 30_000 } as const
    await expect(scene.all.enter('a.example:443', hasty, never)).rejects.toMatchObject({
      kind: 'source-throttled',
      retryAfter: 60,
    })
    expect(await gap(scene)).toBe(400)
    await visit(scene.all, (place) => place.answered(200, 60_000))
    await visit(scene.all, (place) => place.answered(503, 40_000))
    const avoiding = scene.all.enter('a.example:443', hasty, never)
    await expect(avoiding).rejects.toMatchObject({ kind: 'source-throttled' })
  })

  it.each([
    ['says nothing', (place: HostPermit) => place.silent(), 'source-timeout'],
    ['groans', (place: HostPermit) => place.answered(429), 'source-throttled'],
  ] as const)(
    'that %s five times in a row is avoided by those that do not wait, for five minutes',
    async (_, use, kind) => {
      const scene = town({ hostConcurrency: 2, hostDelayMs: 0 })
      const hasty = { ...plain, whenBackedOff: 'fail' } as const
      for (let count = 0; count < 4; count += 1) await visit(scene.all, use)
      await visit(scene.all, (place) => place.answered(200))
      for (let count = 0; count < 4; count += 1) await visit(scene.all, use)
      await visit(scene.all, () => undefined, hasty)
      await visit(scene.all, use)
      const enter = () => scene.all.enter('a.example:443', hasty, never)
      await expect(enter()).rejects.toMatchObject({ kind, retryAfter: 300 })
      // Who waits is not concerned.
      const start = scene.now()
      while (scene.now() - start < 300_000) await gap(scene, { ...plain, delayMs: 60_000 })
      await enter()
    },
  )

  it('is forgotten when ten thousand others were asked, but not while it is busy', async () => {
    const scene = town({ hostConcurrency: 1, hostDelayMs: 200 })
    const held = await scene.all.enter('a.example:443', plain, never)
    for (let count = 0; count < 10_001; count += 1) {
      const place = await scene.all.enter(`${count}.example:80`, plain, never)
      place.leave()
    }
    const second = scene.all.enter('a.example:443', plain, never)
    let entered = false
    const watched = second.then(() => (entered = true))
    await Promise.resolve()
    expect(entered).toBe(false)
    held.leave()
    await watched
    const before = scene.now()
    await scene.all.enter('0.example:80', plain, never)
    expect(scene.now()).toBe(before)
  })
})

describe('a global limit', () => {
  const enter = (all: Hosts, name: string, shared: FairLimiter) =>
    all.enter(name, { ...plain, globalLimit: shared }, never)

  it('holds so many over all hosts, in order of arrival', async () => {
    const { all } = town({ hostConcurrency: 2, hostDelayMs: 0 })
    const shared = new FairLimiter({ atOnce: 2, waiting: 9 })
    const order: string[] = []
    const places = new Map<string, HostPermit>()
    const waiting = ['a', 'b', 'c', 'd'].map(async (name) => {
      places.set(name, await enter(all, name, shared))
      order.push(name)
    })
    await expect.poll(() => order).toEqual(['a', 'b'])
    await all.enter('c', plain, never)
    places.get('b')?.leave()
    places.get('b')?.leave()
    await expect.poll(() => order).toEqual(['a', 'b', 'c'])
    places.get('a')?.leave()
    await Promise.all(waiting)
    expect(order).toEqual(['a', 'b', 'c', 'd'])
  })

  it('has places for others while a host lets wait', async () => {
    const { all } = town({ hostConcurrency: 1, hostDelayMs: 0 })
    const shared = new FairLimiter({ atOnce: 1, waiting: 9 })
    const busy = await all.enter('a', plain, never)
    const patient = enter(all, 'a', shared)
    const other = await enter(all, 'b', shared)
    other.leave()
    busy.leave()
    expect(await patient).toBeDefined()
  })

  it('is left again when the host has asked for time meanwhile', async () => {
    const scene = town({ hostConcurrency: 2, hostDelayMs: 0 })
    const shared = new FairLimiter({ atOnce: 1, waiting: 9 })
    const first = await enter(scene.all, 'a', shared)
    const second = enter(scene.all, 'a', shared)
    await Promise.resolve()
    const before = scene.now()
    first.answered(503, 5000)
    first.leave()
    await second
    expect(scene.now() - before).toBe(5000)
  })
})
