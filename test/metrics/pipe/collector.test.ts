/** What is written is measured once it is quiet, one catalogue after the other, and nothing is forgotten. */

import { describe, expect, it, onTestFinished } from 'vitest'
import { startCollector } from '../../../src/metrics/pipe/collector.ts'
import type { Feed } from '../../../src/pipe/runs/run.ts'
import { silent } from '../../pipe/runs/runs-fixture.ts'

const minute = 60_000

function runsFixture(options: { collectMs?: number; isBusy?: () => boolean } = {}) {
  const self = {
    each: () => {},
    at: 0,
    left: [] as Feed[],
    feeds: [] as Feed[],
    starts: [] as number[],
  }
  let isOpen = true
  const one = startCollector({
    now: () => self.at,
    // Every look takes a second of the clock, as long as the test wants time to pass.
    pause: async (ms, signal) => {
      await new Promise(setImmediate)
      signal.throwIfAborted()
      if (isOpen) self.at += ms
      self.each()
    },
    run: async (feed) => {
      self.feeds.push(feed)
      self.starts.push(self.at)
    },
    saveForRestart: (feed) => void self.left.push(feed),
    isBusy: options.isBusy ?? (() => false),
    collectMs: options.collectMs ?? 0,
    log: silent,
  })
  onTestFinished(() => one.stop())
  const ran = async (count: number) => {
    await expect.poll(() => self.feeds.length).toBe(count)
  }
  return Object.assign(self, { one, ran, freeze: () => void (isOpen = false) })
}

describe('what is written', () => {
  it('is measured when it has been quiet for a while, each dataset once', async () => {
    const { one, ran, feeds, starts } = runsFixture()
    for (const id of ['b', 'a', 'b']) one.add('city', id)
    await ran(1)
    expect(feeds[0]).toMatchObject({ catalogue: 'city', datasets: ['a', 'b'] })
    expect(starts[0]).toBe(5000)
  })

  it('is measured after a minute however much is written', async () => {
    const self = runsFixture()
    self.each = () => {
      if (self.feeds.length === 0) self.one.add('city', `d${self.at}`)
    }
    self.one.add('city', 'first')
    await self.ran(1)
    expect(self.starts[0]).toBe(minute)
    expect(self.feeds[0]?.datasets).toHaveLength(61)
  })

  it('of one catalogue is collected into one run per hour, others do not wait for it', async () => {
    const { one, ran, feeds, starts } = runsFixture({ collectMs: 60 * minute })
    one.add('city', 'a')
    await ran(1)
    one.add('city', 'b')
    one.add('land', 'x')
    await ran(3)
    expect(feeds.map(({ catalogue }) => catalogue)).toEqual(['city', 'land', 'city'])
    expect((starts[2] ?? 0) - (starts[0] ?? 0)).toBeGreaterThanOrEqual(60 * minute)
  })

  it('lets others go first, though not for ever', async () => {
    const { one, ran, starts } = runsFixture({ isBusy: () => true })
    one.add('city', 'a')
    await ran(1)
    expect(starts[0]).toBe(60 * minute)
  })

  it('is the whole catalogue when it is too much to remember', async () => {
    const { one, ran, feeds } = runsFixture()
    for (let n = 0; n <= 10_000; n += 1) one.add('city', `d${n}`)
    await ran(1)
    expect(feeds[0]?.datasets).toBeUndefined()
    expect(feeds[0]?.catalogue).toBe('city')
  })

  it('and has not been measured is left to the next process', async () => {
    const { one, left, freeze, feeds } = runsFixture()
    freeze()
    one.add('city', 'a')
    one.add('land', 'b')
    await one.stop()
    expect(feeds).toEqual([])
    expect(left).toMatchObject([
      { catalogue: 'city', datasets: ['a'] },
      { catalogue: 'land', datasets: ['b'] },
    ])
    one.add('city', 'c')
    await one.stop()
    expect(left).toHaveLength(2)
  })
})
