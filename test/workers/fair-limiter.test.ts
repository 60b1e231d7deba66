/** Few at once, clients by turns, and no slot is ever lost. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Failure } from '../../src/errors.ts'
import {
  ClientQueue,
  FairLimiter,
  type FairLimiterOptions,
} from '../../src/workers/fair-limiter.ts'
import type { Release } from '../../src/workers/fair-limiter.ts'

const never = new AbortController().signal
const refusal = () => new Failure('too-many-requests', 'too many', { retryAfter: 3 })
const limiter = (options: Partial<FairLimiterOptions> = {}) =>
  new FairLimiter({ atOnce: 2, waiting: 10, refusal, ...options })
/** Everything that is about to happen has happened. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A limiter with the names of those who got a slot, in this order. */
function recorded(options?: Partial<FairLimiterOptions>) {
  const limit = limiter(options)
  const begun: string[] = []
  const take = async (client: string, signal = never) => {
    const release = await limit.take(client, signal)
    begun.push(client)
    return release
  }
  return { limit, begun, take }
}

describe('a fair limiter', () => {
  it('refuses a caller without a slot as queue-full with a time, where nothing else is said', async () => {
    const limit = new FairLimiter({ atOnce: 1 })
    const release = await limit.take('a', never)
    await expect(limit.take('b', never)).rejects.toMatchObject({
      kind: 'queue-full',
      retryAfter: 5,
    })
    release()
  })

  it('runs as many as there are slots, in the order of asking, and answers what the work answers', async () => {
    const limit = limiter()
    const gates = [1, 2, 3].map(() => Promise.withResolvers<void>())
    const begun: number[] = []
    const all = gates.map((gate, n) =>
      limit.run(
        'a',
        async () => {
          begun.push(n)
          await gate.promise
          return n
        },
        never,
      ),
    )
    // Without waiting work begins at once.
    expect(begun).toEqual([0, 1])
    gates[1]?.resolve()
    expect(await all[1]).toBe(1)
    await turn()
    expect(begun).toEqual([0, 1, 2])
    for (const gate of gates) gate.resolve()
    expect(await Promise.all(all)).toEqual([0, 1, 2])
  })

  it('lets a client without a free slot wait, and nobody else because of it', async () => {
    const { begun, take } = recorded({ atOnce: 3, perClient: 1 })
    const first = await take('a')
    void take('a')
    await take('b')
    await turn()
    expect(begun).toEqual(['a', 'b'])
    first()
    await turn()
    expect(begun).toEqual(['a', 'b', 'a'])
  })

  it('serves by turns the clients that wait', async () => {
    const { begun, take } = recorded({ atOnce: 1 })
    const asked = [take('a'), take('a'), take('a'), take('b'), take('c'), take('b')]
    for (const one of asked.slice(0, 1)) (await one)()
    for (let n = 0; n < 5; n += 1) {
      await turn()
      const last = begun.length - 1
      const at = ['a', 'a', 'b', 'c', 'a', 'b'][last]
      expect(begun[last]).toBe(at)
      const held = asked.find((_, i) => [0, 1, 3, 4, 2, 5][last] === i)
      ;(await held)?.()
    }
    await turn()
    expect(begun).toEqual(['a', 'a', 'b', 'c', 'a', 'b'])
  })

  it('refuses with the error of its options when there is no place to wait, for all or for one client', async () => {
    const { limit, take } = recorded({ atOnce: 1, waiting: 3, waitingPerClient: 2 })
    await take('a')
    void take('a')
    void take('a')
    await expect(take('a')).rejects.toMatchObject({ kind: 'too-many-requests', retryAfter: 3 })
    expect(limit.isFull).toBe(false)
    void take('b')
    expect(limit.isFull).toBe(true)
    await expect(take('c')).rejects.toMatchObject({ detail: 'too many' })
  })

  it('lets nobody wait unless told so', async () => {
    const limit = new FairLimiter({ perClient: 1, refusal })
    expect(limit.tryTake('a')).toBeTypeOf('function')
    expect(limit.tryTake('a')).toBeUndefined()
    await expect(limit.take('a', never)).rejects.toThrow('too many')
    expect(limit.tryTake('b')).toBeTypeOf('function')
  })

  it('rejects with the reason of the signal, before and while it waits, and gives the place to others', async () => {
    const { limit, begun, take } = recorded({ atOnce: 1, waiting: 1 })
    const reason = new Error('no patience')
    await expect(take('a', AbortSignal.abort(reason))).rejects.toBe(reason)
    const begin = () => Promise.resolve(void begun.push('never'))
    await expect(limit.run('a', begin, AbortSignal.abort(reason))).rejects.toBe(reason)
    const release = await take('a')
    const end = new AbortController()
    const tired = limit.run('b', begin, end.signal)
    end.abort(reason)
    await expect(tired).rejects.toBe(reason)
    void take('c')
    release()
    await turn()
    expect(begun).toEqual(['a', 'c'])
  })

  it('frees a slot that is handed over while its caller gives up', async () => {
    for (let turns = 0; turns < 12; turns += 1) {
      const limit = limiter({ atOnce: 1 })
      const end = new AbortController()
      const release = await limit.take('a', never)
      const tired = limit.run('b', () => Promise.resolve(), end.signal).catch(() => undefined)
      release()
      for (let n = 0; n < turns; n += 1) await Promise.resolve()
      end.abort()
      await tired
      await turn()
      expect(limit.tryTake('c'), `after ${turns} turns`).toBeTypeOf('function')
    }
  })

  it('frees its slot when the work fails or throws, and once, however often it is given back', async () => {
    const limit = limiter({ atOnce: 1 })
    const throwing = () => {
      throw new Error('thrown')
    }
    await expect(limit.run('a', throwing, never)).rejects.toThrow('thrown')
    await expect(limit.run('a', () => Promise.reject(new Error('no')), never)).rejects.toThrow('no')
    const release = await limit.take('a', never)
    const other = limit.take('b', never)
    release()
    release()
    await other
    expect(limit.tryTake('c')).toBeUndefined()
  })

  it('asks again how many there may be, and serves those who wait before those who come', async () => {
    let most = 1
    const { begun, take } = recorded({ atOnce: () => most })
    const release = await take('a')
    void take('b')
    void take('c')
    most = 2
    void take('d')
    await turn()
    expect(begun).toEqual(['a', 'b'])
    most = 4
    release()
    await turn()
    expect(begun).toEqual(['a', 'b', 'c', 'd'])
  })
})

// The limiter against a simple model: after each step the same callers hold a slot.

type Step = { readonly kind: 'take' | 'release' | 'abort'; readonly at: number }
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('take', 'take', 'release', 'abort'),
  at: fc.nat(7),
})
type Bounds = { readonly [name in 'atOnce' | 'perClient' | 'waiting' | 'waitingPerClient']: number }

/** The model: lists of names such as `b 7`, and the clients in the order of their turns. */
class Model {
  readonly held: string[] = []
  refused = 0
  #waiting: string[] = []
  #turns: string[] = []
  readonly #bounds: Bounds

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  #of = (list: readonly string[], client: string) => list.filter((one) => one[0] === client)
  #isFree = (client: string) =>
    this.held.length < this.#bounds.atOnce &&
    this.#of(this.held, client).length < this.#bounds.perClient

  take(name: string): void {
    const client = name.charAt(0)
    const isFull =
      this.#waiting.length >= this.#bounds.waiting ||
      this.#of(this.#waiting, client).length >= this.#bounds.waitingPerClient
    if (this.#isFree(client)) this.held.push(name)
    else if (isFull) this.refused += 1
    else {
      this.#waiting.push(name)
      if (!this.#turns.includes(client)) this.#turns.push(client)
    }
  }

  end(name: string): void {
    if (this.held.includes(name)) this.held.splice(this.held.indexOf(name), 1)
    this.#leave(name)
    for (;;) {
      const client = this.#turns.find((one) => this.#isFree(one))
      const next = client === undefined ? undefined : this.#of(this.#waiting, client)[0]
      if (next === undefined || client === undefined) return
      this.#leave(next)
      this.#turns = this.#turns.filter((one) => one !== client)
      if (this.#of(this.#waiting, client).length > 0) this.#turns.push(client)
      this.held.push(next)
    }
  }

  #leave(name: string): void {
    this.#waiting = this.#waiting.filter((one) => one !== name)
    this.#turns = this.#turns.filter((one) => this.#of(this.#waiting, one).length > 0)
  }
}

it('gives its slots to the same callers as a simple model of turns', async () => {
  const bounds: fc.Arbitrary<Bounds> = fc.record({
    atOnce: fc.integer({ min: 1, max: 4 }),
    perClient: fc.integer({ min: 1, max: 3 }),
    waiting: fc.nat(6),
    waitingPerClient: fc.integer({ min: 1, max: 4 }),
  })
  const agrees = async (chosen: Bounds, steps: readonly Step[]) => {
    const limit = new FairLimiter({ ...chosen, refusal })
    const model = new Model(chosen)
    const held = new Map<string, Release>()
    const asked: { readonly name: string; readonly end: AbortController }[] = []
    let refused = 0
    for (const [n, { kind, at }] of steps.entries()) {
      const known = asked[at % Math.max(1, asked.length)]
      if (kind === 'take') {
        const name = `${'abc'.charAt(at % 3)} ${n}`
        const end = new AbortController()
        const took = (release: Release) => void held.set(name, release)
        limit.take(name.charAt(0), end.signal).then(took, (error: unknown) => {
          if (error instanceof Failure) refused += 1
        })
        asked.push({ name, end })
        model.take(name)
      } else if (known && (kind === 'release') === held.has(known.name)) {
        known.end.abort()
        held.get(known.name)?.()
        held.delete(known.name)
        model.end(known.name)
      }
      await turn()
      expect([...held.keys()].sort()).toEqual([...model.held].sort())
      expect(refused).toBe(model.refused)
    }
  }
  await fc.assert(
    fc.asyncProperty(bounds, fc.array(step, { minLength: 4, maxLength: 30 }), agrees),
    { numRuns: 300 },
  )
})

it('keeps its bounds and loses no slot, in whatever order callers come, end and give up', async () => {
  type Caller = { readonly client: string; readonly steps: number; readonly givesUp: boolean }
  const caller: fc.Arbitrary<Caller> = fc.record({
    client: fc.constantFrom('a', 'b', 'c'),
    steps: fc.nat(3),
    givesUp: fc.boolean(),
  })
  const holds = async (scheduler: fc.Scheduler, callers: readonly Caller[]) => {
    const limit = limiter({ atOnce: 2, perClient: 1, waiting: 20 })
    const running: string[] = []
    const pass = (label: string) => scheduler.schedule(Promise.resolve(), label)
    const outcomes = callers.map(async ({ client, steps, givesUp }, at) => {
      const end = new AbortController()
      await pass(`asks ${at}`)
      const work = async () => {
        expect(running.length).toBeLessThan(2)
        expect(running).not.toContain(client)
        running.push(client)
        for (let n = 0; n <= steps; n += 1) await pass(`step ${n} of ${at}`)
        running.splice(running.indexOf(client), 1)
        return 'done'
      }
      const outcome = limit.run(client, work, end.signal).catch((error: unknown) => error)
      if (givesUp) {
        await pass(`gives up ${at}`)
        end.abort('gave up')
      }
      expect(givesUp ? ['done', 'gave up'] : ['done']).toContain(await outcome)
    })
    await scheduler.waitFor(Promise.all(outcomes))
    await turn()
    expect([limit.tryTake('a'), limit.tryTake('b')]).not.toContain(undefined)
  }
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(caller, { minLength: 2, maxLength: 8 }), holds),
    { numRuns: 500 },
  )
})

describe('a queue of clients', () => {
  it('counts its entries, and forgets clients without any', () => {
    const queue = new ClientQueue<number>()
    queue.add('a', 1)
    queue.add('a', 2)
    queue.add('b', 3)
    expect([queue.size, queue.countOf('a'), queue.countOf('c')]).toEqual([3, 2, 0])
    expect([queue.has('a', 2), queue.has('b', 2), queue.has('c', 2)]).toEqual([true, false, false])
    expect([queue.remove('a', 2), queue.remove('a', 2), queue.remove('c', 1)]).toEqual([
      true,
      false,
      false,
    ])
    expect(queue.take(() => true)).toBe(1)
    expect(queue.clients).toEqual(['b'])
    expect(queue.take((client) => client !== 'b')).toBeUndefined()
    expect(queue.size).toBe(1)
  })
})
