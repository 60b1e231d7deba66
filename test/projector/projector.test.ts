/** The loop between store and index, over a real store and with an index that fails on demand. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Failure } from '../../src/errors.ts'
import { logger } from '../../src/log.ts'
import { newestMark, type PendingResource, readMarks } from '../../src/projector/queue.ts'
import { Projector } from '../../src/projector/projector.ts'
import { embeddedStore } from '../../src/store/embedded/embedded-store.ts'
import type { GraphStore } from '../../src/store/graph-store.ts'
import { markLine, systemChange, type Mark } from '../../src/store/marks.ts'

const log = logger('silent')
const soon = () => AbortSignal.timeout(10_000)
let directory: string
let store: GraphStore
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cartulary-'))
  store = await embeddedStore({ directory, log })
})
afterEach(async () => {
  await store.close()
  await rm(directory, { recursive: true, force: true })
})

const mark = (name: string, version: number): Mark => ({ resource: `urn:x:${name}`, version })
const write = (...marks: Mark[]) =>
  store.write([systemChange({ add: marks.map((one) => markLine('pending', one)) })])

function recording(
  options: {
    fail?: (batch: readonly PendingResource[]) => void
    batch?: number
    capacity?: number
    pause?: (signal: AbortSignal) => Promise<void>
    write?: GraphStore['write']
    select?: GraphStore['select']
  } = {},
) {
  const projected: (readonly PendingResource[])[] = []
  const pauses: number[] = []
  const projector = new Projector({
    store: {
      ...store,
      write: options.write ?? ((...call) => store.write(...call)),
      select: options.select ?? ((...call) => store.select(...call)),
    },
    log,
    isEmbedded: (resource) => resource.includes('catalogue'),
    batchSize: options.batch ?? 100,
    capacity: options.capacity ?? 1000,
    pause: (ms, signal) => {
      pauses.push(ms)
      return options.pause?.(signal) ?? new Promise((resolve) => setImmediate(resolve))
    },
    gather: async (batch) => async () => {
      options.fail?.(batch)
      projected.push(batch)
    },
  })
  return { projector, projected, pauses }
}

/** One resource per batch; `takes` is waited for by every write of the index. */
function stepping(takes: () => Promise<unknown>) {
  const events: string[] = []
  const projector = new Projector({
    store,
    log,
    isEmbedded: (resource) => resource.includes('catalogue'),
    batchSize: 1,
    capacity: 1000,
    pause: () => new Promise((resolve) => setImmediate(resolve)),
    gather: async (batch) => {
      const names = batch.map(({ resource }) => resource.replace('urn:x:', '')).join(' ')
      events.push(`ready ${names}`)
      return async () => {
        events.push(`begun ${names}`)
        await takes()
        events.push(`taken ${names}`)
      }
    },
  })
  return { projector, events }
}

describe('the projector', () => {
  it('finishes the marks of an earlier process and removes them from the store', async () => {
    await write(mark('a', 1), mark('b', 2))
    const { projector, projected } = recording()
    await projector.start()
    await projector.idle(soon())
    await projector.stop()
    expect(projected.flat().map(({ resource }) => resource)).toEqual(['urn:x:a', 'urn:x:b'])
    expect(await readMarks(store, 10, soon())).toEqual([])
  })

  it('projects a resource that was written three times in a row once, and clears all three marks', async () => {
    const marks = [mark('a', 1), mark('a', 2), mark('a', 3)]
    await write(...marks)
    const { projector, projected } = recording()
    await projector.start()
    await projector.idle(soon())
    await projector.stop()
    expect(projected).toEqual([[{ resource: 'urn:x:a', version: 3, markedVersions: [1, 2, 3] }]])
    expect(await readMarks(store, 10, soon())).toEqual([])
  })

  it('a mark that was set while its resource was projected stays', async () => {
    await write(mark('a', 1))
    let late: Promise<unknown> | undefined
    const { projector, projected } = recording({ fail: () => void (late ??= write(mark('a', 2))) })
    await projector.start()
    await projector.idle(soon())
    await projector.stop()
    await late
    expect(projected).toHaveLength(1)
    expect(await readMarks(store, 10, soon())).toEqual([mark('a', 2)])
  })

  it('keeps marks of a batch that failed, tries again with growing pauses, and loses nothing', async () => {
    let failures = 3
    const { projector, projected, pauses } = recording({
      fail: () => {
        if (failures-- > 0) throw new Error('the engine is away')
      },
    })
    await projector.start()
    await write(mark('a', 1))
    projector.changed([mark('a', 1)])
    expect(await projector.waitUntilIndexed(mark('a', 1), soon())).toBe(true)
    await projector.idle(soon())
    await projector.stop()
    expect(pauses).toEqual([100, 200, 400])
    expect(projected).toHaveLength(1)
    expect(await readMarks(store, 10, soon())).toEqual([])
  })

  it('gives an overloaded search engine longer and longer pauses, or as long as it asks for', async () => {
    const asked = [0, 0, 0, 0, 0, 30_000, 0, 0, 0]
    const { projector, projected, pauses } = recording({
      fail: () => {
        const pauseMs = asked.shift()
        if (pauseMs !== undefined) throw new Failure('engine-unavailable', 'busy', { pauseMs })
      },
    })
    await projector.start()
    await write(mark('a', 1))
    projector.changed([mark('a', 1)])
    await projector.idle(soon())
    await projector.stop()
    expect(pauses).toEqual([100, 200, 400, 800, 1600, 30_000, 6400, 10_000, 10_000])
    expect(projected).toHaveLength(1)
    expect(await readMarks(store, 10, soon())).toEqual([])
  })

  it('tells those who wait at once when the search engine is away, until a batch succeeds', async () => {
    let away = true
    const { projector, projected, pauses } = recording({
      fail: () => {
        if (away) throw new Failure('engine-unavailable', 'not there')
      },
    })
    const never = new AbortController().signal
    const [first, second, third] = [mark('a', 1), mark('b', 2), mark('a', 3)]
    await projector.start()
    await write(first, second, third)
    projector.changed([first, second])
    // The first one finds out, the next ones need not wait for that any more.
    expect(await projector.waitUntilIndexed(first, never)).toBe(false)
    expect(await projector.waitUntilIndexed(second, never)).toBe(false)
    await expect.poll(() => pauses.at(-1)).toBe(1000)
    away = false
    await projector.idle(soon())
    projector.changed([third])
    expect(await projector.waitUntilIndexed(third, soon())).toBe(true)
    await projector.stop()
    expect(projected.map((batch) => batch.length)).toEqual([2, 1])
    expect(new Set(pauses)).toEqual(new Set([100, 200, 400, 800, 1000]))
    expect(await readMarks(store, 10, soon())).toEqual([])
  })

  it('lags while more writes wait than are kept in memory, and not while the search engine is away', async () => {
    let isAway = false
    const gate = Promise.withResolvers<void>()
    const { projector } = recording({
      capacity: 2000,
      fail: () => {
        if (isAway) throw new Failure('engine-unavailable', 'away')
      },
      pause: () => gate.promise,
    })
    const marks = (count: number) =>
      Array.from({ length: count }, (_, n) => mark(`many-${count}-${n}`, n + 1))
    await projector.start()
    projector.changed(marks(500))
    expect(projector.isBehind).toBe(false)
    isAway = true
    projector.changed(marks(900))
    expect(projector.isBehind).toBe(true)
    // The first batch says so.
    await projector.waitUntilIndexed(mark('many-500-0', 1), soon())
    expect(projector.isBehind).toBe(false)
    isAway = false
    gate.resolve()
    await projector.idle(soon())
    await projector.stop()
  })

  it('reads from the store what its memory could not hold', async () => {
    const marks = Array.from({ length: 50 }, (_, i) => mark(`r${i}`, i + 1))
    await write(...marks)
    const { projector, projected } = recording({ capacity: 5, batch: 2 })
    await projector.start()
    projector.changed(marks)
    await projector.idle(soon())
    await projector.stop()
    expect(new Set(projected.flat().map(({ resource }) => resource)).size).toBe(50)
    expect(await readMarks(store, 100, soon())).toEqual([])
  })

  it('says that a write may be pending while its mark is in the store alone', async () => {
    const marks = [mark('a', 1), mark('b', 2)]
    await write(...marks)
    const { projector } = recording({ capacity: 1 })
    projector.changed(marks)
    const answers = () => ['a', 'b'].map((name) => projector.mayBePending(`urn:x:${name}`))
    expect([projector.isPending('urn:x:b'), answers()]).toEqual([false, [true, true]])
    await projector.start()
    await projector.idle(soon())
    expect(answers()).toEqual([false, false])
    await projector.stop()
  })

  it('finds marks that are written while it reads the marks in the store', async () => {
    const [reading, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let reads = 0
    const select: GraphStore['select'] = async (...given) => {
      const rows = await store.select(...given)
      // The first read is that of the start.
      if ((reads += 1) === 2) {
        reading.resolve()
        await gate.promise
      }
      return rows
    }
    const { projector } = recording({ select })
    await projector.start()
    projector.recheck()
    await reading.promise
    await write(mark('late', 1))
    projector.recheck()
    gate.resolve()
    await projector.idle(soon())
    await projector.stop()
    expect(await readMarks(store, 10, soon())).toEqual([])
  })

  it('finds marks in the store that nobody told it of', async () => {
    const { projector, projected } = recording()
    await projector.start()
    await write(mark('silent', 1))
    projector.recheck()
    await projector.idle(soon())
    await projector.stop()
    expect(projected.flat().map(({ resource }) => resource)).toEqual(['urn:x:silent'])
    expect(await readMarks(store, 10, soon())).toEqual([])
  })

  it('finds such marks also while something else never ends', async () => {
    const { projector, projected } = recording({
      fail: (batch) => {
        if (batch.some(({ onlyIfMissing }) => onlyIfMissing)) throw new Error('cannot be built')
      },
    })
    await projector.start()
    let isFilled = false
    void projector.fill('urn:x:stuck')?.then(() => (isFilled = true))
    await write(mark('silent', 1))
    projector.recheck()
    expect(await projector.waitUntilIndexed(mark('silent', 1), soon())).toBe(true)
    expect(projector.isPending('urn:x:stuck')).toBe(false)
    await expect(projector.idle(AbortSignal.timeout(50))).rejects.toThrow('timeout')
    await projector.stop()
    expect(projected.flat().map(({ resource }) => resource)).toEqual(['urn:x:silent'])
    expect(isFilled).toBe(false)
  })

  it('keeps one indexed version in the store, the newest one, however batches overlap', async () => {
    await write(mark('a', 1), mark('b', 2), mark('c', 3), mark('d', 4))
    // A removal of marks takes longer the earlier it is.
    const turns = [60, 40, 20, 0]
    const slow: GraphStore['write'] = async (changes) => {
      for (let left = turns.shift() ?? 0; left > 0; left -= 1) await new Promise(setImmediate)
      return store.write(changes)
    }
    const { projector } = recording({ batch: 1, write: slow })
    await projector.start()
    await projector.idle(soon())
    await projector.stop()
    expect(await store.read('urn:cartulary:system')).toMatch(/^<[^ ]*> <[^ ]*indexed> "4" \.\n$/)
  })

  it('tells who wants a resource again when it is indexed, once for all of them', async () => {
    const { projector, projected } = recording()
    const all = [
      projector.projectAgain('urn:x:a'),
      projector.fill('urn:x:a'),
      projector.fill('urn:x:b'),
    ].map((one) => one ?? Promise.reject(new Error('no room')))
    await projector.start()
    await Promise.all(all)
    await projector.stop()
    expect(projected).toHaveLength(1)
    expect(projected[0]).toMatchObject([
      { resource: 'urn:x:a', version: 0, markedVersions: [] },
      { resource: 'urn:x:b', version: 0, onlyIfMissing: true },
    ])
    expect(projected[0]?.[0]?.onlyIfMissing).toBeUndefined()
  })

  it('lets no bad record hold up its neighbours', async () => {
    const marks = Array.from({ length: 5 }, (_, i) => mark(i === 1 ? 'bad' : `good${i}`, i + 1))
    await write(...marks)
    const { projector } = recording({
      fail: (batch) => {
        if (batch.some(({ resource }) => resource.endsWith('bad')))
          throw new Error('cannot be built')
      },
    })
    await projector.start()
    const good = marks.filter(({ resource }) => !resource.endsWith('bad'))
    const settled = await Promise.all(good.map((one) => projector.waitUntilIndexed(one, soon())))
    await projector.stop()
    expect(settled).toEqual([true, true, true, true])
    expect(await readMarks(store, 10, soon())).toEqual([mark('bad', 2)])
  })

  it('projects once more what the store could not forget', async () => {
    let refusals = 1
    const { projector, projected, pauses } = recording({
      write: (changes) =>
        refusals-- > 0 ? Promise.reject(new Error('it is away')) : store.write(changes),
    })
    await write(mark('a', 1))
    await projector.start()
    await projector.idle(soon())
    await projector.stop()
    expect([projected.length, pauses]).toEqual([2, [5000]])
    expect(await readMarks(store, 10, soon())).toEqual([])
  })

  it('knows the newest version that stands in a mark', async () => {
    expect(await newestMark(store)).toBe(0)
    await write(mark('a', 9_007_199_254_740_000), mark('b', 12))
    expect(await newestMark(store)).toBe(9_007_199_254_740_000)
  })

  it('idle gives up when its signal fires', async () => {
    const { projector } = recording()
    projector.changed([mark('a', 1)])
    await expect(projector.idle(AbortSignal.timeout(10))).rejects.toThrow('timeout')
  })

  it('gathers the next batch while the index takes one in, and gives it none before it has ended', async () => {
    const index = Promise.withResolvers<void>()
    const { projector, events } = stepping(() => index.promise)
    const marks = [mark('a', 1), mark('b', 2)]
    await write(...marks)
    await projector.start()
    await expect.poll(() => events).toEqual(['ready a', 'begun a', 'ready b'])
    expect([
      projector.pending,
      projector.isPending('urn:x:a'),
      projector.isPending('urn:x:c'),
    ]).toEqual([2, true, false])
    index.resolve()
    await projector.idle(soon())
    await projector.stop()
    expect(events.slice(3)).toEqual(['taken a', 'begun b', 'taken b'])
    expect(await readMarks(store, 10, soon())).toEqual([])
  })

  it('gathers nothing before or beside a batch that others embed', async () => {
    const index = Promise.withResolvers<void>()
    const { projector, events } = stepping(() => index.promise)
    await projector.start()
    projector.changed([mark('a', 1)])
    await expect.poll(() => events).toEqual(['ready a', 'begun a'])
    projector.changed([mark('catalogue', 2), mark('b', 3)])
    // Turns of the event loop in which the catalogue could have been gathered.
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    expect(events).toEqual(['ready a', 'begun a'])
    index.resolve()
    await projector.idle(soon())
    await projector.stop()
    expect(events.slice(2)).toEqual([
      'taken a',
      'ready catalogue',
      'begun catalogue',
      'taken catalogue',
      'ready b',
      'begun b',
      'taken b',
    ])
  })
})
