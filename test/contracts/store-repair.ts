/** `repair store`: values that stayed beside their replacement are found by the hash of what was sent, and removed. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { base, prefixes, repository, type RepositoryOptions } from '../support/repository.ts'
import { content, linesOf } from '../store/graphs.ts'

const sources: Readonly<Record<string, string>> = {
  named: `<https://city.example/ds/1> a dcat:Dataset ; dct:identifier "https://city.example/ds/1" ;
    dct:title "Bäume"@de, "Trees"@en ; dcat:keyword "Grün"@de, "Blätter"@de ;
    dcat:distribution <https://city.example/1.csv> .
    <https://city.example/1.csv> a dcat:Distribution ; dct:title "Datei für alle"@de .`,
  blank: `[] a dcat:Dataset ; dct:title "Straßen"@de ; dct:publisher [ dct:title "Straßenbauamt"@de ] ;
    dcat:distribution [ a dcat:Distribution ; dcat:accessURL <https://city.example/2.csv> ] .`,
  unknown: `<https://city.example/lost> a dcat:Dataset ; dct:title "Plan"@de ; dct:title "Plan"@en .`,
  twice: `<https://city.example/gone> a dcat:Dataset ; dct:title "Wälder"@de .`,
}

export function repairContract(name: string, options: () => Promise<RepositoryOptions>): void {
  describe(`${name}: repair store`, () => {
    let repo: Awaited<ReturnType<typeof repository>>
    beforeAll(async () => {
      repo = await repository(await options())
      await repo.putCatalogue('city')
      for (const [id, body] of Object.entries(sources))
        expect((await repo.putDataset('city', id, prefixes + body)).status).toBe(201)
    })
    afterAll(() => repo.close())

    const graph = (id: string) => `${base}set/data/${id}`
    const stored = async (id: string) => linesOf(await repo.store.read(graph(id)))
    const repair = async (dryRun: boolean) => {
      const said: string[] = []
      const signal = AbortSignal.timeout(60_000)
      for await (const line of repo.maintenance().repairStore({ dryRun }, signal)) said.push(line)
      return said
    }
    /** What a replaced value left there: the line beside the others. */
    const stays = async (id: string, ...terms: readonly string[]) => {
      const lines = terms.map((term) => `<${graph(id)}> ${term} .`)
      const text = content([...(await stored(id)), ...lines])
      await repo.store.write([{ graph: graph(id), content: text }])
    }
    const title = '<http://purl.org/dc/terms/title>'

    it('removes nothing where all is as it was sent', async () => {
      const before = await Promise.all(Object.keys(sources).map(stored))
      expect(await repair(false)).toEqual([
        expect.stringMatching(/^0 of 4 datasets cured, 0 to be sent again, 2 cannot be compared/),
      ])
      expect(await Promise.all(Object.keys(sources).map(stored))).toEqual(before)
    })

    it('finds old titles, a removed description and a keyword, and removes exactly them', async () => {
      const ids = ['named', 'blank']
      const before = await Promise.all(ids.map(stored))
      await stays('named', `${title} "Bäume 2024"@de`, `${title} "Bäume 2023"@de`)
      await stays('named', '<http://www.w3.org/ns/dcat#keyword> "Äste"@de')
      await stays('blank', '<http://purl.org/dc/terms/description> "Alte Straßen"@de')
      const dirty = await Promise.all(ids.map(stored))
      const would = await repair(true)
      expect(would.filter((line) => line.includes('would be removed'))).toHaveLength(4)
      expect(await Promise.all(ids.map(stored))).toEqual(dirty)
      const said = await repair(false)
      expect(said).toContain('named: title "Bäume 2024" is removed, it was replaced earlier')
      expect(said).toContain(
        'blank: description "Alte Straßen" is removed, it was replaced earlier',
      )
      expect(await Promise.all(ids.map(stored))).toEqual(before)
      expect((await repair(false)).join('\n')).not.toContain('removed')
    })

    it('has a dataset sent again whose hash does not tell which of its values was sent', async () => {
      await stays('twice', `${title} "Wälder und Seen für alle"@de`)
      expect(await repair(false)).toContain(
        'twice ("twice") differs from what was sent and may hold removed values: send it again with enforceUpdate=true',
      )
    })
  })
}
