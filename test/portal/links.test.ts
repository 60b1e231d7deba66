/** How the address of a page is spelled, and what a page of a record tells programs beside its content. */

import { afterAll, beforeAll, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'

let directory: string
let platform: Gateway

const get = (path: string) =>
  fetch(platform.url + path, { headers: { Accept: 'text/html' }, redirect: 'manual' })

const prefixes = `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .\n`
async function put(path: string, body: string): Promise<void> {
  const answer = await client(platform).put(path, prefixes + body)
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
}

beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory)
  await put('/catalogues/city', '<https://city.example/> a dcat:Catalog ; dct:title "City"@en .')
  await put(
    '/catalogues/city/datasets/origin?originalId=lakes',
    `<https://city.example/lakes> a dcat:Dataset ; dct:title "Lakes"@en, "Seen"@de-t-en-t0-mtec ; dcat:distribution [ a dcat:Distribution ;
     dcat:accessURL <https://city.example/lakes.csv> ; dct:license <http://publications.europa.eu/resource/authority/licence/CC_BY_4_0> ] .`,
  )
})
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

it.each([
  ['/EN/datasets?q=a%20b', '/en/datasets?q=a%20b'],
  ['/en/datasets/', '/en/datasets'],
  ['/de/datasets/lakes/', '/de/datasets/lakes'],
  ['/De', '/de/'],
  ['/fr', '/fr/'],
])('a page has one spelling: %s leads to %s', async (path, location) => {
  const answer = await get(path)
  expect([answer.status, answer.headers.get('Location')]).toEqual([301, location])
})

it('programs are told where the record is as RDF, what it is called for ever and under what licence it is', async () => {
  const link = (await get('/en/datasets/lakes')).headers.get('Link') ?? ''
  expect(link).toContain('/api/hub/repo/datasets/lakes.ttl>; rel="alternate"; type="text/turtle"')
  expect(link).toMatch(/<[^<>]+\/set\/data\/lakes>; rel="cite-as"/)
  expect(link).toContain('<http://creativecommons.org/licenses/by/4.0/>; rel="license"')
})

it('a title that a machine has translated says so', async () => {
  const pages = ['de', 'en'].map(async (one) => (await get(`/${one}/datasets/lakes`)).text())
  const [german, english] = await Promise.all(pages)
  expect(german).toContain('title="Maschinelle Übersetzung aus: Englisch"')
  expect(english).not.toContain('Machine translation')
})
