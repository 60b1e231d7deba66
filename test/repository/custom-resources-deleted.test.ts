/** What is said of deleted resources of declared types, and how they come back, over a real store. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { alpineKey, base, repository } from '../support/repository.ts'
import { aGauge, aService, declared, iriOf, problem, withTypes } from './declared.ts'

let repo: Awaited<ReturnType<typeof withTypes>>
beforeAll(async () => {
  repo = await withTypes()
})
afterAll(() => repo.close())

const remove = (path: string) => repo.send('DELETE', path)
const restore = (path: string, headers: Record<string, string> = {}) =>
  repo.ask(`/customresources${path}/restore`, { method: 'POST', headers })
const factsOf = (type: string, id: string) =>
  repo.store.select(
    `SELECT ?p ?o WHERE { GRAPH <urn:cartulary:system> { <${iriOf(type, id)}> ?p ?o } FILTER(!STRENDS(STR(?p), "pending")) } ORDER BY ?p`,
  )
const links = async () => (await repo.store.read(`${base}id/catalogue/alpine-water`)) ?? ''

describe('a deleted resource', () => {
  it('is gone: 410 says until when it can be restored, and nothing of it is left in the store', async () => {
    await repo.putService('short', 'alpine-water')
    expect((await remove('/data-service/short')).status).toBe(204)
    for (const path of ['/data-service/short', '/data-service/short.ttl']) {
      const answer = (await (await repo.read(path)).json()) as object
      expect(answer).toMatchObject({
        status: 410,
        deletedAt: '2026-11-21T10:00:00Z',
        restorableUntil: '2026-12-21T10:00:00Z',
        catalogue: 'alpine-water',
        detail: expect.stringContaining('POST /customresources/data-service/short/restore'),
      })
    }
    expect((await remove('/data-service/short')).status).toBe(410)
    expect((await repo.read('/data-service/never')).status).toBe(404)
    expect(await repo.lines('data-service', 'short')).toBe('')
    expect(await links()).not.toContain('data-service/short')
    expect(await factsOf('data-service', 'short')).toEqual([])
  })

  it('comes back as it was', async () => {
    for (const path of ['/data-service/back', '/gauge/back']) {
      const [, type = ''] = path.split('/')
      await (type === 'gauge' ? repo.putGauge('back') : repo.putService('back', 'alpine-water'))
      const state = async () => [
        await (await repo.read(`${path}.nt`)).text(),
        (await repo.read(path)).headers.get('ETag'),
        await factsOf(type, 'back'),
        (await links()).includes('record/data-service/back'),
      ]
      const before = await state()
      await remove(path)
      repo.changed.length = 0
      const answer = await restore(path)
      expect([answer.status, answer.headers.get('Location')]).toEqual([201, iriOf(type, 'back')])
      expect(repo.changed.map(({ resource }) => resource)).toEqual([iriOf(type, 'back')])
      expect(await state()).toEqual(before)
      expect((await restore(path)).status).toBe(409)
    }
  })

  it('makes room for a new one under its id, also in another catalogue, and is then no more', async () => {
    await repo.putService('room', 'alpine-water')
    await remove('/data-service/room')
    expect((await repo.putService('room', 'other', aService('New'))).status).toBe(201)
    expect((await restore('/data-service/room')).status).toBe(409)
    await remove('/data-service/room')
    const answer = await restore('/data-service/room')
    expect(answer.status).toBe(201)
    expect(await repo.lines('data-service', 'room')).toContain('"New"')
  })

  it('comes back for those only who may write it', async () => {
    await repo.putService('mine', 'alpine-water')
    await repo.putService('theirs', 'other')
    await repo.putGauge('ours')
    const key = { 'X-API-Key': alpineKey }
    for (const path of ['/data-service/mine', '/data-service/theirs', '/gauge/ours'])
      await remove(path)
    expect((await restore('/data-service/mine', key)).status).toBe(201)
    expect((await restore('/data-service/theirs', key)).status).toBe(403)
    expect((await restore('/gauge/ours', key)).status).toBe(403)
    expect((await restore('/gauge/never', key)).status).toBe(404)
  })

  it('stands in the list of what was deleted, with its type', async () => {
    await repo.putService('listed', 'other')
    await remove('/data-service/listed')
    const found = (await (
      await repo.ask('/tombstones?catalogue=other', {
        headers: { 'X-API-Key': 'a-key-for-everything' },
      })
    ).json()) as object[]
    expect(found[0]).toMatchObject({ kind: 'resource', id: 'data-service/listed' })
  })

  it('is unknown at once where nothing is kept', async () => {
    const forgetful = await repository({ resources: declared, days: 0 })
    const path = '/customresources/gauge/a'
    await forgetful.ask(path, { method: 'PUT', type: 'text/turtle', body: aGauge() })
    await forgetful.ask(path, { method: 'DELETE' })
    const answer = await problem(await forgetful.ask(path))
    expect(answer).toMatchObject({ status: 404, slug: 'unknown-resource' })
    await forgetful.close()
  })
})

describe('a deleted catalogue', () => {
  it('brings back what went with it, and not what had gone before', async () => {
    await repo.putCatalogue('whole')
    const body = '<> a <http://www.w3.org/ns/dcat#Dataset> .'
    await repo.putDataset('whole', 'levels', body)
    for (const id of ['w1', 'w2', 'w3']) await repo.putService(id, 'whole')
    const before = await repo.lines('data-service', 'w2')
    await remove('/data-service/w3')
    const deleting = { method: 'DELETE' }
    expect((await repo.ask('/catalogues/whole', deleting)).status).toBe(204)
    expect((await repo.read('/data-service/w2')).status).toBe(410)
    expect((await restore('/data-service/w2')).status).toBe(409)
    const back = await repo.ask('/catalogues/whole/restore', { method: 'POST' })
    expect(back.status).toBe(201)
    expect(await repo.lines('data-service', 'w2')).toBe(before)
    const ids = '/data-service?catalogId=whole&valueType=identifiers'
    expect(await (await repo.read(ids)).json()).toEqual(['w1', 'w2'])
    expect((await repo.read('/data-service/w3')).status).toBe(410)
    expect((await repo.ask('/datasets/levels')).status).toBe(200)
    expect((await restore('/data-service/w3')).status).toBe(201)
  })
})
