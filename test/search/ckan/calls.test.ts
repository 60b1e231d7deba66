/** The CKAN calls through their doors: both paths, both methods, one envelope. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { address, doors, type Doors } from '../feeds/doors.ts'
import { datasetOf } from '../feeds/holdings.ts'

const held = [
  datasetOf({
    id: 'a-rivers~~1',
    title: { en: 'Rivers' },
    keywords: ['water', 'open-data'],
    format: 'CSV',
    license: 'CC_BY_4_0',
    modified: '2024-03-01T00:00:00Z',
  }),
  datasetOf({
    id: 'b-lakes',
    title: { en: 'Lakes' },
    keywords: ['water'],
    format: 'JSON',
    catalogue: 'c2',
    modified: '2023-05-01T00:00:00Z',
  }),
  datasetOf({
    id: 'c-forests',
    title: { en: 'Forests', de: 'Wälder' },
    keywords: ['wood'],
    format: 'CSV',
    catalogue: 'c2',
    modified: '2022-01-01T00:00:00Z',
  }),
  ...Array.from({ length: 12 }, (_, n) =>
    datasetOf({ id: `z${String(n).padStart(2, '0')}`, keywords: ['many'], catalogue: 'c3' }),
  ),
]

let ckan: Doors
beforeAll(async () => {
  ckan = await doors(held)
})
afterAll(() => ckan.close())

type Result = {
  readonly count: number
  readonly sort: string
  readonly results: readonly { readonly id: string }[]
  readonly facets: unknown
  readonly search_facets: unknown
}

type Body = {
  readonly help: string
  readonly success: boolean
  readonly result: Result
  readonly error: { readonly __type: string; readonly message: string }
}

const bodyOf = async (answer: Response) => (await answer.json()) as Body

async function get(action: string, parameters: Record<string, string> = {}) {
  const answer = await ckan.request(`/ckan/${action}?${new URLSearchParams(parameters)}`)
  return { status: answer.status, headers: answer.headers, body: await bodyOf(answer) }
}

async function post(path: string, body: string, type = 'application/json') {
  const headers = { 'Content-Type': type }
  const answer = await ckan.request(path, { method: 'POST', headers, body })
  return { status: answer.status, body: await bodyOf(answer) }
}

const found = async (parameters: Record<string, string>) => {
  const { status, body } = await get('package_search', { rows: '100', ...parameters })
  expect(status).toBe(200)
  return body.result.results.map(({ id }) => id.slice(0, 1)).join('')
}

describe('package_list', () => {
  it('lists all ids, ascending', async () => {
    const { status, body } = await get('package_list')
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
    expect((await get('package_list', { ...parameters })).body.result).toEqual(ids)
  })
})

describe('package_show', () => {
  it.each(['a-rivers~~1', 'https://portal.example/set/data/a-rivers~~1'])(
    'finds a dataset by %s',
    async (id) => {
      const { status, body } = await get('package_show', { id })
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
    const { status, headers, body } = await get('package_show', { id })
    expect(status).toBe(404)
    expect(headers.get('Content-Type')).toBe('application/json')
    expect(body).toEqual({
      success: false,
      error: { __type: 'Not Found Error', message: expect.any(String) },
    })
  })

  it('needs an id', async () => {
    const { status, body } = await get('package_show')
    expect(status).toBe(409)
    expect(body.error).toEqual({ __type: 'Validation Error', message: 'id is missing' })
  })
})

describe('package_search', () => {
  it('finds everything, ten packages of it', async () => {
    for (const parameters of [{}, { q: '*:*' }, { q: '' }, { fq: '*:*' }]) {
      const { body } = await get('package_search', { ...parameters })
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
    const { body } = await get('package_search', { sort })
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
    const { body } = await get('package_search', { ...parameters })
    expect([body.result.results.length, body.result.count]).toEqual([length, 15])
  })

  it('counts the facets that are asked for, by their names in CKAN', async () => {
    const fields = { 'facet.field': '["organization","tags","nothing"]' }
    const { body } = await get('package_search', { ...fields, 'facet.mincount': '2' })
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
    const { body } = await get('package_search', { 'facet.field': '["tags"]', ...parameters })
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
    [{ fq: 'metadata_modified:[NOW-7DAYS TO NOW]' }, 'fq: a range is one of dates or numbers'],
    [{ fq: 'tags:[a TO b]' }, 'fq: a range is one of dates or numbers'],
    [{ fq: 'metadata_modified:yesterday' }, 'fq: a date is needed here (character 19)'],
    [{ fq: 'tags:*' }, 'fq: only dates and numbers can be asked for with * (character 6)'],
    [{ fq: 'tags:(groups:a)' }, 'fq: a field inside a field (character 7)'],
    [{ fq: `${'('.repeat(33)}a${')'.repeat(33)}` }, 'fq: may nest at most 32 levels'],
    [{ fq: 'a '.repeat(257) }, 'fq: may have at most 256 words'],
    [{ fq: `tags:${'a'.repeat(4096)}` }, 'fq: may have at most 4096 characters'],
    [{ q: 'a '.repeat(257) }, 'q may have at most 256 words'],
  ])('says what is wrong with %j', async (parameters, message) => {
    const { status, body } = await get('package_search', { ...parameters })
    expect(status).toBe(409)
    expect(body.success).toBe(false)
    expect(body.error.__type).toBe('Validation Error')
    expect(body.error.message).toContain(message)
  })
})

describe('the door of the CKAN calls', () => {
  const search = '/ckan/package_search'

  it.each(['/ckan', '/ckan/api/3/action'])('stands at %s, by GET and by POST', async (prefix) => {
    const path = `${prefix}/package_search`
    const byGet = await bodyOf(await ckan.request(`${path}?q=rivers&rows=5`))
    const { status, body } = await post(path, '{"q":"rivers","rows":5}')
    expect(status).toBe(200)
    expect(body).toEqual(byGet)
    expect(body.result.count).toBe(1)
    const shown = await post(`${prefix}/package_show`, '{"id":"b-lakes"}')
    expect(shown.body.result).toMatchObject({ id: 'b-lakes' })
    const listed = await post(`${prefix}/package_list`, '{"limit":1}')
    expect(listed.body.result).toEqual(['a-rivers~~1'])
  })

  it('takes lists and booleans of JSON, and an empty body', async () => {
    const call = { 'facet.field': ['organization'], facet: true, rows: '1', fq: null, start: '' }
    const { body } = await post(search, JSON.stringify(call))
    expect(body.result.facets).toEqual({ organization: { c1: 1, c2: 2, c3: 12 } })
    expect((await post(search, '')).body.result.count).toBe(15)
  })

  it('does not mind which media type the JSON is sent as', async () => {
    const type = 'application/x-www-form-urlencoded'
    expect((await post(search, '{"q":"rivers"}', type)).body.result.count).toBe(1)
  })

  it.each(['[]', '"x"', '{"q"', 'q=rivers', 'null'])('refuses the body %s', async (text) => {
    const { status, body } = await post(search, text)
    expect([status, body.error]).toEqual([
      409,
      { __type: 'Validation Error', message: 'the body must be a JSON object' },
    ])
  })

  it('refuses members of a wrong type, and bodies that are too large', async () => {
    const wrong = await post(search, '{"q":{"a":1},"rows":[1]}')
    expect([wrong.status, wrong.body.error.message]).toEqual([
      409,
      'q must be a text, got {"a":1}; rows must be a text, got [1]',
    ])
    const large = await post(search, `{"q":"${'a'.repeat(2 ** 20)}"}`)
    expect([large.status, large.body.error.__type]).toEqual([413, 'Search Error'])
  })

  it('ignores what it does not know', async () => {
    expect(await found({ q: 'rivers', include_private: 'true', callback: 'x' })).toBe('a')
  })

  it('tells the names of the actions to whoever asks for another', async () => {
    const { status, body } = await get('package_create')
    expect([status, body.error.__type]).toEqual([404, 'Not Found Error'])
    expect(body.error.message).toContain('package_list, package_show, package_search')
  })

  it('says when to come back while the engine is away', async () => {
    const away = await doors([])
    await away.index.close()
    const answer = await away.request(search)
    expect(answer.status).toBe(503)
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0)
    expect(await bodyOf(answer)).toMatchObject({
      success: false,
      error: { __type: 'Search Error' },
    })
    await away.close()
  })

  it('is open for reads only', async () => {
    const answer = await ckan.request(search, { method: 'DELETE' })
    expect([answer.status, answer.headers.get('Allow')]).toEqual([405, 'GET, HEAD, OPTIONS, POST'])
  })
})
