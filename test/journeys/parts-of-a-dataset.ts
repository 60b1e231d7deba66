/** Parts of a dataset: metrics, distributions and a wish to be indexed again, written one by one and found at once. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  client,
  eventually,
  gateway,
  remove,
  temporaryDirectory,
  type Gateway,
} from '../support/gateway.ts'
import { prefixes } from '../support/repository.ts'
import type { StoreUnderTest } from './store-under-test.ts'

type Document = {
  result: {
    quality_meas?: { scoring?: number }
    distributions?: { id: string; title?: Record<string, string> }[]
    catalog_record?: { modified?: string }
  }
}

/** `ground` is asked once. */
export function partsOfADataset(name: string, openStore: () => Promise<StoreUnderTest>): void {
  describe(`parts of a dataset on ${name}`, () => {
    let directory: string
    let platform: Gateway
    let place: StoreUnderTest
    let api: ReturnType<typeof client>
    beforeAll(async () => {
      place = await openStore()
      directory = await temporaryDirectory()
      platform = await gateway(directory, place.env)
      api = client(platform)
      await api.put('/catalogues/parts', `${prefixes}<> a dcat:Catalog ; dct:title "Parts"@en .`)
      const dataset = `${prefixes}<> a dcat:Dataset ; dct:title "Gauge"@en ; dcat:distribution [ a dcat:Distribution ; dct:title "csv"@en ] .`
      expect((await api.putDataset('parts', 'gauge', dataset)).status).toBe(201)
    })
    afterAll(async () => {
      await platform.stop()
      await remove(directory)
      await place.end()
    })

    const iri = 'http://localhost:8080/set/data/gauge'
    const found = async () => (await api.json<Document>(`${api.search}/datasets/gauge`)).result
    const send = (method: string, path: string, body?: string) =>
      fetch(api.repo + path, {
        method,
        headers: { 'X-API-Key': platform.key, 'Content-Type': 'text/turtle' },
        ...(body !== undefined && { body }),
      })
    const score = (value: number) => `@prefix dqv: <http://www.w3.org/ns/dqv#> .
      <${iri}> dqv:hasQualityMeasurement [ a dqv:QualityMeasurement ; dqv:computedOn <${iri}> ;
        dqv:isMeasurementOf <https://piveau.eu/ns/voc#scoring> ; dqv:value ${value} ] .`

    it('a score is found when the PUT of its metrics graph returned, and gone when the graph is', async () => {
      expect((await found()).quality_meas?.scoring).toBeUndefined()
      for (const [value, status] of [
        [380, 201],
        [120, 204],
      ] as const) {
        const answer = await send('PUT', '/datasets/gauge/metrics', score(value))
        expect([answer.status, answer.headers.get('Index-Status')]).toEqual([status, 'done'])
        expect((await found()).quality_meas?.scoring).toBe(value)
      }
      expect((await send('DELETE', '/datasets/gauge/metrics')).status).toBe(204)
      expect((await found()).quality_meas?.scoring).toBeUndefined()
    })

    it('a score survives an update of the dataset', async () => {
      await send('PUT', '/datasets/gauge/metrics', score(200))
      const turtle = await (await fetch(`${api.repo}/datasets/gauge.ttl`)).text()
      await api.putDataset(
        'parts',
        'gauge',
        turtle.replace('"Gauge"@en', '"Gauge of the river"@en'),
      )
      expect((await found()).quality_meas?.scoring).toBe(200)
    })

    it('a distribution is found when it was added, replaced and deleted', async () => {
      const titles = async () =>
        (await found()).distributions?.map(({ title }) => title?.['en']).sort() ?? []
      const body = (title: string) =>
        `${prefixes}<> a dcat:Distribution ; dct:title "${title}"@en .`
      const added = await send('POST', '/datasets/gauge/distributions', body('json'))
      expect([added.status, added.headers.get('Index-Status')]).toEqual([201, 'done'])
      expect(await titles()).toEqual(['csv', 'json'])
      const path = `/distributions/${added.headers.get('Location')?.split('/').at(-1)}`
      expect((await send('PUT', path, body('xml'))).status).toBe(204)
      expect(await titles()).toEqual(['csv', 'xml'])
      expect(
        (await send('PUT', path, await (await fetch(`${api.repo}${path}.ttl`)).text())).status,
      ).toBe(304)
      expect((await send('DELETE', path)).status).toBe(204)
      expect(await titles()).toEqual(['csv'])
      expect((await found()).quality_meas?.scoring).toBe(200)
    })

    it('what a SPARQL reader sees of a distribution is what the repository says of it', async () => {
      const [uri] = await api.json<string[]>(`${api.repo}/datasets/gauge/distributions`)
      const answer = await api.query(
        `SELECT ?g WHERE { GRAPH ?g { <${iri}> <http://www.w3.org/ns/dcat#distribution> <${uri}> } }`,
      )
      const { results } = (await answer.json()) as {
        results: { bindings: { g: { value: string } }[] }
      }
      expect(results.bindings.map(({ g }) => g.value)).toEqual([iri])
      const leads = await fetch(`${platform.url}${new URL(uri ?? '').pathname}`, {
        redirect: 'manual',
      })
      expect(leads.status).toBe(303)
      expect((await fetch(`${platform.url}${leads.headers.get('Location')}`)).status).toBe(200)
    })

    it('a dataset that is asked to be indexed again is indexed again', async () => {
      const answer = await send('POST', '/datasets/gauge/index')
      expect(answer.status).toBe(202)
      const settled = async () =>
        (await api.json<{ pending: number }>(`${platform.url}/health`)).pending === 0
      expect(await eventually(settled)).toBe(true)
      expect((await found()).quality_meas?.scoring).toBe(200)
    })
  })
}
