/** List and move: what is in a catalogue can be told in pages, and the whole of it carried to another platform. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from '../../src/rdf/parse.ts'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { cartulary } from '../support/program.ts'
import { prefixes } from '../support/repository.ts'
import type { StoreUnderTest } from './store-under-test.ts'

const count = 130
const origins = Array.from({ length: count }, (_, n) => `Lake ${n}/ä "${n % 7}"`)
const dataset = (
  n: number,
) => `${prefixes}<> a dcat:Dataset ; dct:title "Lake ${n}"@en, "See ${n}"@de-AT ;
  dct:publisher [ foaf:name "Board ${n % 3}" ] ; dct:extent "P${n}D"^^<http://www.w3.org/2001/XMLSchema#duration> ;
  dcat:distribution [ a dcat:Distribution ; dcat:accessURL <https://example.org/lakes/${n}> ] .`

/** `ground` is asked once; what is carried away goes to a platform on the embedded store. */
export function listAndMove(name: string, openStore: () => Promise<StoreUnderTest>): void {
  describe(`list and move on ${name}`, () => {
    const directories: string[] = []
    const platforms: Gateway[] = []
    let place: StoreUnderTest
    let here: ReturnType<typeof client>

    const started = async (env: StoreUnderTest['env']) => {
      const directory = await temporaryDirectory()
      directories.push(directory)
      const platform = await gateway(directory, env)
      platforms.push(platform)
      return platform
    }

    beforeAll(async () => {
      place = await openStore()
      here = client(await started(place.env))
      await here.put('/catalogues/lakes', `${prefixes}<> a dcat:Catalog ; dct:title "Lakes"@en .`)
      const left = [...origins.entries()]
      const lane = async () => {
        for (let next = left.pop(); next; next = left.pop()) {
          const [n, origin] = next
          const answer = await here.putDataset('lakes', origin, dataset(n), {
            Prefer: 'respond-async',
          })
          expect(answer.status).toBe(201)
        }
      }
      await Promise.all(Array.from({ length: 8 }, lane))
    })
    afterAll(async () => {
      await Promise.all(platforms.map((platform) => platform.stop()))
      await Promise.all(directories.map(remove))
      await place.end()
    })

    const members = (api: typeof here, query: string) =>
      api.json<string[]>(`${api.repo}/catalogues/lakes/datasets?${query}`)

    it('pages lead through all ids in order, each once', async () => {
      const found: string[] = []
      let query: string | undefined = 'valueType=identifiers&limit=17'
      while (query !== undefined) {
        const answer = await fetch(`${here.repo}/catalogues/lakes/datasets?${query}`)
        found.push(...((await answer.json()) as string[]))
        query = /\?([^>]*)>; rel="next"/.exec(answer.headers.get('Link') ?? '')?.[1]
      }
      expect(found).toEqual(found.toSorted())
      expect(new Set(found).size).toBe(count)
      expect(await here.json(`${here.repo}/datasets?valueType=identifiers&limit=5000`)).toEqual(
        found,
      )
    })

    it('all ids at the origin come back as they were given', async () => {
      const found = await members(here, 'valueType=originalIds')
      expect(found.toSorted()).toEqual(origins.toSorted())
    })

    it('a page of metadata has each dataset in its own graph, with blank nodes and odd values as sent', async () => {
      const answer = await fetch(
        `${here.repo}/catalogues/lakes/datasets?valueType=metadata&limit=50&offset=100&graphs=true`,
        { headers: { Accept: 'application/n-quads' } },
      )
      const text = await answer.text()
      const quads = await parse(text, 'nquads', { baseIri: here.repo })
      expect(new Set(quads.map((one) => one.graph.value)).size).toBe(31)
      expect(text).toContain('@de-AT')
      expect(
        text.match(/"P\d+D"\^\^<http:\/\/www.w3.org\/2001\/XMLSchema#duration>/g),
      ).toHaveLength(30)
      expect(text).not.toContain('.well-known/genid')
    })

    it('a dump imported by another platform gives the same lists', async () => {
      const dump = await fetch(`${here.repo}/catalogues/lakes/dump.nq`)
      const other = await started({})
      const file = join(other.directory, 'lakes.nq')
      await writeFile(file, await dump.text())
      const env = { CARTULARY_SERVER: other.url, CARTULARY_KEY: other.key }
      const { out } = await cartulary(['import', file], { env })
      expect(out).toContain(`${count} created, 0 updated, 0 unchanged, 0 failed`)
      const there = client(other)
      for (const query of ['valueType=originalIds', 'valueType=uriRefs&limit=5000'])
        expect(await members(there, query)).toEqual(await members(here, query))
    })

    it('a deleted dataset is in no list any more, a deleted catalogue is no list', async () => {
      const [first = ''] = await members(here, 'valueType=identifiers&limit=1')
      const headers = { 'X-API-Key': platforms[0]?.key ?? '' }
      await fetch(`${here.repo}/datasets/${first}`, { method: 'DELETE', headers })
      expect(await members(here, 'valueType=identifiers&limit=1')).not.toContain(first)
      await fetch(`${here.repo}/catalogues/lakes`, { method: 'DELETE', headers })
      const gone = await fetch(`${here.repo}/catalogues/lakes/datasets`)
      expect([404, 410]).toContain(gone.status)
      expect(await here.json(`${here.repo}/datasets?valueType=identifiers`)).toEqual([])
      expect(await here.json(`${here.repo}/catalogues?valueType=identifiers`)).toEqual([])
    })
  })
}
