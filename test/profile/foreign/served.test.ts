/** A whole platform under a foreign profile: written, searched, shown and described without a line of code. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkAnswers } from '../../support/answers.ts'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../../support/gateway.ts'

const prefixes = `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> . @prefix w: <https://water.example/def#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
`
const catalogue = `${prefixes} <urn:c> a dcat:Catalog ; dct:title "Water"@en ; dct:description "All of it"@en ;
  dct:publisher [ a foaf:Organization ; foaf:name "Board" ] .`

const station = (name: string, river: string) => `${prefixes} <urn:s> a w:Station ;
  rdfs:label "${name}"@de ; w:river <https://v.example/${river}> ; w:zero 565.3 ;
  w:operator [ a foaf:Organization ; foaf:name "Board" ] .`

type Answer = { readonly result: Readonly<Record<string, unknown>> }

/** Starts a platform for the tests of a group. */
function platformWith(profile: string) {
  let directory: string
  let platform: Gateway
  beforeAll(async () => {
    directory = await temporaryDirectory()
    const path = new URL(profile, import.meta.url).pathname
    platform = await gateway(directory, {
      PLATFORM_LOG_LEVEL: 'debug',
      PLATFORM_FEATURE_FLAGS: JSON.stringify({ platform_profile: true }),
      PLATFORM_PROFILE: JSON.stringify({ type: 'directory', path }),
    })
  }, 60_000)
  afterAll(async () => {
    await platform.stop()
    await remove(directory)
  })
  return { api: () => client(platform) }
}

describe('a profile with types of its own', () => {
  const { api } = platformWith('custom')

  test('takes, finds and describes their records', { timeout: 60_000 }, async () => {
    const { put, search, repo, json } = api()
    expect((await put('/catalogues/water', catalogue)).status).toBe(201)
    const to = (id: string) => `/customresources/station/${id}?catalogId=water`
    expect((await put(to('ibk'), station('Innsbruck', 'inn'))).status).toBe(201)
    expect((await put(to('sbg'), station('Salzburg', 'salzach'))).status).toBe(201)
    const showcase = `${prefixes} <urn:a> a w:Showcase ; dct:title "App"@en ; w:kind <https://v.example/app> .`
    expect((await put('/customresources/Show-Case-2/app', showcase)).status).toBe(201)

    expect(await json(`${search}/resources`)).toEqual(['station', 'Show-Case-2'])
    const one = await json<Answer>(`${search}/resources/station/ibk`)
    expect(one.result).toMatchObject({
      id: 'ibk',
      title: { de: 'Innsbruck' },
      river: { id: 'inn', resource: 'https://v.example/inn' },
      operator: { name: 'Board' },
      catalog: { id: 'water' },
    })
    const found = await json<Answer>(`${search}/search?filters=resource_station&q=innsbruck`)
    expect(found.result).toMatchObject({ index: 'resource_station', count: 1 })
    const facets = encodeURIComponent(JSON.stringify({ river: ['salzach'] }))
    const chosen = await json<Answer>(`${search}/search?filters=resource_station&facets=${facets}`)
    expect(chosen.result).toMatchObject({
      count: 1,
      results: [{ id: 'sbg' }],
      facets: [{ id: 'river' }, { id: 'operator', items: [{ title: 'Board' }] }, { id: 'format' }],
    })
    for (const service of [search, repo])
      expect(await json(`${service}/profile`)).toMatchObject({
        id: 'water',
        enabled: true,
        resources: [{ id: 'station', inCatalogue: true }, { id: 'Show-Case-2' }],
      })
    const { answers, findings } = await checkAnswers(search)
    expect(answers).toBeGreaterThan(10)
    expect(findings).toEqual([])
  })
})

describe('a national variant', () => {
  const { api } = platformWith('national')

  test('names the fields of datasets and catalogues', { timeout: 60_000 }, async () => {
    const { put, putDataset, search, json } = api()
    expect((await put('/catalogues/umwelt', catalogue)).status).toBe(201)
    const dataset = `${prefixes} <urn:d> a dcat:Dataset ; dct:title "Pegel"@de ;
      dct:description "Stände"@de ; dct:publisher [ a foaf:Organization ; foaf:name "Amt"@de ] ;
      dcat:distribution <urn:d/csv> . <urn:d/csv> a dcat:Distribution ; dcat:downloadURL <https://a.example/csv> .`
    expect((await putDataset('umwelt', 'pegel', dataset)).status).toBe(201)
    const { result } = await json<Answer>(`${search}/datasets/pegel`)
    expect(result).toMatchObject({
      titel: { de: 'Pegel' },
      herausgeber: { type: 'Organization', name: { de: 'Amt' } },
      ressourcen: [{ adresse: ['https://a.example/csv'] }],
      catalog: { titel: { en: 'Water' }, ressort: { name: 'Board' } },
    })
    const found = await json<Answer>(`${search}/search?filters=dataset&q=titel:pegel`)
    expect(found.result['count']).toBe(1)
    const { findings } = await checkAnswers(search)
    expect(findings).toEqual([])
    const { components } = await json<{ components: { schemas: Record<string, unknown> } }>(
      `${search}/openapi.json`,
    )
    expect(components.schemas).toMatchObject({
      Datensatz: { required: expect.arrayContaining(['ressourcen']) as unknown },
      Katalog: {},
    })
  })
})
