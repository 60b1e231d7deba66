/** Geometries at the date line, in other coordinate systems, and as texts of four numbers. */

import { describe, expect, it } from 'vitest'
import { parseBox, fromGml, fromWkt, unknownCrs } from '../../src/vocabularies/geometry-text.ts'
import { boxesOf, geometryOf } from '../../src/vocabularies/geometry.ts'

const overLine = [
  [170, -50, 180, -30],
  [-180, -50, -170, -30],
]

describe('boxesOf', () => {
  it.each([
    'POLYGON((170 -50, -170 -50, -170 -30, 170 -30, 170 -50))',
    'POLYGON((170 -50, 170 -30, -170 -30, -170 -50, 170 -50))',
    'POLYGON((170 -50, 190 -50, 190 -30, 170 -30, 170 -50))',
    'POLYGON((190 -50, 190 -30, 170 -30, 170 -50, 190 -50))',
    'POLYGON((-190 -50, -170 -50, -170 -30, -190 -30, -190 -50))',
    'POLYGON((170 -50, -175 -40, -170 -30, 175 -45, 170 -50))',
    'LINESTRING(170 -50, 175 -40, -170 -30)',
    'ENVELOPE(170, -170, -30, -50)',
    'ENVELOPE(170, 190, -30, -50)',
    'MULTIPOLYGON(((170 -50, 180 -50, 180 -30, 170 -30, 170 -50)), ((-180 -50, -170 -50, -170 -30, -180 -30, -180 -50)))',
    '<http://www.opengis.net/def/crs/EPSG/0/4326> POLYGON((-50 170, -50 -170, -30 -170, -30 170, -50 170))',
  ])('cuts %s at the date line', (wkt) => {
    expect(boxesOf(fromWkt(wkt))).toEqual(overLine)
  })

  it.each([
    ['POLYGON((-180 -90, 180 -90, 180 90, -180 90, -180 -90))', [-180, -90, 180, 90]],
    ['POLYGON((-179.9 -89, 179.9 -89, 179.9 89, -179.9 89, -179.9 -89))', [-179.9, -89, 179.9, 89]],
    ['POLYGON((-170 -10, -170 10, 170 10, 170 -10, -170 -10))', [-170, -10, 170, 10]],
    ['POLYGON((-170 -10, 170 -10, 170 10, -170 10, -170 -10))', [-170, -10, 170, 10]],
    ['POLYGON((6 46, 7 46, 7 47, 6 47, 6 46))', [6, 46, 7, 47]],
    ['POINT(-170 3)', [-170, 3, -170, 3]],
    ['MULTIPOINT((6 46), (7 47))', [6, 46, 7, 47]],
    ['ENVELOPE(-180, 180, 90, -90)', [-180, -90, 180, 90]],
  ])('leaves %s whole', (wkt, box) => {
    expect(boxesOf(fromWkt(wkt))).toEqual([box])
  })

  it('looks into collections, and finds nothing in nothing', () => {
    const wkt =
      'GEOMETRYCOLLECTION(POINT(1 2), POLYGON((170 -50, -170 -50, -170 -30, 170 -30, 170 -50)))'
    expect(boxesOf(fromWkt(wkt))).toEqual([[1, 2, 1, 2], ...overLine])
    expect(boxesOf(undefined)).toEqual([])
    expect(boxesOf({ type: 'Polygon', coordinates: [] })).toEqual([])
  })
})

describe('coordinate reference systems', () => {
  const point = { type: 'Point', coordinates: [6.5, 46.3] }
  it.each([
    '<http://www.opengis.net/def/crs/EPSG/0/4258> POINT(46.3 6.5)',
    '<http://www.opengis.net/def/crs/EPSG/0/4979> POINT(46.3 6.5)',
    '<http://www.opengis.net/def/crs/OGC/1.3/CRS84> POINT(6.5 46.3)',
    '<urn:ogc:def:crs:EPSG::4258> POINT(46.3 6.5)',
    '<http://www.opengis.net/def/crs/EPSG/0/3857> POINT(723576.7 5828000.2)',
    'SRID=4326;POINT(6.5 46.3)',
    'SRID=4258;POINT(6.5 46.3)',
  ])('reads %s', (wkt) => {
    const geometry = fromWkt(wkt)
    const [east, north] = geometry?.type === 'Point' ? geometry.coordinates : []
    expect(east).toBeCloseTo(6.5, 2)
    expect(north).toBeCloseTo(46.3, 1)
    expect(unknownCrs(wkt)).toBeUndefined()
  })

  it('reads those of GML', () => {
    const gml =
      '<gml:Point srsName="urn:ogc:def:crs:EPSG::4258"><gml:pos>46.3 6.5</gml:pos></gml:Point>'
    expect(fromGml(gml)).toEqual(point)
  })

  it.each([
    ['<http://www.opengis.net/def/crs/EPSG/0/2056> POINT(2600000 1200000)', 'EPSG:2056'],
    ['SRID=25832;POINT(500000 5400000)', 'EPSG:25832'],
    ['<gml:Point srsName="EPSG:2056"><gml:pos>1 2</gml:pos></gml:Point>', 'EPSG:2056'],
    ['<https://crs.example/own> POINT(1 2)', 'https://crs.example/own'],
    ['POLYGON((broken', undefined],
  ])('names the unknown one of %s', (text, crs) => {
    expect(fromWkt(text)).toBeUndefined()
    expect(unknownCrs(text)).toBe(crs)
  })
})

describe('GeoJSON', () => {
  it.each(['point', 'POINT', 'Point'])('may call its type %s', (type) => {
    expect(geometryOf({ type, coordinates: [1, 2] })).toEqual({
      type: 'Point',
      coordinates: [1, 2],
    })
  })
})

describe('boxSides', () => {
  it.each([
    ['6.5,46.3,6.7,46.5', [6.5, 46.3, 6.7, 46.5]],
    ['6.5 46.3 6.7 46.5', [6.5, 46.3, 6.7, 46.5]],
    ['178,-19,-179,-17', [178, -19, -179, -17]],
    ['170,-19,190,-17', [170, -19, -170, -17]],
  ])('reads %s', (text, box) => {
    expect(parseBox(text)).toEqual(box)
  })

  it.each(['1,2,3', '7,46,6,47', '6,47,7,46', 'a,b,c,d', '6,46,400,47', '2024-01-01'])(
    'refuses %s',
    (text) => {
      expect(parseBox(text)).toBeUndefined()
    },
  )
})
