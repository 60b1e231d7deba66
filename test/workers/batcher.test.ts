/** Items go out together, in order, each with an outcome of its own, however flushes end and callers give up. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Batcher } from '../../src/workers/batcher.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A batcher of numbers whose flushes wait for `open`, and answer each number times ten. */
function gated(options: Partial<ConstructorParameters<typeof Batcher<number, number>>[0]> = {}) {
  const groups: (readonly number[])[] = []
  const gates: PromiseWithResolvers<void>[] = []
  const batcher = new Batcher<number, number>({
    flush: async (items) => {
      groups.push(items)
      const gate = Promise.withResolvers<void>()
      gates.push(gate)
      await gate.promise
      return items.map((item) => ({ value: item * 10 }))
    },
    ...options,
  })
  const open = async () => {
    gates.shift()?.resolve()
    await turn()
  }
  return { batcher, groups, gates, open }
}

describe('a batcher', () => {
  it('flushes what comes in one turn together, and what comes meanwhile with the next flush', async () => {
    const { batcher, groups, open } = gated()
    const first = [1, 2].map((item) => batcher.add(item))
    await turn()
    const later = [3, 4, 5].map((item) => batcher.add(item))
    await turn()
    expect(groups).toEqual([[1, 2]])
    await open()
    await open()
    expect(await Promise.all([...first, ...later])).toEqual([10, 20, 30, 40, 50])
    expect(groups).toEqual([
      [1, 2],
      [3, 4, 5],
    ])
  })

  it('takes so many items at most, and so much weight; one that is too heavy goes alone', async () => {
    const { batcher, groups, open } = gated({ mostItems: 3, mostWeight: 10, weightOf: (n) => n })
    const all = Promise.all([1, 1, 1, 1, 6, 5, 99, 2, 8].map((item) => batcher.add(item)))
    for (let flush = 0; flush < 6; flush += 1) {
      await turn()
      await open()
    }
    await all
    expect(groups).toEqual([[1, 1, 1], [1, 6], [5], [99], [2, 8]])
  })

  it('flushes as many groups at once as it is told', async () => {
    const { batcher, groups, open } = gated({ atOnce: 2, mostItems: 1 })
    const all = Promise.all([1, 2, 3].map((item) => batcher.add(item)))
    await turn()
    expect(groups).toEqual([[1], [2]])
    await open()
    expect(groups).toEqual([[1], [2], [3]])
    await open()
    await open()
    expect(await all).toEqual([10, 20, 30])
  })

  it('takes back an item that waits when its caller gives up, and tells why', async () => {
    const { batcher, groups, open } = gated()
    const end = new AbortController()
    const sent = batcher.add(1, end.signal)
    await turn()
    const waiting = batcher.add(2, end.signal)
    const other = batcher.add(3)
    const reason = new Error('gave up')
    end.abort(reason)
    await expect(sent).rejects.toBe(reason)
    await expect(waiting).rejects.toBe(reason)
    await expect(batcher.add(4, end.signal)).rejects.toBe(reason)
    await open()
    await open()
    expect(await other).toBe(30)
    expect(groups).toEqual([[1], [3]])
  })

  it('rejects the items of a flush that fails, or those that it names, and goes on', async () => {
    const gone = new Error('gone')
    const batcher = new Batcher<string, string>({
      flush: async (items) => {
        if (items.includes('bad')) throw gone
        return items.map((item) => (item === 'odd' ? { error: gone } : { value: item }))
      },
    })
    const outcomes = async (items: readonly string[]) =>
      (await Promise.allSettled(items.map((item) => batcher.add(item)))).map(({ status }) => status)
    expect(await outcomes(['bad', 'good'])).toEqual(['rejected', 'rejected'])
    expect(await outcomes(['odd', 'good'])).toEqual(['rejected', 'fulfilled'])
    await expect(batcher.add('bad')).rejects.toBe(gone)
  })

  it('rejects an item of which the flush says nothing', async () => {
    const batcher = new Batcher<number, number>({ flush: async () => [] })
    await expect(batcher.add(1)).rejects.toThrow('no outcome')
  })

  it('flushes what it has accepted when it is closed, and takes nothing more', async () => {
    const { batcher, groups, gates } = gated({ closed: () => new Error('the index is closed') })
    const all = Promise.all([batcher.add(1), batcher.add(2)])
    let isClosed = false
    const closing = batcher.close().then(() => (isClosed = true))
    await turn()
    expect([groups, isClosed]).toEqual([[[1, 2]], false])
    await expect(batcher.add(3)).rejects.toThrow('the index is closed')
    gates[0]?.resolve()
    await closing
    expect([await all, batcher.isIdle]).toEqual([[10, 20], true])
    await batcher.close()
  })

  it('is closed after the last of several flushes', async () => {
    const { batcher, open } = gated({ mostItems: 1 })
    const all = Promise.all([batcher.add(1), batcher.add(2)])
    let isClosed = false
    const closing = batcher.close().then(() => (isClosed = true))
    await turn()
    await open()
    expect(isClosed).toBe(false)
    await open()
    await closing
    expect(await all).toEqual([10, 20])
  })

  it('keeps order and loses nothing, whatever fails and whoever gives up, in any order', async () => {
    type Item = { readonly weight: number; readonly fails: boolean; readonly givesUp: boolean }
    const run = async (scheduler: fc.Scheduler, items: readonly Item[], atOnce: number) => {
      const faults: string[] = []
      const flushed: number[] = []
      const asked: number[] = []
      let running = 0
      const batcher = new Batcher<number, number>({
        atOnce,
        mostItems: 3,
        mostWeight: 5,
        weightOf: (at) => items[at]?.weight ?? 0,
        flush: async (group) => {
          running += 1
          if (running > atOnce) faults.push('too many flushes')
          const weight = group.reduce((sum, at) => sum + (items[at]?.weight ?? 0), 0)
          if (group.length > 3 || (group.length > 1 && weight > 5)) faults.push('too much')
          flushed.push(...group)
          await scheduler.schedule(Promise.resolve(), 'flush')
          running -= 1
          if (group.some((at) => items[at]?.fails)) throw new Error('no')
          return group.map((value) => ({ value }))
        },
      })
      const outcomes = items.map(async ({ givesUp }, at) => {
        await scheduler.schedule(Promise.resolve(), `asks ${at}`)
        asked.push(at)
        const end = new AbortController()
        const outcome = batcher.add(at, end.signal).then(
          (value) => {
            if (value !== at) faults.push(`${at} has the outcome of ${value}`)
            return 'done'
          },
          () => 'rejected',
        )
        if (givesUp) {
          await scheduler.schedule(Promise.resolve(), `gives up ${at}`)
          end.abort()
        }
        const is = await outcome
        if (!givesUp && !flushed.includes(at)) faults.push(`${at} was lost: ${is}`)
      })
      await scheduler.waitFor(Promise.all(outcomes))
      await scheduler.waitFor(batcher.close())
      if (new Set(flushed).size < flushed.length) faults.push('flushed twice')
      const inOrder = asked.filter((at) => flushed.includes(at))
      if (inOrder.join() !== flushed.join()) faults.push(`order ${flushed.join()}`)
      return faults
    }
    const item = fc.record({
      weight: fc.nat(6),
      fails: fc.boolean(),
      givesUp: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(item, { minLength: 1, maxLength: 9 }),
        fc.integer({ min: 1, max: 2 }),
        async (scheduler, items, atOnce) => {
          expect(await run(scheduler, items, atOnce)).toEqual([])
        },
      ),
      { numRuns: 500 },
    )
  })
})
