/** What the cache refuses, and how it says so. */

import { describe, expect, it } from 'vitest'
import { served } from './served.ts'

describe('what is wrong', () => {
  const cases: readonly (readonly [path: string, status: number, type: string])[] = [
    ['/global?filter=info', 400, 'invalid-parameter'],
    ['/catalogues?filter=score,beauty', 400, 'invalid-parameter'],
    ['/countries?filter=x', 400, 'invalid-parameter'],
    ['/countries/AUT', 404, 'not-found'],
    ['/catalogues/secret', 404, 'unknown-catalogue'],
    ['/catalogues/nowhere', 404, 'unknown-catalogue'],
    ['/publishers?publisher=nobody', 404, 'not-found'],
    ['/publishers?limit=0', 400, 'invalid-parameter'],
    ['/global/history', 400, 'invalid-parameter'],
    ['/global/history?startDate=yesterday', 400, 'invalid-parameter'],
    ['/global/history?startDate=2026-02-30', 400, 'invalid-parameter'],
    ['/global/history?startDate=2026-02-03&endDate=2026-02-02', 400, 'invalid-parameter'],
    ['/global/history?startDate=2026-02-03&resolution=week', 400, 'invalid-parameter'],
    ['/catalogues/secret/history?startDate=2026-01-01', 404, 'unknown-catalogue'],
    ['/countries/AUT/historical?startDate=2026-01-01', 404, 'not-found'],
    ['/publishers/history?startDate=2026-01-01', 400, 'invalid-parameter'],
    ['/catalogues/secret/violations', 404, 'unknown-catalogue'],
    ['/catalogues/secret/violations/count', 404, 'unknown-catalogue'],
    ['/catalogues/city/violations?limit=1001', 400, 'invalid-parameter'],
    ['/catalogues/city/violations?offset=-1', 400, 'invalid-parameter'],
    ['/catalogues/city/violations?locale=%00', 400, 'invalid-parameter'],
    ['/catalogues/secret/distributions/reachability', 404, 'unknown-catalogue'],
    ['/catalogues/city/distributions/reachability?limit=x', 400, 'invalid-parameter'],
    ['/datasets/b', 404, 'unknown-metrics'],
    ['/datasets/b/distributions', 404, 'unknown-metrics'],
    ['/datasets/s', 404, 'unknown-dataset'],
    ['/datasets/nothing', 404, 'unknown-dataset'],
    ['/datasets/%3E%20x', 404, 'unknown-dataset'],
    ['/datasets/s/distributions', 404, 'unknown-dataset'],
    ['/distributions/nothing', 404, 'unknown-distribution'],
    ['/distributions/%C2%84', 404, 'unknown-distribution'],
    ['/distributions/s-1', 404, 'unknown-dataset'],
    ['/nothing', 404, 'not-found'],
  ]

  it('is a problem that also says what old clients look for', async () => {
    const { ask } = await served()
    for (const [path, status, type] of cases) {
      const response = await ask(path)
      expect([path, response.status]).toEqual([path, status])
      expect(response.headers.get('Content-Type')).toBe('application/problem+json')
      const body = JSON.parse(await response.text())
      expect([path, body.type]).toEqual([path, `urn:cartulary:problem:${type}`])
      expect(body).toMatchObject({ success: false, result: null, status })
    }
    const refused = await ask('/global', { method: 'PUT' })
    expect([refused.status, refused.headers.get('Allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })

  it('in a list of words is told as it was given', async () => {
    const { get } = await served()
    const told = async (query: string) => (await get(`/global?${query}`)).body
    const one = await told('filter=x,score')
    expect(one.detail).toMatch(/^filter: .*expected one of .*got x,score$/)
    expect(one.errors).toEqual([{ parameter: 'filter', detail: one.detail }])
    const many = await told('filter=score,score&filter=x')
    expect(many.detail).toMatch(/^filter: .*"x"/)
  })

  it('says so too when the time of a request is over', async () => {
    const { get } = await served({ isMute: true })
    const { status, body } = await get('/datasets/a')
    expect(body).toMatchObject({ status, success: false, result: null })
    expect(body.type).toBe('urn:cartulary:problem:time-limit')
  })

  it('of a time is told for every scope before anything is answered', async () => {
    const { get } = await served()
    for (const scope of ['global', 'countries', 'countries/DEU', 'catalogues', 'catalogues/city'])
      for (const form of ['history', 'historical'])
        expect((await get(`/${scope}/${form}`)).status).toBe(400)
  })
})
