/** How seldom URLs are asked: verdicts that are kept, budgets, runs that go on, and many who want to know at once. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { UrlReach, ReachOptions } from '../../../src/metrics/reach/url-reach.ts'
import { portal, type Portal } from '../../support/portals/portal.ts'
import { dayMs, quiet, reachFixture, type ReachFixture } from './reach-fixture.ts'

const signal = new AbortController().signal
let host: Portal
let place: ReachFixture
/** How many attempts, from the next on, the host does not answer. */
let silentAttempts: number

const isRobots = (request: Request) => new URL(request.url).pathname === '/robots.txt'

beforeAll(async () => {
  host = await portal((request) => new Response('', { status: isRobots(request) ? 404 : 200 }))
})

beforeEach(() => {
  silentAttempts = 0
  place = reachFixture({
    silent: (_, asked) => asked === 'page' && silentAttempts-- > 0,
    names: { 'a.example': ['8.8.8.8'], 'down.example': ['1.1.1.1'] },
    world: { '8.8.8.8': host.port },
  })
})

afterEach(async () => {
  await place.close()
  host.reset()
  host.faults.clear()
})

afterAll(() => host.close())

const urlOf = (name: number | string) => `http://a.example/${name}`
/** The paths that the host was asked since the last time. */
const asked = () => {
  const paths = host.requests.map(({ path }) => path).filter((path) => path !== '/robots.txt')
  host.reset()
  return paths
}
const statuses = async (reach: UrlReach, run: string, names: readonly (number | string)[]) => {
  const begun = reach.begin(run, quiet)
  const all = names.map((name) => begun.statusOf(urlOf(name), 'c', signal))
  return (await Promise.all(all)).map((one) => one?.status)
}
const busy = () => {
  host.faults.when((request) => !isRobots(request), { kind: 'status', status: 429 })
}

describe('a verdict', () => {
  it('is asked for once, however many want to know at once, in however many runs', async () => {
    const reach = await place.open()
    const runs = [reach.begin('one', quiet), reach.begin('two', quiet)] as const
    const all = Array.from({ length: 1000 }, (_, number) =>
      runs[number % 2 === 0 ? 0 : 1].statusOf(urlOf(`x#${number}`), 'c', signal),
    )
    expect(new Set((await Promise.all(all)).map((one) => one?.status))).toEqual(new Set([200]))
    expect(asked()).toEqual(['/x'])
  })

  it.each([
    [0, 11.2],
    [1, 16.8],
  ])('is kept for 14 days, a fifth more or less: with %d for %d days', async (chance, days) => {
    const reach = await place.open({ random: () => chance })
    await statuses(reach, 'first', ['x'])
    place.clock.jump(days * dayMs - 60_000)
    await statuses(reach, 'second', ['x'])
    expect(asked()).toEqual(['/x'])
    place.clock.jump(120_000)
    host.faults.when((request) => !isRobots(request), { kind: 'status', status: 410 })
    expect(await statuses(reach, 'third', ['x'])).toEqual([410])
    expect(asked()).toEqual(['/x'])
  })

  it('of 1100 is kept for three days', async () => {
    const reach = await place.open()
    const host = 'http://down.example/'
    const verdict = async (run: string) => reach.begin(run, quiet).statusOf(host, 'c', signal)
    const first = await verdict('first')
    expect(first?.status).toBe(1100)
    place.clock.jump(3 * dayMs - 60_000)
    expect(await verdict('second')).toEqual(first)
    place.clock.jump(120_000)
    expect((await verdict('third'))?.at).toBeGreaterThan(first?.at ?? Infinity)
  })

  it('says since when a URL has been failing, whatever it answers, until it works again', async () => {
    const verdict = (run: UrlReach) =>
      run.begin(String(place.clock.now()), quiet).statusOf(urlOf('x'), 'c', signal)
    const answering = async (status: number, reach: UrlReach) => {
      host.faults.clear()
      host.faults.when((request) => !isRobots(request), { kind: 'status', status })
      const found = await verdict(reach)
      place.clock.jump(20 * dayMs)
      return found
    }
    const first = await answering(404, await place.open())
    expect(first).toEqual({ status: 404, at: first?.at, since: first?.at })
    expect(await answering(410, await place.open())).toMatchObject({
      status: 410,
      since: first?.at,
    })
    const reach = await place.open()
    expect(await answering(200, reach)).toMatchObject({ status: 200, since: undefined })
    const again = await answering(404, reach)
    expect(again?.since).toBe(again?.at)
  })

  it('stays when a new one cannot be had, and is asked for again by the next run', async () => {
    const reach = await place.open()
    expect(await statuses(reach, 'first', ['x'])).toEqual([200])
    place.clock.jump(20 * dayMs)
    busy()
    expect(await statuses(reach, 'second', ['x', 'y'])).toEqual([200, undefined])
    expect(asked()).toEqual(['/x', '/x', '/y'])
    host.faults.clear()
    expect(await statuses(reach, 'second', ['x', 'y'])).toEqual([200, undefined])
    expect(asked()).toEqual([])
    place.clock.jump(1000)
    expect(await statuses(reach, 'third', ['x', 'y'])).toEqual([200, 200])
    expect(asked()).toEqual(['/x', '/y'])
  })

  it('is not asked for again by a run that was interrupted, in another process too', async () => {
    busy()
    const names = [1, 2, 3]
    await statuses(await place.open(), 'run', names.slice(0, 2))
    expect(asked()).toEqual(['/1', '/2'])
    host.faults.clear()
    const reach = await place.open()
    expect(await statuses(reach, 'run', names)).toEqual([undefined, undefined, 200])
    expect(asked()).toEqual(['/3'])
  })

  it('is forgotten when nobody has asked for it in a year', async () => {
    const first = await statuses(await place.open({ recheckDays: 1000 }), 'first', ['x', 'y'])
    expect(first).toEqual([200, 200])
    asked()
    place.clock.jump(200 * dayMs)
    await statuses(await place.open(), 'second', ['x'])
    expect(asked()).toEqual([])
    place.clock.jump(200 * dayMs)
    await statuses(await place.open(), 'third', ['x'])
    expect(asked()).toEqual(['/x'])
  })

  it('is kept without the URL, which may hold a secret', async () => {
    await statuses(await place.open(), 'run', ['x?token=word-of-the-house'])
    const files = readdirSync(place.directory).map((name) =>
      readFileSync(join(place.directory, name), 'latin1'),
    )
    expect(files.join('')).toContain('verdict')
    expect(files.join('')).not.toContain('word-of')
  })
})

describe('the budget', () => {
  const small = (budget: number): Partial<ReachOptions> => ({ budget })

  it('bounds the checks of a run, also when it goes on after an interruption', async () => {
    expect(await statuses(await place.open(small(2)), 'run', [1, 2, 3])).toEqual([
      200,
      200,
      undefined,
    ])
    expect(await statuses(await place.open(small(3)), 'run', [1, 2, 3, 4])).toEqual([
      200,
      200,
      200,
      undefined,
    ])
    expect(asked()).toEqual(['/1', '/2', '/3'])
  })

  it('goes to those first that were never asked, then to the oldest, wherever they stand', async () => {
    const reach = await place.open(small(2))
    await statuses(reach, 'one', [1, 2])
    place.clock.jump(dayMs)
    await statuses(reach, 'two', [3, 4])
    place.clock.jump(dayMs)
    // Passed over; known from now on.
    await statuses(reach, 'three', [5, 6, 7])
    place.clock.jump(20 * dayMs)
    asked()
    const stream = [6, 5, 4, 3, 2, 1, 7]
    await statuses(reach, 'four', stream)
    expect(asked().toSorted()).toEqual(['/1', '/7'])
    await statuses(reach, 'five', stream)
    expect(asked().toSorted()).toEqual(['/2', '/3'])
    await statuses(reach, 'six', stream)
    expect(asked().toSorted()).toEqual(['/4', '/5'])
  })

  it('is not spent on what robots.txt forbids', async () => {
    host.faults.when(isRobots, {
      kind: 'status',
      status: 200,
      body: 'User-agent: *\nDisallow: /no',
    })
    const reach = await place.open(small(2))
    const run = async (names: readonly string[]) => statuses(reach, 'run', names)
    expect(await run(['no1', 'no2', 'no3'])).toEqual([undefined, undefined, undefined])
    expect(await run(['a', 'b', 'c'])).toEqual([200, 200, undefined])
  })

  it('is not kept for ever for URLs that stand nowhere any more', async () => {
    const reach = await place.open(small(2))
    for (const [run, gone] of Object.entries({ one: [1, 2], two: [3, 4], three: [5, 6] })) {
      await statuses(reach, run, gone)
      place.clock.jump(dayMs)
    }
    await statuses(reach, 'four', ['x', 'y'])
    place.clock.jump(20 * dayMs)
    asked()
    for (const run of ['five', 'six', 'seven']) await statuses(reach, run, ['x', 'y'])
    expect(asked().toSorted()).toEqual(['/x', '/y'])
  })

  it('of one catalogue does not wait for the URLs of another', async () => {
    const reach = await place.open(small(1))
    await reach.begin('one', quiet).statusOf(urlOf('old'), 'gone', signal)
    place.clock.jump(dayMs)
    await statuses(reach, 'two', ['x'])
    place.clock.jump(20 * dayMs)
    asked()
    await statuses(reach, 'three', ['x'])
    expect(asked()).toEqual(['/x'])
  })
})

describe('a check under way', () => {
  const hang = () => host.faults.when((request) => !isRobots(request), { kind: 'silent' })

  it('is given up by one at once, and goes on for the other', async () => {
    silentAttempts = 1
    host.faults.when((request) => !isRobots(request), { kind: 'silent' }, 1)
    const reach = await place.open()
    const run = reach.begin('run', quiet)
    const stop = new AbortController()
    const hasty = run.statusOf(urlOf('x'), 'c', stop.signal)
    const patient = run.statusOf(urlOf('x'), 'c', signal)
    await expect.poll(() => host.requests.length).toBe(2)
    stop.abort(new Error('enough'))
    await expect(hasty).rejects.toThrow('enough')
    expect((await patient)?.status).toBe(200)
  })

  it('is broken off when nobody waits for it, and leaves no verdict', async () => {
    hang()
    const reach = await place.open()
    const stop = new AbortController()
    const first = reach.begin('run', quiet).statusOf(urlOf('x'), 'c', stop.signal)
    await expect.poll(() => host.requests.length).toBe(2)
    stop.abort(new Error('enough'))
    await expect(first).rejects.toThrow('enough')
    host.faults.clear()
    expect(await statuses(reach, 'run', ['x'])).toEqual([200])
  })

  it('is broken off when the process stops', async () => {
    hang()
    const reach = await place.open()
    const first = reach.begin('run', quiet).statusOf(urlOf('x'), 'c', signal)
    await expect.poll(() => host.requests.length).toBe(2)
    const [told] = await Promise.allSettled([first, reach.stop()])
    expect(told).toMatchObject({ status: 'rejected', reason: { kind: 'run-interrupted' } })
  })

  it('tells the run what it asked, and that it is alive', async () => {
    const told: unknown[] = []
    const sink = { alive: () => told.push('alive'), request: (one: unknown) => told.push(one) }
    const reach = await place.open()
    busy()
    await reach.begin('run', sink).statusOf(urlOf('x'), 'c', signal)
    expect(told).toEqual([{ host: 'a.example', status: 429 }, 'alive'])
  })

  it('keeps a run alive that waits for the check of another one', async () => {
    const reach = await place.open()
    const first = reach.begin('one', quiet).statusOf(urlOf('x'), 'c', signal)
    let signs = 0
    const sink = { ...quiet, alive: () => (signs += 1) }
    await reach.begin('two', sink).statusOf(urlOf('x'), 'c', signal)
    await first
    expect(signs).toBe(1)
  })
})
