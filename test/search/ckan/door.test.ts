/** The door of the CKAN calls: both paths, both methods, one envelope. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { caller, replyOf, type Caller } from './caller.ts'

let ckan: Caller
beforeAll(async () => {
  ckan = await caller()
})
afterAll(() => ckan.close())

describe('the door of the CKAN calls', () => {
  const search = '/ckan/package_search'

  it.each(['/ckan', '/ckan/api/3/action', '/ckan/api/action', '/api/3/action', '/api/action'])(
    'stands at %s, by GET and by POST',
    async (prefix) => {
      const path = `${prefix}/package_search`
      const byGet = (await replyOf(await ckan.request(`${path}?q=rivers&rows=5`))).body
      const { status, body } = await ckan.post(path, '{"q":"rivers","rows":5}')
      expect(status).toBe(200)
      expect(body).toEqual(byGet)
      expect(body.result.count).toBe(1)
      const shown = await ckan.post(`${prefix}/package_show`, '{"id":"b-lakes"}')
      expect(shown.body.result).toMatchObject({ id: 'b-lakes' })
      const listed = await ckan.post(`${prefix}/package_list`, '{"limit":1}')
      expect(listed.body.result).toEqual(['a-rivers~~1'])
    },
  )

  it('takes lists and booleans of JSON, and an empty body', async () => {
    const call = { 'facet.field': ['organization'], facet: true, rows: '1', fq: null, start: '' }
    const { body } = await ckan.post(search, JSON.stringify(call))
    expect(body.result.facets).toEqual({ organization: { c1: 1, c2: 2, c3: 12 } })
    expect((await ckan.post(search, '')).body.result.count).toBe(15)
  })

  it('does not mind which media type the JSON is sent as', async () => {
    const type = 'application/x-www-form-urlencoded'
    expect((await ckan.post(search, '{"q":"rivers"}', type)).body.result.count).toBe(1)
  })

  it.each(['[]', '"x"', '{"q"', 'q=rivers', 'null'])('refuses the body %s', async (text) => {
    const { status, body } = await ckan.post(search, text)
    expect([status, body.error]).toEqual([
      409,
      { type: 'Validation Error', message: 'the body must be a JSON object' },
    ])
  })

  it('refuses members of a wrong type, and bodies that are too large', async () => {
    const wrong = await ckan.post(search, '{"q":{"a":1},"rows":[1]}')
    expect([wrong.status, wrong.body.error.message]).toEqual([
      409,
      'q must be a text, got {"a":1}; rows must be a text, got [1]',
    ])
    const large = await ckan.post(search, `{"q":"${'a'.repeat(2 ** 20)}"}`)
    expect([large.status, large.body.error.type]).toEqual([413, 'Search Error'])
  })

  it('ignores what it does not know', async () => {
    const call = { q: 'rivers', include_private: 'true', callback: 'x' }
    expect((await ckan.get('package_search', call)).body.result.count).toBe(1)
  })

  it.each(['/ckan', '/api/action'])('names an action that does not exist at %s', async (prefix) => {
    const answer = await ckan.request(`${prefix}/package_create`)
    expect([answer.status, await answer.json()]).toEqual([
      400,
      'Bad request - Action name not known: package_create',
    ])
  })

  it('takes a form', async () => {
    const type = 'application/x-www-form-urlencoded'
    const { status, body } = await ckan.post(search, 'q=rivers&rows=5', type)
    expect([status, body.result.count]).toEqual([200, 1])
  })

  it('joins fq and all of fq_list by AND, given as a list, as JSON or several times', async () => {
    const count = async (query: string) =>
      (await replyOf(await ckan.request(`${search}?${query}`))).body.result.count
    expect(await count('fq_list=tags:water')).toBe(2)
    expect(await count('fq_list=tags:water&fq_list=organization:c2')).toBe(1)
    expect(await count('fq=organization:c2&fq_list=["tags:wood"]')).toBe(1)
    const listed = await ckan.post(search, '{"fq_list":["tags:water","organization:c2"]}')
    expect(listed.body.result.count).toBe(1)
  })

  it.each(['["a"', '[1]', `[${'"a",'.repeat(20)}"a"]`, '["a) OR (b"]'])(
    'refuses the fq_list %s',
    async (list) => {
      const { status, body } = await ckan.get('package_search', { fq_list: list })
      expect([status, body.error.type]).toEqual([409, 'Validation Error'])
      expect(body.error.message).toMatch(/^fq(_list)?\b/)
    },
  )

  it.each([
    ['metadata_modified:[NOW-20YEARS TO NOW]', 3],
    ['metadata_modified:[NOW+1YEAR TO *]', 0],
    ['metadata_modified:[2023-05-01T00:00:00.000Z TO 2024-03-01T00:00:00.000Z]', 2],
    ['metadata_modified:{2023-05-01T00:00:00Z TO 2024-03-01T00:00:00Z]', 1],
    ['metadata_modified:[2023-05-01T00:00:00Z/YEAR TO 2023-05-01T00:00:00Z+9MONTHS}', 1],
  ])('reads dates of Solr in q and fq: %s', async (range, count) => {
    const found = await ckan.get('package_search', { fq: `organization:(c1 OR c2) ${range}` })
    expect(found.body.result.count).toBe(count)
    const asked = await ckan.get('package_search', {
      q: range.replace('metadata_modified', 'catalog_record.modified'),
      fq: 'organization:(c1 OR c2)',
    })
    expect(asked.body.result.count).toBe(count)
  })

  it('says when to come back while the engine is away', async () => {
    const away = await caller([])
    await away.index.close()
    const { status, headers, body } = await away.get('package_search')
    expect([status, body.success, body.error.type]).toEqual([503, false, 'Search Error'])
    expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0)
    await away.close()
  })

  it('is open for reads only', async () => {
    const answer = await ckan.request(search, { method: 'DELETE' })
    expect([answer.status, answer.headers.get('Allow')]).toEqual([405, 'GET, HEAD, OPTIONS, POST'])
  })
})
