/** Importer of data.json: which address it asks, and what becomes of datasets of DCAT-US 1.1 and 3. */

import { afterEach, describe, expect, it } from 'vitest'
import { importerSegment } from '../../../../src/harvest/importers/importer.ts'
import { dataJsonImporter } from '../../../../src/harvest/importers/datajson.ts'
import { dkanImporter } from '../../../../src/harvest/importers/dkan.ts'
import { rdfImporter } from '../../../../src/harvest/importers/rdf.ts'
import type { JsonObject } from '../../../../src/text/json.ts'
import { normalName } from '../../../../src/pipe/segment-resolver.ts'
import { podOf } from '../../../support/portals/dkan-portal.ts'
import { json, portal, type Portal } from '../../../support/portals/portal.ts'
import { sampleOf } from '../golden/records.ts'
import { importOf, type Run } from '../import-run.ts'

const open: Portal[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

/** A site with documents at paths. */
async function siteWith(documents: Readonly<Record<string, unknown>>): Promise<Portal> {
  const site = await portal((request) => {
    const { pathname } = new URL(request.url)
    return Object.hasOwn(documents, pathname)
      ? json(documents[pathname])
      : Response.json({ message: 'no' }, { status: 404 })
  })
  open.push(site)
  return site
}

const importing = (site: Portal, path: string, config: JsonObject = {}, more: Partial<Run> = {}) =>
  importOf({
    kind: (deps) => importerSegment(dataJsonImporter, deps),
    config: { address: `${site.url}${path}`, ...config },
    ...more,
  })
const two = ['a', 'b'].map((id) => podOf({ id, title: `Title of ${id}` }))
const catalogue = { conformsTo: 'https://project-open-data.cio.gov/v1.1/schema', dataset: two }

describe('the address', () => {
  it.each([
    ['', { '/data.json': catalogue }],
    ['/', { '/data.json': catalogue }],
    ['/open/', { '/open/data.json': catalogue }],
    ['/data.json', { '/data.json': catalogue }],
    ['/feeds/dcat-us-1.1.json', { '/feeds/dcat-us-1.1.json': two }],
    ['/export?format=pod', { '/export': catalogue }],
    ['/export', { '/export': catalogue }],
  ])('%j is a site or a document', async (path, documents) => {
    const found = await importing(await siteWith(documents), path)
    expect([found.end?.kind, found.problem]).toEqual(['complete', undefined])
    expect(found.records.map(({ sourceId }) => sourceId)).toEqual(['a', 'b'])
  })

  it('without any document is not found', async () => {
    expect((await importing(await siteWith({}), '/')).problem).toBe('source-not-found')
  })

  it('in full leads a pipe for DKAN to the same document', async () => {
    const site = await siteWith({ '/data.json': catalogue })
    const found = await importOf({
      kind: (deps) => importerSegment(dkanImporter, deps),
      config: { address: `${site.url}/data.json` },
    })
    expect(found.records).toHaveLength(2)
  })

  it('may be read as JSON-LD too: its context comes with the product', async () => {
    const context = 'https://project-open-data.cio.gov/v1.1/schema/catalog.jsonld'
    const document = { '@context': context, '@type': 'dcat:Catalog', dataset: two }
    const site = await siteWith({ '/data.json': document })
    const found = await importOf({
      kind: (deps) => importerSegment(rdfImporter, deps),
      config: { address: `${site.url}/data.json`, inputFormat: 'jsonld' },
    })
    expect(found.problem).toBeUndefined()
    expect(found.records).toHaveLength(2)
    expect(found.records[0]?.text).toContain(
      '<http://www.w3.org/ns/dcat#downloadURL> <https://data.city.example/a.csv>',
    )
  })

  it('that has not changed is not read again', async () => {
    const site = await siteWith({ '/data.json': catalogue })
    const first = await importing(site, '/')
    const validators = first.end?.kind === 'complete' ? (first.end.validators ?? []) : []
    expect((await importing(site, '/', {}, { validators })).end?.kind).toBe('not-modified')
  })
})

it('goes by several names', () => {
  for (const name of ['importing-pod', 'piveau-consus-importing-dcatus', 'importing-datajson'])
    expect(normalName(name)).toBe('importing-datajson')
})

const dataset3 = sampleOf('dcat-us-3')

describe('a catalogue of DCAT-US 3', () => {
  const context = 'https://raw.githubusercontent.com/DOI-DO/dcat-us/main/context/dcat-us-3.0.jsonld'
  const whole = {
    '@context': context,
    '@type': 'Catalog',
    title: 'All',
    dataset: [dataset3],
    service: [{ '@type': 'DataService', title: 'Service' }],
    catalog: [
      {
        '@type': 'Catalog',
        dataset: [{ title: 'Inner', landingPage: ['https://agency.example/p'] }],
      },
    ],
    record: [{ '@type': 'CatalogRecord', title: 'Record' }],
  }

  it('is walked to its inner catalogues; services are told, records dropped', async () => {
    const found = await importing(await siteWith({ '/data.json': whole }), '/')
    expect(found.end?.kind).toBe('complete')
    expect(found.records.map(({ sourceId }) => sourceId).toSorted()).toEqual([
      'LOUDOUN-1',
      'https://agency.example/p',
    ])
    expect(found.findings).toEqual(['services-not-harvested 1'])
  })

  it('tells where a dataset without identifier stands', async () => {
    const document = {
      dataset: [dataset3, { title: 'Nameless' }],
      catalog: [
        { dataset: [dataset3, { title: 'Inner' }], catalog: { dataset: { title: 'One' } } },
      ],
    }
    const found = await importing(await siteWith({ '/data.json': document }), '/')
    expect(found.refused.map(({ problem }) => problem.detail)).toEqual([
      'The entry has no identifier. "Nameless", record 2 of the run, /dataset/1.',
      'The entry has no identifier. "Inner", record 3 of the run, /catalog/0/dataset/1.',
      'The entry has no identifier. "One", record 4 of the run, /catalog/0/catalog/dataset.',
    ])
  })

  it('has datasets with all that they say', async () => {
    const found = await importing(await siteWith({ '/data.json': whole }), '/')
    const record = found.records.find(({ sourceId }) => sourceId === 'LOUDOUN-1')
    const text = record?.text ?? ''
    for (const part of [
      '<https://agency.example/id/loudoun> <http://purl.org/dc/terms/title> "Loudoun County"@en',
      'title> "Condado de Loudoun"@es',
      'description> "All élan"@en',
      'dcat#keyword> "censo"@es',
      'data-theme/SOCI>',
      'data-theme/GOVE>',
      'dcat#theme> <https://agency.example/theme/7>',
      'core#prefLabel> "Tides"',
      'core#notation> "L-1"',
      'issued> "2021-04-26"^^',
      'foaf/0.1/name> "Bureau"',
      'foaf/0.1/name> "Department"',
      'org#subOrganizationOf>',
      'hasEmail> <mailto:desk@agency.example>',
      'hasTelephone> <tel:+15550100>',
      'locality> "Springfield"',
      'rdf-schema#label> "Ask the desk"',
      'Restricted; Not for navigation',
      'No warranty',
      'frequency/ANNUAL>',
      'dcat#bbox> "POLYGON((1 2, 3 2, 3 4, 1 4, 1 2))"',
      'dcat#bbox> "POLYGON((5 6, 7 6, 7 8, 5 8, 5 6))"',
      'country/USA>',
      'startDate> "2020-01-01"',
      'inSeries> <https://agency.example/series/1>',
      'dcat#version> "2.1"',
      'type> <https://agency.example/type/table>',
      'file-type/CSV>',
      'media-types/text/csv>',
      'licence/CC_BY_4_0>',
      'access-right/PUBLIC>',
    ])
      expect(text).toContain(part)
    expect(record?.findings).toMatchObject([
      { slug: 'unmapped-value', detail: 'dcat:inSeries: A series without IRI' },
    ])
  })

  it('may be read as JSON-LD too', async () => {
    const site = await siteWith({ '/data.json': whole })
    const found = await importOf({
      kind: (deps) => importerSegment(rdfImporter, deps),
      config: { address: `${site.url}/data.json`, inputFormat: 'jsonld' },
    })
    expect(found.problem).toBeUndefined()
    const text = found.records.map((one) => one.text).join('')
    expect(text).toContain('"Condado de Loudoun"@es')
    expect(text).toContain('dcat#downloadURL> <https://agency.example/t.csv>')
  })
})

describe('a keyword', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      ...podOf({ id: `r${at}`, title: 'x' }),
      keyword: ['agency', `own ${at}`],
    }))

  it.each([
    [21, false],
    [20, true],
  ])('of all of %i records stays: %j', async (count, stays) => {
    const site = await siteWith({ '/data.json': { dataset: many(count) } })
    const { records, findings } = await importing(site, '/')
    expect(records[3]?.text.includes('"agency"')).toBe(stays)
    expect(records[3]?.text).toContain('"own 3"')
    expect(findings).toEqual(stays ? [] : ['unmapped-value dcat:keyword: agency (on every record)'])
  })
})
