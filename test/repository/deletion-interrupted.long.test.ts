/** Deletions that are cut off: no tombstone hides what is there, no acknowledged deletion lacks its tombstone. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../src/errors.ts'
import { Tombstones } from '../../src/repository/deleting/tombstones.ts'
import type { DeletedContent } from '../../src/repository/deleting/tombstones.ts'
import type { GraphStore } from '../../src/store/graph-store.ts'
import { eventually, remove as removeDirectory, temporaryDirectory } from '../support/gateway.ts'
import { prefixes, repository } from '../support/repository.ts'

type Repository = Awaited<ReturnType<typeof repository>>

/** Failures of `writeEach`: `before` = nothing lands, `after` = it lands and nobody is told. */
const faults: ('before' | 'after')[] = []
const away = () => new Failure('store-unavailable', 'the store is away')
const around = (store: GraphStore): GraphStore => ({
  ...store,
  writeEach: async (groups, signal) => {
    const fault = faults.shift()
    if (fault === 'before') throw away()
    const landings = await store.writeEach(groups, signal)
    if (fault === 'after') throw away()
    return landings
  },
})

let directory: string
let repo: Repository
const open = async () => {
  repo = await repository({ directory, around, limits: { writesPerKey: 300 } })
}
const reopen = async () => {
  await repo.close()
  await open()
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

const put = (id: string, title = id) =>
  repo.putDataset('c', id, `${prefixes}<> a dcat:Dataset ; dct:title "${title}"@en .`)
const remove = async (path: string, headers: Record<string, string> = {}) =>
  (await repo.ask(path, { method: 'DELETE', headers })).status
const restore = async (path: string) =>
  (await repo.ask(`${path}/restore`, { method: 'POST' })).status
const status = async (path: string) => (await repo.ask(path)).status
const listed = async () => {
  const headers = { 'X-API-Key': 'a-key-for-everything' }
  const answer = await repo.ask('/tombstones', { headers })
  return ((await answer.json()) as { id: string }[]).map(({ id }) => id)
}
const fill = (count: number) => Promise.all(Array.from({ length: count }, (_, n) => put(`d ${n}`)))
const size = async () =>
  ((await (await repo.ask('/catalogues/c/datasets?limit=5000')).json()) as string[]).length

/** A tombstone as a process leaves it that dies before it knows what became of the removal. */
function leave(remains: Pick<DeletedContent, 'id' | 'content'>, settled = false): void {
  const now = () => new Date('2026-11-21T10:00:00Z')
  const tombstones = new Tombstones({ directory: join(directory, 'deleted'), days: 30, now })
  const rest = { kind: 'dataset', catalogue: 'c', originalId: 'One', metrics: '' } as const
  const kept = tombstones.write([{ ...remains, ...rest }], now())
  if (settled) kept.end([remains.id])
  tombstones.close()
}

describe('a deletion that the store does not take', () => {
  it('answers 503, and the dataset is there as if nothing had been', async () => {
    await put('One')
    faults.push('before')
    expect(await remove('/datasets/one')).toBe(503)
    expect(await status('/datasets/one')).toBe(200)
    expect(await listed()).toEqual([])
    expect(await restore('/datasets/one')).toBe(409)
    const isGone = async () => repo.deletion.tombstones.find('dataset', 'one') === undefined
    expect(await eventually(isGone)).toBe(true)
    expect(await remove('/datasets/one')).toBe(204)
    expect(await listed()).toEqual(['one'])
  })
})

describe('a deletion whose answer gets lost on the way', () => {
  it('answers 503, and afterwards the dataset is gone and can be restored', async () => {
    await put('One')
    faults.push('after')
    expect(await remove('/datasets/one')).toBe(503)
    expect(await status('/datasets/one')).toBe(410)
    expect(await eventually(async () => (await listed()).includes('one'))).toBe(true)
    expect(await restore('/datasets/one')).toBe(201)
  })
})

describe('a tombstone of an earlier process', () => {
  it('set up for a removal that never came is discarded', async () => {
    await put('One', 'Still here')
    await repo.close()
    leave({ id: 'one', content: '<urn:a> <urn:b> "old" .\n' })
    await open()
    expect(repo.deletion.tombstones.find('dataset', 'one')).toBeUndefined()
    expect(await status('/datasets/one')).toBe(200)
    expect((await put('One', 'Changed')).status).toBe(204)
  })

  it('set up for a removal that has landed counts', async () => {
    await repo.close()
    leave({ id: 'one', content: '<urn:a> <urn:b> "old" .\n' })
    await open()
    expect(await status('/datasets/one')).toBe(410)
    expect(await listed()).toEqual(['one'])
  })

  it('whose dataset came back hides it nowhere, and goes with the first look', async () => {
    await put('One', 'Back')
    await repo.close()
    leave({ id: 'one', content: '<urn:a> <urn:b> "old" .\n' }, true)
    await open()
    expect(await status('/datasets/one')).toBe(200)
    expect(await status('/datasets/one/metrics')).toBe(404)
    expect(await restore('/datasets/one')).toBe(409)
    expect(await listed()).toEqual([])
    expect(repo.deletion.tombstones.find('dataset', 'one')).toBeUndefined()
  })
})

describe('the deletion of a catalogue', () => {
  const isDone = () => eventually(async () => (await remove('/catalogues/c')) === 410)
  const left = () =>
    repo.store.ask('ASK { GRAPH ?g { ?s ?p ?o } FILTER(!STRSTARTS(STR(?g), "urn:cartulary:")) }')

  it('is only paused when the store is away, and loses no tombstone', async () => {
    await fill(150)
    faults.push('before', 'before', 'after', 'before')
    await remove('/catalogues/c', { Prefer: 'wait=30' })
    expect(await isDone()).toBe(true)
    expect(await left()).toBe(false)
    await reopen()
    expect(await restore('/catalogues/c')).toBe(201)
    expect(await size()).toBe(150)
  })

  it('goes on after the end of the process', async () => {
    await fill(120)
    faults.push(...Array.from({ length: 100 }, () => 'before' as const))
    expect(await remove('/catalogues/c', { Prefer: 'respond-async' })).toBe(202)
    await repo.close()
    faults.length = 0
    await open()
    expect(await isDone()).toBe(true)
    expect(await left()).toBe(false)
    expect(await restore('/catalogues/c')).toBe(201)
    expect(await size()).toBe(120)
  })

  it('goes on at another machine, which has the store and not the tombstones', async () => {
    await fill(30)
    faults.push(...Array.from({ length: 100 }, () => 'before' as const))
    expect(await remove('/catalogues/c', { Prefer: 'respond-async' })).toBe(202)
    await repo.close()
    await rm(join(directory, 'deleted'), { recursive: true })
    faults.length = 0
    await open()
    const emptied = async () => !(await left())
    expect(await eventually(emptied)).toBe(true)
    const isFree = async () => (await repo.putCatalogue('c')).status === 201
    expect(await eventually(isFree)).toBe(true)
    expect(await restore('/datasets/d-7')).toBe(201)
  })
})

describe('the restoring of a catalogue', () => {
  it('goes on after the end of the process, and brings every dataset back', async () => {
    await fill(250)
    expect(await remove('/catalogues/c', { Prefer: 'wait=30' })).toBe(204)
    faults.push('after', ...Array.from({ length: 100 }, () => 'before' as const))
    const unanswered = restore('/catalogues/c')
    expect(await eventually(async () => faults.length < 90)).toBe(true)
    await repo.close()
    faults.length = 0
    await open()
    expect(await eventually(async () => (await size()) === 250)).toBe(true)
    expect(await eventually(async () => (await listed()).length === 0)).toBe(true)
    expect(await remove('/catalogues/c', { Prefer: 'wait=30' })).toBe(204)
    void unanswered
  })
})

describe('what is past its window', () => {
  it('is removed from the disk in the background', async () => {
    await put('One')
    expect(await remove('/datasets/one')).toBe(204)
    repo.clock.now = new Date('2026-12-30T10:00:00Z')
    await put('Two')
    expect(await remove('/datasets/two')).toBe(204)
    const left = async () => {
      repo.clock.now = new Date('2026-11-21T10:00:00Z')
      const found = repo.deletion.tombstones.find('dataset', 'one')
      repo.clock.now = new Date('2026-12-30T10:00:00Z')
      return found !== undefined
    }
    expect(await eventually(async () => !(await left()))).toBe(true)
    expect(await status('/datasets/two')).toBe(410)
  })
})
