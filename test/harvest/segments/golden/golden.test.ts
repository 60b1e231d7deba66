/** Records of each platform as DCAT-AP: the expected graphs, their shapes, and whatever else a field may hold. */

import { existsSync, readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { isomorphic } from 'rdf-isomorphic'
import { beforeAll, describe, expect, it } from 'vitest'
import type { MappedRecord } from '../../../../src/harvest/mapping/record.ts'
import type { Fields } from '../../../../src/text/json.ts'
import { isIri, maxIriBytes } from '../../../../src/rdf/iri.ts'
import { fromLines, toLines } from '../../../../src/rdf/lines.ts'
import { parse } from '../../../../src/rdf/parse.ts'
import { shapeCheck } from '../../../support/shape-check.ts'
import { goldenQuads, mappings, sampleOf } from './records.ts'

const platforms = ['ckan', 'dkan-1', 'dkan-2', 'dcat-us-3', 'udata'] as const
const shapes = new URL(
  '../../../../../shared/data/shapes/dcat-ap-3.0.1/shapes.ttl',
  import.meta.url,
)

let maps: Readonly<Record<string, (fields: Fields) => MappedRecord>>
beforeAll(async () => {
  maps = await mappings()
})

describe.each(platforms)('a record of %s', (platform) => {
  it('becomes the expected graph', async () => {
    const { [platform]: quads = [] } = await goldenQuads()
    const turtle = readFileSync(new URL(`${platform}.ttl`, import.meta.url), 'utf8')
    const expected = await parse(turtle, 'turtle', { baseIri: 'urn:x:' })
    expect(isomorphic([...fromLines(toLines(quads))], expected)).toBe(true)
  })

  it.skipIf(!existsSync(shapes))('keeps the base shapes of DCAT-AP', async () => {
    const { [platform]: quads = [] } = await goldenQuads()
    const check = await shapeCheck(shapes)
    expect(check(quads)).toEqual([])
    // The checker sees what is missing.
    const titleless = quads.filter(({ predicate }) => !predicate.value.endsWith('/title'))
    expect(check(titleless)).toContain('dcat:Dataset dct:title: minCount 1')
  })

  it('is the same text each time, whatever the order of its keys', () => {
    const sample = sampleOf(platform)
    const turned = Object.fromEntries(Object.entries(sample).toReversed())
    const textOf = (fields: Fields) => maps[platform]?.(fields).toRecord({ sourceId: 'a' }).text
    expect(textOf(sample)).toBe(textOf(sampleOf(platform)))
    expect(textOf(turned)).toBe(textOf(sample))
  })

  it('is readable whatever any of its fields holds', () => {
    const sample = sampleOf(platform)
    const paths = pathsOf(sample)
    fc.assert(
      fc.property(fc.constantFrom(...paths), odd, (path, value) => {
        const record = maps[platform]?.(changed(sample, path, value) as Fields)
        expectSound(record)
      }),
      { numRuns: 400 },
    )
  })

  it('is readable when every field holds something else', () => {
    const keys = Object.keys(sampleOf(platform))
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...keys), odd), (fields) => {
        expectSound(maps[platform]?.(fields))
      }),
      { numRuns: 200 },
    )
  })
})

const strings = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    '',
    ' ',
    'null',
    'n/a',
    '{{title}}',
    'http://',
    'http://[',
    'https://a b/"<>{}|^`\\',
    'HTTPS://user:pass@host.example/?apikey=1',
    '//host',
    '../x',
    'urn:x',
    'javascript:alert(1)',
    '\ud800',
    '\u0000',
    '%zz',
    '{"type":"Point","coordinates":[181,0]}',
    '[[[[',
    '{"__proto__":{"a":1}}',
    '9999999999999',
    '-1',
    '2024-13-45T99:99:99Z',
    '0000-00-00',
    'R/P1Y',
    '<p>&#xD800;&#0;<a href="x">',
    'x'.repeat(3000),
    `https://host.example/${'ä'.repeat(1500)}`,
    'constructor',
    '__proto__',
    'https://portal.example/dataset/5f4dcc3b-0001-4aa1-9c0e-3f0a1b2c3d4e',
  ),
)
const odd: fc.Arbitrary<unknown> = fc.oneof(
  strings,
  fc.jsonValue({ maxDepth: 3 }),
  fc.double(),
  fc.array(strings, { maxLength: 3 }),
  fc.constantFrom(null, true, false, 0, -1, 1e300, {}, [], [[]], {
    type: 'Polygon',
    coordinates: [[]],
  }),
)

type Path = readonly (string | number)[]

function pathsOf(value: unknown, at: Path = []): Path[] {
  const below =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, one]) =>
          pathsOf(one, [...at, Array.isArray(value) ? Number(key) : key]),
        )
      : []
  return at.length === 0 ? below : [at, ...below]
}

function changed(value: unknown, [key, ...rest]: Path, to: unknown): unknown {
  if (key === undefined) return to
  if (Array.isArray(value))
    return value.map((one, at) => (at === key ? changed(one, rest, to) : one))
  return { ...(value as object), [key]: changed((value as Fields)[String(key)], rest, to) }
}

/** Every IRI is one, every statement hangs on the dataset, and the text reads back to the same. */
function expectSound(record: MappedRecord | undefined): void {
  if (!record) throw new Error('no record')
  const { text } = record.toRecord({ sourceId: 'a' })
  const quads = fromLines(text)
  expect(toLines(quads)).toBe(text)
  const key = (term: { termType: string; value: string }) => `${term.termType} ${term.value}`
  const reached = new Set([key(record.dataset.term)])
  for (let size = 0; size !== reached.size;) {
    size = reached.size
    for (const { subject, object } of quads) if (reached.has(key(subject))) reached.add(key(object))
  }
  for (const { subject, predicate, object } of quads) {
    if (!reached.has(key(subject))) throw new Error(`outside the record: ${subject.value}`)
    const datatype = object.termType === 'Literal' ? [object.datatype] : []
    for (const term of [subject, predicate, object, ...datatype])
      if (
        term.termType === 'NamedNode' &&
        (!isIri(term.value) || Buffer.byteLength(term.value) > maxIriBytes)
      )
        throw new Error(`not an IRI: ${term.value}`)
  }
}
