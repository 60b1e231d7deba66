/** The dump of a catalogue comes home: into another platform of the same kind, under the same original ids. */

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { importDump } from '../../../src/harvest/importing/dump.ts'
import { serve, type RunningServer } from '../../../src/http/serve.ts'
import { formats, type Format } from '../../../src/rdf/media-types.ts'
import { prefixes, repository } from '../../support/repository.ts'
import { quickClock, sourceOf } from './builders.ts'

const ids = ['Pegel 2024/1', 'http://example.org/ds?a=1&b="2"', 'gewässer', 'GEWÄSSER', 'a\\b']
const described = (id: string, n: number) => `${prefixes}
<https://example.org/ds/${n}> a dcat:Dataset ; dct:identifier "another ${n}" ; dct:title "Title ${id.length}" ;
  dct:publisher [ a foaf:Agent ; foaf:name "Board" ] ; dct:relation <https://example.org/ds/${n + 1}> ;
  dcat:distribution [ a dcat:Distribution ; dct:title "File" ] .`

let repo: Awaited<ReturnType<typeof repository>>
beforeAll(async () => {
  repo = await repository()
  await repo.putCatalogue('home', `${prefixes}<> a dcat:Catalog ; dct:title "Home" .`)
  for (const [n, id] of ids.entries()) await repo.putDataset('home', id, described(id, n))
})
afterAll(() => repo.close())

async function elsewhere(): Promise<{ repo: typeof repo; served: RunningServer }> {
  const other = await repository()
  const served = await serve(other.app, { port: 0 })
  onTestFinished(async () => {
    await served.close()
    await other.close()
  })
  return { repo: other, served }
}

const originalIds = async (from: typeof repo) => {
  const answer = await from.ask('/catalogues/home/datasets?valueType=originalIds')
  return ((await answer.json()) as string[]).sort()
}

describe.each(Object.keys(formats) as Format[])('a dump as %s', (format) => {
  it('brings the catalogue and its datasets home', async () => {
    const { mediaType } = formats[format]
    const dump = await repo.ask('/catalogues/home/dump', { headers: { Accept: mediaType } })
    expect(dump.status).toBe(200)
    const { repo: other, served } = await elsewhere()
    const source = sourceOf(await dump.text(), format)
    const options = { service: served.url, key: 'a-key-for-everything', clock: quickClock() }
    const summary = await importDump(source, options, new AbortController().signal)
    expect(summary).toMatchObject({ created: ids.length, failed: 0, endReason: undefined })
    expect(summary.catalogues).toEqual([{ id: 'home', outcome: 'created' }])
    expect(await originalIds(other)).toEqual(await originalIds(repo))
    const [one, two] = await Promise.all(
      [repo, other].map(async (from) => (await from.ask('/datasets/pegel-2024-1.nt')).text()),
    )
    // The record of the platform is made anew: its source is the dump, and no longer what the first one harvested.
    const own = one!
      .split('\n')
      .filter((line) => !line.includes(' <http://purl.org/dc/terms/source> '))
    expect(two!.split('\n')).toHaveLength(own.length)
  })

  it('sent to the bulk endpoint finds every dataset under its id', async () => {
    const { mediaType } = formats[format]
    const dump = await repo.ask('/catalogues/home/dump', { headers: { Accept: mediaType } })
    const answer = await repo.ask('/catalogues/home/datasets/bulk', {
      method: 'PUT',
      type: mediaType,
      body: await dump.text(),
    })
    const verdicts = (await answer.json()) as { originalId: string; status: number }[]
    expect(verdicts.map(({ originalId }) => originalId).sort()).toEqual(await originalIds(repo))
    expect(verdicts.filter(({ status }) => status !== 204 && status !== 304)).toEqual([])
  })
})
