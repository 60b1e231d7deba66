/** Types that a profile adds: their own paths, their own index, their own bounds. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Document } from '../../src/search-index/search-index.ts'
import type { IndexSettings } from '../../src/search-index/index-settings.ts'
import { documents } from './suite/corpus.ts'
import { typeOf } from './suite/resource-type.ts'
import { searchFixture, type SearchFixture } from './suite/search-fixture.ts'

const settingsOf = (id: string): IndexSettings => ({
  index: `resource_${id}`,
  basis: '1',
  texts: [{ name: 'title', boost: 1, autocomplete: false }],
  facets: [{ id: 'topic', title: 'Topic' }],
  dates: [],
  numbers: [],
  flags: [],
  boxes: false,
  orders: [],
})

const recordOf = (type: string, id: string, topic: string): Document => ({
  index: `resource_${type}`,
  id,
  version: 1,
  hash: id,
  text: { title: { en: [`water ${id}`] } },
  facets: { topic: [{ id: topic, title: topic }] },
  dates: {},
  numbers: {},
  flags: {},
  boxes: [],
  order: {},
  record: { id, catalog_record: { modified: '2024-05-01T00:00:00Z' } },
})

const held = [
  ...documents,
  recordOf('app', 'a2', 'x'),
  recordOf('app', 'a1', 'y'),
  recordOf('data-service', 's1', 'x'),
]
let search: SearchFixture
beforeAll(async () => {
  search = await searchFixture(held, {
    resources: [typeOf('app', 1), typeOf('data-service', 10_000)],
    settings: [settingsOf('app'), settingsOf('data-service')],
    findings: async (index, id) =>
      id === 'gone'
        ? undefined
        : [{ field: 'issued', reason: 'bad-date', value: `${index} ${id}` }],
  })
})
afterAll(() => search.close())

const found = async (query: string) => (await search.get(`/search?q=water&${query}`)).body.result
const indicesOf = async (query: string) =>
  (await found(query)).results.map(({ index, id }) => `${String(index)}/${String(id)}`).sort()

describe('types of a profile', () => {
  it('are listed, and the ids of each', async () => {
    expect((await search.get('/resources')).body).toEqual(['app', 'data-service'])
    expect((await search.get('/resources/app')).body).toEqual(['a1', 'a2'])
  })

  it('have records by id, with the date that the catalogue record says', async () => {
    const { status, headers, body } = await search.get('/resources/data-service/s1')
    expect([status, body.result['id']]).toEqual([200, 's1'])
    expect(headers.get('Last-Modified')).toBe('Wed, 01 May 2024 00:00:00 GMT')
    expect(headers.get('ETag')).toMatch(/^W\//)
  })

  it.each([
    ['/resources/app/nope', 'unknown-resource'],
    ['/resources/nope', 'not-found'],
    ['/resources/nope/a1', 'not-found'],
    ['/resources/dataset/d01', 'not-found'],
  ])('%s is a problem %s', async (path, kind) => {
    const { status, body } = await search.get(path)
    expect([status, body['type']]).toEqual([404, `urn:cartulary:problem:${kind}`])
  })

  it('are searched by their index, all together, or some of them', async () => {
    expect(await indicesOf('filters=resource_app')).toEqual(['resource_app/a1', 'resource_app/a2'])
    const all = ['resource_app/a1', 'resource_app/a2', 'resource_data-service/s1']
    expect(await indicesOf('filters=resource')).toEqual(all)
    expect(await indicesOf('filters=resource&resource=data-service,nope')).toEqual([all[2]])
    expect(await indicesOf('filters=resource&resource=nope')).toEqual([])
    expect(await indicesOf('filters=resource_app&resource=data-service')).toEqual(all.slice(0, 2))
    const others = await found('filters=dataset,catalogue,vocabulary')
    expect((await found('limit=0')).count).toBe(others.count + all.length)
  })

  it('name the one index that was searched', async () => {
    expect((await found('filters=resource_app')).index).toBe('resource_app')
    expect((await found('filters=resource')).index).toBeUndefined()
  })

  it('have facets, items and pages as the profile bounds them', async () => {
    const { facets } = await found('filters=resource_app')
    expect(facets).toEqual([
      { id: 'topic', title: 'Topic', items: [{ id: 'x', title: 'x', count: 1 }] },
    ])
    expect((await found('filters=resource')).facets?.[0]?.items).toHaveLength(2)
    const page = (filter: string) => found(`filters=${filter}&page=2&limit=1`)
    expect(await page('resource_app')).toMatchObject({ count: 2, results: [] })
    expect((await page('resource')).results).toHaveLength(1)
  })

  it('stand in the OpenAPI document', async () => {
    const { paths } = (await search.get('/openapi.json')).body
    expect(Object.keys(paths ?? {})).toEqual(
      expect.arrayContaining(['/resources', '/resources/{type}', '/resources/{type}/{id}']),
    )
  })
})

describe('a profile without types', () => {
  it('has no paths of them', async () => {
    const plain = await searchFixture([])
    expect((await plain.get('/resources')).status).toBe(404)
    expect((await plain.get('/search?filters=resource')).body.result.count).toBe(0)
    await plain.close()
  })
})

describe('what is left out', () => {
  it.each([
    ['/datasets/d01/findings', 'dataset d01'],
    ['/catalogues/c%7E1/findings', 'catalogue c~1'],
    ['/resources/app/a1/findings', 'resource_app a1'],
  ])('%s tells it of its record', async (path, value) => {
    const { status, body } = await search.get(path)
    const detail = 'issued is not a date or time'
    const finding = { field: 'issued', reason: 'bad-date', value, detail }
    expect([status, body.result]).toEqual([200, { count: 1, findings: [finding] }])
  })

  it.each([
    ['/datasets/gone/findings', 'unknown-dataset'],
    ['/catalogues/gone/findings', 'unknown-catalogue'],
    ['/resources/app/gone/findings', 'unknown-resource'],
  ])('%s is a problem %s', async (path, kind) => {
    const { status, body } = await search.get(path)
    expect([status, body['type']]).toEqual([404, `urn:cartulary:problem:${kind}`])
  })
})
