/** Publish and find: a catalogue goes in as RDF and is found through search, at once and after a restart. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { prefixes } from '../support/repository.ts'
import { servedSchemas } from '../support/served-schemas.ts'
import type { StoreUnderTest } from './store-under-test.ts'

type Found = {
  result: {
    count: number
    results: { id: string }[]
    facets?: { id: string; items: { id: string; count: number }[] }[]
  }
}

type Addressed = {
  publisher?: unknown
  landing_page?: { resource: string }[]
  distributions?: { title?: object; access_url?: string[]; download_url?: string[] }[]
}

/** `ground` is asked once. */
export function publishAndFind(name: string, openStore: () => Promise<StoreUnderTest>): void {
  describe(`publish and find on ${name}`, () => {
    let directory: string
    let platform: Gateway
    let place: StoreUnderTest
    let api: ReturnType<typeof client>
    beforeAll(async () => {
      place = await openStore()
      directory = await temporaryDirectory()
      platform = await gateway(directory, place.env)
      api = client(platform)
      await api.put('/catalogues/rivers', `${prefixes}<> a dcat:Catalog ; dct:title "Rivers"@en .`)
    })
    afterAll(async () => {
      await platform.stop()
      await remove(directory)
      await place.end()
    })

    const pending = async () =>
      (await api.json<{ pending: number }>(`${platform.url}/health`)).pending

    const dataset = (
      n: number,
    ) => `${prefixes}<> a dcat:Dataset ; dct:title "Gauge number w${n}x"@en ;
  dcat:theme <http://publications.europa.eu/resource/authority/data-theme/ENVI> .`

    describe('a record is found', () => {
      it('by search and by id at the moment its PUT returned, a thousand times at concurrency 8', async () => {
        const numbers = Array.from(
          { length: Number(process.env['JOURNEY_PUTS'] ?? 200) },
          (_, n) => n,
        )
        const missing: string[] = []
        const lane = async () => {
          for (let n = numbers.pop(); n !== undefined; n = numbers.pop()) {
            const answer = await api.putDataset('rivers', `gauge-${n}`, dataset(n))
            const found = await api.json<Found>(
              `${api.search}/search?q=w${n}x&filters=dataset&aggregation=false`,
            )
            const byId = await fetch(`${api.search}/datasets/gauge-${n}`)
            await byId.body?.cancel()
            const right =
              answer.status === 201 &&
              answer.headers.get('Index-Status') === 'done' &&
              found.result.results[0]?.id === `gauge-${n}` &&
              byId.status === 200
            if (!right)
              missing.push(
                `${n}: ${answer.status} ${answer.headers.get('Index-Status')} ${found.result.count} ${byId.status}`,
              )
          }
        }
        await Promise.all(Array.from({ length: 8 }, lane))
        expect(missing).toEqual([])
      })

      it('with facets that count exactly and carry labels', async () => {
        const { result } = await api.json<Found>(
          `${api.search}/search?q=gauge&filters=dataset&limit=0`,
        )
        const categories = result.facets?.find(({ id }) => id === 'categories')
        expect(categories?.items).toEqual([
          { id: 'ENVI', title: 'Environment', count: result.count },
        ])
      })

      it('with the addresses of its source, although they are the names there', async () => {
        const [page, file] = ['https://city.example/ds/9', 'https://city.example/f/9.csv']
        const body = `${prefixes}<${page}> a dcat:Dataset ; dct:title "Bridges" ; dcat:landingPage <${page}> ;
            dcat:distribution <${file}> .
          <${file}> a dcat:Distribution ; dcat:accessURL <${file}> ; dcat:downloadURL <${file}> .`
        expect((await api.putDataset('rivers', 'bridges', body)).status).toBe(201)
        const { result } = await api.json<{ result: Addressed }>(`${api.search}/datasets/bridges`)
        expect(result.landing_page?.map(({ resource }) => resource)).toEqual([page])
        const [distribution] = result.distributions ?? []
        expect(distribution).toMatchObject({ access_url: [file], download_url: [file] })
      })

      it('with the values that it does not show, their properties and the reasons, as the contract says', async () => {
        const dct = 'http://purl.org/dc/terms/'
        const body = `${prefixes}<> a dcat:Dataset ; dct:title "Odd"@en, "Odder"@en ; dct:issued "yesterday" ;
            dcat:theme <https://city.example/theme/9> ; dct:publisher <https://city.example/office> ;
            dcat:distribution [ a dcat:Distribution ; dcat:mediaType "table" ] .
          <https://city.example/office> foaf:homepage "nowhere" .`
        expect((await api.putDataset('rivers', 'odd', body)).status).toBe(201)
        const address = `${api.search}/datasets/odd/findings`
        const answer = await api.json<{ result: { findings: Record<string, string>[] } }>(address)
        const found = answer.result.findings.map((one) => [
          one['property'],
          one['value'],
          one['reason'],
        ])
        expect(found).toEqual(
          expect.arrayContaining([
            [`${dct}title`, 'Odder', 'same-language-twice'],
            [`${dct}issued`, 'yesterday', 'bad-date'],
            [`${dct}publisher`, 'nowhere', 'not-an-iri'],
            ['http://www.w3.org/ns/dcat#theme', 'https://city.example/theme/9', 'unknown-concept'],
            ['http://www.w3.org/ns/dcat#mediaType', 'table', 'bad-media-type'],
          ]),
        )
        const served = servedSchemas(await api.json(`${api.search}/openapi.json`))
        expect(served.answer('/datasets/{id}/findings', answer)).toEqual([])
        const tag = (await fetch(address)).headers.get('ETag') ?? ''
        const again = await fetch(address, { headers: { 'If-None-Match': tag } })
        expect(again.status).toBe(304)
        const ofCatalogue = await fetch(`${api.search}/catalogues/rivers/findings`)
        expect(ofCatalogue.status).toBe(200)
        for (const path of ['/datasets/none', '/datasets/a%20b', '/catalogues/none'])
          expect((await fetch(`${api.search}${path}/findings`)).status).toBe(404)
      })

      it('with its publisher in every language, and its distributions by format and title', async () => {
        const file = (name: string, title: string, format: string) =>
          `<> dcat:distribution <https://city.example/f/${name}> . <https://city.example/f/${name}> a dcat:Distribution ;
          dct:title "${title}"@en ; dct:format "${format}" ; dcat:accessURL <https://city.example/${name}> .`
        const body = `${prefixes}<> a dcat:Dataset ; dct:title "Quays" ;
            dct:publisher [ foaf:name "City"@en, "Stadt"@de ] .
          ${[file('a', 'B', 'PDF'), file('b', 'B', 'CSV'), file('c', 'A', 'CSV')].join('\n')}`
        expect((await api.putDataset('rivers', 'quays', body)).status).toBe(201)
        const { result } = await api.json<{ result: Addressed }>(`${api.search}/datasets/quays`)
        expect(result.publisher).toMatchObject({
          name: 'City',
          name_translated: { de: 'Stadt', en: 'City' },
        })
        const addresses = result.distributions?.flatMap(({ access_url }) => access_url)
        expect(addresses).toEqual(['c', 'b', 'a'].map((name) => `https://city.example/${name}`))
        const shown = `${api.search}/search?filters=dataset&q=quays&includes=publisher.name`
        const [hit] = (await api.json<Found>(shown)).result.results
        expect(hit).toMatchObject({ publisher: { name: 'City' } })
      })

      it('not any more once it was deleted', async () => {
        const answer = await fetch(`${api.repo}/datasets/gauge-1`, {
          method: 'DELETE',
          headers: { 'X-API-Key': platform.key },
        })
        expect(answer.status).toBe(204)
        expect((await fetch(`${api.search}/datasets/gauge-1`)).status).toBe(404)
        expect((await api.json<Found>(`${api.search}/search?q=w1x`)).result.count).toBe(0)
      })

      it('under the new title of its catalogue after the catalogue was renamed', async () => {
        await api.put(
          '/catalogues/rivers',
          `${prefixes}<> a dcat:Catalog ; dct:title "Streams"@en .`,
        )
        const { result } = await api.json<{ result: { catalog: { title: object } } }>(
          `${api.search}/datasets/gauge-2`,
        )
        expect(result.catalog.title).toEqual({ en: 'Streams' })
        const titles = async () => {
          const found = await api.json<Found>(`${api.search}/search?filters=dataset&limit=0`)
          return found.result.facets?.find(({ id }) => id === 'catalog')?.items
        }
        const count = (await api.json<Found>(`${api.search}/search?filters=dataset&limit=0`)).result
          .count
        await expect
          .poll(titles, { timeout: 30_000 })
          .toEqual([{ id: 'rivers', title: 'Streams', count }])
        await expect.poll(pending, { timeout: 30_000 }).toBe(0)
      })
    })

    describe('a restart', () => {
      it('keeps everything, and SIGTERM ends with 0', async () => {
        const before = await api.json<Found>(`${api.search}/search?filters=dataset&limit=5`)
        const graph = await (await fetch(`${api.repo}/datasets/gauge-3.nt`)).text()
        expect(await platform.stop()).toBe(0)
        platform = await gateway(directory, place.env)
        api = client(platform)
        expect(await api.json<Found>(`${api.search}/search?filters=dataset&limit=5`)).toEqual(
          before,
        )
        expect(await (await fetch(`${api.repo}/datasets/gauge-3.nt`)).text()).toBe(graph)
      })

      it('fills an index that was lost from the store, without any command', async () => {
        const { count } = (await api.json<Found>(`${api.search}/search?filters=dataset&limit=0`))
          .result
        await platform.stop()
        await remove(`${directory}/search`)
        platform = await gateway(directory, place.env)
        api = client(platform)
        await expect
          .poll(
            async () =>
              (await api.json<Found>(`${api.search}/search?filters=dataset&limit=0`)).result.count,
            { timeout: 30_000 },
          )
          .toBe(count)
      })
    })

    describe('the front', () => {
      it('says how everything is, in numbers and in addresses', async () => {
        await expect.poll(pending, { timeout: 30_000 }).toBe(0)
        expect(await api.json(`${platform.url}/health`)).toMatchObject({
          status: 'up',
          store: { ready: true },
          pending: 0,
        })
        expect(await (await fetch(`${platform.url}/metrics`)).text()).toContain(
          'http_request_duration_seconds',
        )
        expect(await api.json(`${platform.url}/`)).toMatchObject({
          services: { repo: '/api/hub/repo/' },
        })
      })

      it('leads a resource IRI to its description', async () => {
        const answer = await fetch(`${platform.url}/set/data/gauge-2.ttl`, { redirect: 'manual' })
        expect(answer.status).toBe(303)
        expect(answer.headers.get('Location')).toBe('/api/hub/repo/datasets/gauge-2.ttl')
      })
    })
  })
}
