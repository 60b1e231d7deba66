/** What is published comes out of every door of the search service: feeds, sitemap and the calls of CKAN. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../../support/gateway.ts'
import { prefixes } from '../../support/repository.ts'
import { children, linkOf, textOf, xmlTree } from './xml-tree.ts'

const theme = 'http://publications.europa.eu/resource/authority/data-theme/ENVI'
const csv = 'http://publications.europa.eu/resource/authority/file-type/CSV'
const dataset = `${prefixes}@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<> a dcat:Dataset ;
  dct:title "Lake levels"@en , "Seepegel"@de ; dct:description "Hourly readings."@en ;
  dcat:keyword "Open water"@en ; dcat:theme <${theme}> ;
  dct:publisher [ a foaf:Organization ; foaf:name "Lake Office" ] ;
  dct:issued "2020-05-01"^^xsd:date ; dct:modified "2024-05-01T10:00:00Z"^^xsd:dateTime ;
  dcat:distribution [ a dcat:Distribution ; dcat:accessURL <https://files.example/lakes> ;
    dcat:downloadURL <https://files.example/lakes.csv> ; dct:format <${csv}> ] .`
const hidden =
  '; <https://europeandataportal.eu/voc#visibility> <https://europeandataportal.eu/voc#hidden>'

let directory: string
let platform: Gateway
let api: ReturnType<typeof client>
beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory, {
    PLATFORM_SEARCH_CONFIG: '{"portal":"https://data.example/"}',
  })
  api = client(platform)
  const catalogue = (id: string, more = '') =>
    api.put(`/catalogues/${id}`, `${prefixes}<> a dcat:Catalog ; dct:title "${id}"@en ${more} .`)
  const told = [
    await catalogue('lakes'),
    await catalogue('quiet', hidden),
    await api.putDataset('lakes', 'lake-levels', dataset),
    await api.putDataset('quiet', 'still-water', dataset),
  ]
  const wrong = told.filter(({ status }) => status !== 201)
  if (wrong.length > 0)
    throw new Error(`not published: ${wrong.map(({ status }) => status).join()}`)
})
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

const xml = async (path: string) => {
  const answer = await fetch(api.search + path)
  expect(answer.status).toBe(200)
  return xmlTree(await answer.text())
}

type Package = Readonly<Record<string, unknown>>
type Called = {
  readonly result: {
    readonly count: number
    readonly results: readonly Package[]
    readonly facets: unknown
  }
}

describe('a dataset of a catalogue that is not hidden', () => {
  it('is the entry of an Atom feed', async () => {
    const feed = await xml('/de/feeds/datasets.atom?facets={"catalog":["lakes"]}')
    expect(linkOf(feed, 'self')).toMatch(new RegExp(`^${api.search}/de/feeds/`))
    const [entry, ...others] = children(feed, 'entry')
    expect(others).toEqual([])
    expect(textOf(entry!, 'id')).toBe('http://localhost:8080/set/data/lake-levels')
    expect(textOf(entry!, 'title')).toBe('Seepegel')
    expect(textOf(entry!, 'updated')).toBe('2024-05-01T10:00:00.000Z')
    expect(linkOf(entry!, 'alternate')).toMatch(/^https:\/\/data\.example\/datasets\/lake-levels/)
    expect(linkOf(entry!, 'enclosure')).toBe('https://files.example/lakes.csv')
    expect(children(entry!, 'category')[0]!.attributes['term']).toBe('ENVI')
    expect(textOf(children(entry!, 'author')[0]!, 'name')).toBe('Lake Office')
  })

  it('is the item of an RSS feed', async () => {
    const [channel] = children(await xml('/en/feeds/datasets.rss'), 'channel')
    expect(children(channel!, 'item').map((item) => textOf(item, 'title'))).toEqual(['Lake levels'])
  })

  it('has an IRI that leads browsers to the page of the portal', async () => {
    const lead = async (path: string, accept: string) => {
      const headers = { Accept: accept }
      const answer = await fetch(platform.url + path, { headers, redirect: 'manual' })
      return [answer.status, answer.headers.get('Location')]
    }
    const page = 'https://data.example/datasets/lake-levels'
    const path = '/set/data/lake-levels'
    expect(await lead(path, 'text/html,*/*;q=0.8')).toEqual([303, page])
    const description = '/api/hub/repo/datasets/lake-levels'
    expect(await lead(path, 'text/turtle')).toEqual([303, description])
  })

  it('is in the sitemap with its catalogue', async () => {
    const [first] = children(await xml('/sitemap'), 'sitemap')
    const location = textOf(first!, 'loc') ?? ''
    const page = await xml(location.slice(location.indexOf('/sitemap/')))
    expect(children(page, 'url').map((url) => textOf(url, 'loc'))).toEqual([
      'https://data.example/catalogues/lakes',
      'https://data.example/datasets/lake-levels',
    ])
    expect(
      children(page, 'url')[1]!.children.map(({ attributes }) => attributes['hreflang']),
    ).toEqual([undefined, undefined, 'de', 'en'])
  })

  it('is a package of CKAN, found by what CKAN calls its parts', async () => {
    const filters = [
      'organization:lakes tags:open-water groups:ENVI res_format:CSV',
      'metadata_modified:[2024-01-01T00:00:00Z TO *] author:"Lake Office"',
    ]
    for (const fq of filters) {
      const query = new URLSearchParams({
        fq,
        sort: 'metadata_modified desc, name asc',
        'facet.field': '["organization","tags","groups","res_format"]',
      })
      const path = `/ckan/api/3/action/package_search?${query.toString()}`
      const { result } = await api.json<Called>(api.search + path)
      expect(result.count).toBe(1)
      expect(result.results[0]).toMatchObject({
        id: 'lake-levels',
        title: 'Lake levels',
        organization: { id: 'lakes' },
        tags: [{ name: 'open-water', display_name: 'Open water' }],
        groups: [{ name: 'ENVI', title: 'Environment' }],
        author: 'Lake Office',
        resources: [{ url: 'https://files.example/lakes.csv', format: 'CSV', position: 0 }],
        metadata_modified: expect.stringMatching(/^20\d\d-/),
      })
      expect(result.facets).toEqual({
        organization: { lakes: 1 },
        tags: { 'open-water': 1 },
        groups: { ENVI: 1 },
        res_format: { CSV: 1 },
      })
    }
    const show = `/ckan/package_show?id=${encodeURIComponent('http://localhost:8080/set/data/lake-levels')}`
    expect(await api.json<object>(api.search + show)).toMatchObject({
      help: `${api.search}/`,
      result: { id: 'lake-levels' },
    })
    expect(await api.json<object>(`${api.search}/ckan/package_list`)).toMatchObject({
      result: ['lake-levels'],
    })
  })
})

describe('every door', () => {
  it('stands in the OpenAPI document', async () => {
    const { paths } = await api.json<{ paths: object }>(`${api.search}/openapi.json`)
    const actions = ['package_list', 'package_search', 'package_show']
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining([
        '/{lang}/feeds/datasets.atom',
        '/{lang}/feeds/datasets.rss',
        '/sitemap',
        '/sitemap/{n}',
        ...actions.flatMap((action) => [`/ckan/${action}`, `/ckan/api/3/action/${action}`]),
      ]),
    )
  })

  it('is open for calls by POST from pages of every origin', async () => {
    const answer = await fetch(`${api.search}/ckan/package_search`, {
      method: 'POST',
      headers: { Origin: 'https://elsewhere.example', 'Content-Type': 'application/json' },
      body: '{"rows":0}',
    })
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(await answer.json()).toMatchObject({ success: true, result: { count: 1, results: [] } })
  })
})
