/** The same data gives the same pages, whatever store and search engine they come from. */

import { beforeAll, describe, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { isMissing, onStore, stores } from './stores.ts'
import { isSearchMissing, meilisearchUnderTest } from './search/meilisearch-under-test.ts'
import type { StoreUnderTest } from '../journeys/store-under-test.ts'

const prefixes = `@prefix dcat: <http://www.w3.org/ns/dcat#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
`
const authority = 'http://publications.europa.eu/resource/authority'

const datasets = Array.from({ length: 30 }, (_, at) => ({
  id: `gauge-${at}`,
  body: `${prefixes}<https://water.example/${at}> a dcat:Dataset ; dct:title "Water level ${at}"@en, "Pegel ${at}"@de ;
    dct:description "Hourly levels of gauge ${at} at the **Aue**."@en ; dcat:keyword "gauge"@en, "group ${at % 3}"@en ;
    dcat:theme <${authority}/data-theme/${at % 2 === 0 ? 'ENVI' : 'TRAN'}> ; dct:publisher <https://water.example/office> ;
    dct:issued "2024-05-${String((at % 28) + 1).padStart(2, '0')}"^^<http://www.w3.org/2001/XMLSchema#date> ;
    dcat:distribution <https://water.example/${at}.csv> .
  <https://water.example/${at}.csv> a dcat:Distribution ; dct:title "Levels"@en ; dcat:accessURL <https://water.example/${at}.csv> ;
    dct:format <${authority}/file-type/CSV> ; dct:license <${authority}/licence/CC_BY_4_0> .
  <https://water.example/office> a foaf:Organization ; foaf:name "Water <Office> & sons"@en .`,
}))

const paths = [
  '/en/',
  '/de/',
  '/en/datasets',
  '/en/datasets?q=water+level+7&sort=title',
  '/en/datasets?publisher=nobody',
  '/en/datasets?page=2&sort=title',
  '/en/datasets/gauge-7',
  '/de/datasets/gauge-7',
  '/en/datasets/gauge-7/quality',
  '/en/datasets/none',
  '/en/catalogues',
  '/en/catalogues/water',
  '/en/publishers',
  '/en/vocabularies',
  '/en/sparql?query=SELECT+(COUNT(*)+AS+%3Fn)+WHERE+%7B+%3Fd+a+%3Chttp%3A%2F%2Fwww.w3.org%2Fns%2Fdcat%23Dataset%3E+%7D',
]

/** Without what differs from run to run, and without similar datasets: engines rank in their own way. */
const comparable = (page: string, url: string): string =>
  page
    .replaceAll(url, 'http://h')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/\d\d:\d\d/g, 'TIME')
    .replaceAll(/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g, 'UUID')
    .replaceAll(/\d+ ms/g, 'MS')
    .replaceAll(/(?<=Reference\s+<code>)[^<]*/g, 'ID')
    .replaceAll(/<section class="section" aria-labelledby="sim">.*?<\/section>/gs, '')

async function pagesOn(env: Record<string, string>): Promise<readonly string[]> {
  const directory = await temporaryDirectory()
  const platform = await gateway(directory, env)
  try {
    await publish(platform)
    const pages: string[] = []
    for (const path of paths) {
      const answer = await fetch(platform.url + path, { headers: { Accept: 'text/html' } })
      pages.push(`${path} ${answer.status}\n${comparable(await answer.text(), platform.url)}`)
    }
    return pages
  } finally {
    await platform.stop()
    await remove(directory)
  }
}

async function publish(platform: Gateway): Promise<void> {
  const { put, putDataset } = client(platform)
  const catalogue = `${prefixes}<https://water.example/> a dcat:Catalog ; dct:title "Water"@en, "Wasser"@de ; dct:description "Of waters."@en ; dct:publisher <https://water.example/office> .`
  expect((await put('/catalogues/water', catalogue)).ok).toBe(true)
  for (const { id, body } of datasets) expect((await putDataset('water', id, body)).ok).toBe(true)
}

const engines: readonly {
  readonly name: string
  readonly missing: boolean
  readonly openStore: () => Promise<StoreUnderTest>
}[] = [
  { name: 'Meilisearch', missing: isSearchMissing, openStore: meilisearchUnderTest },
  ...stores.map((name) => ({ name, missing: isMissing(name), openStore: onStore(name) })),
]

describe.skipIf(engines.every(({ missing }) => missing))('pages', () => {
  let embedded: readonly string[] = []
  beforeAll(async () => {
    embedded = await pagesOn({})
  })

  it.each(engines.filter(({ missing }) => !missing))('are the same on $name', async (engine) => {
    const openStore = await engine.openStore()
    try {
      const pages = await pagesOn(openStore.env)
      for (const [at, page] of pages.entries())
        expect(page.split(/(?=<)/)).toEqual(embedded[at]?.split(/(?=<)/))
    } finally {
      await openStore.end()
    }
  })
})
