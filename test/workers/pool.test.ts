/** The worker pool: calls and answers, limits, crashes, abort, exclusive work. */

import { afterEach, describe, expect, it } from 'vitest'
import { Failure } from '../../src/errors.ts'
import { WorkerPool, type PoolOptions } from '../../src/workers/pool.ts'
import type { EchoCalls } from './echo.ts'

const pools: WorkerPool<EchoCalls>[] = []

function pool(options: Partial<PoolOptions> = {}): WorkerPool<EchoCalls> {
  const entry = new URL('./echo.ts', import.meta.url)
  const one = new WorkerPool<EchoCalls>({ entry, name: 'echo', workers: 1, ...options })
  pools.push(one)
  return one
}

afterEach(async () => {
  await Promise.all(pools.splice(0).map((one) => one.close()))
})

const threadOf = async (one: WorkerPool<EchoCalls>) => (await one.call('start', undefined)).thread

describe('calls', () => {
  it('are answered, starting a worker with its data on the first', async () => {
    const one = pool({ data: { a: 1 } })
    expect(one.isRunning).toBe(false)
    expect(await one.call('echo', 'hello')).toBe('hello')
    expect((await one.call('start', undefined)).data).toEqual({ a: 1 })
    expect(one.isRunning).toBe(true)
  })

  it('reject with the failure or the error of the handler, and the worker goes on', async () => {
    const one = pool()
    const failure = await one.call('fail', 'failure').catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Failure)
    expect(failure).toMatchObject({
      kind: 'malformed-rdf',
      detail: 'cannot be read',
      retryAfter: 5,
      errors: [{ line: 3, column: 1, detail: 'here' }],
    })
    await expect(one.call('fail', 'error')).rejects.toThrow('not so')
    expect(await one.call('echo', 'on')).toBe('on')
  })

  it('are spread over the workers, and wait in order when all are busy', async () => {
    const one = pool({ workers: 2 })
    const threads = await Promise.all([threadOf(one), threadOf(one)])
    expect(new Set(threads).size).toBe(2)
    const all = Array.from({ length: 20 }, (_, i) => one.call('echo', String(i)))
    expect(await Promise.all(all)).toEqual(Array.from({ length: 20 }, (_, i) => String(i)))
  })

  it('are refused when too many wait', async () => {
    const one = pool({ waiting: 1 })
    const both = [one.call('slow', 50), one.call('echo', 'waits')]
    await expect(one.call('echo', 'too many')).rejects.toMatchObject({ reason: 'queue-full' })
    expect(await Promise.all(both)).toEqual(['slow', 'waits'])
  })

  it('take what the worker remembers into account, and it forgets when it is another', async () => {
    const prepare = (payload: unknown, memory: Set<string>) => {
      if (memory.has('sent')) return 'short'
      memory.add('sent')
      return payload
    }
    const one = pool({ prepare })
    expect(await one.call('echo', 'long')).toBe('long')
    expect(await one.call('echo', 'long')).toBe('short')
    await one.restart()
    expect(await one.call('echo', 'long')).toBe('long')
  })
})

describe('workers', () => {
  it('are replaced when a call takes too long; calls behind it are answered', async () => {
    const one = pool({ callMs: 100 })
    const [hung, next] = [one.call('hang', undefined), one.call('echo', 'next')]
    await expect(hung).rejects.toMatchObject({ reason: 'timeout' })
    expect(await next).toBe('next')
  })

  it('are replaced when they die; the call in work is told', async () => {
    const one = pool()
    const [dead, next] = [one.call('exit', undefined), one.call('echo', 'next')]
    await expect(dead).rejects.toMatchObject({ reason: 'crashed' })
    expect(await next).toBe('next')
  })

  it('end when they retire and when they have had nothing to do', async () => {
    const one = pool({ idleMs: 20 })
    const first = await one.call('retire', undefined)
    expect(await threadOf(one)).not.toBe(first)
    await expect.poll(() => one.isRunning).toBe(false)
  })

  it('see nothing of the environment when they are isolated', async () => {
    expect((await pool({ isIsolated: true }).call('start', undefined)).env).toBe(0)
  })

  it('tell what is no answer', async () => {
    const events: unknown[] = []
    await pool({ onEvent: (event) => events.push(event) }).call('event', 'crowded')
    expect(events).toEqual(['crowded'])
  })
})

describe('abort', () => {
  it('rejects at once, before and while a call is in work', async () => {
    const one = pool()
    const reason = new Error('enough')
    await expect(one.call('echo', 'x', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    const control = new AbortController()
    const { signal } = control
    const [hung, waiting] = [
      one.call('hang', undefined, { signal }),
      one.call('echo', 'x', { signal }),
    ]
    control.abort(reason)
    await expect(hung).rejects.toBe(reason)
    await expect(waiting).rejects.toBe(reason)
    expect(await one.call('echo', 'after')).toBe('after')
  })

  it('is noticed by a worker that asks, which lives on', async () => {
    const one = pool({ abortGraceMs: 10_000 })
    const thread = await threadOf(one)
    const control = new AbortController()
    const long = one.call('longUnlessCancelled', undefined, { signal: control.signal })
    control.abort(new Error('enough'))
    await expect(long).rejects.toThrow('enough')
    expect(await threadOf(one)).toBe(thread)
  })

  it('ends a worker that does not notice within the grace', async () => {
    const one = pool({ abortGraceMs: 20 })
    const control = new AbortController()
    const hung = one.call('hang', undefined, { signal: control.signal })
    control.abort(new Error('enough'))
    await expect(hung).rejects.toThrow('enough')
    expect(await one.call('echo', 'after')).toBe('after')
  })
})

describe('exclusive work', () => {
  it('waits for the calls in work, and calls wait for it', async () => {
    const one = pool({ workers: 2 })
    const order: string[] = []
    const before = one.call('slow', 30).then(() => order.push('before'))
    const alone = one.exclusive(async () => {
      await new Promise(setImmediate)
      order.push('alone')
    })
    const after = one.call('echo', 'x').then(() => order.push('after'))
    await Promise.all([before, alone, after])
    expect(order).toEqual(['before', 'alone', 'after'])
  })

  it('may end the workers; those that come afterwards are others', async () => {
    const one = pool()
    const thread = await threadOf(one)
    await one.exclusive(() => one.restart())
    expect(await threadOf(one)).not.toBe(thread)
  })
})

describe('the end', () => {
  it('rejects what is left and what comes', async () => {
    const one = pool()
    const all = [one.call('hang', undefined), one.call('echo', 'x')]
    const settled = Promise.allSettled(all)
    await one.close()
    for (const { status } of await settled) expect(status).toBe('rejected')
    await expect(one.call('echo', 'x')).rejects.toMatchObject({ reason: 'closed' })
  })

  it('may let calls finish first', async () => {
    const one = pool()
    const all = [one.call('slow', 20), one.call('echo', 'x')]
    await one.drain()
    await one.close()
    expect(await Promise.all(all)).toEqual(['slow', 'x'])
  })
})
