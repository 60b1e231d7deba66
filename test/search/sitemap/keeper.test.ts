/** Making the sitemap beside those who ask for it. */

import { describe, expect, it } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import { logger } from '../../../src/log.ts'
import { sitemapKeeper, type Sitemap } from '../../../src/search/feeds/sitemap-cache.ts'

const page = (n: number) => ({ gzip: new Uint8Array([n]), addresses: n })
const tagOf = ({ pages }: Sitemap) => pages.map(({ addresses }) => addresses).join(' ')

/** Makes a sitemap whenever a test says so; `state.made` counts how often it was begun. */
function workshop(waitMs = 20) {
  const state = { time: 0, begun: 0 }
  let finish: (n: number) => void = () => undefined
  let fail: (error: Error) => void = () => undefined
  async function* make() {
    state.begun++
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    finish = resolve
    fail = reject
    yield page(await promise)
  }
  const { current: present, remake: remade } = sitemapKeeper({
    make,
    now: () => new Date(state.time),
    log: logger('silent'),
    lifeMs: 1000,
    waitMs,
  })
  return {
    state,
    present,
    remade,
    finish: (n: number) => finish(n),
    fail: (error: Error) => fail(error),
  }
}

const kindOf = async (work: Promise<unknown>) => {
  const error: unknown = await work.catch((reason: unknown) => reason)
  return error instanceof Failure ? [error.kind, error.retryAfter] : error
}

describe('a sitemap that is not there', () => {
  it('is being made, once, and whoever is patient gets it', async () => {
    const { state, present, finish } = workshop()
    const asked = [present(), present(), present()]
    expect(state.begun).toBe(1)
    finish(1)
    expect((await Promise.all(asked)).map(tagOf)).toEqual(['1', '1', '1'])
    expect(tagOf(await present())).toBe('1')
    expect(state.begun).toBe(1)
  })

  it('is 503 with a time to come back, and there when it is made', async () => {
    const { state, present, finish } = workshop()
    expect(await kindOf(present())).toEqual(['engine-unavailable', 30])
    expect(await kindOf(present())).toEqual(['engine-unavailable', 30])
    finish(1)
    await expect.poll(async () => tagOf(await present())).toBe('1')
    expect(state.begun).toBe(1)
  })

  it('is 503 too when it could not be made, and tried again by the next one who asks', async () => {
    const { state, present, fail, finish } = workshop()
    const first = present()
    fail(new Failure('too-many-cursors', 'full', { retryAfter: 7 }))
    expect(await kindOf(first)).toEqual(['engine-unavailable', 7])
    const second = present()
    finish(2)
    expect([tagOf(await second), state.begun]).toEqual(['2', 2])
  })
})

describe('a sitemap that is too old', () => {
  it('is served at once until the next one is there', async () => {
    const { state, present, finish } = workshop(3_600_000)
    const first = present()
    finish(1)
    await first
    state.time = 1000
    expect(tagOf(await present())).toBe('1')
    finish(2)
    await expect.poll(async () => tagOf(await present())).toBe('2')
    expect(state.begun).toBe(2)
  })

  it('is served when the next one cannot be made', async () => {
    const { state, present, finish, fail } = workshop()
    const first = present()
    finish(1)
    await first
    state.time = 1000
    const second = present()
    fail(new Error('broken'))
    expect(tagOf(await second)).toBe('1')
  })
})

describe('a sitemap that is made anew', () => {
  it('is another one than the one that was being made, and what everybody gets from then on', async () => {
    const { state, present, remade, finish } = workshop()
    const first = present()
    const anew = remade()
    finish(1)
    expect(tagOf(await first)).toBe('1')
    await expect.poll(() => state.begun).toBe(2)
    finish(2)
    expect(tagOf(await anew)).toBe('2')
    expect(tagOf(await present())).toBe('2')
  })
})
