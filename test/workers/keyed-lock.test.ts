/** One piece of work at a time for each key, whoever gives up meanwhile. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { writeLocks } from '../../src/repository/writing/write-batch.ts'
import { KeyedLock } from '../../src/workers/keyed-lock.ts'

const never = new AbortController().signal
const keys = ['a', 'b', 'c'] as const

/** A caller: the keys that it wants, the steps of its work, and whether it gives up at some moment. */
type Caller = {
  readonly keys: readonly string[]
  readonly steps: number
  readonly givesUp: boolean
}
const caller: fc.Arbitrary<Caller> = fc.record({
  keys: fc.uniqueArray(fc.constantFrom(...keys), { minLength: 1 }),
  steps: fc.nat(3),
  givesUp: fc.boolean(),
})

type Run = InstanceType<typeof KeyedLock>['run']

/** Runs all callers in the order of the scheduler; answers what went wrong. */
async function faultsOf(
  run: Run,
  callers: readonly Caller[],
  scheduler: fc.Scheduler,
): Promise<readonly string[]> {
  const faults: string[] = []
  const held = new Map<string, number>()
  const outcomes = callers.map(async (one, at) => {
    const end = new AbortController()
    await scheduler.schedule(Promise.resolve(), `asks ${at}`)
    const giveUp = async () => {
      await scheduler.schedule(Promise.resolve(), `gives up ${at}`)
      end.abort(new Error('gave up'))
    }
    const work = async () => {
      for (const key of one.keys) {
        if (held.has(key)) faults.push(`${at} runs beside ${held.get(key)} under ${key}`)
        held.set(key, at)
      }
      for (let step = 0; step <= one.steps; step += 1)
        await scheduler.schedule(Promise.resolve(), `step ${step} of ${at}`)
      for (const key of one.keys) if (held.get(key) === at) held.delete(key)
      return 'done'
    }
    const outcome = run(one.keys, work, end.signal).catch(() => 'gave up')
    if (one.givesUp) await giveUp()
    const is = await outcome
    if (is !== 'done' && !one.givesUp) faults.push(`${at} never ran`)
  })
  await scheduler.waitFor(Promise.all(outcomes))
  // Every key is free again: nobody who gave up keeps it.
  await run(keys, () => Promise.resolve('free'), AbortSignal.abort()).catch(() =>
    faults.push('a key is still held'),
  )
  return faults
}

const of =
  (lock: KeyedLock): Run =>
  (...given) =>
    lock.run(...given)

const schedules = (make: () => Run) =>
  fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(caller, { minLength: 2, maxLength: 7 }),
      async (scheduler, callers) => {
        expect(await faultsOf(make(), callers, scheduler)).toEqual([])
      },
    ),
    { numRuns: 1000 },
  )

describe('a lock by key', () => {
  it('never lets two run under one key, in whatever order callers come, end and give up', async () => {
    await expect(schedules(() => of(new KeyedLock()))).resolves.toBeUndefined()
  })

  it('keeps writes of the repository apart in the same way', async () => {
    await expect(schedules(() => of(writeLocks()))).resolves.toBeUndefined()
  })

  it('runs callers in the order in which they asked', async () => {
    const lock = new KeyedLock()
    const order: number[] = []
    const ask = (n: number) => lock.run(['a'], async () => void order.push(n), never)
    await Promise.all([1, 2, 3, 4, 5].map(ask))
    expect(order).toEqual([1, 2, 3, 4, 5])
  })

  it('rejects with the reason of the signal, and leaves the key to its holder', async () => {
    const lock = new KeyedLock()
    const gate = Promise.withResolvers<void>()
    const holder = lock.run(['a'], () => gate.promise, never)
    const end = new AbortController()
    const tired = lock.run(['a'], () => Promise.resolve(), end.signal)
    const reason = new Error('no patience')
    end.abort(reason)
    await expect(tired).rejects.toBe(reason)
    const seen: string[] = []
    const next = lock.run(['a'], async () => void seen.push('next'), never)
    await new Promise(setImmediate)
    expect(seen).toEqual([])
    gate.resolve()
    await Promise.all([holder, next])
    expect(seen).toEqual(['next'])
  })

  it('frees a key that is handed over while its caller gives up', async () => {
    for (let turns = 0; turns < 12; turns += 1) {
      const lock = new KeyedLock()
      const gate = Promise.withResolvers<void>()
      const end = new AbortController()
      const holder = lock.run(['a'], () => gate.promise, never)
      const tired = lock.run(['a'], () => Promise.resolve(), end.signal).catch(() => undefined)
      gate.resolve()
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
      end.abort()
      await Promise.all([holder, tired])
      // Only a free key is given to a caller that does not wait.
      const next = lock.run(['a'], () => Promise.resolve('free'), AbortSignal.abort())
      expect(await next, `after ${turns} turns`).toBe('free')
    }
  })

  it('frees its keys when the work fails', async () => {
    const lock = new KeyedLock()
    const failing = lock.run(['a', 'b'], () => Promise.reject(new Error('no')), never)
    await expect(failing).rejects.toThrow('no')
    expect(await lock.run(['b', 'a'], () => Promise.resolve('yes'), never)).toBe('yes')
  })

  it('runs work of several keys when all work on any of them has ended, and other work beside it', async () => {
    const lock = new KeyedLock()
    const done: string[] = []
    const first = Promise.withResolvers<void>()
    const all = [
      lock.run(['a', 'b'], () => first.promise.then(() => done.push('ab'))),
      lock.run(['b', 'c'], async () => done.push('bc')),
      lock.run(['d'], async () => done.push('d')),
    ]
    await new Promise(setImmediate)
    expect(done).toEqual(['d'])
    first.resolve()
    await Promise.all(all)
    expect(done).toEqual(['d', 'ab', 'bc'])
  })
})

describe('a lock that is shared', () => {
  /** Works that note when they begin, and end when they are told to. */
  function works() {
    const begun: string[] = []
    const ends = new Map<string, () => void>()
    const work = (name: string) => () => {
      begun.push(name)
      const { promise, resolve } = Promise.withResolvers<string>()
      ends.set(name, () => resolve(name))
      return promise
    }
    const end = async (name: string) => {
      ends.get(name)?.()
      await new Promise(setImmediate)
    }
    return { begun, work, end }
  }

  it('lets reads run beside each other but not beside a write, whichever came first', async () => {
    const { begun, work, end } = works()
    const lock = new KeyedLock()
    const all = [
      lock.share('a', work('read 1')),
      lock.share('a', work('read 2')),
      lock.run(['a'], work('write')),
      lock.share('a', work('read 3')),
      lock.share('a', work('read 4')),
      lock.share('b', work('read of another')),
    ]
    expect(begun).toEqual(['read 1', 'read 2', 'read of another'])
    await end('read 1')
    expect(begun).not.toContain('write')
    await end('read 2')
    expect(begun.slice(3)).toEqual(['write'])
    await end('write')
    expect(begun.slice(4)).toEqual(['read 3', 'read 4'])
    for (const name of ['read 3', 'read 4', 'read of another']) await end(name)
    expect(await Promise.all(all)).toHaveLength(6)
  })

  it('lets reads go on that waited for a write that was given up', async () => {
    const { begun, work, end } = works()
    const lock = new KeyedLock()
    const first = lock.share('a', work('read 1'))
    const give = new AbortController()
    const write = lock.run(['a'], work('write'), give.signal)
    const second = lock.share('a', work('read 2'))
    give.abort(new Error('gave up'))
    await expect(write).rejects.toThrow('gave up')
    await new Promise(setImmediate)
    expect(begun).toEqual(['read 1', 'read 2'])
    await end('read 1')
    await end('read 2')
    await Promise.all([first, second])
  })

  it('goes on after work that failed', async () => {
    const lock = new KeyedLock()
    const fail = () => Promise.reject(new Error('no'))
    const first = lock.run(['a'], fail)
    const second = lock.share('a', fail)
    const third = lock.run(['a'], () => Promise.resolve('done'))
    await expect(first).rejects.toThrow('no')
    await expect(second).rejects.toThrow('no')
    await expect(third).resolves.toBe('done')
  })

  it('never lets a write run beside anything, in whatever order callers come, end and give up', async () => {
    const one = fc.record({ isShared: fc.boolean(), givesUp: fc.boolean() })
    const faultsOfShared = async (
      scheduler: fc.Scheduler,
      callers: readonly { readonly isShared: boolean; readonly givesUp: boolean }[],
    ) => {
      const lock = new KeyedLock()
      const faults: string[] = []
      let [reads, writes] = [0, 0]
      const outcomes = callers.map(async ({ isShared, givesUp }, at) => {
        await scheduler.schedule(Promise.resolve(), `asks ${at}`)
        const end = new AbortController()
        const work = async () => {
          if (writes > 0 || (!isShared && reads > 0)) faults.push(`${at} runs beside another`)
          if (isShared) reads += 1
          else writes += 1
          await scheduler.schedule(Promise.resolve(), `works ${at}`)
          if (isShared) reads -= 1
          else writes -= 1
        }
        const outcome = isShared
          ? lock.share('a', work, end.signal)
          : lock.run(['a'], work, end.signal)
        const is = outcome.then(
          () => true,
          () => false,
        )
        if (givesUp) {
          await scheduler.schedule(Promise.resolve(), `gives up ${at}`)
          end.abort()
        }
        if (!(await is) && !givesUp) faults.push(`${at} never ran`)
      })
      await scheduler.waitFor(Promise.all(outcomes))
      await lock
        .run(['a'], () => Promise.resolve(), AbortSignal.abort())
        .catch(() => {
          faults.push('the key is still held')
        })
      return faults
    }
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(one, { minLength: 2, maxLength: 7 }),
        async (scheduler, callers) => {
          expect(await faultsOfShared(scheduler, callers)).toEqual([])
        },
      ),
      { numRuns: 1000 },
    )
  })
})
