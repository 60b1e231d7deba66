/** Records: nodes, texts, places, agents and distributions as they are written. */

import { beforeAll, describe, expect, it } from 'vitest'
import {
  writeAgent,
  outlineFrom,
  writePeriod,
  writePlace,
} from '../../../../src/harvest/mapping/parts.ts'
import { type Authorities, shippedAuthorities } from '../../../../src/vocabularies/authorities.ts'
import {
  MappedRecord,
  mappingKeys,
  type RecordOptions,
} from '../../../../src/harvest/mapping/record.ts'
import { writeDistribution } from '../../../../src/harvest/mapping/distribution.ts'
import { dcat, dct } from '../../../../src/rdf/namespaces.ts'

let authorities: Authorities
beforeAll(async () => {
  authorities = await shippedAuthorities()
})

const record = (more: Partial<RecordOptions> = {}) =>
  new MappedRecord({
    authorities,
    fallbackIri: 'https://portal.example/dataset/a',
    base: 'https://portal.example/',
    ...more,
  })
const textOf = (one: MappedRecord) => one.toRecord({ sourceId: 'a' }).text

describe('a node', () => {
  it('has the IRI of the source when that is one, else the one of the portal', () => {
    expect(record({ iri: 'https://city.example/set/1' }).dataset.term.value).toBe(
      'https://city.example/set/1',
    )
    for (const iri of ['set 1', 'https://a b', 7, undefined, `urn:x:${'y'.repeat(2000)}`])
      expect(record({ iri }).dataset.term.value).toBe('https://portal.example/dataset/a')
  })

  it('shares its IRI with no other node of the record', () => {
    const one = record()
    writeAgent(one.dataset, dct('publisher'), { name: 'A', iri: one.dataset.term.value })
    expect(textOf(one)).toContain('_:b1 <http://xmlns.com/foaf/0.1/name> "A"')
  })

  it('of which nothing is known is left out', () => {
    const one = record()
    one.dataset.part(dct('spatial'), dct('Location')).part(dcat('centroid'), dct('Location'))
    writePeriod(one.dataset, { start: 'soon' })
    expect(textOf(one).split('\n')).toHaveLength(2)
    const about = { property: 'dcat:startDate', value: 'soon' }
    expect(one.findings).toEqual([
      { slug: 'invalid-date', detail: 'dcat:startDate: soon', ...about },
    ])
  })
})

describe('text', () => {
  it('keeps its tag, has the one of the config, and never und', () => {
    const one = record({ language: 'de' })
    one.dataset.text(dct('title'), { 'de-CH': 'A', und: 'B', 'no tag': 'C', fr: ['D', 'n/a'] })
    one.dataset.text(dct('title'), 'E')
    const literals = [...textOf(one).matchAll(/title> (\S+)/g)].map(([, found]) => found)
    expect(literals).toEqual(['"A"@de-CH', '"B"', '"C"', '"D"@fr', '"E"@de'])
    expect(one.findings).toMatchObject([{ slug: 'placeholder-text', detail: 'dct:title: n/a' }])
  })
})

describe('findings', () => {
  it('are told once each, and bounded', () => {
    const one = record()
    for (let at = 0; at < 200; at += 1) one.note('dropped-url', `x${at % 100}`)
    one.note('dropped-url', 'y'.repeat(10_000))
    expect(one.findings).toHaveLength(50)
  })
})

describe('a place', () => {
  const polygon = (ring: unknown) => ({ type: 'Polygon', coordinates: [ring] })
  const ring = [
    [1, 1],
    [2, 1],
    [2, 2],
    [1, 2],
    [1, 1],
  ]

  it('is a box when its shape is one', () => {
    const one = record()
    writePlace(one.dataset, { geometry: JSON.stringify(polygon(ring)) })
    expect(textOf(one)).toContain('"POLYGON((1 1, 2 1, 2 2, 1 2, 1 1))"')
    expect(textOf(one)).toContain('<http://www.w3.org/ns/dcat#bbox>')
  })

  it('is a label, never a bare literal', () => {
    const one = record()
    writePlace(one.dataset, { label: 'Valdoro' })
    expect(textOf(one)).toContain('_:b1 <http://www.w3.org/2004/02/skos/core#prefLabel> "Valdoro"')
  })

  it.each([
    polygon(ring.slice(0, 4)),
    polygon([...ring.slice(0, 4), [1, 1.5]]),
    polygon(ring.map(([x]) => [x, 91])),
    { type: 'Point', coordinates: ['1', 2] },
    { type: 'Point', coordinates: [Number.NaN, 2] },
    { type: 'Circle', coordinates: [1, 2] },
    { type: 'MultiPoint', coordinates: Array.from({ length: 30_000 }, () => [1, 2]) },
    'POINT(181 2)',
    'POINT(1 x)',
    null,
  ])('is nothing when its shape breaks the rules of GeoJSON', (geometry) => {
    expect(outlineFrom(geometry)).toBeUndefined()
    expect(writePlace(record().dataset, { geometry })).toBe(false)
  })

  it.each([
    [{ type: 'Point', coordinates: [1e-7, 2, 300] }, 'POINT(0 2)'],
    ['POINT(1 2)', 'POINT(1 2)'],
    ['polygon ((1 2, 3 2, 3 4, 1 4, 1 2))', 'POLYGON((1 2, 3 2, 3 4, 1 4, 1 2))'],
    [{ type: 'Feature', geometry: { type: 'Point', coordinates: [1, 2] } }, 'POINT(1 2)'],
    [
      {
        type: 'LineString',
        coordinates: [
          [1, 2],
          [3, 4],
        ],
      },
      'LINESTRING(1 2, 3 4)',
    ],
    [{ type: 'MultiPolygon', coordinates: [[ring]] }, 'MULTIPOLYGON(((1 1, 2 1, 2 2, 1 2, 1 1)))'],
  ])('of %j is %j', (geometry, wkt) => {
    expect(outlineFrom(geometry)?.wkt).toBe(wkt)
  })
})

describe('a distribution', () => {
  it('without any address is left out', () => {
    const one = record()
    expect(writeDistribution(one.dataset, { title: 'x', accessUrl: 'see annex' })).toBe(false)
    expect(textOf(one)).not.toContain('distribution')
    expect(one.findings.map(({ slug }) => slug)).toEqual(['dropped-url'])
  })

  it('has the address of the file for want of another', () => {
    const one = record()
    writeDistribution(one.dataset, { downloadUrl: 'https://a.example/x.csv' })
    expect(textOf(one)).toContain('accessURL> <https://a.example/x.csv>')
    expect(textOf(one)).toContain('file-type/CSV>')
  })

  it('keeps a format and a licence that nobody knows as text', () => {
    const one = record()
    const licences = [{}, { title: 'House licence' }]
    const fields = { accessUrl: 'https://a.example/', format: 'sensor dump', licences }
    writeDistribution(one.dataset, fields)
    expect(textOf(one)).toContain('"sensor dump"')
    expect(textOf(one)).toContain('"House licence"')
    expect(one.findings.map(({ slug }) => slug)).toEqual(['unknown-format', 'unknown-licence'])
  })

  it('has a checksum whose algorithm is told or follows from its length', () => {
    const sums = [
      [{ value: 'A'.repeat(32) }, 'checksumAlgorithm_md5'],
      [{ value: 'a'.repeat(64) }, 'checksumAlgorithm_sha256'],
      [{ value: 'a'.repeat(40), algorithm: 'SHA-1' }, 'checksumAlgorithm_sha1'],
      [{ value: 'a'.repeat(48) }, undefined],
      [{ value: 'not hex' }, undefined],
      [{ value: 'a'.repeat(40), algorithm: 'constructor' }, undefined],
    ] as const
    for (const [checksum, name] of sums) {
      const one = record()
      writeDistribution(one.dataset, { accessUrl: 'https://a.example/', checksum })
      expect(/checksumAlgorithm_\w+/.exec(textOf(one))?.[0]).toBe(name)
    }
  })
})

it('takes time zones of the list, offsets, and nothing else', () => {
  const { timezone } = mappingKeys
  expect(timezone.safeParse('Europe/Berlin').success).toBe(true)
  expect(timezone.safeParse('+05:30').success).toBe(true)
  expect(timezone.safeParse('Mars/Olympus').success).toBe(false)
})
