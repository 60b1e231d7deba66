/** Records by id, lists of ids, vocabularies, and what stands beside them. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fingerprint } from '../../src/text/fingerprint.ts'
import { documentOf } from './suite/corpus.ts'
import { searchFixture, type SearchFixture } from './suite/search-fixture.ts'

let search: SearchFixture
beforeAll(async () => {
  search = await searchFixture()
})
afterAll(() => search.close())

const problem = (kind: string) => ({ type: `urn:cartulary:problem:${kind}` })

describe('one record', () => {
  it('of a dataset holds the whole present record of its catalogue', async () => {
    const { status, body } = await search.get('/datasets/d01')
    expect(status).toBe(200)
    expect(body.result).toMatchObject({
      id: 'd01',
      distributions: [{ id: 'd01-0' }, { id: 'd01-1' }],
    })
    expect(body.result['catalog']).toEqual({
      id: 'c01',
      resource: 'http://example.org/catalogue/c01',
      title: { en: 'Environment catalogue' },
      description: { en: 'Water and air data.' },
      issued: '2014-01-01T00:00:00Z',
      modified: '2024-05-01T00:00:00Z',
    })
  })

  it('of a catalogue counts its datasets', async () => {
    expect((await search.get('/catalogues/c01')).body.result).toMatchObject({
      id: 'c01',
      count: 10,
    })
  })

  it('is found by an encoded id and with a slash behind it', async () => {
    const id = 'a-b~~1'
    await search.index.write([{ put: documentOf({ index: 'dataset', id, text: {}, facets: {} }) }])
    for (const path of [id, 'a-b%7E%7E1', `${id}/`]) {
      expect((await search.get(`/datasets/${path}`)).body.result['id']).toBe(id)
    }
    await search.index.write([{ remove: { index: 'dataset', id, version: 2 } }])
    expect((await search.get(`/datasets/${id}`)).status).toBe(404)
  })

  it('carries an entity tag that answers 304 until something in it changes', async () => {
    const first = await search.get('/datasets/d03')
    const tag = first.headers.get('ETag') ?? ''
    expect(tag).toMatch(/^W\/"[0-9a-f]{32}"$/)
    expect(first.headers.get('Last-Modified')).toBe('Sun, 31 Dec 2023 00:00:00 GMT')
    const again = await search.get('/datasets/d03', { 'If-None-Match': `"x", ${tag}` })
    expect([again.status, again.headers.get('ETag')]).toEqual([304, tag])
    const catalogue = documentOf({ index: 'catalogue', id: 'c02', text: {}, facets: {} })
    await search.index.write([{ put: { ...catalogue, version: 2 } }])
    expect((await search.get('/datasets/d03', { 'If-None-Match': tag })).status).toBe(200)
  })

  it.each([
    ['/datasets/nope', 'unknown-dataset'],
    ['/datasets/c01', 'unknown-dataset'],
    ['/catalogues/nope', 'unknown-catalogue'],
    ['/vocabularies/nope', 'unknown-vocabulary'],
    ['/vocabularies/nope/v01', 'unknown-vocabulary'],
    ['/vocabularies/agencies/v03', 'unknown-concept'],
    ['/vocabularies/nope/vocable?resource=http://x', 'unknown-vocabulary'],
    ['/vocabularies/themes/vocable?resource=http://x', 'unknown-concept'],
    ['/datasets?catalogue=nope', 'unknown-catalogue'],
    ['/revisions', 'not-found'],
    ['/scroll?scrollId=x', 'unknown-cursor'],
  ])('%s is a problem %s', async (path, kind) => {
    const { status, body } = await search.get(path)
    expect(status).toBe(404)
    expect(body).toMatchObject(problem(kind))
  })
})

describe('lists', () => {
  it('of catalogues and vocabularies are bare arrays of ids, ascending', async () => {
    expect((await search.get('/catalogues')).body).toEqual(['c01', 'c02'])
    expect((await search.get('/vocabularies/')).body).toEqual(['agencies', 'themes'])
  })

  it('of the datasets of a catalogue is a bare array of ids, ascending, alias ignored', async () => {
    const { body } = await search.get('/datasets?catalogue=c02&alias=x')
    expect(body).toEqual(['d03', 'd06', 'd09', 'd12'])
  })

  it('of datasets needs a catalogue', async () => {
    for (const path of ['/datasets', '/datasets?catalogue=', '/vocabularies/themes/vocable']) {
      const { status, body } = await search.get(path)
      expect([status, body]).toMatchObject([400, problem('invalid-parameter')])
    }
  })

  it('are whole however long they are', async () => {
    const ids = Array.from({ length: 2500 }, (_, n) => `t${String(n).padStart(4, '0')}`)
    const texts = (id: string) => ({ pref_label: { en: [`label ${id}`] } })
    const concepts = ids.map((id) =>
      documentOf({ index: 'vocabulary', id, text: texts(id), facets: { vocabulary: ['long'] } }),
    )
    await search.index.write(concepts.map((put) => ({ put })))
    const { body } = await search.get('/vocabularies/long')
    expect(body.result).toMatchObject({ id: 'long', count: 2500 })
    expect(body.result.results.map(({ id }) => id)).toEqual(ids)
    const iri = encodeURIComponent('http://example.org/vocabulary/t1234')
    expect((await search.get(`/vocabularies/long/vocable?resource=${iri}`)).body.result).toEqual(
      (await search.get('/vocabularies/long/t1234')).body.result,
    )
  })
})

describe('concepts', () => {
  it('are found by id and by IRI, also when the IRI does not end in the id', async () => {
    const { body } = await search.get('/vocabularies/agencies')
    expect(body.result.results.map(({ id }) => id)).toEqual(['v01', 'v02'])
    const byIri = '/vocabularies/agencies/vocable?resource=http://example.org/vocabulary/v02'
    expect((await search.get(byIri)).body.result['id']).toBe('v02')
    const odd = documentOf({
      index: 'vocabulary',
      id: 'x1',
      text: {},
      facets: { vocabulary: ['agencies'] },
    })
    const record = { id: 'x1', resource: 'http://example.org/other#name' }
    const numbers = { resource: fingerprint(record.resource) }
    await search.index.write([{ put: { ...odd, numbers, record } }])
    const encoded = encodeURIComponent(record.resource)
    const found = await search.get(`/vocabularies/agencies/vocable?resource=${encoded}`)
    expect(found.body.result).toEqual(record)
  })
})

describe('beside the records', () => {
  it('the profile is JSON, and Turtle for those who prefer it', async () => {
    const json = await search.get('/profile')
    expect(json.body).toMatchObject({ builtIn: true })
    const turtle = await search.get('/profile', { Accept: 'text/turtle' })
    expect(turtle.headers.get('Content-Type')).toContain('text/turtle')
    expect((await search.get('/profile.ttl')).body).toEqual(turtle.body)
  })

  it('health tells the number of documents and the profile', async () => {
    const { status, body } = await search.get('/health')
    const { hash } = (await search.get('/profile')).body
    expect([status, body]).toMatchObject([
      200,
      { status: 'up', profile: hash, documents: { catalogue: 2 } },
    ])
  })

  it('the OpenAPI document names every parameter of the search', async () => {
    const { body } = await search.get('/openapi.json')
    const own = Object.keys(body.paths ?? {}).filter((path) => !/ckan|feeds|sitemap/.test(path))
    expect(own.sort()).toEqual([
      '/catalogues',
      '/catalogues/{id}',
      '/catalogues/{id}/findings',
      '/datasets',
      '/datasets/{id}',
      '/datasets/{id}/findings',
      '/datasets/{id}/similar',
      '/health',
      '/preview',
      '/profile',
      '/profile.ttl',
      '/scroll',
      '/search',
      '/vocabularies',
      '/vocabularies/{id}',
      '/vocabularies/{vocabulary}/vocable',
      '/vocabularies/{vocabulary}/{id}',
    ])
    const names = body.paths?.['/search']?.get.parameters.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['q', 'filters', 'facets', 'boost.{field}']))
    expect((await search.get('/')).body).toMatchObject({ openapi: '3.1.0' })
    const page = await search.get('/', { Accept: 'text/html' })
    expect(page.headers.get('Content-Type')).toContain('text/html')
  })
})
