/** Pages by themselves: how many are made at once, and who may show them in a frame. */

import { expect, it } from 'vitest'
import { defaultPortal, portalConfig } from '../../src/config/portal.ts'
import { logger } from '../../src/log.ts'
import { openPageShell } from '../../src/portal/page-shell.ts'
import { portalApp } from '../../src/portal/portal-app.ts'
import type { Port } from '../../src/portal/ports.ts'

it('of a crowd is made sixteen at a time, 64 wait, and all others are 503 with Retry-After at once', async () => {
  const log = logger('silent')
  const answer = Promise.withResolvers<void>()
  let [asking, most] = [0, 0]
  const slow: Port = async () => {
    asking += 1
    most = Math.max(most, asking)
    await answer.promise
    asking -= 1
    return Response.json({ result: { count: 0, results: [], facets: [] } })
  }
  const app = portalApp({
    shell: openPageShell(defaultPortal, log),
    ports: { search: slow, repository: slow, metrics: slow, sparql: slow },
    http: { log },
    previews: undefined,
    sessions: undefined,
    version: '1',
  })
  const crowd = Array.from({ length: 100 }, () =>
    Promise.resolve(
      app.request('http://h/en/sparql?query=ASK%20%7B%7D', { headers: { Accept: 'text/html' } }),
    ),
  )
  const refused = await Promise.race(crowd)
  expect(refused.status).toBe(503)
  expect(refused.headers.get('Retry-After')).toBe('5')
  expect(await refused.text()).toContain('<html')
  answer.resolve()
  const states = (await Promise.all(crowd)).map(({ status }) => status)
  expect(states.filter((status) => status === 503)).toHaveLength(20)
  expect(most).toBe(16)
})

it.each([
  [[], "frame-ancestors 'none'"],
  [['https://city.example/news'], 'frame-ancestors https://city.example'],
])('of a portal with embed %j says %s', async (embed, expected) => {
  const log = logger('silent')
  const empty: Port = () => Promise.resolve(Response.json({}))
  const app = portalApp({
    shell: openPageShell(portalConfig.parse({ embed }), log),
    ports: { search: empty, repository: empty, metrics: empty, sparql: empty },
    http: { log },
    previews: undefined,
    sessions: undefined,
    version: '1',
  })
  const page = await app.request('http://h/en/check', { headers: { Accept: 'text/html' } })
  expect(page.status).toBe(200)
  expect(page.headers.get('Content-Security-Policy')).toContain(expected)
})
