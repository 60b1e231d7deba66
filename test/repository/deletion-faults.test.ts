/** What deletions and restores keep true when the store fails, when a member exists already and when its original id is taken. */

import { afterEach, beforeEach, expect, it } from 'vitest'
import { Failure } from '../../src/errors.ts'
import type { DeletedContent } from '../../src/repository/deleting/tombstones.ts'
import type { GraphStore } from '../../src/store/graph-store.ts'
import { base, prefixes, repository } from '../support/repository.ts'

/** Whether each of the next calls of `writeEach` fails. */
const faults: boolean[] = []
/** The next calls of `writeEach` wait for it. */
let gate = Promise.resolve()
const around = (store: GraphStore): GraphStore => ({
  ...store,
  writeEach: async (groups, signal) => {
    await gate
    if (faults.shift()) throw new Failure('store-unavailable', 'the store is away')
    return store.writeEach(groups, signal)
  },
})

let repo: Awaited<ReturnType<typeof repository>>
beforeEach(async () => {
  faults.length = 0
  repo = await repository({ around, limits: { writesPerKey: 300 } })
  await repo.putCatalogue('c')
})
afterEach(() => repo.close())

const put = (id: string) =>
  repo.putDataset('c', id, `${prefixes}<> a dcat:Dataset ; dct:title "${id}"@en .`)
const headers = { Prefer: 'wait=30' }
const remove = async (path: string) => (await repo.ask(path, { method: 'DELETE', headers })).status
const restore = (path: string) => repo.ask(`${path}/restore`, { method: 'POST', headers })
const listed = () =>
  repo.deletion.tombstones.list('c', { offset: 0, limit: 100 }).map(({ id }) => id)
const jobs = (kind: string) => repo.jobs.list({ kind, limit: 9, offset: 0 })

/** Writes a confirmed tombstone as if the resource had been deleted. */
const leave = (content: Partial<DeletedContent> & Pick<DeletedContent, 'kind' | 'id'>) => {
  const rest = { catalogue: 'c', originalId: undefined, content: '', metrics: '' }
  const deleted = { ...rest, ...content }
  repo.deletion.tombstones.write([deleted], repo.clock.now).end([deleted.id])
}
/** Leaves the tombstone of the catalogue `k`; what its members have in common. */
const leaveCatalogue = () => {
  const type = '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>'
  const content = `<${base}id/catalogue/k> ${type} <http://www.w3.org/ns/dcat#Catalog> .\n`
  const rest = { catalogue: 'k', deletion: 7 }
  leave({ ...rest, kind: 'catalogue', id: 'k', originalId: 'k', content, hash: 'h' })
  return rest
}
const titleOf = (id: string, title: string) =>
  `<${base}set/data/${id}> <http://purl.org/dc/terms/title> "${title}" .\n`

it('goes on with the members that a failure left, and drops the catalogue after the last one', async () => {
  await Promise.all(Array.from({ length: 25 }, (_, n) => put(`d ${n}`)))
  faults.push(false, true)
  expect(await remove('/catalogues/c')).toBe(204)
  expect(jobs('delete-catalogue')).toMatchObject([
    { state: 'done', attempts: 2, progress: { done: 5, of: 5 } },
  ])
  const query = 'ASK { GRAPH ?g { ?s ?p ?o } FILTER(!STRSTARTS(STR(?g), "urn:cartulary:")) }'
  expect(await repo.store.ask(query)).toBe(false)
})

it('lists a deleted catalogue at once', async () => {
  expect(await remove('/catalogues/c')).toBe(204)
  expect(listed()).toEqual(['c'])
  await repo.putCatalogue('c')
  expect(listed()).toEqual([])
})

it('lists no dataset whose removal failed', async () => {
  await put('one')
  faults.push(true)
  expect(await remove('/datasets/one')).toBe(503)
  expect(listed()).toEqual([])
  expect((await repo.ask('/datasets/one')).status).toBe(200)
})

it('forgets the tombstone of a catalogue that is restored', async () => {
  await put('one')
  expect(await remove('/catalogues/c')).toBe(204)
  expect((await restore('/catalogues/c')).status).toBe(201)
  await expect.poll(() => jobs('restore-catalogue')).toMatchObject([{ state: 'done' }])
  const { tombstones } = repo.deletion
  expect([tombstones.find('catalogue', 'c'), tombstones.restoring()]).toEqual([undefined, []])
})

it('does not restore a dataset whose original id belongs to another one', async () => {
  await put('one')
  leave({ kind: 'dataset', id: 'other', originalId: 'one', content: titleOf('other', 'Other') })
  const answer = await restore('/datasets/other')
  expect([answer.status, await answer.text()]).toEqual([
    409,
    expect.stringContaining('the original id'),
  ])
  expect((await repo.ask('/datasets/other')).status).not.toBe(200)
})

it('leaves a member as it is that exists when its catalogue is restored', async () => {
  await put('one')
  const iri = `${base}set/data/one`
  const before = await repo.store.read(iri)
  const rest = leaveCatalogue()
  leave({ ...rest, kind: 'dataset', id: 'one', content: titleOf('one', 'Older') })
  expect((await restore('/catalogues/k')).status).toBe(201)
  await expect.poll(() => jobs('restore-catalogue')).toMatchObject([{ state: 'done' }])
  expect(await repo.store.read(iri)).toBe(before)
  expect(repo.deletion.tombstones.find('dataset', 'one')).toBeUndefined()
})

it('restores all members of a catalogue when the time for it ends meanwhile', async () => {
  const rest = leaveCatalogue()
  const ids = Array.from({ length: 101 }, (_, n) => `m${n}`)
  for (const id of ids) leave({ ...rest, kind: 'dataset', id, content: titleOf(id, id) })
  const { promise, resolve } = Promise.withResolvers<void>()
  gate = promise
  const answer = await repo.ask('/catalogues/k/restore', {
    method: 'POST',
    headers: { Prefer: 'respond-async' },
  })
  expect(answer.status).toBe(201)
  repo.clock.now = new Date('2027-01-01T00:00:00Z')
  resolve()
  await expect.poll(() => jobs('restore-catalogue')).toMatchObject([{ state: 'done' }])
  expect(await repo.store.read(`${base}set/data/m100`)).toBe(titleOf('m100', 'm100'))
})

it('ends a restore whose catalogue a direct writer removes, which can be restored again', async () => {
  await put('one')
  expect(await remove('/catalogues/c')).toBe(204)
  const { promise, resolve } = Promise.withResolvers<void>()
  gate = promise
  await repo.ask('/catalogues/c/restore', {
    method: 'POST',
    headers: { Prefer: 'respond-async' },
  })
  expect(repo.deletion.tombstones.restoring()).toEqual(['c'])
  await repo.store.write([{ graph: `${base}id/catalogue/c`, drop: true }])
  resolve()
  await expect.poll(() => jobs('restore-catalogue')).toMatchObject([{ state: 'done' }])
  expect(listed()).toContain('c')
  expect((await restore('/catalogues/c')).status).toBe(201)
  expect((await repo.ask('/datasets/one')).status).toBe(200)
})
