/** An institution's own profile with types of its own, on a real process: written, found, enriched, described. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkAnswers } from '../support/answers.ts'
import {
  client,
  eventually,
  gateway,
  remove,
  temporaryDirectory,
  type Gateway,
} from '../support/gateway.ts'
import { cartulary } from '../support/program.ts'

const profile = new URL('../profile/foreign/custom', import.meta.url).pathname
const prefixes = `
  @prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
  @prefix def: <https://water.example/def#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
  @prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix foaf: <http://xmlns.com/foaf/0.1/> .
  @prefix r: <https://water.example/river/> . `

const searchConfig = {
  vocabulary: {
    rivers: {
      fields: ['river', 'observes', 'kind'],
      replacements: ['id:id', 'label:pref_label', 'resource:resource'],
      documentTypes: ['resource_station', 'resource_Show-Case-2'],
    },
    offices: { fields: ['publisher'], replacements: ['name:pref_label.en', 'nothing:id'] },
  },
  facets: [
    'catalog',
    'publisher',
    { name: 'level', path: 'publisher', indices: ['dataset', 'vocabulary'] },
  ],
  maxAggSize: 5,
}

const rivers = (inn: string) => `${prefixes}
  <https://water.example/river> a skos:ConceptScheme ; skos:prefLabel "Rivers"@en .
  r:inn a skos:Concept ; skos:inScheme <https://water.example/river> ; skos:prefLabel "${inn}"@en, "Inn"@de .
  r:isar a skos:Concept ; skos:inScheme <https://water.example/river> ; skos:prefLabel "Isar"@en .`

const offices = (name: string) => `${prefixes}
  <https://water.example/office> a skos:ConceptScheme ; skos:prefLabel "Offices"@en .
  <https://water.example/office/1> a skos:Concept ; skos:inScheme <https://water.example/office> ; skos:prefLabel "${name}"@en .`

const station = (name: string, river: string) => `${prefixes}
  <> a def:Station ; rdfs:label "${name}"@en ; def:river r:${river} ; def:zero 412.5 ;
    def:operator [ a foaf:Organization ; foaf:name "Water office" ] .`

type Item = { readonly id: string; readonly title: string; readonly count: number }
type Found = {
  readonly result: {
    readonly count: number
    readonly facets?: readonly { readonly id: string; readonly items: readonly Item[] }[]
    readonly results: readonly Readonly<Record<string, unknown>>[]
  }
}

describe('a profile with types of its own', () => {
  let directory: string
  let platform: Gateway
  let api: ReturnType<typeof client>
  beforeAll(async () => {
    directory = await temporaryDirectory()
    platform = await gateway(directory, {
      PLATFORM_FEATURE_FLAGS: '{"platform_profile":true}',
      PLATFORM_PROFILE: JSON.stringify({ type: 'directory', path: profile }),
      PLATFORM_SEARCH_CONFIG: JSON.stringify(searchConfig),
      PLATFORM_LOG_LEVEL: 'debug',
    })
    api = client(platform)
  }, 60_000)
  afterAll(async () => {
    await platform.stop()
    await remove(directory)
  })

  const find = (query: string) => api.json<Found>(`${api.search}/search?${query}`)
  const itemsOf = async (query: string, facet: string) =>
    (await find(`limit=0&${query}`)).result.facets?.find(({ id }) => id === facet)?.items
  const settled = () =>
    eventually(async () => {
      const health = await api.json<{ pending: number }>(`${platform.url}/health`)
      return health.pending === 0
    })

  it('says at the start what has no effect', () => {
    const log = platform.log()
    expect(log).toContain('facet.ignored')
    expect(log).toMatch(/enrichment\.warning/)
    expect(log).toMatch(/cannot hold \\"nothing\\"/)
  })

  it('takes resources of its types, in catalogues where the type says so', async () => {
    const catalogue = `${prefixes}<> a dcat:Catalog ; dct:title "Water"@en .`
    expect((await api.put('/catalogues/water', catalogue)).status).toBe(201)
    for (const id of ['rosenheim', 'passau'])
      expect(
        (await api.put(`/customresources/station/${id}?catalogId=water`, station(id, 'inn')))
          .status,
      ).toBe(201)
    const munich = station('munich', 'isar')
    const put = await api.put('/customresources/station/munich?catalogId=water', munich)
    expect([put.status, put.headers.get('Index-Status')]).toEqual([201, 'done'])
    const showcase = `${prefixes}<> a def:Showcase ; dct:title "Flood map"@en ; def:kind r:inn .`
    expect((await api.put('/customresources/Show-Case-2/map', showcase)).status).toBe(201)
    expect((await api.put('/customresources/nope/x', showcase)).status).toBe(404)
    const dataset = `${prefixes}<> a dcat:Dataset ; dct:title "Levels"@en ;
      dct:publisher <https://water.example/office/1> .`
    expect((await api.putDataset('water', 'levels', dataset)).status).toBe(201)
  })

  it('finds them in their own index, with the facets that the profile declares', async () => {
    expect(await api.json(`${api.search}/resources`)).toEqual(['station', 'Show-Case-2'])
    expect(await api.json(`${api.search}/resources/station`)).toEqual([
      'munich',
      'passau',
      'rosenheim',
    ])
    const found = await find('filters=resource_station&q=passau')
    expect(found.result.results).toMatchObject([
      { index: 'resource_station', id: 'passau', title: { en: 'passau' }, zero: 412.5 },
    ])
    expect((await find('filters=resource')).result.count).toBe(4)
    expect((await find('filters=resource&resource=Show-Case-2')).result.count).toBe(1)
    expect((await find('filters=dataset')).result.count).toBe(1)
    const { facets = [] } = (await find('filters=resource_station&limit=0')).result
    expect(facets.map(({ id }) => id)).toEqual(['river', 'operator', 'format'])
    expect(await itemsOf('filters=resource_station', 'operator')).toEqual([
      { id: 'Water office', title: 'Water office', count: 3 },
    ])
  })

  it('has pages for them, with the names that the profile gives their fields', async () => {
    const page = async (path: string) => {
      const headers = { Accept: 'text/html', 'Accept-Language': 'en' }
      return fetch(platform.url + path, { headers })
    }
    const list = await (await page('/en/resources/station?q=pass*')).text()
    expect(list).toContain('/en/resources/station/passau')
    expect(list).not.toContain('/en/resources/station/munich')
    const { resource } = (
      await api.json<{ result: { resource: string } }>(`${api.search}/resources/station/munich`)
    ).result
    const record = await page(new URL(resource).pathname)
    expect([record.status, new URL(record.url).pathname]).toEqual([
      200,
      '/en/resources/station/munich',
    ])
    const text = await record.text()
    expect(text).toContain('<dt>Gauge datum</dt>')
    expect(text).toContain('412.5')
    expect((await page('/en/resources/nope')).status).toBe(404)
    expect((await page('/en/resources/station/nope')).status).toBe(404)
  })

  it('fills fields from vocabularies that come later, and again when a label changes', async () => {
    await api.put('/vocabularies/rivers', rivers('River Inn'))
    await api.put('/vocabularies/offices', offices('First office'))
    const river = async () =>
      (await api.json<{ result: { river: object } }>(`${api.search}/resources/station/passau`))
        .result.river
    await expect.poll(river, { timeout: 30_000 }).toEqual({
      id: 'inn',
      label: { de: 'Inn', en: 'River Inn' },
      resource: 'https://water.example/river/inn',
    })
    const publishers = () => itemsOf('filters=dataset', 'publisher')
    await expect
      .poll(publishers, { timeout: 30_000 })
      .toEqual([{ id: 'First office', title: 'First office', count: 1 }])
    await api.put('/vocabularies/rivers', rivers('The Inn'))
    await api.put('/vocabularies/offices', offices('Renamed office'))
    await expect.poll(river, { timeout: 30_000 }).toMatchObject({ label: { en: 'The Inn' } })
    await expect
      .poll(publishers, { timeout: 30_000 })
      .toEqual([{ id: 'Renamed office', title: 'Renamed office', count: 1 }])
    await expect
      .poll(() => itemsOf('filters=resource_station', 'river'), { timeout: 30_000 })
      .toEqual([
        { id: 'inn', title: 'The Inn', count: 2 },
        { id: 'isar', title: 'Isar', count: 1 },
      ])
    expect((await find('filters=resource_station&q="the inn"')).result.count).toBe(2)
  })

  it(
    'answers what its own OpenAPI document and profile page say',
    { timeout: 60_000 },
    async () => {
      expect(await settled()).toBe(true)
      const { answers, findings } = await checkAnswers(api.search)
      expect(answers).toBeGreaterThan(15)
      expect(findings).toEqual([])
      const page = await api.json<{ hash: string; resources: { id: string }[] }>(
        `${api.search}/profile`,
      )
      expect(page.resources.map(({ id }) => id)).toEqual(['station', 'Show-Case-2'])
      const health = await api.json<{ profile: object }>(`${platform.url}/health`)
      expect(health.profile).toEqual({ id: 'water', hash: page.hash })
    },
  )

  it('is exported through the API as from the files: the same graphs, of all types', async () => {
    const exported = async (...words: string[]) => {
      const env = { CARTULARY_SERVER: platform.url, PLATFORM_DATA_DIR: directory }
      const { code, out, err } = await cartulary(['export', ...words], { env })
      expect([code, err]).toEqual([0, ''])
      return out.trim().split('\n')
    }
    const graphsOf = (lines: readonly string[]) =>
      [...new Set(lines.map((line) => / <([^<>]+)> \.$/.exec(line)?.[1] ?? line))].toSorted()
    const whole = await exported()
    expect(graphsOf(whole)).toEqual(graphsOf(await exported('--files')))
    expect(whole.filter((line) => line.includes('"Flood map"@en'))).toHaveLength(1)
    const water = await exported('--catalogue', 'water')
    expect(graphsOf(water).filter((iri) => iri.includes('/station/'))).toHaveLength(3)
    expect(water.join('')).not.toContain('Flood map')
  })

  it('lets a resource go', async () => {
    const answer = await fetch(`${api.repo}/customresources/station/munich?catalogId=water`, {
      method: 'DELETE',
      headers: { 'X-API-Key': platform.key },
    })
    expect(answer.status).toBe(204)
    expect((await fetch(`${api.search}/resources/station/munich`)).status).toBe(404)
    expect((await find('filters=resource_station')).result.count).toBe(2)
  })

  it('and a steward brings it back on the page of deleted records', async () => {
    const send = (path: string, fields: Readonly<Record<string, string>>, Cookie = '') => {
      const [method, body] = ['POST', new URLSearchParams(fields)]
      return fetch(platform.url + path, { method, body, headers: { Cookie }, redirect: 'manual' })
    }
    const signedIn = await send('/en/sign-in', { key: platform.key })
    const Cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const page = await fetch(`${platform.url}/en/harvest/deleted`, { headers: { Cookie } })
    const [, path = '', token = ''] =
      /action="([^"]+munich)"[^]*?name="_csrf" value="([^"]+)"/.exec(await page.text()) ?? []
    expect((await send(path, { _csrf: token, do: 'restore' }, Cookie)).status).toBe(303)
    await settled()
    expect((await fetch(`${api.search}/resources/station/munich`)).status).toBe(200)
  })
})
