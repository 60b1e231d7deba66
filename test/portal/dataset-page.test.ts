/** The page of a dataset over HTTP: values in words, links with what they answered, where to get the data, how to cite it. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  client,
  eventually,
  gateway,
  remove,
  temporaryDirectory,
  type Gateway,
} from '../support/gateway.ts'

let directory: string
let platform: Gateway

const get = (path: string) => fetch(platform.url + path, { headers: { Accept: 'text/html' } })

const prefixes = `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> . @prefix vcard: <http://www.w3.org/2006/vcard/ns#> .
`

async function put(path: string, body: string): Promise<void> {
  const answer = await client(platform).put(path, prefixes + body)
  if (!answer.ok && answer.status !== 304)
    throw new Error(`${answer.status} ${await answer.text()}`)
}

const dataset = (id: string, title: string, more: string) =>
  put(
    `/catalogues/city/datasets/origin?originalId=${id}`,
    `<https://city.example/${id}> a dcat:Dataset ; dct:title "${title}"@en ; dct:description "What it is."@en ;
     dct:publisher [ a foaf:Organization ; foaf:name "${title}" ] ; dcat:keyword "water"@en ${more} .`,
  )

beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory)
  await put('/catalogues/city', '<https://city.example/> a dcat:Catalog ; dct:title "City"@en .')
})
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

describe('the page of a dataset', () => {
  it('leads to its series and neighbours, and the page of a series to its members, newest first', async () => {
    const inSeries = '; dcat:inSeries <https://city.example/counts>'
    await dataset('counts-2020', 'Counts 2020', `; dct:identifier "a" ${inSeries}`)
    await dataset('counts', 'All counts', '; a dcat:DatasetSeries ; dct:identifier "b"')
    const prev = '; dcat:prev <https://city.example/counts-2020>'
    await dataset('counts-2021', 'Counts 2021', `; dct:identifier "c" ${inSeries} ${prev}`)
    const link = (id: string, title: string) => `href="/en/datasets/${id}">${title}`
    const text = async (path: string) => {
      const page = await (await get(path)).text()
      return page.replaceAll(/<\/?(?:span|bdi)[^>]*>/g, '')
    }
    // A busy machine may answer the first pages without what stands beside the record.
    for (const id of ['counts', 'counts-2021'])
      await eventually(async () => (await text(`/en/datasets/${id}`)).includes('Counts 2020</'))
    const member = await text('/en/datasets/counts-2021')
    expect(member).toContain(link('counts', 'All counts'))
    expect(member).toContain(link('counts-2020', 'Counts 2020'))
    expect(member).not.toContain('href="https://city.example/counts')
    const series = await text('/en/datasets/counts')
    const [newest, oldest] = [2021, 2020].map((year) =>
      series.indexOf(link(`counts-${year}`, `Counts ${year}`)),
    )
    expect(newest).toBeGreaterThan(0)
    expect(oldest).toBeGreaterThan(newest!)
    expect(await text('/de/datasets/counts')).toContain('Datensätze dieser Reihe')
  })

  it('says what each indicator earns, when a link was asked, and since when it has been failing', async () => {
    await dataset(
      'springs',
      'Springs',
      `; dcat:distribution [ a dcat:Distribution ; dct:title "Springs"@en ; dcat:accessURL <https://city.example/springs.csv> ],
         [ a dcat:Distribution ; dcat:accessURL <https://city.example/gone.csv> ]`,
    )
    const { distributions, resource } = (
      (await (await fetch(`${client(platform).search}/datasets/springs`)).json()) as {
        result: { resource: string; distributions: { id: string }[] }
      }
    ).result
    const byTitle = distributions.toSorted((a, b) => Number('title' in b) - Number('title' in a))
    const file = (at: number) => resource.replace('data/springs', `distribution/${byTitle[at]?.id}`)
    const measurement = (on: string, metric: string, value: string, more = '') =>
      `<${on}> dqv:hasQualityMeasurement [ dqv:isMeasurementOf <https://piveau.eu/ns/voc#${metric}> ; dqv:computedOn <${on}> ; dqv:value ${value} ; prov:generatedAtTime "2026-11-20T08:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> ${more} ] .\n`
    await put(
      '/datasets/springs/metrics',
      `@prefix dqv: <http://www.w3.org/ns/dqv#> . @prefix prov: <http://www.w3.org/ns/prov#> .
<urn:x:m> a dqv:QualityMetadata . <${resource}> dqv:hasQualityMetadata <urn:x:m> .
${measurement(resource, 'scoring', '80')}${measurement(resource, 'keywordAvailability', 'true')}
${measurement(file(0), 'accessUrlStatusCode', '200', '; prov:wasDerivedFrom <https://city.example/springs.csv>')}
${measurement(file(1), 'accessUrlStatusCode', '404', '; dct:valid "2026-11-02T08:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>')}`,
    )
    const page = (await (await get('/en/datasets/springs')).text()).replaceAll(
      /<\/?time[^>]*>/g,
      '',
    )
    expect(page).toContain('Link works, checked 20 Nov 2026')
    expect(page).toContain('Does not work: answered 404, since 2 Nov 2026, checked 20 Nov 2026')
    expect(page).toContain('Quality measured on 20 Nov 2026')
    const quality = await (await get('/en/datasets/springs/quality')).text()
    expect(quality).toContain('30 / 30')
    expect(quality).toContain('50 / 50')
    expect(quality).not.toContain('>0 / 10<')
    // Links were asked; whether the record complies with DCAT-AP, and what else it has, nobody measured.
    expect(quality).not.toContain('Correct what DCAT-AP requires')
    expect(quality).toContain('Nothing: this record earns every point that was measured.')
  })

  it.each([
    ['de', 'jährlich Französisch Österreich Europa eingeschränkt Umwelt Georaum Deutschland'],
    ['fr', 'annuel français Autriche Europe restreint Environnement Géospatiales Allemagne'],
    ['en', 'annual French Austria Europe restricted Environment Geospatial Germany'],
  ])(
    'names values of controlled tables in the language of the page: %s',
    async (language, names) => {
      const eu = (path: string) => `<http://publications.europa.eu/resource/authority/${path}>`
      await put(
        '/catalogues/state',
        `<https://state.example/> a dcat:Catalog ; dct:title "State"@en ; dct:description "Of the state."@en ; dct:publisher <https://state.example/org> ; dct:spatial ${eu('country/DEU')} .`,
      )
      await dataset(
        'coded',
        'Coded',
        `; dct:accrualPeriodicity ${eu('frequency/ANNUAL')} ; dct:language ${eu('language/FRA')} ; dct:accessRights ${eu('access-right/RESTRICTED')} ;
       dct:spatial ${eu('country/AUT')}, ${eu('continent/EUROPE')} ; dcat:theme ${eu('data-theme/ENVI')} ;
       <http://data.europa.eu/r5r/hvdCategory> <http://data.europa.eu/bna/c_ac64a52d>`,
      )
      const pages = ['datasets/coded', 'catalogues/state'].map(async (path) =>
        (await get(`/${language}/${path}`)).text(),
      )
      const text = (await Promise.all(pages)).join('')
      expect(names.split(' ').filter((name) => !text.includes(`<bdi>${name}</bdi>`))).toEqual([])
    },
  )

  it('tells search engines its DOI, its series and its versions', async () => {
    await dataset(
      'versioned',
      'Versioned',
      `; <http://www.w3.org/ns/adms#identifier> <https://doi.org/10.1234/def> ; dcat:inSeries <https://city.example/series> ;
       dcat:isVersionOf <https://city.example/work> ; dcat:hasVersion <https://city.example/v2>`,
    )
    const schema = await (await get('/en/datasets/versioned.schema.jsonld')).json()
    const url = 'https://doi.org/10.1234/def'
    expect(schema).toMatchObject({
      identifier: [{ '@type': 'PropertyValue', propertyID: 'DOI', value: '10.1234/def', url }],
      isPartOf: [{ '@id': 'https://city.example/series' }, { '@id': 'https://city.example/work' }],
      hasPart: [{ '@id': 'https://city.example/v2' }],
    })
  })

  it('is cited by its creators, its version and its DOI, and nothing in a name is a command', async () => {
    await dataset(
      'cited',
      'Levels & flows',
      `; dct:creator [ a foaf:Person ; foaf:name "Ann_{x} & Co" ] ; <http://www.w3.org/2002/07/owl#versionInfo> "1.2" ;
       dct:identifier "https://doi.org/10.1234/abc" ; dct:modified "2025-06-01T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>`,
    )
    const cited = async (ending: string) => (await get(`/en/datasets/cited/cite.${ending}`)).text()
    expect(await (await get('/en/datasets/cited')).text()).toContain(
      'Ann_{x} &amp; Co (2025): Levels &amp; flows. Version 1.2. https://doi.org/10.1234/abc',
    )
    expect((await cited('bib')).split('\n')).toEqual([
      '@misc{cited,',
      String.raw`  author = {{Ann\_\{x\} \& Co}},`,
      String.raw`  title = {{Levels \& flows}},`,
      '  year = {2025},',
      '  version = {1.2},',
      String.raw`  publisher = {Levels \& flows},`,
      '  doi = {10.1234/abc},',
      '  url = {https://doi.org/10.1234/abc}',
      '}',
      '',
    ])
    expect((await cited('ris')).split('\r\n').slice(0, 3)).toEqual([
      'TY  - DATA',
      'AU  - Ann_{x} & Co',
      'TI  - Levels & flows',
    ])
    expect(JSON.parse(await cited('json'))).toMatchObject([
      { author: [{ literal: 'Ann_{x} & Co' }], version: '1.2', DOI: '10.1234/abc' },
    ])
  })

  it('offers files and services, and says where to report a problem', async () => {
    await dataset(
      'offered',
      'Offered',
      `; dcat:contactPoint [ a vcard:Organization ; vcard:fn "Desk" ; vcard:hasEmail <mailto:desk@city.example> ; vcard:hasTelephone <tel:+49123> ] ;
       dcat:distribution [ a dcat:Distribution ; dct:title "A file"@en ; dcat:accessURL <https://city.example/page> ; dcat:downloadURL <https://city.example/file.csv> ],
         [ a dcat:Distribution ; dcat:accessURL <https://city.example/api> ;
           dcat:accessService [ a dcat:DataService ; dct:title "A service"@en ; dcat:endpointURL <https://city.example/endpoint> ; dcat:endpointDescription <https://city.example/openapi> ] ],
         [ a dcat:Distribution ; dcat:accessURL "ask at the desk" ] ; dcat:spatialResolutionInMeters "10.0"^^<http://www.w3.org/2001/XMLSchema#decimal> ; foaf:page <https://city.example/manual>`,
    )
    const page = await (await get('/en/datasets/offered')).text()
    const buttons = [...page.matchAll(/<a class="button ([a-z ]+)" href="(https:[^"]+)">/g)]
    expect(buttons.map(([, style, href]) => `${style} ${href}`).sort()).toEqual([
      'primary small https://city.example/endpoint',
      'primary small https://city.example/file.csv',
      'small https://city.example/openapi',
      'small https://city.example/page',
    ])
    expect(page).toContain('href="mailto:desk@city.example?subject=offered">')
    expect(page).toContain('<h3><bdi>A service</bdi></h3>')
    expect(page).toMatch(/<h3><bdi>File \d<\/bdi><\/h3>/)
    expect(page).toContain('<bdi>ask at the desk</bdi>')
    expect(page).toMatch(/href="tel:\+49123"[^>]*>\+49123/)
  })

  const pageOf = async (id: string) => (await get(`/en/datasets/${id}`)).text()
  const countsOf = async (facet: string) => {
    const answer = await fetch(`${client(platform).search}/search?filters=dataset&limit=0`)
    const { result } = (await answer.json()) as {
      result: { facets: { id: string; items: { id: string; title: unknown; count: number }[] }[] }
    }
    return result.facets.find(({ id }) => id === facet)?.items ?? []
  }

  it('shows, counts and finds values in small nodes and texts', async () => {
    await dataset(
      'nodes',
      'Nodes',
      `; dcat:theme "Kites", [ <http://www.w3.org/2004/02/skos/core#notation> "ENVI" ] ;
       dct:spatial [ a dct:Location ; dct:title "Old harbour"@en ], "Deutschland" ;
       dct:accrualPeriodicity "R/P1M" ; dct:accessRights [ dct:title "On request"@en ] ;
       dct:language "German" ; dcat:contactPoint "desk@city.example" ;
       dcat:distribution [ a dcat:Distribution ; dcat:accessURL <https://city.example/nodes> ;
         dct:license [ a dct:LicenseDocument ; dct:title "Harbour terms"@en ] ;
         dct:rights [ a dct:RightsStatement ; dct:description "Name the harbour"@en ] ;
         dct:format [ <http://www.w3.org/1999/02/22-rdf-syntax-ns#value> "GeoJSON" ] ]`,
    )
    const page = await pageOf('nodes')
    const shown =
      'Kites,Environment,Old harbour,Germany,monthly,On request,German,desk@city.example,Harbour terms,Name the harbour,GeoJSON'
    for (const text of shown.split(',')) expect(page).toContain(text)
    expect(await countsOf('categories')).toMatchObject([{ id: 'ENVI' }, { id: 'kites', count: 1 }])
    expect(await countsOf('license')).toMatchObject([{ id: 'harbour-terms', count: 1 }])
    expect(await countsOf('format')).toMatchObject([{ id: 'GEOJSON', count: 1 }])
    for (const q of ['kites', 'harbour', 'request'])
      expect(await (await get(`/en/datasets?q=${q}`)).text()).toContain('/en/datasets/nodes')
  })

  it('says the licence of the dataset for files without one', async () => {
    const ccBy = 'dct:license <https://creativecommons.org/licenses/by/4.0/>'
    const file = 'a dcat:Distribution ; dcat:accessURL <https://city.example/f>'
    await dataset('above', 'Above', `; ${ccBy} ; dcat:distribution [ ${file} ]`)
    await dataset('alone', 'Alone', `; ${ccBy}`)
    await dataset('without', 'Without', `; dcat:distribution [ ${file} ]`)
    const above = await pageOf('above')
    expect(above).toContain('CC BY 4.0 (of the dataset)')
    expect(above).not.toContain('No licence given')
    expect(await pageOf('alone')).not.toContain('No licence given')
    expect(await pageOf('without')).toContain('No licence given')
    const counts = await countsOf('license')
    expect(counts.find(({ id }) => id === 'CC_BY_4_0')).toMatchObject({ count: 1 })
  })

  it('cuts values in lists, however long they are', async () => {
    const long = 'k'.repeat(100_000)
    await dataset('long', 'Long', `; dcat:keyword "${long}" ; dcat:theme "${long}"`)
    const [page, list] = [await pageOf('long'), await (await get('/en/datasets?q=long')).text()]
    for (const text of [page, list]) expect(text).not.toContain('k'.repeat(300))
    expect(page).toContain(`${'k'.repeat(199)}…`)
  })
})

describe('the page of a dataset with many distributions', () => {
  it('shows 200 of them, counts the others, and leads to all of them', async () => {
    const file = (n: number) =>
      `[ a dcat:Distribution ; dct:title "File ${n} ${'x'.repeat(200)}"@en ; dcat:accessURL <https://city.example/f/${n}> ;
         dct:format <http://publications.europa.eu/resource/authority/file-type/${n === 449 ? 'XML' : 'CSV'}> ]`
    const files = Array.from({ length: 450 }, (_, n) => file(n))
    await dataset('many', 'Many', `; dcat:distribution ${files.join(',\n')}`)
    const page = await (await get('/en/datasets/many')).text()
    expect(page.match(/<article class="dist">/g)).toHaveLength(200)
    expect(page).toContain('And 250 more files and links')
    expect(page).toContain('/api/hub/repo/datasets/many.ttl">')
    expect(page).toContain('/api/hub/search/datasets/many">JSON')
    const [, data = '{}'] =
      /<script type="application\/ld\+json"[^>]*>([^]*?)<\/script>/.exec(page) ?? []
    expect((JSON.parse(data) as { distribution: unknown[] }).distribution).toHaveLength(200)
    const whole = await (await fetch(`${client(platform).search}/datasets/many`)).json()
    expect((whole as { result: { distributions: unknown[] } }).result.distributions).toHaveLength(
      450,
    )
    const cut = await (await fetch(`${client(platform).search}/datasets/many?most=10`)).json()
    const { distributions, _cut } = (
      cut as { result: { distributions: unknown[]; _cut: { distributions: { values: object } } } }
    ).result
    expect(distributions).toHaveLength(10)
    expect(JSON.stringify(_cut.distributions.values)).toContain('XML')
  })
})
