/** What real sources write, and what the repository holds of it: rule by rule, one row for each. */

import { beforeAll, describe, expect, it } from 'vitest'
import type { Fields } from '../../../src/text/json.ts'
import type { MappedRecord } from '../../../src/harvest/mapping/record.ts'
import { prefixes } from '../../../src/rdf/namespaces.ts'
import { mappings, type MappingOptions } from './golden/records.ts'

type Platform = 'ckan' | 'dkan-1' | 'dkan-2' | 'udata'
let maps: (
  options?: MappingOptions,
) => Promise<Readonly<Record<string, (fields: Fields) => MappedRecord>>>
beforeAll(() => {
  maps = mappings
})

async function recordOf(platform: Platform, fields: Fields, options?: MappingOptions) {
  const map = (await maps(options))[platform]
  if (!map) throw new Error(platform)
  return map({ id: 'a', title: 'A', ...fields })
}

const iri = (name: string) => {
  const [prefix = '', local = ''] = name.split(':')
  return `${prefixes[prefix]}${local}`
}

/** The values at the end of a path of properties from the dataset, sorted. */
function at(record: MappedRecord, ...path: readonly string[]): string[] {
  const quads = record.quads()
  let nodes = [record.dataset.term.value]
  for (const name of path)
    nodes = quads
      .filter(
        ({ subject, predicate }) => nodes.includes(subject.value) && predicate.value === iri(name),
      )
      .map(({ object }) => object.value)
  return nodes.toSorted()
}

const slugs = (record: MappedRecord) => record.findings.map(({ slug }) => slug)

describe('a publisher of CKAN falls back field by field', () => {
  const port = { organization: { name: 'port', title: 'Port' } }
  const extras = (fields: Fields) => ({
    extras: Object.entries(fields).map(([key, value]) => ({ key, value })),
  })

  it.each([
    [
      'text where an IRI should be is the name',
      { publisher_uri: 'Harbour Office', publisher_email: 'a@port.example', ...port },
      { names: ['Harbour Office'], mails: ['mailto:a@port.example'] },
    ],
    [
      'an address alone leaves the name to the organization',
      { publisher_email: 'a@port.example', ...port },
      { names: ['Port'], mails: ['mailto:a@port.example'] },
    ],
    [
      'an organization without a title has its name',
      { organization: { name: 'port' } },
      { names: ['port'], mails: [] },
    ],
    [
      'a name is a name, whatever else there is',
      { publisher_name: 'Harbour Office', publisher_uri: 'n/a', ...port },
      { names: ['Harbour Office'], mails: [] },
    ],
  ])('%s', async (_, { organization, ...keys }, { names, mails }) => {
    for (const fields of [
      { ...keys, organization },
      { ...extras(keys), organization },
    ]) {
      const record = await recordOf('ckan', fields)
      expect(at(record, 'dct:publisher', 'foaf:name')).toEqual(names)
      expect(at(record, 'dct:publisher', 'foaf:mbox')).toEqual(mails)
      expect(
        record
          .quads()
          .some(
            ({ object }) => object.value.startsWith('Harbour') && object.termType === 'NamedNode',
          ),
      ).toBe(false)
    }
  })

  it('an IRI that says nothing of its name has the one of the organization', async () => {
    const record = await recordOf('ckan', { publisher_uri: 'https://port.example/id/1', ...port })
    expect(at(record, 'dct:publisher')).toEqual(['https://port.example/id/1'])
    expect(at(record, 'dct:publisher', 'foaf:name')).toEqual(['Port'])
  })

  it('an object of a scheming portal does so too', async () => {
    const publisher = [{ uri: '', name: '', email: 'a@port.example' }]
    const record = await recordOf('ckan', { publisher, ...port })
    expect(at(record, 'dct:publisher', 'foaf:name')).toEqual(['Port'])
    expect(at(record, 'dct:publisher', 'foaf:mbox')).toEqual(['mailto:a@port.example'])
  })

  it('text in the place of the IRI of a creator or a contact is their name', async () => {
    const fields = {
      creator_uri: 'Survey',
      contact_uri: 'The desk',
      contact_email: 'a@port.example',
    }
    const record = await recordOf('ckan', fields)
    expect(at(record, 'dct:creator', 'foaf:name')).toEqual(['Survey'])
    expect(at(record, 'dcat:contactPoint', 'vcard:fn')).toEqual(['The desk'])
  })
})

describe('a DKAN of version 1', () => {
  it('publishes through its groups', async () => {
    const record = await recordOf('dkan-1', {
      groups: [{ title: 'Region North', name: 'group/n' }],
    })
    expect(at(record, 'dct:publisher', 'foaf:name')).toEqual(['Region North'])
  })

  it('marks what it shows to anybody as private, which is a finding', async () => {
    expect(slugs(await recordOf('dkan-1', { private: true }))).toEqual(['private-record'])
    expect(slugs(await recordOf('dkan-1', { private: 'Published' }))).toEqual([])
  })

  it.each([
    ['lun, 04/11/2024 - 08:15', { language: 'fr' }, '2024-11-04T08:15:00Z'],
    ['lun, 04/11/2024 - 08:15', { dateOrder: 'dmy' }, '2024-11-04T08:15:00Z'],
    ['Date changed  mer, 13/11/2024 - 02:30', {}, '2024-11-13T02:30:00Z'],
    ['04/11/2024', { language: 'en-US' }, '2024-04-11'],
    ['04/18/2017', { dateOrder: 'dmy' }, '2017-04-18'],
    ['4 novembre 2024', {}, '2024-11-04'],
    ['04/11/2024', { language: 'en' }, undefined],
    ['04/11/2024', {}, undefined],
  ] as const)('writes the date %j, told %j', async (text, options, date) => {
    const record = await recordOf('dkan-1', { metadata_created: text }, options)
    expect(at(record, 'dct:issued')).toEqual(date === undefined ? [] : [date])
    expect(slugs(record)).toEqual(date === undefined ? ['invalid-date'] : [])
  })

  it('tells places and frequencies in extras', async () => {
    const box = 'POLYGON((1 2, 3 2, 3 4, 1 4, 1 2))'
    for (const spatial of ['1,2,3,4', '[1, 2, 3, 4]', '1 2 3 4']) {
      const extras = [
        { key: 'spatial', value: spatial },
        { key: 'frequency-of-update', value: 'Quarterly' },
      ]
      const record = await recordOf('dkan-1', { extras })
      expect(at(record, 'dct:spatial', 'dcat:bbox')).toEqual([box])
      expect(at(record, 'dct:accrualPeriodicity')).toEqual([
        'http://publications.europa.eu/resource/authority/frequency/QUARTERLY',
      ])
    }
    const sides = ['west-long', 'south-lat', 'east-long', 'north-lat']
    const extras = sides.map((side, n) => ({ key: `bbox-${side}`, value: String(n + 1) }))
    expect(at(await recordOf('ckan', { extras }), 'dct:spatial', 'dcat:bbox')).toEqual([box])
  })

  it('writes HTML in its resources', async () => {
    const url = 'https://a.example/x.csv'
    const resources = [{ id: 'r', url, name: 'A &amp; B', description: '<p>One</p><p>Two</p>' }]
    const record = await recordOf('dkan-1', { resources })
    expect(at(record, 'dcat:distribution', 'dct:title')).toEqual(['A & B'])
    expect(at(record, 'dcat:distribution', 'dct:description')).toEqual(['One\n\nTwo'])
  })
})

it('a licence stands at the dataset where no distribution can carry it', async () => {
  const fields = { license_id: 'cc-by-4.0', license_title: 'CC BY 4.0' }
  const licences = async (resources: readonly Fields[]) => {
    const record = await recordOf('ckan', { ...fields, resources })
    return ['dct:license', 'dcat:distribution'].map(
      (name) => at(record, ...(name === 'dct:license' ? [name] : [name, 'dct:license'])).length,
    )
  }
  expect(await licences([])).toEqual([1, 0])
  expect(await licences([{ id: 'r', name: 'Table' }])).toEqual([1, 0])
  expect(await licences([{ id: 'r', url: 'https://a.example/x.csv' }])).toEqual([0, 1])
})

it('half a surrogate pair goes, the text stays', async () => {
  const record = await recordOf('ckan', { title: 'Water \uD83D💧' })
  expect(at(record, 'dct:title')).toEqual(['Water 💧'])
})

describe('a box over the date line', () => {
  const ring = '[[170,-20],[-170,-20],[-170,-10],[170,-10],[170,-20]]'
  it.each<[string, unknown]>([
    ['GeoJSON', `{"type":"Polygon","coordinates":[${ring}]}`],
    ['an object of GeoJSON', { type: 'Polygon', coordinates: [JSON.parse(ring)] }],
    ['WKT', 'POLYGON((170 -20, -170 -20, -170 -10, 170 -10, 170 -20))'],
    ['WKT with a system', 'SRID=4326;POLYGON((170 -20, 190 -20, 190 -10, 170 -10, 170 -20))'],
    ['ENVELOPE', 'ENVELOPE(170, -170, -10, -20)'],
    ['a box of PostGIS', 'BOX(170 -20,-170 -10)'],
    ['four numbers', '170 -20 -170 -10'],
    ['numbers beyond 180', '170,-20,190,-10'],
    ['a list', [170, -20, -170, -10]],
    ['a DCMI Box', 'northlimit=-10; southlimit=-20; westlimit=170; eastlimit=-170'],
    [
      'GML',
      '<gml:Envelope><gml:lowerCorner>170 -20</gml:lowerCorner><gml:upperCorner>-170 -10</gml:upperCorner></gml:Envelope>',
    ],
  ])('is two boxes in every notation: %s', async (_, spatial) => {
    const halves =
      'MULTIPOLYGON(((170 -20, 180 -20, 180 -10, 170 -10, 170 -20)), ((-180 -20, -170 -20, -170 -10, -180 -10, -180 -20)))'
    for (const platform of ['ckan', 'dkan-2'] as const) {
      const record = await recordOf(platform, { spatial })
      expect(at(record, 'dct:spatial', 'locn:geometry')).toEqual([halves])
      expect(at(record, 'dct:spatial', 'skos:prefLabel')).toEqual([])
    }
  })

  it('is told from the name of a place', async () => {
    for (const spatial of ['Point Roberts', '8. Bezirk', 'New South Wales']) {
      const record = await recordOf('dkan-2', { spatial })
      expect(at(record, 'dct:spatial', 'skos:prefLabel')).toEqual([spatial])
    }
  })
})

describe('a place has one geometry, as WKT', () => {
  const box = '{"type":"Polygon","coordinates":[[[1,2],[3,2],[3,4],[1,4],[1,2]]]}'
  it.each([
    [box, 'dcat:bbox', 'POLYGON((1 2, 3 2, 3 4, 1 4, 1 2))'],
    ['[1, 2, 3, 4]', 'dcat:bbox', 'POLYGON((1 2, 3 2, 3 4, 1 4, 1 2))'],
    ['{"type":"Point","coordinates":[1,2]}', 'dcat:centroid', 'POINT(1 2)'],
    ['{"type":"LineString","coordinates":[[1,2],[3,4]]}', 'locn:geometry', 'LINESTRING(1 2, 3 4)'],
  ])('%s is only %s', async (spatial, property, wkt) => {
    const record = await recordOf('ckan', { spatial })
    const all = ['dcat:bbox', 'dcat:centroid', 'locn:geometry']
    const found = all.filter((name) => at(record, 'dct:spatial', name).length > 0)
    expect(found).toEqual([property])
    expect(at(record, 'dct:spatial', property)).toEqual([wkt])
    const literal = record
      .quads()
      .find(({ predicate }) => predicate.value === iri(property))?.object
    expect(literal?.termType === 'Literal' && literal.datatype.value).toBe(
      iri('geosparql:wktLiteral'),
    )
  })
})

describe('a licence', () => {
  const authority = 'http://publications.europa.eu/resource/authority/licence/'
  const licence = async (fields: Fields) => {
    const resources = [{ id: 'r', url: 'https://a.example/x.csv' }]
    return recordOf('ckan', { resources, ...fields })
  }

  it.each([
    [{ license_id: 'lov2' }, `${authority}ETALAB_2_0`],
    [{ license_title: 'Licence Ouverte / Open Licence version 2.0' }, `${authority}ETALAB_2_0`],
    [
      { license_url: 'https://www.etalab.gouv.fr/licence-ouverte-open-licence/' },
      `${authority}ETALAB_2_0`,
    ],
    [
      { license_title: 'Licence Ouverte (Etalab)' },
      'https://www.etalab.gouv.fr/wp-content/uploads/2014/05/Licence_Ouverte.pdf',
    ],
    [{ license_title: 'Open Database License (ODbL)' }, `${authority}ODC_BL`],
    [{ license_title: 'Our data (cc-by 4.0)' }, `${authority}CC_BY_4_0`],
    [{ license_title: 'Public Domain' }, `${authority}CC_PDM_1_0`],
    [
      { license_url: 'http://WWW.city.example/licence.html' },
      'http://WWW.city.example/licence.html',
    ],
    [
      { license_url: 'https://city.example/l/?a=1#b', license_title: 'Ours' },
      'https://city.example/l/?a=1#b',
    ],
    [
      {
        license_title: '<p>See <a href="https://creativecommons.org/licenses/by/4.0/">here</a></p>',
      },
      `${authority}CC_BY_4_0`,
    ],
    [
      { license_title: 'See https://creativecommons.org/licenses/by/4.0/.' },
      `${authority}CC_BY_4_0`,
    ],
    [
      { license_title: '<a href="https://city.example/terms/">Terms</a>' },
      'https://city.example/terms/',
    ],
  ])('%j is <%s>', async (fields, expected) => {
    const record = await licence(fields)
    expect(at(record, 'dcat:distribution', 'dct:license')).toEqual([expected])
    expect(at(record, 'dcat:distribution', 'dct:rights')).toEqual([])
  })

  it('keeps the address of the source where the authority does not have it', async () => {
    const url = 'https://www.etalab.gouv.fr/wp-content/uploads/2014/05/Licence_Ouverte.pdf?v=1'
    const record = await licence({ license_url: url, license_id: 'fr-lo' })
    expect(at(record, 'dcat:distribution', 'dct:license')).toEqual([url])
  })

  it('in HTML without an address is words about rights', async () => {
    const record = await licence({ license_title: '<p>Ask <b>the desk</b></p>' })
    expect(at(record, 'dcat:distribution', 'dct:license')).toEqual([])
    expect(at(record, 'dcat:distribution', 'dct:rights', 'rdfs:label')).toEqual(['Ask the desk'])
  })

  it('of which only a name is known has no tag in it', async () => {
    const record = await licence({ license_title: 'House licence' })
    const found = at(record, 'dcat:distribution', 'dct:license', 'dct:title')
    expect(found).toEqual(['House licence'])
  })
})

describe('themes', () => {
  const codes = (record: MappedRecord) =>
    at(record, 'dcat:theme').map((one) => one.replace(/.*data-theme\//, ''))

  it.each([
    ['Economy', ['ECON'], []],
    ['Society', ['SOCI'], []],
    ['Structure', [], ['Structure']],
    ['Location', [], ['Location']],
  ])('of a group %s are %j', async (title, themes, keywords) => {
    const record = await recordOf('ckan', { groups: [{ name: title.toLowerCase(), title }] })
    expect(codes(record)).toEqual(themes)
    expect(at(record, 'dcat:keyword')).toEqual(keywords)
  })

  it.each([
    ['Society', ['SOCI']],
    ['Structure', []],
    ['Location', []],
  ])('of a tag %s are %j; it stays a keyword', async (name, themes) => {
    const record = await recordOf('ckan', { tags: [{ name }] })
    expect(codes(record)).toEqual(themes)
    expect(at(record, 'dcat:keyword')).toEqual([name])
  })

  it('of an ISO topic do not go through INSPIRE', async () => {
    const extras = [{ key: 'topicCategory', value: 'economy' }]
    expect(codes(await recordOf('ckan', { extras }))).toEqual(['ECON'])
  })
})

describe('what cannot be mapped', () => {
  const url = 'https://a.example/x.csv'
  it.each([
    [{ metadata_created: 'yesterday' }, 'invalid-date', 'dct:issued: yesterday'],
    [{ frequency: 'now and then' }, 'unmapped-value', 'dct:accrualPeriodicity: now and then'],
    [{ dcat_type: 'thing' }, 'unmapped-value', 'dct:type: thing'],
    [{ temporal_resolution: 'hourly' }, 'unmapped-value', 'dcat:temporalResolution: hourly'],
    [{ spatial: '{"type":"Circle"}' }, 'unmapped-value', 'dct:spatial: {"type":"Circle"}'],
    [{ spatial: 'POLYGON((1 2, 3' }, 'unmapped-value', 'dct:spatial: POLYGON((1 2, 3'],
    [{ spatial: '50.1, 8.6' }, 'unmapped-value', 'dct:spatial: 50.1, 8.6'],
    [{ sample: 'see annex' }, 'unmapped-value', 'adms:sample: see annex'],
    [{ publisher_name: 'A', publisher_type: 'guild' }, 'unmapped-value', 'dct:type: guild'],
    [{ resources: [{ id: 'r', url, size: 'large' }] }, 'unmapped-value', 'dcat:byteSize: large'],
    [
      { resources: [{ id: 'r', url, mimetype: 'application/x-made-up' }] },
      'unmapped-value',
      'dcat:mediaType: application/x-made-up',
    ],
    [
      { resources: [{ id: 'r', name: 'Table' }] },
      'unmapped-value',
      'dcat:distribution: Table (it has no address)',
    ],
  ])('of %j is a finding %s', async (fields, slug, detail) => {
    const [, property, value, reason] = /^(\S+): (.*?)(?: \((.*)\))?$/.exec(detail) ?? []
    const { findings } = await recordOf('ckan', fields)
    expect(findings).toEqual([{ slug, detail, property, value, ...(reason && { reason }) }])
  })

  it('is nothing where nothing was said', async () => {
    const resources = [{ id: 'r', url, size: 0, mimetype: '', hash: '' }]
    const fields = { frequency: 'n/a', spatial: '', dcat_type: null, sample: '', resources }
    expect((await recordOf('ckan', fields)).findings).toEqual([])
  })
})
