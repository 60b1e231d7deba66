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
  await publish(platform)
})

async function publish(to: Gateway): Promise<void> {
  const { put, putDataset } = client(to)
  const prefixes =
    '@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> . '
  await put('/catalogues/city', `${prefixes} <> a dcat:Catalog ; dct:title "City"@en .`)
  await putDataset('city', 'parks', `${prefixes} <> a dcat:Dataset ; dct:title "Parks"@en .`)
}

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

it.each(['/sparql', '/sparql?query=ASK%20%7B%3Fs%20%3Fp%20%3Fo%7D'])(
  '%s answers a browser itself',
  async (path) => {
    const answer = await get(path, browser)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('Location')).toBeNull()
  },
)

/** What differs from one platform to the other, or from one moment to the next. */
const comparable = (text: string, url: string): string =>
  text
    .replaceAll(url, 'http://h')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/"(?:generation|tag|version)":\s*"[^"]*"/g, '')

it('programs get the same from every address, with the portal and without it', async () => {
  const other = await temporaryDirectory()
  const withPortal = await gateway(other)
  try {
    await publish(withPortal)
    // The list of services names the portal, and feeds lead to its pages: nothing else differs.
    const paths = [
      '/set/data/parks',
      '/set/data/parks.ttl',
      '/id/catalogue/city',
      '/sparql?query=ASK%20%7B%3Fs%20%3Fp%20%3Fo%7D',
      '/api/hub/repo/',
      '/api/hub/repo/datasets/parks.ttl',
      '/api/hub/repo/datasets/parks',
      '/api/hub/repo/catalogues/city.nt',
      '/api/hub/repo/datasets/none',
      '/api/hub/search/search?filters=dataset&q=parks',
      '/api/hub/search/datasets/parks',
      '/api/scheduler/pipes',
      '/api/mqa/cache/catalogues',
      '/nothing',
    ]
    const answersOf = async ({ url }: Gateway) =>
      Promise.all(
        paths.map(async (path) => {
          const answer = await fetch(url + path, { redirect: 'manual' })
          const { status, headers } = answer
          const about = [path, status, headers.get('Content-Type'), headers.get('Location')]
          return [
            ...about.map((one) => comparable(String(one), url)),
            comparable(await answer.text(), url),
          ]
        }),
      )
    expect(await answersOf(withPortal)).toEqual(await answersOf(platform))
  } finally {
    await withPortal.stop()
    await remove(other)
  }
})

it('a problem is a problem document, for browsers too', async () => {
  const answer = await get('/api/hub/search/datasets/none', browser)
  expect(answer.status).toBe(404)
  expect(answer.headers.get('Content-Type')).toMatch(/^application\/problem\+json/)
})

it('a report as HTML says where JSON and CSV are', async () => {
  const answer = await get('/api/mqa/reports/portal', browser)
  expect(answer.status).toBe(406)
  expect(await answer.text()).toContain(`ask for ${platform.url}/api/mqa/reports/portal.json or`)
  expect((await get('/api/mqa/reports/portal.json', browser)).status).toBe(200)
})

it('an IRI leads to RDF', async () => {
  const answer = await get('/set/data/parks', 'text/turtle')
  expect(answer.status).toBe(303)
  expect(answer.headers.get('Location')).toContain('/api/hub/repo/datasets/parks')
})
