/** Who may ask in public when: turns by client, and long queries that leave a lane to the others. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Failure } from '../../src/errors.ts'
import type { PublicAnswer } from '../../src/store/graph-store.ts'
import {
  type QueryRunner,
  PublicQueue,
  type PublicJob,
  FairQueue,
} from '../../src/store/public/query-queue.ts'

const answer: PublicAnswer = { mediaType: 'text/csv', body: '', cut: false }

/** A lane whose queries `long…` end only when they are ended, and all others at once. */
class Double implements QueryRunner {
  isReady = true
  /** Whether it stays ready when a query is ended. */
  readonly #lasts: boolean
  #running: PromiseWithResolvers<PublicAnswer> | undefined
  current = ''
  readonly asked: string[] = []

  constructor(lasts = true) {
    this.#lasts = lasts
  }

  run({ request }: PublicJob): Promise<PublicAnswer> {
    this.asked.push(request.client)
    if (!request.query.startsWith('long')) return Promise.resolve(answer)
    this.current = request.client
    this.#running = Promise.withResolvers<PublicAnswer>()
    return this.#running.promise
  }

  end(reason: Failure = new Failure('time-limit', 'sparqlMs')): void {
    this.isReady = this.#lasts
    this.current = ''
    this.#running?.reject(reason)
  }
}

function house(count: number, more: { waiting?: number; lasts?: boolean; buildMs?: number } = {}) {
  const lanes = Array.from({ length: count }, () => new Double(more.lasts))
  const clock = { now: 0 }
  const queue = new PublicQueue({
    rows: 10,
    bytes: 1000,
    perClient: 2,
    waiting: more.waiting ?? 8,
    lanes: () => lanes,
    buildMs: more.buildMs ?? 60_000,
    closed: () => new Failure('store-unavailable', 'closed'),
    now: () => clock.now,
  })
  const ask = (client: string, query = 'short') =>
    queue.query({ client, query, accept: undefined }).then(
      () => 'answered',
      (error: unknown) => (error instanceof Failure ? error.kind : 'broken'),
    )
  const current = () => lanes.map((lane) => lane.current)
  return { lanes, clock, queue, ask, current }
}

describe('the lanes', () => {
  it('one client never has all of them, so that others are answered at once', async () => {
    const { ask, current } = house(2)
    void ask('a', 'long 1')
    void ask('a', 'long 2')
    for (let n = 0; n < 20; n += 1) expect(await ask('b')).toBe('answered')
    expect(current()).toEqual(['a', ''])
  })

  it('who asks what takes long leaves the last lane that is ready to the others', async () => {
    const { ask, lanes, clock, queue, current } = house(2, { lasts: false })
    const first = ask('a', 'long 1')
    clock.now = 15_000
    lanes[0]?.end()
    expect(await first).toBe('time-limit')
    const again = ask('a', 'long 2')
    expect(await ask('b')).toBe('answered')
    expect(current()).toEqual(['', ''])
    Object.assign(lanes[0] ?? {}, { isReady: true })
    queue.free()
    expect(current().filter((client) => client === 'a')).toHaveLength(1)
    expect(await ask('b')).toBe('answered')
    lanes.forEach((lane) => lane.end())
    expect(await again).toBe('time-limit')
  })

  it('and does so as long as a query of hers waits', async () => {
    const { ask, lanes, clock, current } = house(2, { lasts: false })
    const first = ask('a', 'long 1')
    clock.now = 15_000
    lanes[0]?.end()
    expect(await first).toBe('time-limit')
    void ask('a', 'long 2')
    await expect.poll(() => (clock.now += 4000)).toBeGreaterThan(140_000)
    expect(current()).toEqual(['', ''])
    expect(await ask('b')).toBe('answered')
  })

  it('a query that costs a lane counts as one that takes long', async () => {
    const { ask, lanes, current } = house(2, { lasts: false })
    const bomb = ask('a', 'long bomb')
    lanes[0]?.end(new Failure('query-too-complex', 'memory'))
    expect(await bomb).toBe('query-too-complex')
    void ask('a', 'long bomb')
    expect(current()).toEqual(['', ''])
    expect(await ask('b')).toBe('answered')
  })

  it('when all have long queries the youngest makes room for who waits, once, and comes again', async () => {
    const { ask, lanes, clock, current } = house(2)
    void ask('a', 'long')
    clock.now = 1000
    const aside = ask('b', 'long')
    clock.now = 4000
    expect(await ask('c')).toBe('answered')
    await expect.poll(() => lanes.flatMap(({ asked }) => asked)).toEqual(['a', 'b', 'c'])
    expect(current()).toEqual(['a', ''])
    lanes[0]?.end()
    await expect.poll(current).toContain('b')
    lanes.forEach((lane) => lane.end())
    expect(await aside).toBe('time-limit')
  })

  it('a single one serves those with short queries first', async () => {
    const { ask, lanes, clock } = house(1)
    const long = ask('a', 'long')
    clock.now = 2500
    lanes[0]?.end()
    expect(await long).toBe('time-limit')
    void ask('b', 'long')
    const all = [ask('a'), ask('c')]
    lanes[0]?.end()
    await Promise.all(all)
    expect(lanes[0]?.asked).toEqual(['a', 'b', 'c', 'a'])
  })

  it('while none is ready, who has waited long enough is told so', async () => {
    const { ask, lanes, clock, queue } = house(1, { buildMs: 5000 })
    Object.assign(lanes[0] ?? {}, { isReady: false })
    const early = ask('a')
    await expect.poll(() => (clock.now += 1000)).toBeGreaterThan(8000)
    expect(await early).toBe('store-unavailable')
    const late = ask('a')
    Object.assign(lanes[0] ?? {}, { isReady: true })
    queue.free()
    expect(await late).toBe('answered')
  })

  it('gives a place to wait to a newcomer before the third of one client', async () => {
    const { ask, lanes } = house(1, { waiting: 2 })
    const held = ask('x', 'long')
    const [first, second] = [ask('a'), ask('a')]
    const other = ask('b')
    expect(await second).toBe('too-many-requests')
    expect(await ask('c')).toBe('too-many-requests')
    lanes[0]?.end()
    expect(await Promise.all([held, first, other])).toEqual(['time-limit', 'answered', 'answered'])
  })
})

describe('turns', () => {
  it('go round: between two of one client everybody else who waited had one', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 }), (clients) => {
        const turns = new FairQueue<{ readonly client: string; readonly n: number }>()
        clients.forEach((client, n) => turns.add({ client, n }))
        const served: { readonly client: string; readonly n: number }[] = []
        for (let one = turns.take(() => true); one; one = turns.take(() => true)) served.push(one)
        expect(served.map(({ n }) => n).sort((a, b) => a - b)).toEqual(clients.map((_, n) => n))
        expect(turns.size).toBe(0)
        // In every round each client has one visit at most, and in the order in which its own came.
        const rounds = served.map(
          ({ client }, at) => served.slice(0, at).filter((one) => one.client === client).length,
        )
        expect(rounds).toEqual(rounds.toSorted((a, b) => a - b))
        for (const client of new Set(clients)) {
          const own = served.filter((one) => one.client === client).map(({ n }) => n)
          expect(own).toEqual(own.toSorted((a, b) => a - b))
        }
      }),
    )
  })

  it('skip who may not come', () => {
    const turns = new FairQueue<{ readonly client: string }>()
    for (const client of ['a', 'a', 'b']) turns.add({ client })
    expect(turns.take((client) => client !== 'a')).toEqual({ client: 'b' })
    expect(turns.take((client) => client !== 'a')).toBeUndefined()
    expect(turns.all()).toHaveLength(2)
  })
})
