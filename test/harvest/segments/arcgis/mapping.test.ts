/** ArcGIS Hub importer: from a feed's dataset and from a record to DCAT-AP. */

import '../../../support/seed.ts'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { itemIn } from '../../../../src/harvest/importers/arcgis-mapping.ts'
import { fieldsOf } from '../../../../src/vocabularies/loose-values.ts'
import { disturbed, faultsOf } from '../any-json.ts'
import { brokenShapes, canonicalLines, expectedIn, hasShapes, sampleIn } from '../golden-check.ts'
import { mappedEntry, mappedFeature } from './golden.ts'

const sample = sampleIn('arcgis')
const textOf = async (more: object = {}) =>
  (await mappedEntry(fieldsOf({ ...sample, ...more }))).toRecord({ sourceId: 'x' }).text
const file = (more: object) => ({
  'dcat:distribution': [{ accessURL: 'https://a.example/x', ...more }],
})

const feature = fieldsOf({
  id: '0f6a3b9c2d1e4f5a8b7c6d5e4f3a2b1c_3',
  type: 'Feature',
  geometry: {
    type: 'Polygon',
    coordinates: [
      [
        [10, 47],
        [11, 47],
        [11, 48],
        [10, 48],
        [10, 47],
      ],
    ],
  },
  properties: {
    title: 'Flood Zones',
    snippet: 'Where it <b>floods</b>',
    description: null,
    tags: ['flood'],
    categories: ['/Categories/Environment', '/Categories/Odd'],
    source: 'City GIS',
    owner: 'gis_1',
    created: 1_580_702_706_000,
    modified: 1_767_323_045_000,
    licenseInfo: '<p>Ask first.</p>',
    structuredLicense: { url: 'https://creativecommons.org/licenses/by/4.0/' },
    url: 'https://services.city.example/arcgis/rest/services/Flood/FeatureServer/3',
  },
})

describe('a dataset of a feed', () => {
  it('becomes what the golden file says', async () => {
    const quads = (await mappedEntry(sample)).quads()
    expect(await canonicalLines(quads)).toEqual(await expectedIn('arcgis'))
  })

  it.skipIf(!hasShapes)('keeps to DCAT-AP', async () => {
    expect(await brokenShapes((await mappedEntry(sample)).quads())).toEqual([])
  })

  it.each([
    ['a path of a server', '\\\\server\\share\\flood.gdb'],
    ['a project', 'Flood Zones 2025.mxd'],
  ])('described by %s has its summary instead, else its title', async (_, path) => {
    const described = { 'dct:description': path }
    expect(await textOf({ ...described, snippet: 'In short' })).toContain('description> "In short"')
    expect(await textOf(described)).toContain('description> "Flood Zones"')
  })

  it.each([
    ['GeoJSON', { 'locn:geometry': { '@value': '{"type":"Point","coordinates":[10,47]}' } }],
    ['WKT', { 'locn:geometry': [{ '@value': 'POINT(10 47)', '@type': 'gsp:wktLiteral' }] }],
    ['a centre', { 'dcat:centroid': 'POINT(10 47)', 'locn:geometry': '{{extent}}' }],
  ])('has the place that is told by %s', async (_, place) => {
    const told = { '@type': 'dct:Location', 'skos:prefLabel': 'Valdoro', ...place }
    const text = await textOf({ 'dct:spatial': told })
    expect(text).toContain('dcat#centroid> "POINT(10 47)"')
    expect(text).toContain('prefLabel> "Valdoro"')
  })

  it('tells of a place and a time that say nothing to us, and of a path in place of words', async () => {
    const record = await mappedEntry(
      fieldsOf({
        ...sample,
        'dct:description': 'Flood.mxd',
        'dct:spatial': { 'x:y': 1 },
        'dct:temporal': { 'x:y': 2 },
      }),
    )
    expect(record.findings.map(({ detail }) => detail)).toEqual(
      expect.arrayContaining([
        'dct:description: Flood.mxd',
        'dct:spatial: {"x:y":1}',
        'dct:temporal: {"x:y":2}',
      ]),
    )
  })

  it.each(['none', '', '{{license}}'])('has no licence when it says "%s"', async (told) => {
    const text = await textOf({ 'dct:license': told, ...file({ title: 'x' }) })
    expect(text).not.toMatch(/dc\/terms\/(?:license|rights)>/)
  })

  it('has words about rights as such, and a licence only where there is one', async () => {
    const licensed = (told: string) => textOf({ 'dct:license': told, ...file({ title: 'x' }) })
    const words = await licensed('<p>Ask the <b>city</b>.</p>')
    expect(words).toContain('"Ask the city."')
    expect(words).not.toContain('dc/terms/license>')
    const named = await licensed('CC-BY-4.0')
    expect(named).toContain('licence/CC_BY_4_0>')
    expect(named).not.toContain('dc/terms/rights>')
  })

  it.each([
    ['https://www.arcgis.com/home/item.html?id=0f6a&sublayer=2', '0f6a_2'],
    ['https://www.arcgis.com/home/item.html?id=0f6a', '0f6a'],
    [`https://hub.example/datasets/${'a1'.repeat(16)}_4`, `${'a1'.repeat(16)}_4`],
    [`https://hub.example/datasets/city::${'a1'.repeat(16)}/about`, 'a1'.repeat(16)],
    ['https://hub.example/datasets/city::flood-zones', undefined],
    ['flood', undefined],
  ])('called %s is the item %s', (identifier, item) => {
    expect(itemIn(identifier)).toBe(item)
  })

  it('keeps what no mend is about, in the words of DCAT-AP', async () => {
    const record = await mappedEntry(
      fieldsOf({
        ...sample,
        'dct:title': [{ '@value': 'Zones inondables', '@language': 'fr' }, 'Flood Zones'],
        'dcat:version': { '@value': '2', '@language': 'en' },
        'prov:wasGeneratedBy': { '@type': 'prov:Activity', 'rdfs:label': ['Survey'] },
        'dcat:spatialResolutionInMeters': { '@value': '10', '@type': 'xsd:decimal' },
        bare: 'lost',
      }),
    )
    const { text, findings } = record.toRecord({ sourceId: 'x' })
    expect(text).toContain('title> "Zones inondables"@fr')
    expect(text).toContain('title> "Flood Zones" .')
    expect(text).toContain('dcat#version> "2" .')
    expect(text).toContain('"10"^^<http://www.w3.org/2001/XMLSchema#decimal>')
    expect(text).not.toContain('lost')
    expect(findings?.map(({ detail }) => detail)).toContain('prov:wasGeneratedBy: Survey')
  })

  it('has no link of its own to the page of the site as a distribution', async () => {
    expect(await textOf()).not.toMatch(/accessURL> <https:\/\/hub\.city\.example\/datasets/)
  })

  it.each(['dct:issued', 'dct:modified'])('has no %s before 1970', async (name) => {
    const record = await mappedEntry(fieldsOf({ ...sample, [name]: '1899-12-31T00:00:00Z' }))
    expect(record.findings.map(({ detail }) => detail)).toContain(`${name}: 1899-12-31T00:00:00Z`)
  })
})

describe('a record', () => {
  it('has what the site tells of it, and its layer in every format', async () => {
    const { text } = (await mappedFeature(feature)).toRecord({ sourceId: 'x' })
    for (const part of [
      'dc/terms/title> "Flood Zones"',
      'description> "Where it floods"',
      'data-theme/ENVI>',
      'keyword> "Odd"',
      '"City GIS"',
      '"2020-02-03T04:05:06Z"^^',
      '/items/0f6a3b9c2d1e4f5a8b7c6d5e4f3a2b1c/shapefile?layers=3>',
      'licence/CC_BY_4_0>',
      'landingPage> <https://hub.city.example/datasets/0f6a3b9c2d1e4f5a8b7c6d5e4f3a2b1c_3>',
      'endpointURL> <https://services.city.example/arcgis/rest/services/Flood/FeatureServer/3>',
      'file-type/MAP_SRVC>',
      'dcat#bbox>',
    ])
      expect(text).toContain(part)
  })

  it.skipIf(!hasShapes)('keeps to DCAT-AP', async () => {
    expect(await brokenShapes((await mappedFeature(feature)).quads())).toEqual([])
  })
})

describe('whatever stands in them', () => {
  it('datasets are mapped without an invalid IRI or a quad outside the record', async () => {
    await fc.assert(
      fc.asyncProperty(disturbed(sample), async (fields) => {
        expect(faultsOf((await mappedEntry(fields)).quads())).toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  it('records are mapped without an invalid IRI or a quad outside the record', async () => {
    await fc.assert(
      fc.asyncProperty(disturbed(feature), async (fields) => {
        expect(faultsOf((await mappedFeature(fields)).quads())).toEqual([])
      }),
      { numRuns: 100 },
    )
  })
})
