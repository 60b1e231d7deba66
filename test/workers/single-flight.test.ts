/** One call for all who ask for the same meanwhile; results are kept as long as wanted, failures never. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lookupsOf } from '../../src/workers/bounded-cache.ts'
import { SingleFlight } from '../../src/workers/single-flight.ts'

/** Everything that is about to happen has happened. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Calls that end when the test says so. */
function calls<Value = string>() {
  const all: (PromiseWithResolvers<Value> & { readonly signal: AbortSignal })[] = []
  const make = (signal: AbortSignal) => {
    const call = { ...Promise.withResolvers<Value>(), signal }
    all.push(call)
    return call.promise
  }
  return { all, make }
}

describe('a single flight', () => {
  it('makes one call for all who ask for a key meanwhile, and a new one afterwards', async () => {
    const flights = new SingleFlight<string, string>()
    const { all, make } = calls()
    const asked = [flights.get('a', make), flights.get('a', make), flights.get('b', make)]
    expect(all).toHaveLength(2)
    expect(flights.has('a')).toBe(true)
    all[0]?.resolve('first')
    all[1]?.resolve('other')
    expect(await Promise.all(asked)).toEqual(['first', 'first', 'other'])
    expect(flights.has('a')).toBe(false)
    const again = flights.get('a', make)
    all[2]?.resolve('second')
    expect(await again).toBe('second')
  })

  it('tells all callers of a failure, thrown or rejected, and does not keep it', async () => {
    const flights = new SingleFlight<string, string>({ keepMs: 1000 })
    const { all, make } = calls()
    const asked = [flights.get('a', make), flights.get('a', make)]
    all[0]?.reject(new Error('no'))
    for (const one of asked) await expect(one).rejects.toThrow('no')
    expect(all[0]?.signal.aborted).toBe(false)
    const throwing = () => {
      throw new Error('thrown')
    }
    await expect(flights.get('a', throwing)).rejects.toThrow('thrown')
    expect(await flights.get('a', () => Promise.resolve('yes'))).toBe('yes')
  })

  it('keeps a result for the time given, counted from the beginning of the call', async () => {
    let now = 0
    const flights = new SingleFlight<string, string>({ keepMs: 10, now: () => now })
    const { all, make } = calls()
    const first = flights.get('a', make)
    now = 4
    all[0]?.resolve('first')
    await first
    now = 9
    expect(await flights.get('a', make)).toBe('first')
    expect([flights.peek('a'), flights.values()]).toEqual(['first', ['first']])
    now = 10
    const next = flights.get('a', make)
    expect(all).toHaveLength(2)
    all[1]?.resolve('next')
    expect(await next).toBe('next')
  })

  it('joins a call under way however long it takes', async () => {
    let now = 0
    const flights = new SingleFlight<string, string>({ keepMs: 10, now: () => now })
    const { all, make } = calls()
    const first = flights.get('a', make)
    now = 1000
    const late = flights.get('a', make)
    all[0]?.resolve('same')
    expect(await Promise.all([first, late])).toEqual(['same', 'same'])
    expect(all).toHaveLength(1)
  })

  it('keeps results by their own time, and not those with none', async () => {
    const flights = new SingleFlight<string, number>({ keepMs: (value) => value, now: () => 0 })
    await flights.get('none', () => Promise.resolve(0))
    await flights.get('some', () => Promise.resolve(5))
    expect(flights.values()).toEqual([5])
  })

  it('drops the results used longest ago when they weigh too much, never the only one', async () => {
    const flights = new SingleFlight<string, number>({
      keepMs: Infinity,
      most: 10,
      weigh: (value) => value,
    })
    const { all, make } = calls<number>()
    const ask = (key: string, value: number) => flights.get(key, () => Promise.resolve(value))
    const waiting = flights.get('c', make)
    await ask('a', 4)
    await ask('b', 4)
    await ask('a', 0)
    await ask('d', 4)
    expect(flights.values()).toEqual([4, 4])
    expect([flights.has('a'), flights.has('b'), flights.has('c')]).toEqual([true, false, true])
    all[0]?.resolve(100)
    expect(await waiting).toBe(100)
    // It was asked for before the others were used.
    expect(flights.has('c')).toBe(false)
    flights.clear()
    await ask('e', 100)
    expect(flights.values()).toEqual([100])
    await ask('f', 10)
    expect(flights.values()).toEqual([10])
  })

  it('forgets the weight of what is dropped', async () => {
    let now = 0
    const flights = new SingleFlight<string, string>({ keepMs: 10, most: 2, now: () => now })
    const ask = (key: string) => flights.get(key, () => Promise.resolve(key))
    for (now = 0; now < 100; now += 20) await ask('a')
    await ask('b')
    expect(flights.values()).toEqual(['a', 'b'])
    flights.clear()
    expect(flights.values()).toEqual([])
    await ask('c')
    await ask('d')
    expect(flights.values()).toEqual(['c', 'd'])
  })

  it('lets each caller give up, and aborts the call with the last one', async () => {
    const flights = new SingleFlight<string, string>({ keepMs: 1000 })
    const { all, make } = calls()
    const ends = [new AbortController(), new AbortController()]
    const asked = ends.map(({ signal }) => flights.get('a', make, signal))
    const reason = new Error('gone')
    ends[0]?.abort(reason)
    await expect(asked[0]).rejects.toBe(reason)
    expect(all[0]?.signal.aborted).toBe(false)
    ends[1]?.abort(reason)
    await expect(asked[1]).rejects.toBe(reason)
    expect(all[0]?.signal.reason).toBe(reason)
    // The next caller has nothing to do with what was aborted.
    expect(flights.has('a')).toBe(false)
    const next = flights.get('a', make)
    all[0]?.reject(reason)
    await turn()
    expect(flights.has('a')).toBe(true)
    all[1]?.resolve('new')
    expect(await next).toBe('new')
    expect(flights.peek('a')).toBe('new')
  })

  it('goes on for a caller without a signal, and does not abort what has ended', async () => {
    const flights = new SingleFlight<string, string>({ keepMs: 1000 })
    const { all, make } = calls()
    const end = new AbortController()
    const [patient, tired] = [flights.get('a', make), flights.get('a', make, end.signal)]
    end.abort(new Error('gone'))
    await expect(tired).rejects.toThrow('gone')
    all[0]?.resolve('there')
    expect(await patient).toBe('there')
    expect(all[0]?.signal.aborted).toBe(false)
    const late = flights.get('b', make, AbortSignal.abort(new Error('too late')))
    await expect(late).rejects.toThrow('too late')
    expect(all).toHaveLength(1)
    expect(await flights.get('a', make)).toBe('there')
  })

  it('is emptied: calls under way end for those who wait, and are not joined or kept', async () => {
    const flights = new SingleFlight<string, string>({ keepMs: 1000, most: 2 })
    const { all, make } = calls()
    const before = flights.get('a', make)
    flights.clear()
    const after = flights.get('a', make)
    all[1]?.resolve('after')
    expect(await after).toBe('after')
    all[0]?.resolve('before')
    expect(await before).toBe('before')
    await flights.get('b', () => Promise.resolve('other'))
    expect(flights.values()).toEqual(['after', 'other'])
    expect(all[0]?.signal.aborted).toBe(false)
  })

  it('is stopped when all calls have ended, also those that were given up before', async () => {
    const flights = new SingleFlight<string, string>()
    const { all, make } = calls()
    const end = new AbortController()
    const tired = flights.get('a', make, end.signal)
    end.abort('gone')
    await expect(tired).rejects.toBe('gone')
    const asked = flights.get('b', make)
    const reason = new Error('the process stops')
    let isStopped = false
    const stopping = flights.stop(reason).then(() => (isStopped = true))
    expect(all[1]?.signal.reason).toBe(reason)
    all[1]?.reject(reason)
    await expect(asked).rejects.toBe(reason)
    await turn()
    expect(isStopped).toBe(false)
    all[0]?.resolve('late')
    await stopping
  })

  it('counts its hit rate: who joins a call is a hit', async () => {
    const before = lookupsOf('robots')
    const flights = new SingleFlight<string, string>({ cache: 'robots', keepMs: 1000 })
    const make = () => Promise.resolve('x')
    await Promise.all([flights.get('a', make), flights.get('a', make)])
    await flights.get('a', make)
    const after = lookupsOf('robots')
    expect([after.hits - before.hits, after.misses - before.misses]).toEqual([2, 1])
  })
})

it('never makes two calls at once that can be joined, in whatever order callers come, end and give up', async () => {
  type Caller = {
    readonly key: string
    readonly steps: number
    readonly fails: boolean
    readonly givesUp: boolean
  }
  const caller: fc.Arbitrary<Caller> = fc.record({
    key: fc.constantFrom('a', 'b'),
    steps: fc.nat(3),
    fails: fc.boolean(),
    givesUp: fc.boolean(),
  })
  const holds = async (scheduler: fc.Scheduler, callers: readonly Caller[]) => {
    const flights = new SingleFlight<string, string>()
    const current = new Map<string, AbortSignal>()
    const pass = (label: string) => scheduler.schedule(Promise.resolve(), label)
    const outcomes = callers.map(async ({ key, steps, fails, givesUp }, at) => {
      await pass(`asks ${at}`)
      const end = new AbortController()
      const make = async (signal: AbortSignal) => {
        expect(current.get(key)?.aborted ?? true).toBe(true)
        current.set(key, signal)
        for (let n = 0; n <= steps; n += 1) await pass(`step ${n} of ${at}`)
        if (current.get(key) === signal) current.delete(key)
        if (fails) throw new Error(`${key} failed`)
        return signal.aborted ? 'aborted' : key
      }
      const outcome = flights.get(key, make, end.signal).catch((error: unknown) => {
        if (error instanceof Error) return `${key} failed`
        return 'gave up'
      })
      if (givesUp) {
        await pass(`gives up ${at}`)
        end.abort('gave up')
      }
      // A caller that stays never hears that the call was aborted.
      expect([key, `${key} failed`, ...(givesUp ? ['gave up'] : [])]).toContain(await outcome)
    })
    await scheduler.waitFor(Promise.all(outcomes).then(() => flights.stop('ended')))
    expect([flights.has('a'), flights.has('b')]).toEqual([false, false])
  }
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(caller, { minLength: 2, maxLength: 7 }), holds),
    { numRuns: 500 },
  )
})
