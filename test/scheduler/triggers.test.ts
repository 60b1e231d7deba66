/** Triggers fire to the second, once, in one process, and outlive it. */

import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTriggerFile } from '../../src/scheduler/trigger-file.ts'
import { openSqlite } from '../../src/sqlite.ts'
import {
  pipeNamed,
  schedulerFixture,
  type SchedulerFixture,
} from '../support/scheduler/scheduler-fixture.ts'
import type { Timing, Trigger } from '../../src/scheduler/trigger.ts'

let fixture: SchedulerFixture
beforeEach(() => {
  fixture = schedulerFixture({ start: '2026-11-21T12:00:00.400Z' })
})
afterEach(() => fixture.close())

const at = Date.parse
const second = (anchor: string, value = 1): Timing => ({
  kind: 'interval',
  unit: 'SECOND',
  value,
  anchor: at(anchor),
})
const trigger = (timing: Timing, more: Partial<Trigger> = {}): Trigger => ({
  id: 'one',
  status: 'enabled',
  timing,
  ...more,
})
const fired = () => fixture.launches.map(({ pipe }) => pipe)

describe('a firing', () => {
  it('comes when it is due, with what the trigger asks', async () => {
    const configs = { 'importing-rdf': { catalogue: 'x' } }
    const timing = second('2026-11-21T12:00:10Z', 60)
    fixture.triggers.replace('city', [trigger(timing, { configs, startMode: 'append' })])
    await fixture.clock.advance(9599)
    expect(fired()).toEqual([])
    await fixture.clock.advance(1)
    expect(fixture.launches).toEqual([
      { pipe: 'city', startedBy: 'trigger', trigger: 'one', configs, startMode: 'append' },
    ])
    expect(fixture.triggers.of('city')[0]).toMatchObject({
      last: at('2026-11-21T12:00:10Z'),
      next: at('2026-11-21T12:01:10Z'),
    })
  })

  it('is on time, but its run waits a while before it asks its source', async () => {
    await fixture.close()
    fixture = schedulerFixture({ start: '2026-11-21T12:00:00.400Z', random: () => 0.5 })
    fixture.triggers.replace('city', [trigger(second('2026-11-21T12:00:10Z', 3600))])
    fixture.triggers.replace('lake', [trigger({ kind: 'cron', expression: '10 0 12 * * ?' })])
    await fixture.clock.advance(9600)
    const waits = Object.fromEntries(fixture.launches.map(({ pipe, waitMs }) => [pipe, waitMs]))
    expect(waits).toEqual({ city: 30_000, lake: undefined })
  })

  it('comes for every trigger of that second', async () => {
    for (const pipe of ['a', 'b', 'c'])
      fixture.triggers.replace(pipe, [trigger(second('2026-11-21T12:00:05Z', 60))])
    await fixture.clock.advance(5000)
    expect(fired().toSorted()).toEqual(['a', 'b', 'c'])
  })

  it('of specific times comes at each, then the trigger stays and is inert', async () => {
    const times = ['2026-11-21T12:00:02Z', '2026-11-21T12:00:04Z', '2026-01-01T00:00:00Z'].map(at)
    fixture.triggers.replace('city', [trigger({ kind: 'specific', times })])
    await fixture.clock.advance(60_000)
    expect(fired()).toHaveLength(2)
    expect(fixture.triggers.of('city')[0]?.next).toBeUndefined()
  })

  it('of a disabled trigger does not come; enabled it keeps its rhythm', async () => {
    fixture.triggers.replace('city', [trigger(second('2026-11-21T12:00:10Z', 10))])
    fixture.triggers.setStatus('city', 'one', 'disabled')
    await fixture.clock.advance(24_600)
    expect(fired()).toEqual([])
    fixture.triggers.setStatus('city', 'one', 'enabled')
    await fixture.clock.advance(4999)
    expect(fired()).toEqual([])
    await fixture.clock.advance(1)
    expect(fired()).toHaveLength(1)
  })

  it('does not come any more once the trigger is gone', async () => {
    fixture.triggers.replace('city', [trigger(second('2026-11-21T12:00:10Z'))])
    await fixture.clock.advance(9000)
    fixture.triggers.remove('city', 'one')
    await fixture.clock.advance(9000)
    expect(fired()).toEqual([])
  })

  it('that fails does not keep the others from coming', async () => {
    fixture.triggers.replace('a', [trigger(second('2026-11-21T12:00:05Z', 5))])
    fixture.triggers.replace('b', [trigger(second('2026-11-21T12:00:05Z', 5))])
    const { push } = fixture.launches
    fixture.launches.push = (launch) => {
      if (launch.pipe === 'a') throw new Error('no such pipe')
      return push.call(fixture.launches, launch)
    }
    await fixture.clock.advance(10_000)
    expect(fired()).toEqual(['b', 'b'])
  })
})

describe('a group of firings', () => {
  it('whose runs cannot be written is launched a moment later, each once', async () => {
    const names = Array.from({ length: 20 }, (_, number) => `pipe-${number}`)
    const timing = second('2026-11-21T12:00:05Z', 60)
    fixture.triggers.replaceAll(new Map(names.map((name) => [name, [trigger(timing)]])))
    fixture.disk.isFull = true
    await fixture.clock.advance(4600)
    expect(fixture.runs.list({ offset: 0, limit: 1000 })).toEqual([])
    fixture.disk.isFull = false
    await fixture.clock.advance(10_000)
    const made = fixture.runs.list({ offset: 0, limit: 1000 }).map(({ pipe }) => pipe)
    expect(made.toSorted()).toEqual(names.toSorted())
  })
})

describe('a file of before groups were noted', () => {
  it('owes nothing of what it has fired', () => {
    const path = join(fixture.directory, 'old.sqlite')
    const timing = second('2026-11-21T12:00:10Z')
    const kept = { ...trigger(timing), pipe: 'city', since: 1, last: 5 }
    const file = openTriggerFile(path)
    file.put(kept, 0)
    file.close()
    const old = openSqlite({ path, schema: 'DROP TABLE launched', format: 1 })
    old.close()
    const opened = openTriggerFile(path)
    expect([opened.launchedAt(), opened.all()]).toEqual([5, [kept]])
    opened.close()
  })
})

describe('500 triggers of one second', () => {
  it('fire each second, wherever in the second they are due', async () => {
    const names = Array.from({ length: 500 }, (_, number) => `pipe-${number}`)
    const start = at('2026-11-21T12:00:01Z')
    const sets = names.map((name, number): [string, Trigger[]] => [
      name,
      [trigger({ kind: 'interval', unit: 'SECOND', value: 1, anchor: start + number * 2 })],
    ])
    const seconds = new Map<string, number[]>()
    fixture.launches.push = (launch) => {
      const times = seconds.get(launch.pipe) ?? []
      times.push(fixture.clock.now())
      seconds.set(launch.pipe, times)
      throw new Error('a launch that costs nothing')
    }
    fixture.triggers.replaceAll(new Map(sets))
    await fixture.clock.advance(60_000)
    const late = names.flatMap((name, number) =>
      (seconds.get(name) ?? []).filter((time, k) => time - (start + number * 2 + k * 1000) > 20),
    )
    expect(late).toEqual([])
    expect(new Set(names.map((name) => seconds.get(name)?.length))).toEqual(new Set([60, 59]))
  })
})

describe('what was missed', () => {
  it('while nobody was there is not made up for; the trigger itself is still there', async () => {
    fixture.triggers.replace('city', [trigger(second('2026-11-21T12:00:10Z', 60))])
    await fixture.close(true)
    const { directory } = fixture
    fixture = schedulerFixture({ directory, start: '2026-11-21T12:05:30Z' })
    await fixture.clock.advance(39_999)
    expect(fired()).toEqual([])
    await fixture.clock.advance(1)
    expect(fired()).toEqual(['city'])
  })

  it('by a process that was held up is fired once', async () => {
    fixture.triggers.replace('city', [trigger(second('2026-11-21T12:00:01Z'))])
    await fixture.clock.advance(2000)
    const before = fired().length
    fixture.clock.jump(30_000)
    await fixture.clock.advance(300)
    expect(fired()).toHaveLength(before + 1)
  })
})

describe('two on one file', () => {
  const other = () =>
    schedulerFixture({
      directory: fixture.directory,
      clock: fixture.clock,
      pipes: [pipeNamed('city')],
    })

  it('fire once: the second waits until the first has gone, and takes over at once', async () => {
    const follower = other()
    fixture.triggers.replace('city', [trigger(second('2026-11-21T12:00:01Z'))])
    await fixture.clock.advance(4600)
    expect([fixture.triggers.isLeader(), follower.triggers.isLeader()]).toEqual([true, false])
    expect(fired()).toHaveLength(5)
    expect(follower.launches).toEqual([])
    await fixture.triggers.stop()
    await fixture.clock.advance(5000)
    expect(follower.triggers.isLeader()).toBe(true)
    expect(fired()).toHaveLength(5)
    expect(follower.launches).toHaveLength(5)
    await follower.triggers.stop()
  })

  it('see the changes of each other', async () => {
    const follower = other()
    follower.triggers.replace('city', [trigger(second('2026-11-21T12:00:05Z', 60))])
    expect(fixture.triggers.of('city')).toHaveLength(1)
    await fixture.clock.advance(5000)
    expect(fired()).toEqual(['city'])
    follower.triggers.replaceAll(new Map())
    await fixture.clock.advance(120_000)
    expect(fired()).toEqual(['city'])
    await follower.triggers.stop()
  })
})
