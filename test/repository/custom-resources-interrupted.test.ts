/** Deletions of resources of declared types that are cut off: nothing is lost, nothing is hidden, and the work is taken on. */

import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Failure } from '../../src/errors.ts'
import type { GraphStore } from '../../src/store/graph-store.ts'
import { eventually, remove as removeDirectory, temporaryDirectory } from '../support/gateway.ts'
import { prefixes, repository } from '../support/repository.ts'
import { aService, declared } from './declared.ts'

/** Failures of `writeEach`: `before` = nothing lands, `after` = it lands and nobody is told. */
const faults: ('before' | 'after')[] = []
/** The next calls of `writeEach` wait for it. */
let gate = Promise.resolve()
const away = () => new Failure('store-unavailable', 'the store is away')
const around = (store: GraphStore): GraphStore => ({
  ...store,
  writeEach: async (groups, signal) => {
    await gate
    const fault = faults.shift()
    if (fault === 'before') throw away()
    const landings = await store.writeEach(groups, signal)
    if (fault === 'after') throw away()
    return landings
  },
})

let directory: string
let repo: Awaited<ReturnType<typeof repository>>
const open = async () => {
  repo = await repository({ directory, around, resources: declared })
}
beforeEach(async () => {
  faults.length = 0
  directory = await temporaryDirectory()
  await open()
  await repo.putCatalogue('c')
})
afterEach(async () => {
  await repo.close()
  await removeDirectory(directory)
})

const pathOf = (id: string) => `/customresources/data-service/${id}`
const put = (id: string) =>
  repo.ask(`${pathOf(id)}?catalogId=c`, { method: 'PUT', type: 'text/turtle', body: aService() })
const remove = async (path: string) => (await repo.ask(path, { method: 'DELETE' })).status
const restore = async (path: string) =>
  (await repo.ask(`${path}/restore`, { method: 'POST' })).status
const status = async (path: string) => (await repo.ask(path)).status
const ids = async () =>
  (await repo.ask('/customresources/data-service?valueType=identifiers')).json()
const listed = async () => {
  const headers = { 'X-API-Key': 'a-key-for-everything' }
  const answer = await repo.ask('/tombstones', { headers })
  return ((await answer.json()) as { id: string }[]).map(({ id }) => id)
}

describe('a deletion that the store does not take', () => {
  it('answers 503, and the resource is there as if nothing had been', async () => {
    await put('one')
    faults.push('before')
    expect(await remove(pathOf('one'))).toBe(503)
    expect(await status(pathOf('one'))).toBe(200)
    expect(await restore(pathOf('one'))).toBe(409)
    await repo.close()
    await open()
    expect(await listed()).toEqual([])
    expect([await status(pathOf('one')), await ids()]).toEqual([200, ['one']])
  })
})

describe('a deletion that lands without anybody knowing', () => {
  it('answers 503, and the resource is gone and can be restored', async () => {
    await put('one')
    faults.push('after')
    expect(await remove(pathOf('one'))).toBe(503)
    await repo.close()
    await open()
    expect(await status(pathOf('one'))).toBe(410)
    expect(await listed()).toEqual(['data-service/one'])
    expect(await restore(pathOf('one'))).toBe(201)
    expect(await status(pathOf('one'))).toBe(200)
  })
})

describe('a catalogue that is deleted while the store comes and goes', () => {
  it('takes its resources all the same, and brings every one back', async () => {
    const all = ['a', 'b', 'd']
    for (const id of all) await put(id)
    await repo.putDataset('c', 'levels', `${prefixes}<> a dcat:Dataset .`)
    faults.push('before', 'after', 'before', 'after')
    expect([202, 204]).toContain(await remove('/catalogues/c'))
    expect(await eventually(async () => (await remove('/catalogues/c')) === 410)).toBe(true)
    expect(await ids()).toEqual([])
    faults.push('before', 'after')
    expect(await restore('/catalogues/c')).toBe(201)
    expect(await ids()).toEqual(all)
    expect(await listed()).toEqual([])
  })

  it('is taken on by the next process', async () => {
    for (const id of ['a', 'b']) await put(id)
    faults.push(...Array.from({ length: 50 }, () => 'before' as const))
    const headers = { Prefer: 'respond-async' }
    await repo.ask('/catalogues/c', { method: 'DELETE', headers })
    await repo.close()
    faults.length = 0
    await open()
    expect(await eventually(async () => (await remove('/catalogues/c')) === 410)).toBe(true)
    expect(await ids()).toEqual([])
    expect(await status(pathOf('a'))).toBe(410)
  })
})

it('the deletion of a catalogue leaves a resource that was meanwhile created in another one', async () => {
  await repo.putCatalogue('d')
  await put('moved')
  const opened = Promise.withResolvers<void>()
  gate = opened.promise
  // Each waits for the lock of the resource, in this order; the deletion has read that it is a member.
  const first = remove(pathOf('moved'))
  await setTimeout(100)
  const second = repo.ask(`${pathOf('moved')}?catalogId=d`, {
    method: 'PUT',
    type: 'text/turtle',
    body: aService('Moved'),
  })
  await setTimeout(100)
  const third = remove('/catalogues/c')
  await setTimeout(100)
  opened.resolve()
  expect([await first, (await second).status, await third]).toEqual([204, 201, 204])
  const answer = await repo.ask(pathOf('moved'))
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('Moved')])
})
