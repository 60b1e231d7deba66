/** What the repository says of deleted datasets, and how they come back, over a real store. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { alpineKey, base, prefixes, repository } from '../support/repository.ts'

let repo: Awaited<ReturnType<typeof repository>>
beforeAll(async () => {
  repo = await repository({ limits: { writesPerKey: 100 } })
  for (const id of ['alpine-water', 'other']) await repo.putCatalogue(id)
})
afterAll(() => repo.close())

const body = (title: string) => `${prefixes}<> a dcat:Dataset ; dct:title "${title}"@en ;
  dct:conformsTo [ dct:title "Standard"@en ] ;
  dcat:distribution <https://example.org/csv> , [ a dcat:Distribution ; dct:title "Second"@en ] .
<https://example.org/csv> a dcat:Distribution ; dcat:accessURL <https://example.org/1.csv> .`
const metrics = (id: string) => `${prefixes}@prefix dqv: <http://www.w3.org/ns/dqv#> .
<urn:m> a dqv:QualityMetadata . <urn:v> a dqv:QualityMeasurement ; dqv:computedOn <${base}set/data/${id}> ; dqv:value 5 .`

const remove = (path: string) => repo.ask(path, { method: 'DELETE' })
const restore = (path: string) => repo.ask(`${path}/restore`, { method: 'POST' })
const graph = async (id: string) => repo.store.read(`${base}set/data/${id}`)
const iris = async (id: string) =>
  [...((await graph(id)) ?? '').matchAll(/set\/distribution\/([^>]+)> <[^>]+type>/g)]
    .map(([, uuid]) => uuid)
    .toSorted((a = '', b = '') => a.localeCompare(b))

describe('a deleted dataset', () => {
  const gone = {
    type: 'urn:cartulary:problem:gone',
    status: 410,
    deletedAt: '2026-11-21T10:00:00Z',
    restorableUntil: '2026-12-21T10:00:00Z',
    catalogue: 'other',
    originalId: 'Forest Fires',
  }

  beforeAll(async () => {
    await repo.putDataset('other', 'Forest Fires', body('Fires'))
    await remove('/datasets/forest-fires')
  })

  it.each([
    ['GET', '/datasets/forest-fires'],
    ['GET', '/datasets/forest-fires.ttl'],
    ['DELETE', '/datasets/forest-fires'],
    ['PUT', '/datasets/forest-fires'],
    ['GET', '/datasets/forest-fires/record'],
    ['GET', '/datasets/forest-fires/metrics'],
    ['GET', '/datasets/forest-fires/distributions'],
    ['GET', '/resources/forest-fires'],
    ['GET', '/catalogues/other/datasets/origin?originalId=Forest%20Fires'],
    ['DELETE', '/catalogues/other/datasets/origin?originalId=Forest%20Fires'],
  ])('answers %s %s with 410 and what it was', async (method, path) => {
    const put = method === 'PUT' ? { type: 'text/turtle', body: body('New') } : {}
    const answer = await repo.ask(path, { method, ...put })
    expect(answer.headers.get('Content-Type')).toBe('application/problem+json')
    expect(await answer.json()).toMatchObject(gone)
  })

  it('answers HEAD with 410 as well', async () => {
    expect((await repo.ask('/datasets/forest-fires', { method: 'HEAD' })).status).toBe(410)
  })

  it('tells a request without a key nothing but that the key is missing', async () => {
    const answer = await repo.app.request('/datasets/forest-fires', { method: 'DELETE' })
    expect(answer.status).toBe(401)
  })

  it('leaves neither graph nor link nor metrics behind', async () => {
    await repo.putDataset('other', 'measured', body('Measured'))
    const put = { method: 'PUT', type: 'text/turtle', body: metrics('measured') }
    expect((await repo.ask('/datasets/measured/metrics', put)).status).toBe(201)
    expect((await remove('/datasets/measured')).status).toBe(204)
    const query = `ASK { GRAPH ?g { ?s ?p ?o } FILTER(CONTAINS(STR(?g), 'measured') || CONTAINS(STR(?o), 'data/measured')) }`
    expect(await repo.store.ask(query)).toBe(false)
  })

  it('is unknown, not gone, when it never was', async () => {
    expect((await repo.ask('/datasets/never-was')).status).toBe(404)
    expect((await restore('/datasets/never-was')).status).toBe(404)
  })

  it('is 404 once the window is over, and then its id is free again', async () => {
    await repo.putDataset('other', 'Old one', body('Old'))
    await remove('/datasets/old-one')
    repo.clock.now = new Date('2026-12-21T10:00:00Z')
    expect((await repo.ask('/datasets/old-one')).status).toBe(404)
    expect((await restore('/datasets/old-one')).status).toBe(404)
    const answer = await repo.putDataset('alpine-water', 'old one', body('New'))
    expect(answer.headers.get('Location')).toBe(`${base}set/data/old-one`)
    repo.clock.now = new Date('2026-11-21T10:00:00Z')
  })
})

describe('POST /datasets/{id}/restore', () => {
  it('brings the very graph back, with its metrics and links', async () => {
    await repo.putDataset('other', 'Lake 7', body('Lake'))
    const put = { method: 'PUT', type: 'text/turtle', body: metrics('lake-7') }
    await repo.ask('/datasets/lake-7/metrics', put)
    const before = [await graph('lake-7'), await repo.store.read(`${base}id/metrics/lake-7`)]
    const { headers } = await repo.ask('/datasets/lake-7')
    await remove('/datasets/lake-7')
    const answer = await restore('/datasets/lake-7')
    expect([answer.status, answer.headers.get('Location')]).toEqual([201, `${base}set/data/lake-7`])
    expect(answer.headers.get('ETag')).toBe(headers.get('ETag'))
    const after = [await graph('lake-7'), await repo.store.read(`${base}id/metrics/lake-7`)]
    expect(after).toEqual(before)
    const listed = await repo.ask('/catalogues/other/datasets?valueType=originalIds')
    expect(await listed.json()).toContain('Lake 7')
    expect(repo.changed.at(-1)?.resource).toBe(`${base}set/data/lake-7`)
  })

  it('is refused with 409 when the id at the origin is in use again', async () => {
    await remove('/datasets/lake-7')
    await repo.putDataset('other', 'Lake 7', body('Lake, again'))
    const answer = await restore('/datasets/lake-7')
    expect(await answer.json()).toMatchObject({
      status: 409,
      type: 'urn:cartulary:problem:already-exists',
    })
    expect(await graph('lake-7')).toContain('Lake, again')
  })

  it('is refused with 409 when the catalogue is gone', async () => {
    await repo.putCatalogue('short')
    await repo.putDataset('short', 'alone', body('Alone'))
    await remove('/datasets/alone')
    await remove('/catalogues/short')
    expect(await (await restore('/datasets/alone')).json()).toMatchObject({
      status: 409,
      type: 'urn:cartulary:problem:conflict',
    })
    await repo.putCatalogue('short')
    expect((await restore('/datasets/alone')).status).toBe(201)
  })

  it('needs the permission of the catalogue that the dataset was in', async () => {
    await repo.putDataset('alpine-water', 'mine', body('Mine'))
    await repo.putDataset('other', 'theirs', body('Theirs'))
    for (const id of ['mine', 'theirs']) await remove(`/datasets/${id}`)
    const headers = { 'X-API-Key': alpineKey }
    const ask = (id: string) => repo.ask(`/datasets/${id}/restore`, { method: 'POST', headers })
    expect((await ask('theirs')).status).toBe(403)
    expect((await ask('mine')).status).toBe(201)
    expect((await repo.app.request('/datasets/theirs/restore', { method: 'POST' })).status).toBe(
      401,
    )
  })

  it('done twice at once succeeds once', async () => {
    await remove('/datasets/mine')
    const answers = await Promise.all([restore('/datasets/mine'), restore('/datasets/mine')])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]))
  })
})

describe('a PUT after a deletion', () => {
  it('of the same original id takes the id and the distribution IRIs back', async () => {
    await repo.putDataset('other', 'Road A', body('Road'))
    const before = await iris('road-a')
    expect(before).toHaveLength(2)
    await remove('/datasets/road-a')
    const answer = await repo.putDataset('other', 'Road A', body('Road, new'))
    expect([answer.status, answer.headers.get('Location')]).toEqual([201, `${base}set/data/road-a`])
    expect(await iris('road-a')).toEqual(before)
    expect(repo.deletion.tombstones.find('dataset', 'road-a')).toBeUndefined()
  })

  it('of another original id with the same normal form gets the next id', async () => {
    await remove('/datasets/road-a')
    const answer = await repo.putDataset('other', 'road a', body('Another road'))
    expect(answer.headers.get('Location')).toBe(`${base}set/data/road-a~~1`)
    expect((await restore('/datasets/road-a')).status).toBe(201)
  })
})

describe('GET /tombstones', () => {
  it('lists what can be restored, newest first, of one catalogue or of all', async () => {
    await repo.putCatalogue('listed')
    for (const id of ['A', 'B', 'C']) {
      await repo.putDataset('listed', id, body(id))
      await remove(`/datasets/${id.toLowerCase()}`)
    }
    const key = { headers: { 'X-API-Key': 'a-key-for-everything' } }
    const list = async (query: string) =>
      (await (await repo.ask(`/tombstones${query}`, key)).json()) as Record<string, string>[]
    const all = await list('?catalogue=listed')
    expect(all.map(({ originalId }) => originalId)).toEqual(['C', 'B', 'A'])
    expect(all[0]).toEqual({
      kind: 'dataset',
      id: 'c',
      title: { en: 'C' },
      originalId: 'C',
      catalogue: 'listed',
      deletedAt: '2026-11-21T10:00:00Z',
      restorableUntil: '2026-12-21T10:00:00Z',
    })
    expect((await list('?catalogue=listed&offset=1&limit=1')).map(({ id }) => id)).toEqual(['b'])
    expect((await list('')).slice(0, 3).map(({ id }) => id)).toEqual(['c', 'b', 'a'])
    expect(await list('?catalogue=unheard-of')).toEqual([])
  })

  it('needs a key for the catalogue, and one for everything without a filter', async () => {
    const ask = async (path: string, key?: string) => {
      const headers: Record<string, string> = key === undefined ? {} : { 'X-API-Key': key }
      return (await repo.app.request(path, { headers })).status
    }
    expect(await ask('/tombstones')).toBe(401)
    expect(await ask('/tombstones', alpineKey)).toBe(403)
    expect(await ask('/tombstones?catalogue=other', alpineKey)).toBe(403)
    expect(await ask('/tombstones?catalogue=alpine-water', alpineKey)).toBe(200)
    expect(await ask('/tombstones?limit=0', 'a-key-for-everything')).toBe(400)
    expect(await ask('/tombstones?catalogue=no%20id', 'a-key-for-everything')).toBe(400)
  })
})

describe('a platform that keeps nothing', () => {
  it('answers 404 at once, lists nothing and gives the id away', async () => {
    const bare = await repository({ days: 0 })
    await bare.putCatalogue('c')
    await bare.putDataset('c', 'One', body('One'))
    expect((await bare.ask('/datasets/one', { method: 'DELETE' })).status).toBe(204)
    expect((await bare.ask('/datasets/one')).status).toBe(404)
    expect((await bare.ask('/datasets/one/restore', { method: 'POST' })).status).toBe(404)
    const other = await bare.putDataset('c', 'one', body('Two'))
    expect(other.headers.get('Location')).toBe(`${base}set/data/one`)
    expect((await bare.ask('/catalogues/c', { method: 'DELETE' })).status).toBe(204)
    expect((await bare.ask('/catalogues/c')).status).toBe(404)
    await bare.close()
  })
})
