/** What people find with: maps, the search with its filters, pages and files. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'

let directory: string
let platform: Gateway

const page = async (path: string): Promise<string> => {
  const answer = await fetch(platform.url + path, { headers: { Accept: 'text/html' } })
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`)
  return answer.text()
}

/** A dataset with an area, as WKT. */
async function put(id: string, area: string): Promise<void> {
  const answer = await client(platform).put(
    `/catalogues/city/datasets/origin?originalId=${id}`,
    `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
     @prefix geo: <http://www.opengis.net/ont/geosparql#> .
     <https://city.example/${id}> a dcat:Dataset ; dct:title ${JSON.stringify(id)}@en ;
       dct:spatial [ a dct:Location ; dcat:bbox "${area}"^^geo:wktLiteral ] .`,
  )
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
}

const box = (west: number, south: number, east: number, north: number): string =>
  `POLYGON((${west} ${south},${east} ${south},${east} ${north},${west} ${north},${west} ${south}))`

beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory)
  const catalogue = await client(platform).put(
    '/catalogues/city',
    `<https://city.example/> a <http://www.w3.org/ns/dcat#Catalog> ; <http://purl.org/dc/terms/title> "City"@en .`,
  )
  expect(catalogue.status).toBeLessThan(300)
  await put('rhine', box(7, 47, 8, 48))
  await put('world', box(-180, -90, 180, 90))
})
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

describe('a map', () => {
  it.each([
    ['en', ['Germany', 'Switzerland', 'France']],
    ['de', ['Deutschland', 'Schweiz', 'Frankreich']],
    ['fr', ['Allemagne', 'Suisse', 'France']],
    ['it', ['Germania', 'Svizzera', 'Francia']],
  ])('names countries in the language of the page: %s', async (language, expected) => {
    const names = [...(await page(`/${language}/datasets/rhine`)).matchAll(/<text [^>]*>([^<]+)</g)]
    expect(names.map(([, name]) => name)).toEqual(expect.arrayContaining(expected))
  })

  it.each(['/en/datasets/world', '/en/'])(
    'of the world ends before the poles: %s',
    async (path) => {
      const [svg = ''] = /<svg class="map".*?<\/svg>/s.exec(await page(path)) ?? []
      expect(svg).toContain('<path class="land" d="M')
      expect(svg).not.toMatch(/NaN|Infinity/)
    },
  )
})
