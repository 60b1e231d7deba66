/** Marks that wait in memory, and those who wait for them. */

import { describe, expect, it } from 'vitest'
import { clearMarks, ProjectionQueue, IndexWaiters } from '../../../src/projector/queue.ts'

const isFirst = (resource: string) => resource.startsWith('catalogue')

describe('the change that clears marks', () => {
  const done = [{ resource: 'urn:a', version: 4, markedVersions: [2, 4] }]

  it('removes each mark that was read, and puts one indexed version in the place of the other', () => {
    const { add = [], remove = [] } = clearMarks(done, { indexedVersion: 4, previousVersion: 1 })
    expect(add).toEqual([expect.stringMatching(/indexed.*"4"/)])
    expect(remove).toHaveLength(3)
    expect(remove.filter((line) => /indexed.*"1"/.test(line))).toHaveLength(1)
  })

  it('leaves the indexed version where it is the same', () => {
    const { add = [], remove = [] } = clearMarks(done, { indexedVersion: 4, previousVersion: 4 })
    expect([add, remove.length]).toEqual([[], 2])
  })
})

describe('the queue', () => {
  it('hands out what others embed before the others, whoever came first', () => {
    const waiting = new ProjectionQueue(10, isFirst)
    for (const resource of ['a', 'b', 'catalogue-1', 'c']) waiting.add({ resource, version: 1 })
    expect(waiting.takeBatch(3).map(({ resource }) => resource)).toEqual(['catalogue-1', 'a', 'b'])
    expect(waiting.has('c')).toBe(true)
  })

  it('keeps one place per resource, the newest version and every mark that stands in the store', () => {
    const waiting = new ProjectionQueue(10, isFirst)
    waiting.add({ resource: 'a', version: 1 })
    waiting.add({ resource: 'b', version: 2 })
    waiting.add({ resource: 'a', version: 3 })
    waiting.addReprojection({ resource: 'a', onlyIfMissing: true, callback: () => undefined })
    expect(waiting.takeBatch(10)).toEqual([
      { resource: 'a', version: 3, markedVersions: [1, 3], callbacks: [expect.any(Function)] },
      { resource: 'b', version: 2, markedVersions: [2] },
    ])
    expect(waiting.size).toBe(0)
  })

  it('keeps what the newest version holds, and nothing of an older one', () => {
    const fresh = (name: string) => ({ catalogue: name, quads: () => [], created: true })
    const waiting = new ProjectionQueue(10, isFirst)
    waiting.add({ resource: 'a', version: 1, content: fresh('one') })
    waiting.add({ resource: 'a', version: 2, content: fresh('two') })
    waiting.add({ resource: 'b', version: 3, content: fresh('three') })
    waiting.add({ resource: 'b', version: 4 })
    expect(waiting.takeBatch(2).map((pending) => pending.content?.catalogue)).toEqual([
      'two',
      undefined,
    ])
  })

  it('refuses new resources when it is full, but not news of known ones', () => {
    const waiting = new ProjectionQueue(1, isFirst)
    expect(waiting.add({ resource: 'a', version: 1 })).toBe(true)
    expect(waiting.add({ resource: 'b', version: 2 })).toBe(false)
    expect(waiting.add({ resource: 'a', version: 3 })).toBe(true)
  })

  it('serves writers before what is projected again, which still gets a fifth of every batch', () => {
    const waiting = new ProjectionQueue(200, isFirst)
    const again = (resource: string) =>
      waiting.addReprojection({ resource, onlyIfMissing: true, callback: () => undefined })
    for (let i = 0; i < 10; i++) again(`again-${i}`)
    for (let i = 0; i < 10; i++) waiting.add({ resource: `written-${i}`, version: 1 })
    const names = waiting.takeBatch(10).map(({ resource }) => resource.split('-')[0])
    expect(names.filter((name) => name === 'written')).toHaveLength(8)
    expect(names.filter((name) => name === 'again')).toHaveLength(2)
    expect(waiting.has('again-9')).toBe(false)
    expect(waiting.has('written-9')).toBe(true)
    expect(waiting.takeBatch(100)).toHaveLength(10)
    for (let i = 0; i < 100; i++) again(`again-${i}`)
    waiting.add({ resource: 'written-10', version: 1 })
    expect(waiting.takeBatch(100)).toHaveLength(21)
    expect(waiting.takeBatch(100)).toHaveLength(20)
  })

  it('projects again in small batches until nobody has written for a while, because the next write waits for one', () => {
    const waiting = new ProjectionQueue(1000, isFirst)
    const sizes = (times: number) =>
      Array.from({ length: times }, () => waiting.takeBatch(50).length)
    for (let i = 0; i < 400; i++)
      waiting.addReprojection({
        resource: `again-${i}`,
        onlyIfMissing: true,
        callback: () => undefined,
      })
    expect(sizes(1)).toEqual([50])
    waiting.add({ resource: 'written', version: 1 })
    expect(sizes(1)).toEqual([11])
    expect(sizes(12)).toEqual([...Array.from({ length: 10 }, () => 10), 50, 50])
  })

  it('lets a write count for those who wanted the resource projected again, and never the other way round', () => {
    const waiting = new ProjectionQueue(100, isFirst)
    const told: string[] = []
    const again = (onlyIfMissing: boolean, name: string) =>
      waiting.addReprojection({ resource: 'a', onlyIfMissing, callback: () => told.push(name) })
    again(true, 'filled')
    waiting.add({ resource: 'a', version: 7 })
    again(true, 'filled twice')
    expect(waiting.size).toBe(1)
    const [written] = waiting.takeBatch(1)
    expect(written).toMatchObject({ version: 7, markedVersions: [7] })
    expect(written?.onlyIfMissing).toBeUndefined()
    for (const tell of written!.callbacks!) tell()
    expect(told).toEqual(['filled', 'filled twice'])
    again(true, 'filled')
    again(false, 'again')
    expect(waiting.takeBatch(1)[0]?.onlyIfMissing).toBeUndefined()
    again(true, 'filled')
    waiting.restore([{ resource: 'a', version: 0, markedVersions: [], onlyIfMissing: true }])
    expect(waiting.takeBatch(1)[0]).toMatchObject({ version: 0, onlyIfMissing: true })
  })

  it('takes back what could not be done without losing what came meanwhile', () => {
    const waiting = new ProjectionQueue(10, isFirst)
    waiting.add({ resource: 'a', version: 1 })
    const taken = waiting.takeBatch(1)
    waiting.add({ resource: 'a', version: 2 })
    waiting.restore(taken)
    expect(waiting.takeBatch(1)).toEqual([{ resource: 'a', version: 2, markedVersions: [2, 1] }])
  })
})

describe('waiters', () => {
  it('are told when their version or a newer one is indexed, not for an older one', async () => {
    const waiting = new IndexWaiters()
    const never = new AbortController().signal
    const told: string[] = []
    const two = waiting.wait({ resource: 'a', version: 2 }, never).then(() => told.push('two'))
    const three = waiting.wait({ resource: 'a', version: 3 }, never).then(() => told.push('three'))
    waiting.resolveIndexed([{ resource: 'a', version: 1 }])
    waiting.resolveIndexed([{ resource: 'b', version: 9 }])
    waiting.resolveIndexed([{ resource: 'a', version: 2 }])
    await two
    expect(told).toEqual(['two'])
    waiting.resolveIndexed([{ resource: 'a', version: 4 }])
    await three
  })

  it('end with false when the signal fires first', async () => {
    const stop = new AbortController()
    const waiting = new IndexWaiters().wait({ resource: 'a', version: 1 }, stop.signal)
    stop.abort()
    expect(await waiting).toBe(false)
  })
})
