/** Search follows the repository: what is written, changed, deleted or named anew is found so, without anybody asking for it. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { prefixes } from '../support/repository.ts'
import type { StoreUnderTest } from './store-under-test.ts'

type Hit = { readonly id: string; readonly publisher?: { readonly name?: string } }
type Found = { readonly result: { readonly count: number; readonly results: readonly Hit[] } }

const scheme = 'https://vocabularies.example/publishers'
const vocabulary = (label: string) => `${prefixes}
<${scheme}> a skos:ConceptScheme ; skos:prefLabel "Publishers"@en .
<${scheme}/acme> a skos:Concept ; skos:inScheme <${scheme}> ; skos:prefLabel "${label}"@en .`
const rule = { fields: ['publisher'], replacements: ['name:pref_label.en'] }

/** `ground` is asked once. */
export function searchFollows(name: string, openStore: () => Promise<StoreUnderTest>): void {
  describe(`search follows the repository on ${name}`, () => {
    let directory: string
    let platform: Gateway
    let place: StoreUnderTest
    let api: ReturnType<typeof client>
    beforeAll(async () => {
      place = await openStore()
      directory = await temporaryDirectory()
      platform = await gateway(directory, {
        ...place.env,
        PLATFORM_SEARCH_CONFIG: JSON.stringify({ vocabulary: { publishers: rule } }),
      })
      api = client(platform)
      for (const id of ['rivers', 'roads'])
        await api.put(`/catalogues/${id}`, `${prefixes}<> a dcat:Catalog ; dct:title "${id}"@en .`)
    })
    afterAll(async () => {
      await platform.stop()
      await remove(directory)
      await place.end()
    })

    const search = (query: string) =>
      api.json<Found>(`${api.search}/search?aggregation=false&filters=dataset&${query}`)
    const ids = async (query: string) => (await search(query)).result.results.map(({ id }) => id)
    const dataset = (title: string) =>
      `${prefixes}<> a dcat:Dataset ; dct:title "${title}"@en ; dct:publisher <${scheme}/acme> .`
    const erase = (path: string) =>
      fetch(api.repo + path, { method: 'DELETE', headers: { 'X-API-Key': platform.key } })

    it('a PUT is found when it returns, and only under what it says now', async () => {
      expect((await api.putDataset('rivers', 'elbe', dataset('Gauges of the Elbe'))).status).toBe(
        201,
      )
      expect(await ids('q=gauges')).toEqual(['elbe'])
      expect((await api.putDataset('rivers', 'elbe', dataset('Levels of the Elbe'))).status).toBe(
        204,
      )
      expect([await ids('q=gauges'), await ids('q=level')]).toEqual([[], ['elbe']])
    })

    it('a DELETE is found no more when it returns', async () => {
      await api.putDataset('rivers', 'oder', dataset('Gauges of the Oder'))
      expect(await ids('q=oder')).toEqual(['oder'])
      expect((await erase('/datasets/oder')).status).toBe(204)
      expect(await ids('q=oder')).toEqual([])
      expect((await fetch(`${api.search}/datasets/oder`)).status).toBe(404)
    })

    it('a vocabulary names its concepts in records that were there before, and names them anew', async () => {
      const publisher = async () => (await search('q=elbe')).result.results[0]?.publisher?.name
      for (const label of ['Acme', 'Acme Water']) {
        const answer = await api.put('/vocabularies/publishers', vocabulary(label))
        expect(answer.status).toBeLessThan(300)
        await expect.poll(publisher, { timeout: 30_000 }).toBe(label)
      }
      expect(await ids('q=%22acme+water%22')).toEqual(['elbe'])
    })

    it('a catalogue takes everything in it along when it goes, and nothing else', async () => {
      await api.putDataset('roads', 'bridges', dataset('Bridges'))
      expect((await erase('/catalogues/rivers')).status).toBeLessThan(300)
      await expect.poll(() => ids('sort=title.en+asc'), { timeout: 30_000 }).toEqual(['bridges'])
      expect((await fetch(`${api.search}/catalogues/rivers`)).status).toBe(404)
    })
  })
}
