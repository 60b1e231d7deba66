/** Whoever does not run the portal has the platform as it was: programs and browsers get what the services say. */

import { afterAll, beforeAll, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
let directory: string
let platform: Gateway

const get = (path: string, accept: string) =>
  fetch(platform.url + path, { headers: { Accept: accept }, redirect: 'manual' })

beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory, {
    PLATFORM_SERVICES: 'repo,search,sparql,harvest,scheduler,metrics,console',
  })
  const { put, putDataset } = client(platform)
  const prefixes =
    '@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> . '
  await put('/catalogues/city', `${prefixes} <> a dcat:Catalog ; dct:title "City"@en .`)
  await putDataset('city', 'parks', `${prefixes} <> a dcat:Dataset ; dct:title "Parks"@en .`)
})
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

it.each(['/', '/en/', '/en/datasets/parks', '/assets/portal.css', '/sign-in'])(
  '%s is no page',
  async (path) => {
    const answer = await get(path, browser)
    expect(answer.headers.get('Content-Type')).not.toContain('text/html; charset=utf-8')
    expect(await answer.text()).not.toContain('<main')
  },
)

it('a problem is a problem document, for browsers too', async () => {
  const answer = await get('/api/hub/search/datasets/none', browser)
  expect(answer.status).toBe(404)
  expect(answer.headers.get('Content-Type')).toMatch(/^application\/problem\+json/)
})

it('an IRI leads to RDF', async () => {
  const answer = await get('/set/data/parks', 'text/turtle')
  expect(answer.status).toBe(303)
  expect(answer.headers.get('Location')).toContain('/api/hub/repo/datasets/parks')
})
