/** Batches on their way: one is made ready while another is indexed, and nothing of that is lost, over a real store. */

import { beforeEach, describe, expect, it } from 'vitest'
import { type Attempt, Flight } from '../../../src/projector/projector.ts'
import { readMarks } from '../../../src/projector/marks.ts'
import type { Pending } from '../../../src/projector/queue.ts'
import type { GraphStore } from '../../../src/store/graph-store.ts'
import { markLine, systemChange } from '../../../src/store/marks.ts'
import { freshStore } from '../../support/fresh-store.ts'

const signal = AbortSignal.timeout(10_000)
let store: GraphStore
beforeEach(async () => {
  store = await freshStore()
})

/** Resources that stand marked in the store. */
async function marked(...names: readonly string[]): Promise<Pending[]> {
  const marks = names.map((name, at) => ({ resource: `urn:x:${name}`, version: at + 1 }))
  await store.write([systemChange({ add: marks.map((one) => markLine('pending', one)) })])
  return marks.map((one) => ({ ...one, marked: [one.version] }))
}

const namesOf = (batch: readonly Pending[]) =>
  batch.map(({ resource }) => resource.replace('urn:x:', '')).join(' ')

/** `takes` is waited for by every write of the index. */
function flying(
  takes: () => Promise<unknown>,
  write: GraphStore['write'] = (changes) => store.write(changes),
) {
  const events: string[] = []
  const attempts: Attempt[] = []
  const kept: (readonly Pending[])[] = []
  const flight = new Flight({
    store: { write },
    signal,
    gather: async (batch) => {
      events.push(`ready ${namesOf(batch)}`)
      return async () => {
        events.push(`begun ${namesOf(batch)}`)
        await takes()
        events.push(`taken ${namesOf(batch)}`)
      }
    },
    tried: (attempt) => void attempts.push(attempt),
    kept: (done) => void kept.push(done),
    less: () => undefined,
  })
  return { flight, events, attempts, kept }
}

describe('a flight', () => {
  it('makes the next batch ready while the index takes one in, and gives it none before it has ended', async () => {
    const index = Promise.withResolvers<void>()
    const { flight, events } = flying(() => index.promise)
    const [a, b] = [await marked('a'), await marked('b')]
    await flight.take(a, false)
    const second = flight.take(b, false)
    await expect.poll(() => events).toEqual(['ready a', 'begun a', 'ready b'])
    expect([flight.size, flight.has('urn:x:a'), flight.has('urn:x:c')]).toEqual([2, true, false])
    index.resolve()
    await second
    await flight.ended()
    expect(events.slice(3)).toEqual(['taken a', 'begun b', 'taken b'])
    expect([flight.size, flight.has('urn:x:b')]).toEqual([0, false])
    expect(await readMarks(store, 10, signal)).toEqual([])
  })

  it('makes nothing ready before or beside a batch that goes alone', async () => {
    const { flight, events } = flying(() => new Promise((resolve) => setTimeout(resolve, 10)))
    await flight.take(await marked('a'), false)
    await flight.take(await marked('catalogue'), true)
    await flight.take(await marked('b'), false)
    await flight.ended()
    expect(events).toEqual(
      ['a', 'catalogue', 'b'].flatMap((name) => [
        `ready ${name}`,
        `begun ${name}`,
        `taken ${name}`,
      ]),
    )
  })

  it('tries what the index would not take as a whole one by one, and removes only the marks of what is indexed', async () => {
    let failures = 1
    const { flight, attempts } = flying(async () => {
      if (failures-- > 0) throw new Error('too much at once')
    })
    await flight.take(await marked('a', 'b'), false)
    await flight.ended()
    expect(attempts.map(({ done, failed }) => [namesOf(done), namesOf(failed)])).toEqual([
      ['a b', ''],
    ])
    failures = 2
    await flight.take(await marked('c', 'd'), false)
    await flight.ended()
    expect(attempts.slice(1).map(({ done, failed }) => [namesOf(done), namesOf(failed)])).toEqual([
      ['d', 'c'],
    ])
    expect(await readMarks(store, 10, signal)).toEqual([{ resource: 'urn:x:c', version: 1 }])
  })

  it('tells of what stays marked because the store is away, and goes on', async () => {
    let refusals = 1
    const { flight, kept } = flying(
      () => Promise.resolve(),
      (changes) =>
        refusals-- > 0 ? Promise.reject(new Error('the store is away')) : store.write(changes),
    )
    await flight.take(await marked('a'), false)
    await flight.take(await marked('b'), false)
    await flight.ended()
    expect(kept.map(namesOf)).toEqual(['a'])
    expect(flight.size).toBe(0)
    expect(await readMarks(store, 10, signal)).toEqual([{ resource: 'urn:x:a', version: 1 }])
  })
})
