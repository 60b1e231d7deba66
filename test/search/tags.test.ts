/** Answers that a client has already are not sent again, until something is written. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf } from './suite/corpus.ts'
import { searchFixture, type SearchFixture } from './suite/search-fixture.ts'

let search: SearchFixture
let version = 2
beforeAll(async () => {
  search = await searchFixture()
})
afterAll(() => search.close())

const write = () => {
  const catalogue = documentOf({ index: 'catalogue', id: 'c03', text: {}, facets: {} })
  return search.index.write([{ put: { ...catalogue, version: version++ } }])
}
const tagOf = async (path: string) => (await search.get(path)).headers.get('ETag') ?? ''
const status = async (path: string, tag: string) =>
  (await search.get(path, { 'If-None-Match': tag })).status

describe('the state of the index', () => {
  it.each([
    '/search?q=water',
    '/search?filters=dataset&limit=0',
    '/catalogues',
    '/datasets?catalogue=c01',
    '/vocabularies',
    '/vocabularies/agencies',
  ])('tags %s', async (path) => {
    const first = await search.get(path)
    const tag = first.headers.get('ETag') ?? ''
    expect(tag).toMatch(/^W\/"[0-9a-f]{32}"$/)
    expect(first.headers.get('Cache-Control')).toBe('no-cache')
    expect(await tagOf(path)).toBe(tag)
    expect(await status(path, `"other", ${tag}`)).toBe(304)
    await write()
    expect(await status(path, tag)).toBe(200)
    expect(await tagOf(path)).not.toBe(tag)
  })

  it('tags each address by itself', async () => {
    const tag = await tagOf('/search?q=water')
    expect(await status('/search?q=street', tag)).toBe(200)
  })

  it('does not hide what is wrong, and tags no problem', async () => {
    const bad = await search.get('/search?limit=x', { 'If-None-Match': '*' })
    expect([bad.status, bad.headers.get('ETag')]).toEqual([400, null])
    const missing = await search.get('/datasets?catalogue=nope', { 'If-None-Match': '*' })
    expect([missing.status, missing.headers.get('ETag')]).toEqual([404, null])
  })
})
