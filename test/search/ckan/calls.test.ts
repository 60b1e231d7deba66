/** What the CKAN calls answer. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { address } from '../feeds/feeds-fixture.ts'
import { caller, held, type Caller } from './caller.ts'

let ckan: Caller
beforeAll(async () => {
  ckan = await caller()
})
afterAll(() => ckan.close())

const found = async (parameters: Record<string, string>) => {
  const { status, body } = await ckan.get('package_search', { rows: '100', ...parameters })
  expect(status).toBe(200)
  return body.result.results.map(({ id }) => id.slice(0, 1)).join('')
}

describe('package_list', () => {
  it('lists all ids, ascending', async () => {
    const { status, body } = await ckan.get('package_list')
    expect(status).toBe(200)
    expect(body).toEqual({
      help: `${address}/`,
      success: true,
      result: held.map(({ id }) => id),
    })
  })

  it.each([
    [{ limit: '2' }, ['a-rivers~~1', 'b-lakes']],
    [{ limit: '2', offset: '1' }, ['b-lakes', 'c-forests']],
    [{ offset: '14' }, ['z11']],
    [{ offset: '15' }, []],
    [{ limit: '0' }, []],
  ])('%j', async (parameters, ids) => {
    expect((await ckan.get('package_list', { ...parameters })).body.result).toEqual(ids)
  })
})

describe('package_show', () => {
  it.each(['a-rivers~~1', 'https://portal.example/set/data/a-rivers~~1'])(
    'finds a dataset by %s',
    async (id) => {
      const { status, body } = await ckan.get('package_show', { id })
      expect([status, body.success]).toEqual([200, true])
      expect(body.result).toMatchObject({ id: 'a-rivers~~1', title: 'Rivers' })
    },
  )

  it.each([
    'nothing',
    'https://elsewhere.example/set/data/a-rivers~~1',
    'a-rivers~~1/',
    '../a-rivers~~1',
  ])('says that there is no dataset %s', async (id) => {
    const { status, headers, body } = await ckan.get('package_show', { id })
    expect(status).toBe(404)
    expect(headers.get('Content-Type')).toBe('application/json')
    expect(body).toEqual({
      success: false,
      error: { type: 'Not Found Error', message: expect.any(String) },
    })
  })

  it('needs an id', async () => {
    const { status, body } = await ckan.get('package_show')
    expect(status).toBe(409)
    expect(body.error).toEqual({ type: 'Validation Error', message: 'id is missing' })
  })
})

describe('package_search', () => {
  it('names what is no parameter of a call, also one that another CKAN would read', async () => {
    const { body } = await ckan.get('package_search', { limit: '3', callback: 'f', rows: '0' })
    expect(body).toMatchObject({ success: true, ignored: ['callback', 'limit'] })
    const posted = await ckan.post('/ckan/package_list', '{"limit":1,"start":2,"none":null}')
    expect(posted.body).toMatchObject({ success: true, ignored: ['start'] })
    expect((await ckan.get('package_search', { rows: '0' })).body).not.toHaveProperty('ignored')
  })

  it('finds everything, ten packages of it', async () => {
    const forms: Record<string, string>[] = [{}, { q: '*:*' }, { q: '' }, { fq: '*:*' }]
    for (const parameters of forms) {
      const { body } = await ckan.get('package_search', { ...parameters })
      expect(body.result.count).toBe(15)
      expect(body.result.results).toHaveLength(10)
      expect(body.result.sort).toBe('score desc, metadata_modified desc')
      expect(body.result).toMatchObject({ facets: {}, search_facets: {} })
    }
  })

  it.each([
    ['rivers', 'a'],
    ['rivers lakes NOT forests', 'ab'],
    ['title:rivers', 'a'],
    ['tags:wood', 'c'],
    ['organization:c2', 'bc'],
    ['wälder', 'c'],
    ['nothing', ''],
  ])('q=%s', async (q, ids) => {
    expect((await found({ q })).split('').sort().join('')).toBe(ids)
  })

  it.each([
    ['organization:c2', 'bc'],
    ['tags:water', 'ab'],
    ['tags:"open-data"', 'a'],
    ['res_format:CSV', 'ac'],
    ['res_format:csv', ''],
    ['license_id:CC_BY_4_0', 'a'],
    ['organization:c2 res_format:CSV', 'c'],
    ['organization:c2 AND res_format:CSV', 'c'],
    ['+organization:c2 +res_format:CSV', 'c'],
    ['organization:c2 -res_format:CSV', 'b'],
    ['organization:c2 NOT res_format:CSV', 'b'],
    ['-organization:c3', 'abc'],
    ['metadata_modified:[2023-01-01T00:00:00Z TO *]', 'ab'],
    ['metadata_modified:[* TO 2022-12-31]', 'c'],
    ['metadata_modified:2023', 'b'],
    ['metadata_modified:*', 'abc'],
    ['res_format:(CSV OR JSON) tags:water', 'ab'],
    ['(organization:c1 OR tags:wood) AND res_format:CSV', 'ac'],
    ['title:lakes', 'b'],
    ['dataset_type:dataset state:active tags:wood', 'c'],
    ['private:true', ''],
    ['type:harvest', ''],
    ['unknown_field:x', ''],
    ['-unknown_field:x tags:wood', 'c'],
    ['tags:wood *:*', 'c'],
    ['forests', 'c'],
  ])('fq=%s', async (fq, ids) => {
    expect(await found({ fq })).toBe(ids)
  })

  it('narrows a query by its filter', async () => {
    expect(await found({ q: 'rivers forests', fq: 'organization:c2' })).toBe('c')
    expect(await found({ q: 'rivers) OR (forests', fq: 'organization:c2' })).toBe('c')
  })

  it.each([
    ['metadata_modified asc', /^cba/],
    ['metadata_modified desc', /^abc/],
    ['name asc', /^abcz/],
    ['name desc', /^z+cba$/],
    ['title_string asc', /^z+cba$/],
    ['score desc, name desc', /^z+cba$/],
    ['no_such_field asc', /^abc/],
  ])('sorts by %s', async (sort, ids) => {
    expect(await found({ sort })).toMatch(ids)
    const { body } = await ckan.get('package_search', { sort })
    expect(body.result.sort).toBe(sort)
  })

  it.each([
    [{ rows: '0' }, 0],
    [{ rows: '5' }, 5],
    [{ rows: '100000' }, 15],
    [{ start: '12' }, 3],
    [{ start: '10000' }, 0],
    [{ start: '10001' }, 0],
    [{ start: '999999999999999' }, 0],
  ])('gives a page of %j and the exact count', async (parameters, length) => {
    const { body } = await ckan.get('package_search', { ...parameters })
    expect([body.result.results.length, body.result.count]).toEqual([length, 15])
  })

  it('counts the facets that are asked for, by their names in CKAN', async () => {
    const fields = { 'facet.field': '["organization","tags","nothing"]' }
    const { body } = await ckan.get('package_search', { ...fields, 'facet.mincount': '2' })
    expect(body.result.facets).toEqual({
      organization: { c2: 2, c3: 12 },
      tags: { many: 12, water: 2 },
      nothing: {},
    })
    expect(body.result.search_facets).toEqual({
      organization: {
        title: 'Catalogues',
        items: [
          { name: 'c3', display_name: 'c3', count: 12 },
          { name: 'c2', display_name: 'c2', count: 2 },
        ],
      },
      tags: {
        title: 'Keywords',
        items: [
          { name: 'many', display_name: 'many', count: 12 },
          { name: 'water', display_name: 'water', count: 2 },
        ],
      },
      nothing: { title: 'nothing', items: [] },
    })
  })

  it.each([
    [{ 'facet.limit': '1' }, { tags: { many: 12 } }],
    [{ 'facet.limit': '-1' }, { tags: { many: 12, water: 2, 'open-data': 1, wood: 1 } }],
    [{ 'facet.limit': '0' }, { tags: {} }],
    [{ facet: 'false' }, {}],
    [{ fq: 'tags:wood' }, { tags: { wood: 1 } }],
  ])('counts with %j', async (parameters, facets) => {
    const { body } = await ckan.get('package_search', { 'facet.field': '["tags"]', ...parameters })
    expect(body.result.facets).toEqual(facets)
  })

  it.each([
    [{ rows: '-1' }, 'rows must be a whole number of at least 0, got -1'],
    [{ start: '1.5' }, 'start must be a whole number of at least 0, got 1.5'],
    [{ facet: 'maybe' }, 'facet must be true or false, got maybe'],
    [{ 'facet.field': '["a"' }, 'facet.field must be a JSON list of names'],
    [{ 'facet.field': '[1]' }, 'facet.field must be a JSON list of names'],
    [{ fq: 'tags:(a OR' }, 'fq: a clause such as organization:name is missing'],
    [{ fq: 'tags:a)' }, 'fq: a parenthesis that nothing opens (character 7)'],
    [{ fq: 'tags:(a' }, 'fq: a parenthesis that nothing closes'],
    [{ fq: 'tags:"a' }, 'fq: a quotation mark or a backslash without a partner (character 6)'],
    [{ fq: '{!lucene}tags:a' }, 'fq: a range is [from TO to] (character 1)'],
    [{ fq: 'metadata_modified:[NOW-7WEEKS TO NOW]' }, 'fq: a range is one of dates or numbers'],
    [{ fq: 'tags:[a TO b]' }, 'fq: a range is one of dates or numbers'],
    [{ fq: 'metadata_modified:yesterday' }, 'fq: a date is needed here (character 19)'],
    [{ fq: 'tags:*' }, 'fq: only dates and numbers can be asked for with * (character 6)'],
    [{ fq: 'tags:(groups:a)' }, 'fq: a field inside a field (character 7)'],
    [{ fq: `${'('.repeat(33)}a${')'.repeat(33)}` }, 'fq: may nest at most 32 levels'],
    [{ fq: 'a '.repeat(257) }, 'fq: may have at most 256 words'],
    [{ fq: `tags:${'a'.repeat(4096)}` }, 'fq: may have at most 4096 characters'],
    [{ q: 'a '.repeat(257) }, 'q may have at most 256 words'],
  ])('says what is wrong with %j', async (parameters, message) => {
    const { status, body } = await ckan.get('package_search', { ...parameters })
    expect(status).toBe(409)
    expect(body.success).toBe(false)
    expect(body.error.type).toBe('Validation Error')
    expect(body.error.message).toContain(message)
  })
})
