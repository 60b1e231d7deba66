/** Addresses are not names: what the source gives as a URL is read back as that URL (corrections 1). */

import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fromLines } from '../../src/rdf/lines.ts'
import { prefixes as known } from '../../src/rdf/namespaces.ts'
import { isStructural } from '../../src/repository/content/own-content.ts'
import { urlUsesOf } from '../../src/metrics/reach/reach-segment.ts'
import { base, prefixes, repository } from '../support/repository.ts'
import '../support/seed.ts'
import { iriOf, withTypes } from './declared.ts'

let repo: Awaited<ReturnType<typeof repository>>
beforeAll(async () => {
  repo = await repository()
  await repo.putCatalogue('city')
})
afterAll(() => repo.close())

const stored = async (id: string) => (await repo.store.read(`${base}set/data/${id}`, {})) ?? ''
const put = async (id: string, body: string) => {
  const answer = await repo.putDataset('city', id, prefixes + body)
  expect(answer.status).toBe(201)
  return stored(id)
}
/** The objects of a predicate, as N-Triples. */
const objects = (lines: string, predicate: string): string[] => {
  const [prefix = '', name = ''] = predicate.split(':')
  const between = ` <${known[prefix]}${name}> `
  return lines.split('\n').flatMap((line) => line.split(between)[1]?.replace(/ \.$/, '') ?? [])
}
const ours = expect.stringMatching(/^<http:\/\/localhost:8080\/set\/distribution\/[0-9a-f-]{36}>$/)

describe('a distribution that is named by the URL that it gives', () => {
  const url = 'https://city.example/t.csv'
  const body = `<https://city.example/ds/1> a dcat:Dataset ; dcat:distribution <${url}> .
    <${url}> a dcat:Distribution ; dcat:accessURL <${url}> ; dcat:downloadURL <${url}> .`

  it('gets a name of the platform and keeps both URLs', async () => {
    const lines = await put('t', body)
    expect(objects(lines, 'dcat:distribution')).toEqual([ours])
    expect(objects(lines, 'dcat:accessURL')).toEqual([`<${url}>`])
    expect(objects(lines, 'dcat:downloadURL')).toEqual([`<${url}>`])
  })

  it('is asked there when its accessibility is checked', async () => {
    const dataset = fromLines(await stored('t'))
    const subject = { id: 't', iri: `${base}set/data/t` }
    const places = urlUsesOf({ subject, dataset, metrics: [], metricsGraph: 'urn:m' })
    expect(places.map((place) => place.url)).toEqual([url, url])
  })

  it('keeps its name and its URLs when it comes again, changed or as it was read', async () => {
    const [first] = objects(await stored('t'), 'dcat:distribution')
    const changed = `${body} <${url}> dct:title "Trees" .`
    expect((await repo.putDataset('city', 't', prefixes + changed)).status).toBe(204)
    const read = await repo.ask('/datasets/t.ttl')
    const again = { method: 'PUT', type: 'text/turtle', body: await read.text() }
    expect((await repo.ask('/datasets/t', again)).status).toBeLessThan(300)
    expect(objects(await stored('t'), 'dcat:distribution')).toEqual([first])
    expect(objects(await stored('t'), 'dcat:accessURL')).toEqual([`<${url}>`])
  })

  it('keeps them when it comes alone', async () => {
    const id = objects(await stored('t'), 'dcat:distribution')[0]
      ?.slice(1, -1)
      .split('/')
      .at(-1)
    const alone = `${prefixes}<${url}> a dcat:Distribution ; dct:title "Alone" ; dcat:accessURL <${url}> .`
    const asked = { method: 'PUT', type: 'text/turtle', body: alone }
    expect((await repo.ask(`/distributions/${id}`, asked)).status).toBe(204)
    expect(objects(await stored('t'), 'dcat:accessURL')).toEqual([`<${url}>`])
  })
})

describe('a dataset that is named by its landing page', () => {
  it('keeps the page, and its sample is a distribution of the platform', async () => {
    const lines = await put(
      'nine',
      `<https://city.example/ds/9> a dcat:Dataset ; dcat:landingPage <https://city.example/ds/9> ;
        <${known['adms']}sample> <https://city.example/f/s.csv> .
      <https://city.example/f/s.csv> a dcat:Distribution .`,
    )
    expect(objects(lines, 'dcat:landingPage')).toEqual(['<https://city.example/ds/9>'])
    expect(objects(lines, 'adms:sample')).toEqual([ours])
  })
})

describe('other resources that are named by their address', () => {
  it('a catalogue keeps its home page', async () => {
    const body = `${prefixes}<https://lake.example/> a dcat:Catalog ; foaf:homepage <https://lake.example/> .`
    expect((await repo.putCatalogue('lake', body)).status).toBe(201)
    const lines = (await repo.store.read(`${base}id/catalogue/lake`, {})) ?? ''
    expect(objects(lines, 'foaf:homepage')).toEqual(['<https://lake.example/>'])
  })
})

describe('a service of a declared type that is named by its endpoint', () => {
  it('keeps the endpoint and its description', async () => {
    const typed = await withTypes()
    const wms = 'https://maps.example/wms'
    const body = `${prefixes}<${wms}> a dcat:DataService ; dcat:endpointURL <${wms}> ; dcat:endpointDescription <${wms}> .`
    expect((await typed.putService('wms', 'alpine-water', body)).status).toBe(201)
    const lines = await typed.lines('data-service', 'wms')
    expect(lines).toContain(`<${iriOf('data-service', 'wms')}> <${known['dcat']}endpointURL>`)
    expect(objects(lines, 'dcat:endpointURL')).toEqual([`<${wms}>`])
    expect(objects(lines, 'dcat:endpointDescription')).toEqual([`<${wms}>`])
    await typed.close()
  })
})

describe('what is renamed', () => {
  const predicates = Object.values(known).flatMap((namespace) =>
    ['page', 'source', 'accessURL', 'sample', 'used', 'entity', 'relation', 'hasURL'].map(
      (name) => namespace + name,
    ),
  )
  const objectsOf = ['https://city.example/ds/p', 'https://city.example/f/p.csv', '_:part']

  it('is every blank node, and IRIs where a structural predicate points to them and nowhere else', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(fc.constantFrom(...predicates), fc.constantFrom(...objectsOf)), {
          minLength: 1,
          maxLength: 6,
          selector: (pair) => pair.join(' '),
        }),
        async (links) => {
          const node = (text: string) => (text.startsWith('_:') ? text : `<${text}>`)
          const body = `<https://city.example/ds/p> a dcat:Dataset ; dcat:distribution <https://city.example/f/p.csv>, _:part .
            ${links.map(([p, o]) => `<https://city.example/ds/p> <${p}> ${node(o)} .`).join('\n')}`
          expect((await repo.putDataset('city', 'p', prefixes + body)).status).toBeLessThan(400)
          const lines = await stored('p')
          const isSent = ([predicate, object]: (typeof links)[number]) =>
            lines.includes(`<${base}set/data/p> <${predicate}> <${object}> .`)
          const isNamed = ([predicate, object]: (typeof links)[number]) =>
            object.startsWith('_:') || isStructural(predicate)
          expect(links.filter((link) => isSent(link) === isNamed(link))).toEqual([])
        },
      ),
      { numRuns: 25 },
    )
  })
})

describe('repairing addresses that earlier versions renamed', () => {
  const csv = 'https://city.example/repair.csv'
  const all = async (dryRun: boolean): Promise<string[]> => {
    const said: string[] = []
    const signal = AbortSignal.timeout(30_000)
    for await (const line of repo.maintenance().repairAddresses({ dryRun }, signal)) said.push(line)
    return said
  }
  let [file, dataset] = ['', '']
  beforeAll(async () => {
    await put(
      'damaged',
      `<https://city.example/ds/r> a dcat:Dataset ; dcat:landingPage <https://city.example/ds/r> ;
        dcat:distribution <${csv}>, [ dct:title "By title" ; dcat:accessURL [ dct:title "nowhere" ] ] .
      <${csv}> a dcat:Distribution ; dcat:accessURL <${csv}> ; dcat:downloadURL <${csv}> .`,
    )
    // As earlier versions stored it.
    const graph = `${base}set/data/damaged`
    const lines = await stored('damaged')
    const subject = lines.split('\n').find((line) => line.includes(`"${csv}"`))
    ;[file, dataset] = [subject?.split('>')[0]?.slice(1) ?? '', graph]
    const content = lines
      .replaceAll(`<${csv}> .`, `<${file}> .`)
      .replace('<https://city.example/ds/r> .', `<${graph}> .`)
    await repo.store.write([{ graph, content, before: lines }])
  })

  const found = (verb: string) =>
    [
      `accessURL of ${file} ${verb} ${csv} again`,
      `downloadURL of ${file} ${verb} ${csv} again`,
      `landingPage of ${dataset} is ${dataset}, and nothing says what it was`,
    ].toSorted()

  it('says what it would do in a dry run, and does nothing', async () => {
    const before = await stored('damaged')
    const said = await all(true)
    expect(said.slice(0, -1).toSorted()).toEqual(found('would be'))
    expect(said.at(-1)).toMatch(/^2 can be restored, 1 cannot/)
    expect(await stored('damaged')).toBe(before)
  })

  it('restores what the identifier of a distribution tells and lists the others', async () => {
    const tag = (await repo.ask('/datasets/damaged')).headers.get('ETag')
    repo.changed.length = 0
    const said = await all(false)
    expect(said.slice(0, -1).toSorted()).toEqual(found('is'))
    const lines = await stored('damaged')
    for (const predicate of ['dcat:accessURL', 'dcat:downloadURL'])
      expect(objects(lines, predicate)).toContain(`<${csv}>`)
    expect(objects(lines, 'dcat:distribution')).toContain(`<${file}>`)
    expect(repo.changed.map(({ resource }) => resource)).toEqual([dataset])
    expect((await repo.ask('/datasets/damaged')).headers.get('ETag')).not.toBe(tag)
    expect((await all(false)).at(-1)).toMatch(/^0 restored, 1 cannot/)
  })

  it('has nothing to do once the source sent its record again', async () => {
    const body = `<https://city.example/ds/r> a dcat:Dataset ; dcat:landingPage <https://city.example/ds/r> ; dct:title "New" .`
    expect((await repo.putDataset('city', 'damaged', prefixes + body)).status).toBe(204)
    expect(await all(false)).toEqual([])
  })
})
