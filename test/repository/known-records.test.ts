/** Records that a writer knows: an id is looked up once, and never found where it is not any more. */

import { AsyncLocalStorage } from 'node:async_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { names as namesOf } from '../../src/rdf/names.ts'
import { linkLines } from '../../src/repository/deleting/members.ts'
import { KnownRecords } from '../../src/repository/writing/known-records.ts'
import type { GraphStore } from '../../src/store/graph-store.ts'
import { prefixes, repository } from '../support/repository.ts'

/** Queries of one request. */
const requests = new AsyncLocalStorage<{ count: number }>()
let isAlone = true
const around = (store: GraphStore): GraphStore => ({
  ...store,
  isOnlyWriter: () => isAlone,
  select: async (query, signal) => {
    const request = requests.getStore()
    if (request) request.count += 1
    return store.select(query, signal)
  },
})

let repo: Awaited<ReturnType<typeof repository>>
beforeEach(async () => {
  isAlone = true
  repo = await repository({ around })
  await repo.putCatalogue('c')
})
afterEach(() => repo.close())

/** Puts a dataset; answers the status and how many queries the store was sent. */
async function put(title: string, { catalogue = 'c', id = 'one' } = {}) {
  const request = { count: 0 }
  const body = `${prefixes}<> a dcat:Dataset ; dct:title "${title}"@en .`
  const { status } = await requests.run(request, () => repo.putDataset(catalogue, id, body))
  return [status, request.count]
}
const remove = (path: string) =>
  repo.ask(path, { method: 'DELETE', headers: { Prefer: 'wait=30' } })

describe('the id of a dataset', () => {
  it('is looked up for its first write only', async () => {
    expect([await put('a'), await put('b'), await put('b')]).toEqual([
      [201, 1],
      [204, 0],
      [304, 0],
    ])
  })

  it('is looked up for every write while other processes may write', async () => {
    await put('a')
    isAlone = false
    expect([await put('b'), await put('b')]).toEqual([
      [204, 1],
      [304, 1],
    ])
  })

  it('is looked up again after the dataset was deleted', async () => {
    await put('a')
    await remove('/datasets/one')
    expect(await put('a')).toEqual([201, 1])
  })

  it('leads to no dataset of a catalogue that was deleted', async () => {
    await put('a')
    await remove('/catalogues/c')
    expect((await put('b'))[0]).toBe(404)
  })

  it('is that of one catalogue', async () => {
    await put('a')
    await repo.putCatalogue('d')
    expect((await put('a', { catalogue: 'd' }))[0]).toBe(201)
    expect(await put('a')).toEqual([304, 0])
  })
})

describe('a known record', () => {
  const names = namesOf('http://localhost:8080/')
  const record = {
    id: 'one',
    originalId: 'One',
    hash: 'h',
    issued: '2026-11-30T10:00:00Z',
    modified: '2026-11-30T10:00:00Z',
  }
  let now = 0
  const cache = () => new KnownRecords({ names, now: () => now, isOnlyWriter: () => true })
  const unlinked = {
    graph: names.catalogue('c'),
    remove: linkLines(names, { catalogue: 'c', id: 'x' }),
  }

  it('is found for ten minutes', () => {
    now = 0
    const records = cache()
    records.begin()('c', record)
    now = 599_999
    expect(records.find('c', 'One', 'one')).toEqual(record)
    now = 600_000
    expect(records.find('c', 'One', 'one')).toBeUndefined()
  })

  it.each([
    ['its graph changes', { graph: names.dataset('one'), content: '' }, true],
    ['another graph changes', { graph: names.dataset('two'), content: '' }, false],
    ['its catalogue is emptied', { graph: names.catalogue('c'), content: '' }, true],
    ['its catalogue is removed', { graph: names.catalogue('c'), drop: true as const }, true],
    ['its catalogue changes', { graph: names.catalogue('c'), content: 'x' }, false],
    ['its catalogue gets a link', { graph: names.catalogue('c'), add: ['x'] }, false],
  ])('is dropped when it may have changed: %s', (_, change, isDropped) => {
    const records = cache()
    records.begin()('c', record)
    records.apply([change])
    expect(records.find('c', 'One', 'one') === undefined).toBe(isDropped)
  })

  it('is not kept when something was removed since it was read', () => {
    const records = cache()
    const note = records.begin()
    records.apply([unlinked])
    note('c', record)
    expect(records.find('c', 'One', 'one')).toBeUndefined()
  })

  it('is not kept when the outcome of a write became unknown since it was read', () => {
    const records = cache()
    const note = records.begin()
    records.forget()
    note('c', record)
    expect(records.find('c', 'One', 'one')).toBeUndefined()
  })

  it('keeps nothing of the body that it was read from', () => {
    setFlagsFromString('--expose-gc')
    const collect: unknown = runInNewContext('gc')
    const records = cache()
    const note = records.begin()
    const used = () => {
      if (typeof collect === 'function') collect()
      return process.memoryUsage().heapUsed
    }
    const before = used()
    for (let n = 0; n < 100; n += 1) {
      const body = Buffer.alloc(2 ** 20, `the text of dataset ${n} `).toString()
      note('c', { ...record, id: `d${n}`, originalId: body.slice(5, 25) })
    }
    expect(used() - before).toBeLessThan(20 * 2 ** 20)
    expect(records.find('c', 'ext of dataset 7 the', 'd7')).toBeDefined()
  })
})
