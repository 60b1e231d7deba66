/** Links between records of one source lead to each other, in whatever order the records came. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { prefixes, repository } from '../support/repository.ts'

let repo: Awaited<ReturnType<typeof repository>>
beforeAll(async () => {
  repo = await repository({ limits: { writesPerKey: 600 } })
  await repo.putCatalogue('c')
  await repo.putCatalogue('other')
  await repo.putCatalogue(
    'hidden',
    `<> a <http://www.w3.org/ns/dcat#Catalog> ; <urn:x:visibility> <urn:x:hidden> .`,
  )
})
afterAll(() => repo.close())

const p = `${prefixes}@prefix s: <https://s.example/> . `
const put = async (id: string, body: string, catalogue = 'c') => {
  const answer = await repo.putDataset(catalogue, id, p + body)
  return [answer.status, answer.headers.get('Location')?.split('/').at(-1)]
}
type One = { id: string; relation: string; address?: string; title: object }
const related = async (id: string) =>
  ((await (await repo.ask(`/datasets/${id}/related`)).json()) as { related: readonly One[] })
    .related
const pairs = async (id: string) => (await related(id)).map((one) => `${one.relation} ${one.id}`)

describe('the related datasets of a dataset', () => {
  it('are its series and members, newest first, also where members came first or later', async () => {
    await put(
      'm1',
      's:m1 a dcat:Dataset ; dct:identifier "x1" ; dct:title "2020"@en ; dcat:inSeries s:all .',
    )
    await put('series', 's:all a dcat:DatasetSeries ; dct:identifier "all" ; dct:title "All"@en .')
    await put(
      'm2',
      's:m2 a dcat:Dataset ; dct:identifier "x2" ; dct:title "2021"@en ; dcat:inSeries s:all ; dcat:prev s:m1 .',
    )
    expect(await pairs('series')).toEqual(['member m2', 'member m1'])
    expect(new Set(await pairs('m1'))).toEqual(new Set(['series series', 'next m2']))
    expect(await related('m2')).toContainEqual({
      id: 'series',
      relation: 'series',
      address: 'https://s.example/all',
      title: { en: 'All' },
    })
  })

  it('are ordered by the begin of their period or by their date of issue', async () => {
    const part = (id: string, date: string) =>
      put(
        id,
        `s:${id} a dcat:Dataset ; dct:title "${id}" ; dct:issued "${date}" ; dct:isPartOf s:w .`,
      )
    await put('w', 's:w a dcat:Dataset ; dct:title "W" .')
    await part('old', '2001-01-01')
    await part('new', '2022-01-01')
    await part('mid', '2010-01-01')
    expect(await pairs('w')).toEqual(['part new', 'part mid', 'part old'])
  })

  it('are the newest 500 of more', async () => {
    const ids = Array.from({ length: 510 }, (_, n) => `v${1000 + ((n * 7) % 510)}`)
    await put('many', 's:many a dcat:Dataset ; dct:title "Many" .')
    await Promise.all(
      ids.map((id) =>
        put(
          id,
          `s:${id} a dcat:Dataset ; dct:title "${id}" ; dct:issued "${id.slice(1)}-01-01" ; dct:isPartOf s:many .`,
        ),
      ),
    )
    const newest = ids.toSorted().toReversed().slice(0, 500)
    expect(await pairs('many')).toEqual(newest.map((id) => `part ${id}`))
  })

  it('are versions in both directions, by every property that says so', async () => {
    for (const [n, property] of [
      'dcat:hasVersion',
      'dcat:isVersionOf',
      'dcat:previousVersion',
      'dct:replaces',
      'dct:isReplacedBy',
      'dct:hasVersion',
    ].entries()) {
      await put(
        `v${n}`,
        `s:v${n} a dcat:Dataset ; dct:identifier "i${n}" ; dct:title "V" ; ${property} s:t${n} .`,
      )
      await put(`t${n}`, `s:t${n} a dcat:Dataset ; dct:identifier "j${n}" ; dct:title "T" .`)
      expect([property, await pairs(`v${n}`)]).toEqual([property, [`version t${n}`]])
      expect([property, await pairs(`t${n}`)]).toEqual([property, [`version v${n}`]])
    }
  })

  it('are found by the IRI of the platform and by an original id that is an IRI', async () => {
    const iri = repo.names.dataset('target')
    await put('target', '<> a dcat:Dataset ; dct:title "Target" .')
    await put('points', `<> a dcat:Dataset ; dct:title "P" ; dct:hasPart <${iri}> .`)
    expect(await pairs('target')).toEqual(['whole points'])
    expect(await pairs('points')).toEqual(['part target'])
  })

  it('are of the same catalogue where two have the address of a source, and never hidden', async () => {
    await put('a1', 's:twin a dcat:Dataset ; dct:identifier "tw" ; dct:title "Twin here" .')
    await put(
      'a1',
      's:twin a dcat:Dataset ; dct:identifier "tw" ; dct:title "Twin there" .',
      'other',
    )
    await put(
      'a1',
      's:twin a dcat:Dataset ; dct:identifier "tw" ; dct:title "Twin away" .',
      'hidden',
    )
    await put('of-twin', 's:o a dcat:Dataset ; dct:title "O" ; dct:isPartOf s:twin .')
    expect(await pairs('of-twin')).toEqual(['whole a1'])
  })

  it('keep the address of the source when a dataset is read and sent back', async () => {
    const text = await (await repo.ask('/datasets/series.ttl')).text()
    const answer = await repo.putDataset('c', 'series', text.replace('"All"', '"All of them"'))
    expect(answer.status).toBe(204)
    expect(await pairs('series')).toEqual(['member m2', 'member m1'])
  })

  it('are 304 for a reader who has them, until one of them changes', async () => {
    const tag = (await repo.ask('/datasets/series/related')).headers.get('ETag') ?? ''
    const again = async () =>
      (await repo.ask('/datasets/series/related', { headers: { 'If-None-Match': tag } })).status
    expect([tag, await again()]).toEqual([expect.stringMatching(/^"/), 304])
    await put('m1', 's:m1 a dcat:Dataset ; dct:title "2019"@en ; dcat:inSeries s:all .')
    expect(await again()).toBe(200)
  })

  it('are none of a dataset that is not there, which is 404', async () => {
    expect((await repo.ask('/datasets/nobody/related')).status).toBe(404)
    await put('alone', '<> a dcat:Dataset .')
    expect(await related('alone')).toEqual([])
  })
})
