/** Moving from the embedded store to a triplestore and a search engine of one's own, by the documented commands. */

import { execFile } from 'node:child_process'
import { openAsBlob } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { client, eventually, gateway, remove, temporaryDirectory } from '../support/gateway.ts'
import { programFile } from '../support/program.ts'
import { prefixes } from '../support/repository.ts'
import { isSearchMissing, newIndexPrefix } from './search/meilisearch-under-test.ts'
import { fresh, isMissing, settingsFor } from './stores.ts'

const places: string[] = []
afterAll(() => Promise.all(places.map(remove)))

describe.skipIf(isMissing('fuseki') || isSearchMissing)(
  'from the embedded engines to Fuseki and Meilisearch',
  () => {
    it('every record is there with its entity tag, what was deleted can be restored, and searches find it', async () => {
      const directory = await temporaryDirectory()
      places.push(directory)
      const embedded = await gateway(directory)
      const api = client(embedded)
      await api.put('/catalogues/c', `${prefixes}<> a dcat:Catalog ; dct:title "C"@en .`)
      for (let n = 0; n < 30; n += 1)
        await api.putDataset(
          'c',
          `d${n}`,
          `${prefixes}<> a dcat:Dataset ; dct:title "Gauge ${n}"@en ; dcat:distribution [ a dcat:Distribution ; dcat:accessURL <https://a.example/${n}> ] .`,
        )
      await fetch(`${api.repo}/datasets/d29`, {
        method: 'DELETE',
        headers: { 'X-API-Key': embedded.key },
      })
      const tagOf = async (base: string, n: number) =>
        (await fetch(`${base}/datasets/d${n}.nt`)).headers.get('ETag')
      const tags = await Promise.all(Array.from({ length: 29 }, (_, n) => tagOf(api.repo, n)))
      await embedded.stop()

      const file = join(directory, 'all.nq')
      const words = ['export', '--files', '--all', '--data', directory, '--output', file]
      await promisify(execFile)(process.execPath, [programFile, ...words])
      const engine = await fresh('fuseki')
      const loaded = await fetch(engine.config.graphEndpoint, {
        method: 'POST',
        headers: { 'Content-Type': 'application/n-quads' },
        body: await openAsBlob(file),
      })
      expect(loaded.ok).toBe(true)

      const search = { engine: 'meilisearch', ...newIndexPrefix() }
      const moved = await gateway(directory, {
        ...settingsFor(engine.config),
        PLATFORM_SEARCH_ENGINE_CONFIG: JSON.stringify(search),
      })
      const now = client(moved)
      expect(await Promise.all(tags.map((_, n) => tagOf(now.repo, n)))).toEqual(tags)
      expect((await fetch(`${now.repo}/datasets/d29`)).status).toBe(410)
      const found = async () => {
        const path = `${now.search}/search?q=gauge&filters=dataset&limit=1`
        const answer = await fetch(path)
        // 503 while the index is filled.
        return answer.ok && Object(await answer.json()).result.count === 29
      }
      expect(await eventually(found)).toBe(true)
      const stats = await fetch(`${search.url}/stats`, {
        headers: { Authorization: `Bearer ${search.apiKey}` },
      })
      const { indexes } = (await stats.json()) as {
        readonly indexes: Readonly<Record<string, { readonly numberOfDocuments: number }>>
      }
      const documents = Object.entries(indexes)
        .filter(([name]) => name.startsWith(search.prefix))
        .reduce((sum, [, { numberOfDocuments }]) => sum + numberOfDocuments, 0)
      expect(documents).toBeGreaterThanOrEqual(29)
      const headers = { 'X-API-Key': moved.key }
      const restored = await fetch(`${now.repo}/datasets/d29/restore`, { method: 'POST', headers })
      expect(restored.ok).toBe(true)
      expect(
        (await now.putDataset('c', 'new', `${prefixes}<> a dcat:Dataset ; dct:title "N" .`)).status,
      ).toBe(201)
      await moved.stop()
      await engine.stop()
    })
  },
)
