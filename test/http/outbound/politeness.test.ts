/** Politeness per host, on a clock that the test moves. */

import { describe, expect, it } from 'vitest'
import {
  hosts,
  type Hosts,
  type Place,
  type Wish,
} from '../../../src/http/outbound/politeness/hosts.ts'
import { logger } from '../../../src/log.ts'

const plain: Wish = { delayMs: 0, atOnce: Infinity, whenLeftAlone: 'wait' }
const never = new AbortController().signal

/** Hosts on a clock of their own: a pause moves it on. */
function town(limits = { hostConcurrency: 2, hostDelayMs: 200 }): {
  all: Hosts
  now: () => number
} {
  let time = 1_000_000
  const all = hosts({
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

async function visit(all: Hosts, use: (place: Place) => void, wish: Wish = plain): Promise<void> {
  const place = await all.enter('a.example:443', wish, never)
  use(place)
  place.leave()
}

/** Milliseconds between now and the start of the next request. */
async function gap({ all, now }: ReturnType<typeof town>, wish: Wish = plain): Promise<number> {
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
    const places: Place[] = []
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
    const hasty = scene.all.enter('a.example:443', { ...plain, whenLeftAlone: 'fail' }, never)
    await expect(hasty).rejects.toMatchObject({ kind: 'source-unreachable' })
    expect(await gap(scene)).toBe(300_000)
  })

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
