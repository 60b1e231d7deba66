/** Whether a process should get requests. */

import { afterEach, describe, expect, it } from 'vitest'
import { logger } from '../../src/log.ts'
import { readiness, startingHealth, type Readiness } from '../../src/main/health.ts'
import { waiting } from '../../src/main/waiting.ts'
import { unlessAborted } from '../../src/workers/condition.ts'

describe('a running platform', () => {
  const world = { now: 0, there: true, held: true }
  let ready: Readiness
  let turn = Promise.withResolvers<void>()
  const open = () => {
    const ask = async () => {
      if (!world.there) throw new Error('away')
      return true
    }
    const pause = (_: number, signal: AbortSignal) => unlessAborted(turn.promise, signal)
    const health = async () => ({ ready: true, product: 'double', lease: { held: world.held } })
    ready = readiness({ ask, health }, { elapsed: () => world.now, pause, log: logger('silent') })
  }
  /** Lets the platform ask once. */
  const asks = async (seconds: number) => {
    world.now += seconds * 1000
    const last = turn
    turn = Promise.withResolvers<void>()
    last.resolve()
    await new Promise(setImmediate)
  }
  afterEach(() => ready.stop())

  it('is ready from the start, until its store has been away for half a minute, and when that is back', async () => {
    open()
    expect(ready.isReady()).toBe(true)
    world.there = false
    await asks(2)
    await asks(27)
    expect(ready.isReady()).toBe(true)
    await asks(2)
    expect(ready.isReady()).toBe(false)
    world.there = true
    await asks(2)
    expect(ready.isReady()).toBe(true)
  })

  it('is not ready while another gateway has its store', async () => {
    open()
    world.held = false
    await asks(2)
    expect(ready.isReady()).toBe(false)
    world.held = true
    await asks(2)
    expect(ready.isReady()).toBe(true)
  })

  it('is not ready from the moment on when it begins to stop', async () => {
    open()
    const stopped = ready.stop()
    expect([ready.isReady(), ready.isStopping()]).toEqual([false, true])
    await stopped
  })
})

describe('what is waited for', () => {
  it('has the time when the waiting for it began, whatever is told meanwhile, and each reason once in the log', () => {
    let now = 1000
    const lines: string[] = []
    const log = logger('warn', { write: (line) => void lines.push(JSON.parse(line).detail) })
    const waits = waiting(() => now, log)
    waits.for('store', 'It refuses connections.')
    now = 9000
    waits.for('store', 'It refuses connections.')
    waits.for('store', 'It is busy.')
    const since = new Date(1000).toISOString()
    expect(waits.current()).toEqual({ what: 'store', since, detail: 'It is busy.' })
    waits.for('lease', 'gateway-1 holds it.')
    expect(waits.current()?.since).toBe(new Date(9000).toISOString())
    waits.over()
    expect(waits.current()).toBeUndefined()
    expect(lines).toEqual(['It refuses connections.', 'It is busy.', 'gateway-1 holds it.'])
  })
})

describe('a platform that starts', () => {
  it('tells how much of its store is loaded, and nothing of that while it waits for somebody', () => {
    const waits = waiting(Date.now, logger('silent'))
    const health = () => startingHealth({ waiting: waits, config: { writerUrls: [] } }, false)
    expect(health()).toMatchObject({ status: 'starting', role: 'writer' })
    expect(health()['progress']).toBeUndefined()
    waits.progress = { done: 20, of: 300 }
    expect(health()).toMatchObject({ status: 'starting', progress: { done: 20, of: 300 } })
    waits.for('lease', 'gateway-1 holds it.')
    expect(health()).toMatchObject({ status: 'waiting', role: 'writer' })
    expect(health()).not.toHaveProperty('progress')
  })
})
