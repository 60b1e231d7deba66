/** Who may ask in public when: turns by client, and lanes that no client has for itself. */

import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Failure } from '../../src/errors.ts'
import type { PublicAnswer } from '../../src/store/graph-store.ts'
import {
  type QueryRunner,
  PublicQueue,
  type PublicJob,
} from '../../src/store/public/query-queue.ts'
import type { Pause } from '../../src/workers/pause.ts'

const answer: PublicAnswer = { mediaType: 'text/csv', body: '', cut: false }

/** A lane whose queries `long…` end only when they are ended, and all others at once. */
class Double implements QueryRunner {
  isReady = true
  #running: PromiseWithResolvers<PublicAnswer> | undefined
  current = ''
  readonly asked: string[] = []

  run({ request }: PublicJob): Promise<PublicAnswer> {
    this.asked.push(request.client)
    if (!request.query.startsWith('long')) return Promise.resolve(answer)
    this.current = request.client
    this.#running = Promise.withResolvers<PublicAnswer>()
    return this.#running.promise
  }

  /** Ends what runs, and the lane with it. */
  end(): void {
    this.finish(false)
  }

  /** Ends what runs; `isReady`: the lane lives on. */
  finish(isReady = true): void {
    this.isReady = isReady
    this.current = ''
    this.#running?.reject(new Failure('time-limit', 'sparqlMs'))
  }
}

/** A pause by the timer that tests replace. */
const pause: Pause = (ms, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })

function lanesOf(count: number, more: { waiting?: number; perClient?: number } = {}) {
  const lanes = Array.from({ length: count }, () => new Double())
  const queue = new PublicQueue({
    rows: 10,
    bytes: 1000,
    perClient: more.perClient ?? 2,
    waiting: more.waiting ?? 8,
    lanes: () => lanes,
    buildMs: 5000,
    unavailable: () => new Failure('store-unavailable', 'closed'),
    pause,
  })
  const ask = (client: string, query = 'short', signal?: AbortSignal) =>
    queue.query({ client, query, accept: undefined }, signal).then(
      () => 'answered',
      (error: unknown) => (error instanceof Failure ? error.kind : String(error)),
    )
  const current = () => lanes.map((lane) => lane.current)
  return { lanes, queue, ask, current }
}

afterEach(() => void vi.useRealTimers())

describe('the lanes', () => {
  it('one client never has all of them, so that others are answered at once', async () => {
    const { ask, current } = lanesOf(2)
    void ask('a', 'long 1')
    void ask('a', 'long 2')
    for (let n = 0; n < 20; n += 1) expect(await ask('b')).toBe('answered')
    expect(current()).toEqual(['a', ''])
  })

  it('who has cost a lane leaves the others to the others until it is back', async () => {
    const { ask, lanes, queue, current } = lanesOf(2)
    const first = ask('a', 'long 1')
    const again = ask('a', 'long 2')
    lanes[0]?.end()
    expect(await first).toBe('time-limit')
    expect(await ask('b')).toBe('answered')
    expect(current()).toEqual(['', ''])
    Object.assign(lanes[0] ?? {}, { isReady: true })
    queue.startWaiting()
    expect(current().filter((client) => client === 'a')).toHaveLength(1)
    expect(await ask('b')).toBe('answered')
    lanes.forEach((lane) => lane.finish())
    expect(await again).toBe('time-limit')
  })

  it('while none is ready, who has waited long enough is told so', async () => {
    vi.useFakeTimers()
    const { ask, lanes, queue } = lanesOf(1)
    Object.assign(lanes[0] ?? {}, { isReady: false })
    const early = ask('a')
    await vi.advanceTimersByTimeAsync(5000)
    expect(await early).toBe('store-unavailable')
    const late = ask('a')
    Object.assign(lanes[0] ?? {}, { isReady: true })
    queue.startWaiting()
    expect(await late).toBe('answered')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('a second query of a client passes after a second where the last lane is free', async () => {
    vi.useFakeTimers()
    const { ask, lanes } = lanesOf(2)
    const long = ask('town', 'long')
    const short = ask('town')
    await vi.advanceTimersByTimeAsync(999)
    expect(lanes.map(({ asked }) => asked)).toEqual([['town'], []])
    await vi.advanceTimersByTimeAsync(1)
    expect(await short).toBe('answered')
    lanes[0]?.finish()
    expect(await long).toBe('time-limit')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('a long query is ended in the last lane after a moment, and its client gets that lane no more', async () => {
    vi.useFakeTimers()
    const { ask, lanes, queue, current } = lanesOf(2)
    const back = (lane: number) => {
      Object.assign(lanes[lane] ?? {}, { isReady: true })
      queue.startWaiting()
    }
    const first = ask('a', 'long 1')
    const second = ask('a', 'long 2')
    await vi.advanceTimersByTimeAsync(1000)
    expect(current()).toEqual(['a', 'a'])
    await vi.advanceTimersByTimeAsync(500)
    expect(await second).toBe('time-limit')
    back(1)
    const third = ask('a', 'long 3')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(current()).toEqual(['a', ''])
    expect(await ask('b')).toBe('answered')
    lanes[0]?.end()
    expect(await first).toBe('time-limit')
    back(0)
    expect(current()).toEqual(['a', ''])
    lanes[0]?.finish()
    expect(await third).toBe('time-limit')
  })

  it('a query that has run for a second loses its lane to a newcomer when all lanes are taken', async () => {
    vi.useFakeTimers()
    const { ask, lanes, queue } = lanesOf(2)
    const [first, second] = [ask('a', 'long'), ask('b', 'long')]
    const newcomer = ask('c')
    await vi.advanceTimersByTimeAsync(1000)
    expect(await first).toBe('time-limit')
    // The other one goes on while this lane becomes ready again.
    expect(lanes.map(({ isReady }) => isReady)).toEqual([false, true])
    expect(lanes[1]?.current).toBe('b')
    Object.assign(lanes[0] ?? {}, { isReady: true })
    queue.startWaiting()
    expect(await newcomer).toBe('answered')
    lanes[1]?.finish()
    expect(await second).toBe('time-limit')
  })

  it('a long query goes on while nobody else waits, in the only lane, and where lanes cannot be ended', async () => {
    vi.useFakeTimers()
    const pair = lanesOf(2)
    void pair.ask('a', 'long')
    void pair.ask('b', 'long')
    void pair.ask('a')
    const single = lanesOf(1)
    void single.ask('a', 'long')
    void single.ask('b')
    const fixed = lanesOf(2)
    for (const lane of fixed.lanes) Object.assign(lane, { end: undefined })
    for (const client of ['a', 'a', 'b', 'c']) void fixed.ask(client, 'long')
    await vi.advanceTimersByTimeAsync(5000)
    const current = [pair, single, fixed].map((one) => one.current())
    expect(current).toEqual([['a', 'b'], ['a'], ['a', 'b']])
  })

  it('have so many waiting in front of them, and no more', async () => {
    const { ask, lanes } = lanesOf(1, { waiting: 2 })
    const held = ask('x', 'long')
    const waiting = [ask('a'), ask('b')]
    expect(await ask('c')).toBe('too-many-requests')
    lanes[0]?.finish()
    expect(await Promise.all([held, ...waiting])).toEqual(['time-limit', 'answered', 'answered'])
  })

  it('are not waited for by who has gone', async () => {
    const { ask, lanes } = lanesOf(1, { waiting: 1 })
    void ask('x', 'long')
    const stop = new AbortController()
    const gone = ask('a', 'short', stop.signal)
    stop.abort('enough')
    expect(await gone).toBe('enough')
    const next = ask('a')
    lanes[0]?.finish()
    expect(await next).toBe('answered')
    expect(lanes[0]?.asked).toEqual(['x', 'a'])
  })
})

it('turns go round: between two of one client everybody else who waited had one', async () => {
  const client = fc.constantFrom('a', 'b', 'c', 'd')
  await fc.assert(
    fc.asyncProperty(fc.array(client, { maxLength: 40 }), async (clients) => {
      const { ask, lanes } = lanesOf(1, { perClient: 50, waiting: 50 })
      const held = ask('x', 'long')
      const all = clients.map((one) => ask(one))
      lanes[0]?.finish()
      await Promise.all([held, ...all])
      const served = lanes[0]?.asked.slice(1) ?? []
      expect(served.toSorted()).toEqual(clients.toSorted())
      // In every round each client has one visit at most.
      const rounds = served.map(
        (one, at) => served.slice(0, at).filter((other) => other === one).length,
      )
      expect(rounds).toEqual(rounds.toSorted((a, b) => a - b))
    }),
  )
})
