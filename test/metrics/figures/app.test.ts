/** Reading the cache: figures, history, lists, single datasets. */

import { describe, expect, it } from 'vitest'
import { address, served } from './served.ts'

const aggregateKeys = {
  findability: [
    'keywordAvailability',
    'categoryAvailability',
    'spatialAvailability',
    'temporalAvailability',
  ],
  accessibility: [
    'accessUrlStatusCodes',
    'accessUrlAccessibility',
    'downloadUrlAvailability',
    'downloadUrlStatusCodes',
    'downloadUrlAccessibility',
  ],
  interoperability: [
    'formatAvailability',
    'mediaTypeAvailability',
    'formatMediaTypeAlignment',
    'formatMediaTypeNonProprietary',
    'formatMediaTypeMachineReadable',
    'dcatApCompliance',
  ],
  reusability: [
    'licenceAvailability',
    'licenceAlignment',
    'accessRightsAvailability',
    'accessRightsAlignment',
    'contactPointAvailability',
    'publisherAvailability',
  ],
  contextuality: [
    'rightsAvailability',
    'byteSizeAvailability',
    'dateIssuedAvailability',
    'dateModifiedAvailability',
  ],
}

const info = { id: 'city', title: 'City', description: '', spatial: 'DEU', type: 'dcat-ap' }

describe('figures', () => {
  it('of a catalogue stand under the names that clients know', async () => {
    const { get } = await served()
    const { status, body } = await get('/catalogues/city')
    expect([status, body.success, body.result.count]).toEqual([200, true, 1])
    const [found] = body.result.results
    expect(found).toMatchObject({ info, score: 300 })
    expect(found.findability.score).toEqual({ points: 80, percentage: 80, max: 100 })
    expect(found.accessibility.accessUrlStatusCodes).toEqual([
      { name: '200', percentage: 50 },
      { name: '404', percentage: 50 },
    ])
    expect(found.reusability.licenceAlignment).toEqual([])
    for (const [dimension, keys] of Object.entries(aggregateKeys))
      expect(Object.keys(found[dimension]).toSorted()).toEqual(['score', ...keys].toSorted())
  })

  it('of all catalogues, countries, publishers and the portal come in one envelope', async () => {
    const { get, results } = await served()
    const { body } = await get('/catalogues')
    expect(body.result.count).toBe(2)
    expect(
      body.result.results.map((one: { info: { id: string }; score: number }) => [
        one.info.id,
        one.score,
      ]),
    ).toEqual([
      ['city', 300],
      ['empty', null],
    ])
    const [global] = await results('/global')
    expect(global).not.toHaveProperty('info')
    expect(global.score).toBe(300)
    expect((await results('/countries')).map((one: { info: string }) => one.info)).toEqual([
      'DEU',
      'FRA',
    ])
    expect(await results('/countries/deu')).toMatchObject([{ info: 'DEU', score: 300 }])
    const water = { info: { id: 'https://water.example.org/', title: 'Water Office' }, score: 300 }
    expect(await results('/publishers')).toMatchObject([water])
    expect(await results('/publishers?publisher=https%3A%2F%2Fwater.example.org%2F')).toMatchObject(
      [water],
    )
  })

  it('are cut to what is asked for', async () => {
    const { results } = await served()
    const keysOf = async (query: string) =>
      Object.keys((await results(`/catalogues/city?${query}`))[0]).toSorted()
    expect(await keysOf('filter=score,info')).toEqual(['info', 'score'])
    expect(await keysOf('filter=findability&filter=score')).toEqual(['findability', 'score'])
    expect(await keysOf('filter=&unknown=1')).toHaveLength(7)
  })

  it('are null or empty, not missing, before anything was measured', async () => {
    const { results, get } = await served({ isRefreshed: false })
    const [global] = await results('/global')
    expect([
      global.score,
      global.findability.score,
      global.findability.keywordAvailability,
    ]).toEqual([null, null, []])
    expect((await get('/catalogues')).body.result).toEqual({ count: 0, results: [] })
    for (const path of ['/catalogues/city', '/catalogues/empty']) {
      const [found] = await results(path)
      expect([path, found.score, found.findability.score]).toEqual([path, null, null])
      expect(found.accessibility.accessUrlStatusCodes).toEqual([])
    }
    expect((await results('/catalogues/city'))[0].info).toEqual(info)
    const past = '/catalogues/city/history?startDate=2026-01-01&filter=score'
    expect(await results(past)).toEqual([{ score: [] }])
    for (const list of ['violations', 'distributions/reachability'])
      expect((await get(`/catalogues/city/${list}`)).body.result.count).toBe(0)
    for (const id of ['secret', 'nowhere', '%3E'])
      for (const more of ['', '/history?startDate=2026-01-01', '/violations/count'])
        expect([id, more, (await get(`/catalogues/${id}${more}`)).status]).toEqual([id, more, 404])
  })

  it('are answered with the number of the refresh as tag, and 304 until the next one', async () => {
    const { ask, cache } = await served()
    const first = await ask('/catalogues/city/')
    const tag = first.headers.get('ETag') ?? ''
    expect([tag, first.headers.get('Last-Modified')]).toEqual([
      'W/"1-1.2.3"',
      'Sun, 22 Nov 2026 10:00:00 GMT',
    ])
    expect(first.headers.get('Access-Control-Allow-Origin')).toBe('*')
    const headers = { 'If-None-Match': tag }
    expect((await ask('/catalogues/city', { headers })).status).toBe(304)
    expect((await ask('/catalogues/unknown', { headers })).status).toBe(404)
    await cache.refresh('all')
    expect((await ask('/catalogues/city', { headers })).status).toBe(200)
    const head = await ask('/global', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })
})

describe('history', () => {
  const span = 'startDate=2026-1-1&resolution=day'

  it('has lists over time, in both forms', async () => {
    const { results } = await served()
    const [found] = await results(`/catalogues/city/history?${span}`)
    expect(found.info.id).toBe('city')
    expect(found.score).toEqual([{ '2026-11-22': 300 }])
    expect(found.findability.score).toEqual([{ '2026-11-22': 80 }])
    expect(found.findability.keywordAvailability).toEqual([
      {
        '2026-11-22': [
          { name: 'yes', percentage: 100 },
          { name: 'no', percentage: 0 },
        ],
      },
    ])
    expect(found.findability.categoryAvailability).toEqual([])
    const [other] = await results(`/catalogues/city/historical?${span}`)
    expect(other.score).toEqual(found.score)
    expect(other.findability.score).toEqual([
      { date: '2026-11-22', value: { points: 80, percentage: 80 } },
    ])
  })

  it.each(['history', 'historical'])('is there for every scope: %s', async (name) => {
    const { get } = await served()
    const counts = { global: 1, countries: 2, 'countries/DEU': 1, catalogues: 2 }
    for (const [scope, count] of Object.entries(counts)) {
      const { body } = await get(`/${scope}/${name}?${span}&filter=score`)
      expect([scope, body.result.count]).toEqual([scope, count])
      expect(body.result.results[0]).toEqual({ score: [{ '2026-11-22': 300 }] })
    }
    const of = `/publishers/${name}?${span}&publisher=https://water.example.org/`
    expect((await get(of)).body.result.results).toMatchObject([{ score: [{ '2026-11-22': 300 }] }])
    expect(
      (await get(`/global/${name}?startDate=2027-01-01&endDate=2027-02-01`)).body.result.results,
    ).toMatchObject([{ score: [] }])
  })
})

describe('about itself', () => {
  it('tells its contract, and how it is', async () => {
    const { get, ask } = await served()
    const { body } = await get('/openapi.json')
    expect(Object.keys(body.paths)).toEqual(
      expect.arrayContaining([
        '/catalogues/{id}/violations',
        '/global/historical',
        '/admin/refresh/{scope}/{id}',
      ]),
    )
    expect(body.servers[0]).toEqual({ url: new URL(address).pathname })
    expect((await ask('/openapi.yaml')).headers.get('Content-Type')).toBe('application/yaml')
    expect((await get('/')).body.openapi).toBe('3.1.0')
    expect((await get('/health')).body).toEqual({
      status: 'up',
      refresh: { number: 1, at: '2026-11-22T10:00:00.000Z' },
      refreshing: null,
    })
  })
})
