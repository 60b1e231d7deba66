/** Files of strangers: what cannot be shown has a reason, and nothing throws. */

import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { previewTable } from '../../src/portal/preview/preview-table.ts'
import { readPreview } from '../../src/portal/preview/read-preview.ts'

const bomb = new Uint8Array(60 * 2 ** 20)
const text = (value: string) => new TextEncoder().encode(value)
const files: readonly (readonly [string, Uint8Array, string])[] = [
  ['a gzip bomb', gzipSync(bomb), 'too-large'],
  ['a zip bomb', zipSync({ 'a.csv': bomb }, { level: 9 }), 'too-large'],
  ['binary called CSV', Uint8Array.from([1, 0, 2, 0, ...randomBytes(5000)]), 'encoding'],
  ['HTML called XLSX', text('<!doctype html><title>Sign in</title>'), 'login'],
  ['XML', text('<rows/>'), 'format'],
  ['JSON that is none', text('{"a": '), 'damaged'],
  ['a gzip that is none', Uint8Array.from([0x1f, 0x8b, 8, 0, 1, 2, 3]), 'damaged'],
  ['a zip that is none', Uint8Array.from([0x50, 0x4b, 3, 4, 1, 2, 3]), 'damaged'],
  ['nothing', new Uint8Array(), 'empty'],
  ['white space', text('\uFEFF \r\n\r\n'), 'empty'],
  ['JSON without a row', text('{"type":"FeatureCollection","features":[]}'), 'empty'],
  ['JSON of numbers', text('{"a": 1.50}'), 'format'],
]

describe('a preview', () => {
  it.each(files)('of %s has a reason', async (_name, bytes, reason) => {
    expect(await readPreview({ bytes, isCut: false, type: '' })).toEqual({ reason })
  })

  const tableOf = async (body: string | Uint8Array, type = 'text/csv') => {
    const bytes = typeof body === 'string' ? text(body) : body
    const result = await readPreview({ bytes, isCut: false, type })
    if (!('tables' in result)) return result.reason
    const { head, rows, notes } = result.tables[0]!
    return [...(notes.length > 0 ? [notes] : []), head, ...rows]
  }
  const windows1251 = Uint8Array.from([
    0xc3, 0xee, 0xf0, 0xee, 0xe4, 0x3b, 0x31, 0x0a, 0xd1, 0x3b, 0x32,
  ])
  const utf16 = Buffer.from('\uFEFFa\tb\n1\tä\n', 'utf16le')

  it.each<readonly [string, string | Uint8Array, string, unknown]>([
    [
      'a declared charset',
      windows1251,
      'text/csv; charset=windows-1251',
      [
        ['Город', '1'],
        ['С', '2'],
      ],
    ],
    [
      'Latin-1 that nobody declares',
      Buffer.from('a;b\nä;1', 'latin1'),
      '',
      [
        ['a', 'b'],
        ['ä', '1'],
      ],
    ],
    [
      'UTF-16',
      utf16,
      'text/tab-separated-values',
      [
        ['a', 'b'],
        ['1', 'ä'],
      ],
    ],
    [
      'decimal commas',
      'x;y\n1,5;2,5\n',
      'text/csv',
      [
        ['x', 'y'],
        ['1,5', '2,5'],
      ],
    ],
    [
      'decimal commas everywhere',
      'm,n;o,p\n1,5;2,5\n',
      'text/csv',
      [
        ['m,n', 'o,p'],
        ['1,5', '2,5'],
      ],
    ],
    [
      'semicolons in texts',
      'a,b\n"x;y",2\n',
      'text/csv',
      [
        ['a', 'b'],
        ['x;y', '2'],
      ],
    ],
    [
      'a line that names the separator',
      'sep=|\r\na|b\r\n1|2\r\n',
      'text/csv',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a line break in a text',
      'a,b\n"1\n2",3\n',
      'text/csv',
      [
        ['a', 'b'],
        ['1\n2', '3'],
      ],
    ],
    [
      'a title before the head',
      'Statistics of the town\nAs of: 2024\n\nYear;Inhabitants\n2023;100\n2024;110\n',
      'text/csv',
      [
        ['Statistics of the town', 'As of: 2024'],
        ['Year', 'Inhabitants'],
        ['2023', '100'],
        ['2024', '110'],
      ],
    ],
    [
      'a title as a spreadsheet writes it',
      'Towns;;\n;;\nA;B;C\n1;2;3\n',
      '',
      [['Towns'], ['A', 'B', 'C'], ['1', '2', '3']],
    ],
    ['one column', 'name\nA\nB\n', 'text/csv', [['name'], ['A'], ['B']]],
    ['a head alone', 'a;b\n', 'text/csv', [['a', 'b']]],
    [
      'one column of decimal commas',
      'wert\n1,5\n3\n-2,5\n',
      'text/csv',
      [['wert'], ['1,5'], ['3'], ['-2,5']],
    ],
    [
      'commas between values below a title',
      'Report\n\nid,name\n1,5\n2,6\n',
      'text/csv',
      [['Report'], ['id', 'name'], ['1', '5'], ['2', '6']],
    ],
    [
      'a quoted line that names the separator',
      '"sep=;"\r\na;b\r\n1;2\r\n',
      'text/csv',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'semicolons below one name',
      'wert\n1;5\n2;5\n',
      'text/csv',
      [['wert'], ['1', '5'], ['2', '5']],
    ],
    ['PDF', '%PDF-1.4\n1 0 obj\n', 'text/csv', 'format'],
    [
      'rows that are longer',
      'a,b\n1,2,3\n4,5\n',
      'text/csv',
      [
        ['a', 'b', '#3'],
        ['1', '2', '3'],
        ['4', '5', ''],
      ],
    ],
    [
      'names that are missing or twice',
      'a,,a\n1,2,3\n',
      'text/csv',
      [
        ['a', '#2', 'a'],
        ['1', '2', '3'],
      ],
    ],
    [
      'numbers with zeros',
      'a,b\n007,1.10\n',
      'text/csv',
      [
        ['a', 'b'],
        ['007', '1.10'],
      ],
    ],
    [
      'numbers of JSON as they are written',
      '[{"id":9007199254740993,"v":1.10,"e":1e400,"in":{"a":2.0}}]',
      'application/json',
      [
        ['id', 'v', 'e', 'in'],
        ['9007199254740993', '1.10', '1e400', '{"a":2.0}'],
      ],
    ],
    ['JSON lines', '{"a":1.0}\n{"a":2}\n', 'application/x-ndjson', [['a'], ['1.0'], ['2']]],
  ])('of %s shows what the file says', async (_name, body, type, expected) => {
    expect(await tableOf(body, type)).toEqual(expected)
  })

  const mapOf = async (body: string) => {
    const result = await readPreview({ bytes: text(body), isCut: false, type: '' })
    return 'tables' in result ? result.map : undefined
  }
  const feature = (geometry: unknown) => ({ type: 'Feature', properties: { a: 1 }, geometry })
  const point = { type: 'Point', coordinates: [7.5, 51] }
  const ring = [
    [7, 50],
    [8, 50],
    [8, 51],
    [7, 50],
  ]

  it.each<readonly [string, unknown, readonly string[]]>([
    [
      'features',
      {
        type: 'FeatureCollection',
        features: [feature(point), feature({ type: 'LineString', coordinates: ring })],
      },
      ['point', 'line'],
    ],
    [
      'one feature in small letters',
      { ...feature({ type: 'polygon', coordinates: [ring] }), type: 'feature' },
      ['area'],
    ],
    ['a geometry', { type: 'MultiPolygon', coordinates: [[ring], [ring]] }, ['area', 'area']],
    [
      'a collection of geometries',
      {
        type: 'GeometryCollection',
        geometries: [
          point,
          {
            type: 'MultiPoint',
            coordinates: [
              [1, 2],
              [3, 4],
            ],
          },
        ],
      },
      ['point', 'point', 'point'],
    ],
  ])('of GeoJSON draws %s', async (_name, json, kinds) => {
    expect((await mapOf(JSON.stringify(json)))?.shapes.map(({ kind }) => kind)).toEqual(kinds)
  })

  it('of a sequence of GeoJSON texts draws all of them', async () => {
    const texts = Array.from({ length: 20 }, () => `\u001E${JSON.stringify(feature(point))}\n`)
    expect((await mapOf(texts.join('')))?.shapes).toHaveLength(20)
  })

  it.each([
    ['columns', 'name,lat,lon\nA,51.0,7.5\nB,52.0,8.5\n'],
    ['German columns with decimal commas', 'Name;Breite;Länge\nA;51,0000;7,5000\nB;52,0;8,5\n'],
    ['columns with a suffix', 'LAT_WGS84\tLONG_WGS84\n51\t7.5\n52\t8.5\n'],
    ['x and y in degrees', 'x,y\n7.5000,51.0000\n8.5,52\n'],
    ['a pair in one column', 'name;geo_point_2d\nA;51.0, 7.5\nB;52.0, 8.5\n'],
    ['a pair under the names of both', 'name;lat,lon\nA;51.0,7.5\nB;52.0,8.5\n'],
    ['a pair of whole numbers among them', 'name;lat_lon\nA;"51,7.5"\nB;"52,8.5"\n'],
    ['a pair in the order of its name', 'name;lon/lat\nA;7.5,51.0\nB;8.5,52.0\n'],
    ['columns beside a length', 'Länge;Breite;lat;lon\n12,5;3;51;7.5\n9;2;52;8.5\n'],
    ['WKT', 'name;geom\nA;POINT(7.5 51)\nB;POINT(8.5 52)\n'],
    [
      'GeoJSON in cells',
      `name;geometry\nA;"{""type"":""Point"",""coordinates"":[7.5,51]}"\nB;"{""type"":""Point"",""coordinates"":[8.5,52]}"\n`,
    ],
    ['JSON', '[{"latitude":51.0,"longitude":7.5},{"latitude":52.0,"longitude":8.5}]'],
  ])('of a table draws the places that it has in %s', async (_name, body) => {
    expect(await mapOf(body)).toEqual({
      shapes: [
        { kind: 'point', places: [[7.5, 51]] },
        { kind: 'point', places: [[8.5, 52]] },
      ],
      box: [7.5, 51, 8.5, 52],
    })
  })

  it.each([
    ['metres', 'x,y\n389000,5819000\n389100,5819100\n'],
    ['lengths and widths', 'Name;Länge;Breite\nBridge;45,5;8,2\nPath;12;6\n'],
    ['lengths with a unit', 'Länge [m];Breite [m]\n45,50;8,25\n'],
    ['pixels', 'id,x,y\n1,10,20\n2,30,40\n'],
    ['decimal commas under a name of places', 'point;name\n12,5;A\n'],
    ['numbers under a name of forms', 'shape,name\n12 34,A\n'],
    ['no numbers', 'lat,lon\nnorth,east\n'],
    ['one coordinate', 'lat,name\n51.0,A\n'],
    ['metres in all rows but one', 'x,y\n389000,5819000\n0,0\n'],
    ['a name of both coordinates above a number', 'id;lat,lon\nA;52,8\u00B0x\n'],
  ])('of a table with %s draws nothing', async (_name, body) => {
    expect(await mapOf(body)).toBeUndefined()
  })

  it.each<readonly [string, unknown]>([
    [
      'a line',
      {
        type: 'LineString',
        coordinates: [
          [179, -17],
          [181, -18],
        ],
      },
    ],
    [
      'points on both sides',
      {
        type: 'MultiPoint',
        coordinates: [
          [179, -17],
          [-179, -18],
        ],
      },
    ],
  ])('is drawn around the date line for %s that goes over it', async (_name, geometry) => {
    expect((await mapOf(JSON.stringify(geometry)))?.box).toEqual([179, -18, 181, -17])
  })

  it.each([
    ['as many commas as the table', 'Visitors, parks, and rivers\nplace,visitors,year\nA,1,2020\n'],
    ['fewer commas', 'Visitors, 2020\n\nplace,visitors,year\nA,1,2020\n'],
    ['a comment and another', '# visitors, 2020\n# parks\nplace,visitors,year\nA,1,2020\n'],
    ['a sentence of semicolons', 'Visitors; parks; 2020\nplace;visitors;year\nA;1;2020\n'],
    ['separators behind it', 'Visitors, parks,,\nplace,visitors,year\nA,1,2020\n'],
  ])('has a title above its head that has %s', async (_name, body) => {
    const result = await readPreview({ bytes: text(body), isCut: false, type: 'text/csv' })
    const [table] = 'tables' in result ? result.tables : []
    expect(table?.notes[0]).toMatch(/^(?:# v|V)isitors[^;]*(?:; parks; 2020)?$/)
    expect(table?.head).toEqual(['place', 'visitors', 'year'])
    expect(table?.rows).toEqual([['A', '1', '2020']])
  })

  it('has times of day as times where workbooks keep them without a date', () => {
    const rows = [['a'], [new Date('1899-12-30T12:30:00Z')], [new Date('2024-04-01T00:00:00Z')]]
    expect(previewTable(rows).rows).toEqual([['12:30:00'], ['2024-04-01']])
  })

  it('has a title above a head of years, and above one with empty columns at its end', async () => {
    for (const table of ['city,2020,2021\nA,1,2\n', 'city,men,women,,\nA,1,2,,\n']) {
      const bytes = text(`Visitors, parks, rivers\n${table}`)
      const result = await readPreview({ bytes, isCut: false, type: 'text/csv' })
      expect('tables' in result && result.tables[0]?.notes).toEqual(['Visitors, parks, rivers'])
      expect('tables' in result && result.tables[0]?.head[0]).toBe('city')
    }
  })

  it.each([
    'Name, Age, City\nAnna,3,Bern\n',
    'Name, Born\nAnna,1980\nBob,1990\n',
    'Name, Age\nAnna, 3\nBob, 4\n',
  ])('has no title where blanks follow the commas of its head: %j', async (body) => {
    const result = await readPreview({ bytes: text(body), isCut: false, type: 'text/csv' })
    expect('tables' in result && result.tables[0]?.notes).toEqual([])
    expect('tables' in result && result.tables[0]?.head[0]).toBe('Name')
  })

  it('draws at most 500 shapes and 5,000 places, and long lines with fewer corners', async () => {
    const places = Array.from({ length: 3000 }, (_, n) => [n / 100, 50])
    const line = { type: 'LineString', coordinates: places }
    const lines = await mapOf(
      JSON.stringify({
        type: 'FeatureCollection',
        features: Array.from({ length: 50 }, () => feature(line)),
      }),
    )
    expect(lines!.shapes.reduce((sum, shape) => sum + shape.places.length, 0)).toBeLessThanOrEqual(
      5000,
    )
    expect(lines!.shapes[0]!.places.at(-1)).toEqual([29.99, 50])
    const points = await mapOf(JSON.stringify({ type: 'MultiPoint', coordinates: places }))
    expect(points?.shapes).toHaveLength(500)
  })

  it('of CSV without end shows its first rows', async () => {
    const bytes = text('a,b\n'.repeat(100_000))
    const result = await readPreview({ bytes, isCut: true, type: 'text/csv' })
    expect('tables' in result && result.tables[0]?.rows.length).toBe(200)
  })
})
