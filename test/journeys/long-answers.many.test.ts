/** Whatever strangers may ask for: what can be long takes a slot, and nobody else waits for it. */

import { request, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { prefixes } from '../support/repository.ts'

const services = ['hub/repo', 'hub/search', 'scheduler', 'mqa/cache', 'mqa/reports', 'mqa/shacl']

/** More than the buffers of a socket hold. */
const [datasets, filling] = [200, 75_000]

/** What stands for the parameters of paths, and what is asked for where as much as possible is wanted. */
const given: Readonly<Record<string, string>> = {
  catalogueId: 'lakes',
  datasetId: 'level-7',
  vocabularyId: 'colours',
  lang: 'en',
  n: '1',
}
const most = 'limit=1000&valueType=metadata&catalogue=lakes&startDate=2026-01-01&rows=1000'

/** Those that answer with as much as there is, by their paths in the contracts. */
const long = [
  '/api/hub/repo/catalogues',
  '/api/hub/repo/catalogues/{catalogueId}/datasets',
  '/api/hub/repo/catalogues/{catalogueId}/dump',
  '/api/hub/repo/catalogues/{catalogueId}/resources',
  '/api/hub/repo/datasets',
  '/api/hub/repo/datasets/{datasetId}/distributions',
  '/api/hub/repo/resources',
  '/api/hub/repo/resources/{datasetId}/distributions',
  '/api/hub/repo/vocabularies',
  '/api/hub/repo/vocabularies/{vocabularyId}',
  '/api/hub/search/ckan/api/3/action/current_package_list_with_resources',
  '/api/hub/search/ckan/api/3/action/group_list',
  '/api/hub/search/ckan/api/3/action/group_show',
  '/api/hub/search/ckan/api/3/action/help_show',
  '/api/hub/search/ckan/api/3/action/license_list',
  '/api/hub/search/ckan/api/3/action/organization_list',
  '/api/hub/search/ckan/api/3/action/organization_show',
  '/api/hub/search/ckan/api/3/action/package_autocomplete',
  '/api/hub/search/ckan/api/3/action/package_list',
  '/api/hub/search/ckan/api/3/action/package_search',
  '/api/hub/search/ckan/api/3/action/package_show',
  '/api/hub/search/ckan/api/3/action/resource_show',
  '/api/hub/search/ckan/api/3/action/site_read',
  '/api/hub/search/ckan/api/3/action/status_show',
  '/api/hub/search/ckan/api/3/action/tag_list',
  '/api/hub/search/ckan/current_package_list_with_resources',
  '/api/hub/search/ckan/group_list',
  '/api/hub/search/ckan/group_show',
  '/api/hub/search/ckan/help_show',
  '/api/hub/search/ckan/license_list',
  '/api/hub/search/ckan/organization_list',
  '/api/hub/search/ckan/organization_show',
  '/api/hub/search/ckan/package_autocomplete',
  '/api/hub/search/ckan/package_list',
  '/api/hub/search/ckan/package_search',
  '/api/hub/search/ckan/package_show',
  '/api/hub/search/ckan/resource_show',
  '/api/hub/search/ckan/site_read',
  '/api/hub/search/ckan/status_show',
  '/api/hub/search/ckan/tag_list',
  '/api/hub/search/datasets',
  '/api/hub/search/sitemap',
  '/api/hub/search/sitemap/{n}',
  '/api/hub/search/vocabularies/{id}',
  '/api/hub/search/{lang}/feeds/datasets.atom',
  '/api/hub/search/{lang}/feeds/datasets.rss',
  '/api/mqa/cache/catalogues',
  '/api/mqa/reports/portal.json',
]

let directory: string
let platform: Gateway
const limits = { longAnswers: 2, longAnswersPerClient: 2, longAnswersWaiting: 1 }
beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory, { PLATFORM_LIMITS: JSON.stringify(limits) })
  const api = client(platform)
  await api.put('/catalogues/lakes', `${prefixes}<> a dcat:Catalog ; dct:title "Lakes"@en .`)
  const scheme = `${prefixes}<https://v.example/colours> a skos:ConceptScheme .
    <https://v.example/colours/red> a skos:Concept ; skos:inScheme <https://v.example/colours> .`
  await api.put('/vocabularies/colours', scheme)
  const text = 'x'.repeat(filling)
  const bodies = Array.from(
    { length: datasets },
    (_, n) =>
      `<urn:d:${n}> a dcat:Dataset ; dct:identifier "level-${n}" ; dct:title "Level ${n}"@en ; <urn:filling> "${text}" .`,
  )
  const bulk = await api.put('/catalogues/lakes/datasets/bulk', prefixes + bodies.join('\n'))
  const landed: { status: number }[] = JSON.parse(await bulk.text())
  if (landed.some(({ status }) => status !== 201)) throw new Error(JSON.stringify(landed[0]))
})
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

/** Addresses of all GET routes of the contracts that take no key, by their paths. */
async function routes(): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const service of services) {
    const place = `/api/${service}`
    const answer = await fetch(`${platform.url}${place}/openapi.json`)
    const { paths } = (await answer.json()) as {
      paths: Record<string, { get?: { security?: unknown } }>
    }
    for (const [path, { get }] of Object.entries(paths)) {
      if (!get || get.security !== undefined) continue
      const own = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => given[name] ?? 'colours')
      found.set(place + path, `${platform.url}${place}${own}?${most}`)
    }
  }
  return found
}

/** A client that asks and takes nothing of the answer. */
function idle(address: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(address, { agent: false }, resolve).once('error', reject).end()
  })
}

const dump = () => `${platform.url}/api/hub/repo/catalogues/lakes/dump.nq`

describe('an anonymous GET', () => {
  it('that can be long waits for a slot or is refused; no other one notices', async () => {
    const held = [await idle(dump()), await idle(dump())]
    expect(held.map(({ statusCode }) => statusCode)).toEqual([200, 200])
    const leaving = new AbortController()
    const waiting = fetch(dump(), { signal: leaving.signal }).catch(() => 'left')
    const refused: string[] = []
    for (const [path, address] of await routes()) {
      const answer = await fetch(address, { signal: AbortSignal.timeout(10_000) })
      const text = await answer.text()
      expect([path, answer.status]).not.toEqual([path, 500])
      if (answer.status !== 429) continue
      expect([answer.headers.get('Retry-After'), text]).toEqual([
        '5',
        expect.stringContaining('longAnswers'),
      ])
      refused.push(path)
    }
    leaving.abort()
    expect(await waiting).toBe('left')
    for (const answer of held) answer.destroy()
    expect(refused).toEqual(expect.arrayContaining(long))
    expect(refused.filter((path) => !long.includes(path) && !path.startsWith('/api/mqa/'))).toEqual(
      [],
    )
  })

  it('that takes no slot is answered whole and small', async () => {
    for (const [path, address] of await routes()) {
      if (long.includes(path) || path.endsWith('/search')) continue
      const headers = { 'Accept-Encoding': 'identity' }
      const answer = await fetch(address, { headers })
      const length = (await answer.arrayBuffer()).byteLength
      expect([path, answer.headers.get('Transfer-Encoding'), length < 200_000]).toEqual([
        path,
        null,
        true,
      ])
    }
  })

  it('leaves its slot when its client leaves', async () => {
    const answer = await fetch(dump())
    expect(answer.status).toBe(200)
    expect((await answer.text()).length).toBeGreaterThan(datasets * filling)
  })
})

describe('while more strangers than there are slots want every long answer', () => {
  it.each([
    '/api/hub/repo/catalogues/lakes/dump.ttl',
    '/api/hub/repo/datasets',
    ...['atom', 'rss'].map((form) => `/api/hub/search/en/feeds/datasets.${form}`),
  ])('at %s, others are answered', async (path) => {
    const ending = new AbortController()
    const { signal } = ending
    const ask = async () => {
      const answer = await fetch(`${platform.url}${path}?${most}`, { signal })
      await answer.text()
      return answer.status
    }
    const strangers = Array.from({ length: 12 }, async () => {
      const told = new Set<number>()
      while (!signal.aborted) told.add(await ask().catch(() => 200))
      return [...told]
    })
    const api = client(platform)
    const within = { signal: AbortSignal.timeout(20_000) }
    const asked = [
      fetch(`${platform.url}/`, within),
      fetch(`${platform.url}/health`, within),
      fetch(`${api.search}/search?q=level`, within),
      api.putDataset(
        'lakes',
        'written-meanwhile',
        `${prefixes}<> a dcat:Dataset ; dct:title "${path}" .`,
      ),
    ]
    const statuses = (await Promise.all(asked)).map(({ status }) => status < 300)
    ending.abort()
    expect(statuses).toEqual([true, true, true, true])
    const told = new Set((await Promise.all(strangers)).flat())
    expect([...told].every((status) => status === 200 || status === 429)).toBe(true)
  })
})
