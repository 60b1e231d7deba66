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
})
