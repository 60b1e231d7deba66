/** Nothing of a draft is public: not its words, not its id, in no state, wherever one looks (`reference/publishing` 5, acceptance 7). */

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { prefixes } from '../support/repository.ts'
import type { StoreUnderTest } from './store-under-test.ts'

const keys = {
  'key-of-everything': ['*'],
  'publisher-of-rivers': ['publisher:rivers'],
  'steward-of-parks': ['steward:parks'],
}

/** Word that is in every draft and nowhere else, as a title and as the id that is made of it. */
const word = 'Zyzzogeton'
const inId = word.toLowerCase()

/** Public addresses that show what there is, and those that answer what is asked for. */
const addresses = (id: string): readonly string[] => [
  ...['datasets', 'datasets?limit=500', 'catalogues/rivers', 'catalogues/rivers/datasets'].map(
    (path) => `/api/hub/repo/${path}`,
  ),
  ...['', '.nt', '/versions'].map((ending) => `/api/hub/repo/datasets/${id}${ending}`),
  '/api/hub/repo/catalogues/rivers/dump.nt',
  '/api/hub/repo/datasets/levels/versions',
  '/api/hub/repo/datasets/levels',
  `/api/hub/search/search?q=${word}&suggestions=true&related=true&completions=true`,
  `/api/hub/search/search?q=zyzzo&autocomplete=true&completions=true`,
  '/api/hub/search/search?limit=500',
  `/api/hub/search/datasets/${id}`,
  '/api/hub/search/datasets/levels/similar',
  '/api/hub/search/en/feeds/datasets.atom',
  '/api/hub/search/en/feeds/datasets.rss',
  '/robots.txt',
  '/sitemap.xml',
  '/sitemap_index.xml',
  '/api/hub/search/sitemap_index.xml',
  '/metrics',
  '/health',
  '/en',
  '/en/datasets',
  `/en/datasets?q=${word}`,
  '/en/suggest?q=zyzzo',
  '/en/datasets.csv',
  `/en/datasets/${id}`,
  '/en/datasets/levels',
  '/en/catalogues/rivers',
  '/en/publishers',
  '/en/quality',
]

/** Text of an answer, without the words and the id that the request itself had. */
async function shownBy(platform: Gateway, path: string, key?: string): Promise<string> {
  const headers = { Accept: '*/*', ...(key !== undefined && { 'X-API-Key': key }) }
  const answer = await fetch(platform.url + path, { headers })
  const text = await answer.text()
  // What was typed comes back in forms, links and refusals.
  return answer.ok && !path.includes('yzzo') ? text : ''
}

/** Numbers of what an answer to a question with the word found. */
async function foundBy(platform: Gateway, path: string): Promise<unknown> {
  const answer = await fetch(platform.url + path)
  if (!answer.ok) return []
  const { result, ...kinds } = (await answer.json()) as { result?: Record<string, unknown> }
  const { results, suggestions, completions } = result ?? {}
  return Object.values({ ...kinds, results, suggestions, ...Object(completions) }).filter(
    (list) => Array.isArray(list) && list.length > 0,
  )
}

const everything = (where: string) =>
  `SELECT * { ${where} FILTER(CONTAINS(LCASE(CONCAT(STR(?s), STR(?o))), "${inId}")) } LIMIT 5`

/** Answers of the store itself, as whoever may query it gets them; the embedded store has no address of its own. */
async function inStore(env: StoreUnderTest['env'], query: string): Promise<string> {
  const { PLATFORM_TRIPLESTORE_CONFIG: text } = env
  if (text === undefined) return ''
  const { queryEndpoint } = JSON.parse(text) as { queryEndpoint: string }
  // Virtuoso has an address for everybody beside the one that asks for a password.
  const open = queryEndpoint.replace(/\/sparql-auth$/, '/sparql')
  const address = `${open}?${new URLSearchParams({ query }).toString()}`
  const answer = await fetch(address, { headers: { Accept: 'application/sparql-results+json' } })
  const found = await answer.text()
  return answer.ok ? found : `${answer.status}: ${found}`
}

/** Files of the data directory that have the word, in any spelling. */
async function filesWith(directory: string): Promise<string[]> {
  const names = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile())
  const found = await Promise.all(
    files.map(async ({ name, parentPath }) => {
      const text = await readFile(join(parentPath, name), 'latin1')
      return text.toLowerCase().includes(inId) ? [name] : []
    }),
  )
  return found.flat()
}

export function hiddenDrafts(name: string, openStore: () => Promise<StoreUnderTest>): void {
  describe(`${name}: drafts`, () => {
    it('are in no answer but those to who may see them, in no file but their own, and not in the log', async () => {
      const store = await openStore()
      const directory = await temporaryDirectory()
      const platform = await gateway(directory, {
        ...store.env,
        PLATFORM_HUB_API_KEYS: JSON.stringify(keys),
      })
      try {
        const id = await draftsInAllStates(platform)
        const faults: string[] = []
        for (const path of addresses(id))
          for (const key of [undefined, 'steward-of-parks'])
            if ((await shownBy(platform, path, key)).toLowerCase().includes(inId))
              faults.push(`${path} as ${key ?? 'a stranger'}`)
        for (const path of addresses(id).filter((one) => /search\/search|suggest/.test(one)))
          if (path.includes('yzzo') && JSON.stringify(await foundBy(platform, path)) !== '[]')
            faults.push(`${path}: ${JSON.stringify(await foundBy(platform, path))}`)
        for (const where of ['?s ?p ?o', 'GRAPH ?g { ?s ?p ?o }']) {
          const answer = await client(platform).query(everything(where))
          const { results } = (await answer.json()) as { results: { bindings: unknown[] } }
          if (results.bindings.length > 0) faults.push(`SPARQL ${where}`)
          if ((await inStore(store.env, everything(where))).toLowerCase().includes(`"${inId}`))
            faults.push(`store ${where}`)
          expect(await inStore(store.env, everything(where))).not.toMatch(/^\d{3}:/)
        }
        if (platform.log().toLowerCase().includes(inId)) faults.push('log')
        expect(faults).toEqual([])
      } finally {
        await platform.stop()
      }
      // The activity of the administrators has the paths of requests.
      const own = /^(?:records|activity)\.sqlite/
      expect((await filesWith(directory)).filter((file) => !own.test(file))).toEqual([])
      await remove(directory)
      await store.end()
    })
  })
}

/** Makes drafts in all states, and one of a published record; returns the id of one. */
async function draftsInAllStates(platform: Gateway): Promise<string> {
  const api = client({ url: platform.url, key: 'key-of-everything' })
  for (const id of ['rivers', 'parks'])
    await api.put(`/catalogues/${id}`, `${prefixes}<> a dcat:Catalog ; dct:title "The ${id}"@en .`)
  const levels = `${prefixes}<> a dcat:Dataset ; dct:title "Levels"@en ; dct:description "Of rivers."@en .`
  await api.putDataset('rivers', 'levels', levels)
  const send = async (method: string, path: string, body?: string | object, who = 'publisher') => {
    const isJson = typeof body === 'object'
    const answer = await fetch(`${api.repo}${path}`, {
      method,
      headers: {
        'X-API-Key': who === 'publisher' ? 'publisher-of-rivers' : 'key-of-everything',
        Accept: 'application/json',
        ...(body !== undefined && {
          'Content-Type': isJson ? 'application/json' : 'text/turtle',
        }),
      },
      ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
    })
    const text = await answer.text()
    expect([method, path, answer.ok, text]).toEqual([method, path, true, text])
    return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
  }
  const ids: string[] = []
  for (const state of ['draft', 'review', 'scheduled', 'away', 'returned']) {
    const body = `${prefixes}<> a dcat:Dataset ; dct:title "${word} ${state}"@en ; dct:description "${word} of a draft."@en ;
      dcat:keyword "${word}" ; dct:publisher [ a foaf:Organization ; foaf:name "${word} office" ] ;
      dcat:distribution [ a dcat:Distribution ; dcat:accessURL <https://data.example/${inId}.csv> ] .`
    const { id } = await send('POST', '/drafts/datasets?catalogue=rivers', body)
    ids.push(String(id))
    const path = `/drafts/datasets/${String(id)}`
    await send('GET', `${path}/findings`)
    await send('POST', `${path}/links`, {})
    if (state === 'review' || state === 'returned') await send('POST', `${path}/submit`, {})
    if (state === 'returned') await send('POST', `${path}/return`, { note: word }, 'steward')
    if (state === 'scheduled')
      await send('POST', `${path}/schedule`, { publishAt: '2027-09-01T08:00:00Z' }, 'steward')
    if (state === 'away') await send('DELETE', path)
  }
  await send('POST', '/drafts/datasets?of=levels')
  await send(
    'PUT',
    '/drafts/datasets/levels',
    `${prefixes}<> a dcat:Dataset ; dct:title "${word} levels"@en .`,
  )
  return ids[0] ?? ''
}
