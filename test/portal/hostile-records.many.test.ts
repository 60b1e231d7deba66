/**
 * The hostile strings in every field of every kind of record: as text, as the name of a thing and in an address. The fields are
 * those of the profile, so that a new one is tried as soon as it is there.
 */

import { readdir, readFile } from 'node:fs/promises'
import { decodeHTML as decode } from 'entities'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  client,
  eventually,
  gateway,
  remove,
  temporaryDirectory,
  type Gateway,
} from '../support/gateway.ts'
import { harmIn, hostileStrings } from './hostile-strings.ts'

const root = new URL('../../', import.meta.url).pathname
const ownProfile = `${root}test/profile/foreign/custom`

let directory: string
let platform: Gateway

const prefixes = `@prefix adms: <http://www.w3.org/ns/adms#> .
@prefix dcat: <http://www.w3.org/ns/dcat#> .
@prefix dcatap: <http://data.europa.eu/r5r/> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix def: <https://water.example/def#> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix locn: <http://www.w3.org/ns/locn#> .
@prefix odrl: <http://www.w3.org/ns/odrl/2/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix schema: <http://schema.org/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix spdx: <http://spdx.org/rdf/terms#> .
@prefix vcard: <http://www.w3.org/2006/vcard/ns#> .
`
const known = new Set([...prefixes.matchAll(/@prefix (\w+):/g)].map(([, prefix]) => prefix))

/** Properties that the shapes of a folder speak of, without those that hang records together. */
async function propertiesIn(folder: string): Promise<readonly string[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.ttl'))
  const texts = await Promise.all(files.map((name) => readFile(`${folder}/${name}`, 'utf8')))
  const paths = texts.flatMap((text) =>
    [...text.matchAll(/sh:path (?:\[ sh:alternativePath \(([^)]*)\) \]|(\S+))/g)].map(
      ([, several, one]) => several ?? one ?? '',
    ),
  )
  const names = paths.flatMap((path) => path.trim().split(/\s+/))
  const structure = new Set(['dcat:distribution', 'dcat:dataset', 'dcat:record', 'dct:hasPart'])
  return [...new Set(names)].filter((name) => known.has(name.split(':')[0]) && !structure.has(name))
}

/** Of agents, contacts, places, periods, checksums, identifiers and whatever else a record names. */
const innerProperties =
  `rdfs:label rdfs:comment skos:prefLabel skos:altLabel skos:notation dct:title dct:description
  dct:identifier dct:type foaf:name foaf:homepage foaf:mbox vcard:fn vcard:hasEmail vcard:hasTelephone vcard:hasURL
  vcard:hasAddress vcard:street-address vcard:organization-name schema:name locn:geometry locn:geographicName dcat:bbox
  dcat:centroid dcat:startDate dcat:endDate spdx:checksumValue spdx:algorithm adms:schemaAgency dct:format`.split(
    /\s+/,
  )

const literal = (text: string) => JSON.stringify(text)

/** An IRI that says what the string says, in the scheme of the string where it has one. */
const hostileIri = (text: string): string => {
  const iri = text.replaceAll(/[^\w.~:/?@!$&'()*+,;=-]/gu, encodeURIComponent)
  return /^[a-z]+:/i.test(iri) ? `<${iri}>` : `<https://evil.example/${iri.replaceAll(':', '%3A')}>`
}

/** A string as it can stand in fields: with and without language, as an address, and as what a thing without a name is called. */
const statements = (properties: readonly string[], text: string): string =>
  properties
    .map((one) => `${one} ${literal(text)}@en, ${literal(text)}, ${hostileIri(text)}, _:thing`)
    .join(' ; ')

const thing = (text: string): string =>
  `_:thing ${innerProperties.map((one) => `${one} ${literal(text)}, ${hostileIri(text)}`).join(' ; ')} .\n`

async function put(path: string, body: string): Promise<void> {
  const answer = await client(platform).put(path, body)
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  await answer.body?.cancel()
}

let fields: readonly string[]
let stationFields: readonly string[]

/** A dataset with everything that hangs on one: distribution with its service, series, record of the catalogue. */
const datasetBody = (at: number, text: string): string => {
  const here = `https://city.example/${at}`
  const all = statements(fields, text)
  return `${prefixes}${thing(text)}<${here}> a dcat:Dataset ; ${all} ; dcat:distribution <${here}/file> ; dcat:inSeries <${here}/series> .
<${here}/file> a dcat:Distribution ; ${all} ; dcat:accessService <${here}/service> .
<${here}/service> a dcat:DataService ; ${all} .
<${here}/series> a dcat:DatasetSeries ; ${all} .
<${here}/record> a dcat:CatalogRecord ; foaf:primaryTopic <${here}> ; ${all} .`
}

beforeAll(async () => {
  fields = await propertiesIn(`${root}shapes/default`)
  stationFields = await propertiesIn(ownProfile)
  directory = await temporaryDirectory()
  platform = await gateway(directory, {
    PLATFORM_FEATURE_FLAGS: '{"platform_profile":true}',
    PLATFORM_PROFILE: JSON.stringify({ type: 'directory', path: ownProfile }),
  })
  for (const [at, text] of hostileStrings.entries()) {
    await put(
      `/catalogues/c-${at}`,
      `${prefixes}${thing(text)}<> a dcat:Catalog ; ${statements(fields, text)} .`,
    )
    await put(`/catalogues/c-${at}/datasets/origin?originalId=d-${at}`, datasetBody(at, text))
    await put(
      `/vocabularies/v-${at}`,
      `${prefixes}${thing(text)}<https://v.example/${at}> a skos:ConceptScheme ; ${statements(['skos:prefLabel', 'dct:title', 'dct:description'], text)} .
<https://v.example/${at}/a> a skos:Concept ; skos:inScheme <https://v.example/${at}> ; ${statements(innerProperties, text)} .
<https://v.example/${at}/b> a skos:Concept ; skos:inScheme <https://v.example/${at}> ; skos:broader <https://v.example/${at}/a> ; skos:prefLabel ${literal(text)}@en .`,
    )
    await put(
      `/customresources/station/s-${at}?catalogId=c-${at}`,
      `${prefixes}${thing(text)}<> a def:Station ; ${statements(stationFields, text)} .`,
    )
  }
  const isSettled = async () =>
    (await client(platform).json<{ pending: number }>(`${platform.url}/health`)).pending === 0
  if (!(await eventually(isSettled))) throw new Error('not everything is searchable')
}, 240_000)
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

/** A page that a busy machine could not make in its two seconds is asked for again. */
async function page(path: string, accept = 'text/html') {
  for (let tries = 0; ; tries += 1) {
    const answer = await fetch(`${platform.url}${path}`, { headers: { Accept: accept } })
    const text = await answer.text()
    if (answer.status !== 503 || tries === 5) return { status: answer.status, text }
  }
}

/** What is wrong with pages: another status than the one they should have, and harm. */
async function harmOn(paths: readonly string[], expected = 200): Promise<readonly string[]> {
  const found: string[] = []
  for (const path of paths) {
    const { status, text } = await page(path)
    if (status !== expected) found.push(`${path}: ${status}`)
    found.push(...harmIn(text).map((harm) => `${path}: ${harm}`))
  }
  return found
}

const linksIn = (text: string, folder: string): readonly string[] =>
  [...text.matchAll(new RegExp(`href="(/en/${folder}/[^"?]+)"`, 'g'))].map(([, link = '']) =>
    decode(link),
  )

const numbered = hostileStrings.map((text, at) => [at, text] as const)

describe('hostile values', () => {
  it('are tried in every field that the profile knows', () => {
    for (const field of ['dct:title', 'dcat:accessURL', 'dcat:contactPoint', 'dcat:landingPage'])
      expect(fields).toContain(field)
    expect(fields.length).toBeGreaterThan(60)
    expect(stationFields).toContain('def:operator')
  })

  it.each(numbered)('%d (%s) stay text on the pages of every kind of record', async (at) => {
    const pages =
      `datasets/d-${at} datasets/d-${at}/quality datasets?catalog=c-${at} catalogues/c-${at}
      quality/catalogues/c-${at} vocabularies/v-${at}
      resources/station/s-${at}`.split(/\s+/)
    expect(await harmOn(pages.map((one) => `/en/${one}`))).toEqual([])
    const { text } = await page(`/en/vocabularies/v-${at}`)
    const concepts = linksIn(text, `vocabularies/v-${at}`)
    expect(concepts).toHaveLength(2)
    expect(await harmOn(concepts)).toEqual([])
  })

  it('stay text in lists and in facets, and on the pages of publishers', async () => {
    const facets = 'publisher keywords format license categories catalog country'.split(' ')
    const lists =
      'datasets datasets?page=2 catalogues catalogues?page=2 publishers vocabularies resources/station quality'
    const pages = ['', ...lists.split(' '), ...facets.map((one) => `datasets/facets/${one}`)]
    expect(await harmOn(pages.map((one) => `/en/${one}`))).toEqual([])
    const { text } = await page('/en/publishers')
    const publishers = linksIn(text, 'publishers')
    expect(publishers.length).toBeGreaterThan(10)
    expect(await harmOn(publishers)).toEqual([])
  })

  /** Members of schema.org that lead somewhere. */
  const leading = new Set(['@id', 'url', 'sameAs', 'license', 'contentUrl', 'isPartOf', 'hasPart'])
  function addressesIn(value: unknown, isAddress = false): readonly string[] {
    if (typeof value === 'string') return isAddress ? [value] : []
    if (Array.isArray(value)) return value.flatMap((one) => addressesIn(one, isAddress))
    return Object.entries(value ?? {}).flatMap(([key, one]) => addressesIn(one, leading.has(key)))
  }

  it('stay text in what search engines read, where every address is one', async () => {
    for (const at of hostileStrings.keys()) {
      const { status, text } = await page(`/en/datasets/d-${at}.schema.jsonld`, '*/*')
      expect([at, status]).toEqual([at, 200])
      const addresses = addressesIn(JSON.parse(text))
      expect(addresses.length).toBeGreaterThan(0)
      expect(addresses.filter((one) => !/^(?:https?|mailto):[^\s<>"]*$/.test(one))).toEqual([])
    }
  })

  it('stay text in the result of a query, and on the page of a description that is checked', async () => {
    const query =
      'SELECT ?o WHERE { GRAPH ?g { ?s <http://purl.org/dc/terms/title> ?o } } LIMIT 500'
    expect(await harmOn([`/en/sparql?query=${encodeURIComponent(query)}`])).toEqual([])
    // A client may have twenty checked in a minute.
    for (const [at, text] of numbered.slice(0, 18)) {
      const answer = await fetch(`${platform.url}/en/check`, {
        method: 'POST',
        headers: { Accept: 'text/html' },
        body: new URLSearchParams({ rdf: datasetBody(at, text) }),
      })
      expect([at, answer.status]).toEqual([at, 200])
      expect([at, harmIn(await answer.text())]).toEqual([at, []])
    }
  }, 60_000)

  it('stay text where a record was, and where none is', async () => {
    for (const at of hostileStrings.keys()) {
      const headers = { 'X-API-Key': platform.key }
      const address = `${client(platform).repo}/datasets/d-${at}`
      expect((await fetch(address, { method: 'DELETE', headers })).status).toBe(204)
    }
    const removed = hostileStrings.keys().map((at) => `/en/datasets/d-${at}`)
    expect(await harmOn([...removed], 410)).toEqual([])
    const nowhere = hostileStrings.map((text) => `/en/datasets/${encodeURIComponent(text)}`)
    expect(await harmOn(nowhere, 404)).toEqual([])
  }, 60_000)
})
