/** Areas in WKT, GeoJSON and GML: the rows of the mapping table, and hostile texts. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { boxesIn } from '../../../src/projector/building/index-fields.ts'
import { geometryIn } from '../../../src/vocabularies/geometry-text.ts'
import { mapped } from './mapped.ts'

const square = [
  [
    [11, 47],
    [12, 47],
    [12, 48],
    [11, 48],
    [11, 47],
  ],
]
const polygon = { type: 'Polygon', coordinates: square }
const point = { type: 'Point', coordinates: [11, 47.5] }

describe('geometryIn', () => {
  test.each([
    ['POLYGON((11 47,12 47,12 48,11 48,11 47))', polygon],
    ['polygon ((11 47, 12 47, 12 48, 11 48))', polygon],
    ['POINT (11.0 47.50)', point],
    ['POINT Z (11 47.5 300)', point],
    ['POINTZM(11 47.5 300 1)', point],
    ['<http://www.opengis.net/def/crs/OGC/1.3/CRS84> POINT(11 47.5)', point],
    ['<http://www.opengis.net/def/crs/EPSG/0/4326> POINT(47.5 11)', point],
    ['<http://www.opengis.net/def/crs/EPSG/0/25832> POINT(500000 5200000)', undefined],
    ['SRID=4326;POINT(11 47.5)', point],
    ['ENVELOPE(11, 12, 48, 47)', polygon],
    [
      'MULTIPOINT((1 2),(3 4))',
      {
        type: 'MultiPoint',
        coordinates: [
          [1, 2],
          [3, 4],
        ],
      },
    ],
    [
      'MULTIPOINT(1 2, 3 4)',
      {
        type: 'MultiPoint',
        coordinates: [
          [1, 2],
          [3, 4],
        ],
      },
    ],
    [
      'LINESTRING(1 2, 3 4)',
      {
        type: 'LineString',
        coordinates: [
          [1, 2],
          [3, 4],
        ],
      },
    ],
    [
      'MULTIPOLYGON(((11 47,12 47,12 48,11 48,11 47)))',
      { type: 'MultiPolygon', coordinates: [square] },
    ],
    [
      'GEOMETRYCOLLECTION(POINT(11 47.5), POLYGON((11 47,12 47,12 48,11 48,11 47)))',
      { type: 'GeometryCollection', geometries: [point, polygon] },
    ],
    ['{"type":"Point","coordinates":[11,47.5,300]}', point],
    [
      '{"type":"Feature","properties":null,"geometry":{"type":"Point","coordinates":[11,47.5]}}',
      point,
    ],
    [
      '{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":[11,47.5]}}]}',
      { type: 'GeometryCollection', geometries: [point] },
    ],
    [
      '{"type":"Point","coordinates":[11.123456789,47.5]}',
      { type: 'Point', coordinates: [11.1234568, 47.5] },
    ],
    [
      '<gml:Envelope srsName="EPSG:4326"><gml:lowerCorner>47 11</gml:lowerCorner><gml:upperCorner>48 12</gml:upperCorner></gml:Envelope>',
      polygon,
    ],
    ['<Point srsName="urn:ogc:def:crs:OGC:1.3:CRS84"><pos>11 47.5</pos></Point>', point],
    [
      '<gml:Polygon srsName="http://www.opengis.net/def/crs/EPSG/0/4326"><gml:exterior><gml:LinearRing><gml:posList>47 11 47 12 48 12 48 11 47 11</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon>',
      polygon,
    ],
    ['Tyrol', undefined],
    ['POINT(200 10)', undefined],
    ['POINT(10 91)', undefined],
    ['POINT EMPTY', undefined],
    ['POLYGON((1 2))', undefined],
    ['{"type":"Point"}', undefined],
    ['{"type":', undefined],
    ['<gml:Curve/>', undefined],
  ])('%s', (text, geometry) => {
    expect(geometryIn(text)).toEqual(geometry)
  })

  test('no text makes it throw or answer a position out of range', () => {
    const piece = fc.constantFrom(
      'POLYGON',
      '(',
      ')',
      ',',
      ' ',
      '11',
      '-47.5',
      '1e400',
      '<',
      '>',
      '{',
      '}',
      '"',
      'Z',
    )
    const texts = fc.oneof(
      fc.string(),
      fc.array(piece).map((parts) => parts.join('')),
      fc.json(),
    )
    fc.assert(
      fc.property(texts, (text) => {
        const geometry = geometryIn(text)
        for (const [west, south, east, north] of geometry ? boxesIn(geometry) : [])
          expect(west >= -180 && south >= -90 && east <= 180 && north <= 90).toBe(true)
      }),
    )
  })

  test('more than ten thousand points become the box around them', () => {
    const points = Array.from({ length: 10_001 }, (_, i) => `${(i % 100) / 10} ${i / 1000}`)
    const geometry = geometryIn(`MULTIPOINT(${points.join(',')})`)
    expect(geometry).toMatchObject({ type: 'Polygon' })
    expect(geometry && boxesIn(geometry)).toEqual([[0, 0, 9.9, 10]])
  })
})

describe('Spatial', () => {
  test('the first geometry that parses stands for its location', async () => {
    const found = await mapped(
      'Spatial',
      `[ a dct:Location ; locn:geometry "nonsense" ; dcat:bbox "POLYGON((11 47,12 47,12 48,11 48,11 47))"^^geo:wktLiteral ],
       [ geo:hasGeometry [ geo:asWKT "POINT(11 47.5)"^^geo:wktLiteral ] ], "POINT(1 2)"`,
    )
    expect(found).toEqual({
      json: [{ type: 'Point', coordinates: [1, 2] }, point, polygon],
      problems: [],
    })
  })

  test('a latitude and a longitude, or a text at the place itself, are a point', async () => {
    const wgs84 = 'http://www.w3.org/2003/01/geo/wgs84_pos#'
    const found = await mapped('Spatial', `[ <${wgs84}lat> "47.5" ; <${wgs84}long> 11.0 ]`)
    expect(found).toEqual({ json: [point], problems: [] })
    const direct = '[ rdfs:label "Inn" ; geo:asWKT "POINT(11 47.5)"^^geo:wktLiteral ]'
    expect(await mapped('Spatial', direct)).toEqual(found)
  })

  test('names and IRIs leave an empty array, and are no faults', async () => {
    const found = await mapped('Spatial', '"Tyrol", <https://a.example/tyrol>')
    expect(found).toEqual({ json: [], problems: [] })
  })

  test('a box over the date line is kept as two', () => {
    const geometry = geometryIn('ENVELOPE(170, -170, 10, -10)')
    expect(geometry && boxesIn(geometry)).toEqual([
      [170, -10, 180, 10],
      [-180, -10, -170, 10],
    ])
  })

  test('more than four boxes are joined into the fourth', () => {
    const points = [1, 2, 3, 4, 5, 6].map((x) => ({ type: 'Point', coordinates: [x, x] }))
    expect(boxesIn(points)).toEqual([
      [1, 1, 1, 1],
      [2, 2, 2, 2],
      [3, 3, 3, 3],
      [4, 4, 6, 6],
    ])
  })
})
