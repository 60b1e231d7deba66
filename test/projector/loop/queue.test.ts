/** Marks that wait in memory, and those who wait for them. */

import { describe, expect, it } from 'vitest'
import { queue } from '../../../src/projector/loop/queue.ts'
import { waiters } from '../../../src/projector/loop/waiters.ts'

const isFirst = (resource: string) => resource.startsWith('catalogue')

describe('the queue', () => {
  it('hands out what others embed before the others, whoever came first', () => {
    const waiting = queue(10, isFirst)
    for (const resource of ['a', 'b', 'catalogue-1', 'c'])
      waiting.add({ resource, version: 1 }, true)
    expect(waiting.take(3).map(({ resource }) => resource)).toEqual(['catalogue-1', 'a', 'b'])
    expect(waiting.has('c')).toBe(true)
  })

  it('keeps one place per resource, the newest version and every mark that stands in the store', () => {
    const waiting = queue(10, isFirst)
    waiting.add({ resource: 'a', version: 1 }, true)
    waiting.add({ resource: 'b', version: 2 }, true)
    waiting.add({ resource: 'a', version: 3 }, true)
    waiting.add({ resource: 'a', version: 2 }, false)
    expect(waiting.take(10)).toEqual([
      { resource: 'a', version: 3, marked: [1, 3] },
      { resource: 'b', version: 2, marked: [2] },
    ])
    expect(waiting.size).toBe(0)
  })

  it('keeps what the newest version holds, and nothing of an older one', () => {
    const fresh = (name: string) => ({ catalogue: name, quads: [], created: true })
    const waiting = queue(10, isFirst)
    waiting.add({ resource: 'a', version: 1, fresh: fresh('one') }, true)
    waiting.add({ resource: 'a', version: 2, fresh: fresh('two') }, true)
    waiting.add({ resource: 'b', version: 3, fresh: fresh('three') }, true)
    waiting.add({ resource: 'b', version: 4 }, true)
    expect(waiting.take(2).map((pending) => pending.fresh?.catalogue)).toEqual(['two', undefined])
  })

  it('refuses new resources when it is full, but not news of known ones', () => {
    const waiting = queue(1, isFirst)
    expect(waiting.add({ resource: 'a', version: 1 }, true)).toBe(true)
    expect(waiting.add({ resource: 'b', version: 2 }, true)).toBe(false)
    expect(waiting.add({ resource: 'a', version: 3 }, true)).toBe(true)
  })

  it('takes back what could not be done without losing what came meanwhile', () => {
    const waiting = queue(10, isFirst)
    waiting.add({ resource: 'a', version: 1 }, true)
    const taken = waiting.take(1)
    waiting.add({ resource: 'a', version: 2 }, true)
    waiting.restore(taken)
    expect(waiting.take(1)).toEqual([{ resource: 'a', version: 2, marked: [2, 1] }])
  })
})

describe('waiters', () => {
  it('are told when their version or a newer one is indexed, not for an older one', async () => {
    const waiting = waiters()
    const never = new AbortController().signal
    const told: string[] = []
    const two = waiting.wait('a', 2, never).then(() => told.push('two'))
    const three = waiting.wait('a', 3, never).then(() => told.push('three'))
    waiting.done([{ resource: 'a', version: 1 }])
    waiting.done([{ resource: 'b', version: 9 }])
    waiting.done([{ resource: 'a', version: 2 }])
    await two
    expect(told).toEqual(['two'])
    waiting.done([{ resource: 'a', version: 4 }])
    await three
  })

  it('end with false when the signal fires first', async () => {
    const stop = new AbortController()
    const waiting = waiters().wait('a', 1, stop.signal)
    stop.abort()
    expect(await waiting).toBe(false)
  })
})
