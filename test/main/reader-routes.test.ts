/** Which requests of a reader are answered here, and which by the process that writes. */

import { describe, expect, it } from 'vitest'
import { furtherPaths, servicePaths } from '../../src/main/platform-context.ts'
import { readerRoutes } from '../../src/main/reader-routes.ts'
import { checkEndpoint } from '../../src/portal/check-endpoint.ts'
import { pageEndpoints } from '../../src/portal/page-endpoints.ts'
import { portalEndpoints } from '../../src/portal/portal-app.ts'
import { endpointTables } from '../support/endpoint-tables.ts'
import { loadProfile } from '../../src/profile/load-profile.ts'

const site = 'http://portal.example'

function reader(writerStatus = 200) {
  let now = 0
  const asked: string[] = []
  const writer = {
    fetch: async ({ method, url }: Request) => {
      asked.push(`${method} ${url.slice(site.length)}`)
      return new Response('writer', { status: writerStatus })
    },
  }
  const local = {
    fetch: async ({ url }: Request) =>
      new Response('here', { status: url.includes('absent') ? 404 : 200 }),
  }
  const routes = readerRoutes({ writer, now: () => now })
  const answer = async (path: string, init?: RequestInit, reads?: readonly string[]) =>
    (await routes(local, reads).fetch(new Request(site + path, init))).text()
  return { asked, answer, pass: (ms: number) => void (now += ms) }
}

describe('a reader', () => {
  it('answers what reads, without a key and a session', async () => {
    const { answer } = reader()
    expect(await answer('/api/hub/repo/datasets/levels.ttl')).toBe('here')
    expect(await answer('/en/datasets', { headers: { Cookie: 'theme=dark' } })).toBe('here')
    expect(await answer('/sparql', { method: 'POST', body: 'query=ASK{}' }, ['POST'])).toBe('here')
  })

  it.each<[string, string, RequestInit]>([
    ['a write', '/api/hub/repo/datasets/levels', { method: 'PUT', body: '<> a <urn:x>' }],
    ['a preflight', '/api/hub/repo/datasets/levels', { method: 'OPTIONS' }],
    ['a read with a key', '/api/hub/repo/datasets/levels', { headers: { 'X-API-Key': 'k' } }],
    [
      'a read with a token',
      '/api/hub/repo/datasets/levels',
      { headers: { Authorization: 'Bearer k' } },
    ],
    ['a page for a session', '/en/datasets', { headers: { Cookie: 'a=b; __Host-session=x' } }],
    ['a page for a session by plain http', '/en/datasets', { headers: { Cookie: 'session=x' } }],
    ['a draft that was shared', '/api/hub/repo/drafts/datasets/a/shared/token', {}],
    ['the findings of a record', '/api/hub/search/datasets/a/findings', {}],
  ])('leaves %s to the writer', async (_, path, init) => {
    expect(await reader().answer(path, init)).toBe('writer')
  })

  it('leaves every page to the writer that is for people who are signed in or were invited', async () => {
    const open = new Set(
      [...portalEndpoints, ...pageEndpoints('/embed'), checkEndpoint()].map(
        ({ route }) => route.path,
      ),
    )
    const pages = endpointTables(await loadProfile('shapes/default', { enabled: true }))
      .filter(({ service }) => service === 'portal')
      .flatMap(({ endpoints }) => endpoints)
      .filter(({ route }) => !open.has(route.path))
    expect(pages.length).toBeGreaterThan(40)
    for (const { example } of pages)
      expect([example, await reader().answer(example)]).toEqual([example, 'writer'])
  })

  it('answers the public pages itself', async () => {
    const { answer } = reader()
    for (const { example } of [...pageEndpoints(), ...pageEndpoints('/embed')])
      expect([example, await answer(example)]).toEqual([example, 'here'])
  })

  it('asks the writer about what is not here, and remembers for half a minute what it does not know either', async () => {
    const { answer, asked, pass } = reader(404)
    expect(await answer('/api/hub/repo/datasets/absent')).toBe('here')
    expect(await answer('/api/hub/repo/datasets/absent')).toBe('here')
    expect(asked).toEqual(['GET /api/hub/repo/datasets/absent'])
    pass(30_001)
    await answer('/api/hub/repo/datasets/absent')
    expect(asked).toHaveLength(2)
    expect(await reader(410).answer('/api/hub/repo/datasets/absent')).toBe('writer')
    expect(await reader(503).answer('/api/hub/repo/datasets/absent')).toBe('here')
  })

  it('asks at most fifty times in a second', async () => {
    const { answer, asked, pass } = reader(404)
    for (let n = 0; n < 80; n += 1) await answer(`/api/hub/repo/datasets/absent-${n}`)
    expect(asked).toHaveLength(50)
    pass(1000)
    await answer('/api/hub/repo/datasets/absent-90')
    expect(asked).toHaveLength(51)
  })
})

describe('the paths of the services', () => {
  it('are below /api, but for those of pages, queries and the console', () => {
    const others = Object.values({ ...servicePaths, ...furtherPaths }).filter(
      (path) => !path.startsWith('/api/'),
    )
    expect(others.toSorted((a, b) => a.localeCompare(b))).toEqual(['', '/shell', '/sparql'])
  })
})
