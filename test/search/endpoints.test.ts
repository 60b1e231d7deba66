/** The table of the search service's endpoints: each is described and answered, and all of them only read. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadProfile } from '../../src/profile/load-profile.ts'
import { answerSchemas } from '../../src/search/answer-schemas.ts'
import { searchEndpoints } from '../../src/search/search-app.ts'
import type { Document } from '../../src/search-index/search-index.ts'
import { documents } from './suite/corpus.ts'
import { typeOf } from './suite/resource-type.ts'
import { settings } from './suite/settings.ts'
import { searchFixture, type SearchFixture } from './suite/search-fixture.ts'

const resources = [typeOf('app', 100)]
const profile = { ...(await loadProfile()), resources }
const table = searchEndpoints(profile, answerSchemas(profile)).map(({ route, auth }) => {
  const { method, path, summary = '', hide = false } = route
  return { method, path, summary, isHidden: hide, needs: auth.needs }
})

const [settingsOfCatalogue] = settings.filter(({ index }) => index === 'catalogue')
const [catalogue] = documents.filter(({ index }) => index === 'catalogue')
const app: Document | undefined = catalogue && { ...catalogue, index: 'resource_app', id: 'a1' }

let search: SearchFixture
beforeAll(async () => {
  search = await searchFixture([...documents, ...(app ? [app] : [])], {
    resources,
    settings: settingsOfCatalogue ? [{ ...settingsOfCatalogue, index: 'resource_app' }] : [],
    findings: async () => [],
  })
})
afterAll(() => search.close())

/** Values of `{id}` by the first step of a path. */
const ids: Readonly<Record<string, string>> = {
  datasets: 'd01',
  catalogues: 'c01',
  resources: 'a1',
  vocabularies: 'themes',
}
const examples: Readonly<Record<string, string>> = {
  type: 'app',
  vocabulary: 'themes',
  lang: 'en',
  n: '1',
  action: 'status_show',
}

/** The path with an example for each of its parameters, if there is one. */
const filled = (path: string): string =>
  path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    if (path === '/vocabularies/{vocabulary}/{id}' && name === 'id') return 'v03'
    return (name === 'id' ? ids[path.split('/')[1] ?? ''] : examples[name]) ?? whole
  })

describe('the endpoints of the search service', () => {
  it('have a path and a method of their own, and a summary', () => {
    const names = table.map(({ method, path }) => `${method} ${path}`)
    expect(new Set(names).size).toBe(names.length)
    expect(table.filter(({ summary }) => summary.trim() === '')).toEqual([])
  })

  it('only read, and are open but for previews: a POST is a search, a preview or a call of CKAN', () => {
    const closed = table.filter(({ needs }) => needs !== 'nothing')
    expect(closed.map(({ path }) => path)).toEqual(['/preview'])
    const others = table.filter(
      ({ method, path }) => method !== 'get' && !/\/ckan|^\/api/.test(path),
    )
    expect(others.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'post /search',
      'post /preview',
    ])
  })

  it('are in the OpenAPI document unless they are hidden, which are calls of CKAN by name', async () => {
    const { body } = await search.get('/openapi.json')
    const described = table.filter(({ isHidden }) => !isHidden).map(({ path }) => path)
    expect(new Set(Object.keys(body.paths ?? {}))).toEqual(new Set(described))
    const hidden = table.filter(({ isHidden }) => isHidden)
    expect(new Set(hidden.map(({ path }) => path.split('/').at(-1)))).toEqual(new Set(['{action}']))
  })

  const open = table.filter(({ needs }) => needs === 'nothing')
  it.each(open.map(({ method, path }) => [method.toUpperCase(), filled(path)] as const))(
    '%s %s is answered without a key',
    async (method, path) => {
      expect(path).not.toContain('{')
      const { status } = await (method === 'GET' ? search.get(path) : search.post(path, '{}'))
      // A search or a call that lacks a required parameter, or a call of a resource without a store.
      expect([200, 400, 409]).toContain(status)
    },
  )
})
