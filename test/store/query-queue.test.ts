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

  /** Ends what runs; `isReady`: the lane lives on. */
  end(isReady = true): void {
    this.isReady = isReady
    this.current = ''
    this.#running?.reject(new Failure('time-limit', 'sparqlMs'))
  }
}

function lanesOf(count: number, more: { waiting?: number; perClient?: number } = {}) {
  const lanes = Array.from({ length: count }, () => new Double())
  const queue = new PublicQueue({
    rows: 10,
    bytes: 1000,
    perClient: more.perClient ?? 2,
    waiting: more.waiting ?? 8,
    lanes: () => lanes,
    buildMs: 5000,
    closed: () => new Failure('store-unavailable', 'closed'),
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
    lanes[0]?.end(false)
    expect(await first).toBe('time-limit')
    expect(await ask('b')).toBe('answered')
    expect(current()).toEqual(['', ''])
    Object.assign(lanes[0] ?? {}, { isReady: true })
    queue.free()
    expect(current().filter((client) => client === 'a')).toHaveLength(1)
    expect(await ask('b')).toBe('answered')
    lanes.forEach((lane) => lane.end())
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
    queue.free()
    expect(await late).toBe('answered')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('have so many waiting in front of them, and no more', async () => {
    const { ask, lanes } = lanesOf(1, { waiting: 2 })
    const held = ask('x', 'long')
    const waiting = [ask('a'), ask('b')]
    expect(await ask('c')).toBe('too-many-requests')
    lanes[0]?.end()
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
    lanes[0]?.end()
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
      lanes[0]?.end()
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
