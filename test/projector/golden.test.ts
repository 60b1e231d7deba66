/** The worked samples: a dataset with its expected document, and one full of values that do not fit. */

import { describe, expect, test } from 'vitest'
import { builder, graph, hasSamples, iris, renamed, sample } from './built.ts'

type Expected = {
  readonly document: Readonly<Record<string, unknown>>
  readonly absent: readonly string[]
  readonly leftOut: readonly { readonly value: string }[]
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What stands in `expected` and not in `found`; `*` is any string, arrays match in any order and may hold more: a value of no vocabulary is shown as its text. */
function missing(expected: unknown, found: unknown, path = ''): string[] {
  if (expected === '*') return typeof found === 'string' ? [] : [path]
  if (Array.isArray(expected)) {
    if (!Array.isArray(found) || found.length < expected.length) return [path]
    if (expected.every((part) => typeof part === 'number'))
      return expected.every((part, at) => part === found[at]) ? [] : [path]
    return expected.flatMap((part, at) =>
      found.some((other: unknown) => missing(part, other).length === 0) ? [] : [`${path}[${at}]`],
    )
  }
  if (!isObject(expected)) return expected === found ? [] : [path]
  if (!isObject(found)) return [path]
  return Object.entries(expected).flatMap(([key, value]) =>
    missing(value, found[key], `${path}.${key}`),
  )
}

const at = (value: unknown, path: readonly string[]): unknown[] => {
  const [name, ...rest] = path
  if (name === undefined) return value === undefined ? [] : [value]
  if (Array.isArray(value)) return value.flatMap((each: unknown) => at(each, path))
  return isObject(value) ? at(value[name], rest) : []
}

async function build(file: string, source: string, id: string, more = '') {
  const iri = iris.dataset(id)
  const context = renamed(
    sample('worked/catalogue.ttl'),
    'https://example.org/catalogue/alpine-water',
    iris.catalogue('alpine-water'),
  )
  return builder.dataset({
    id,
    iri,
    version: 1,
    hash: 'h',
    graph: await graph(renamed(sample(file), source, iri) + more),
    catalogue: { id: 'alpine-water', graph: await graph(context) },
    metrics: await graph(
      `<${iri}> dqv:hasQualityMeasurement [ dqv:isMeasurementOf pv:scoring ; dqv:computedOn <${iri}> ; dqv:value 380 ] .`,
    ),
  })
}

const record = (id: string) =>
  `r:${id} a dcat:CatalogRecord ; foaf:primaryTopic d:${id} ; dct:issued "2024-01-01T00:00:00Z"^^xsd:dateTime ;
   dct:modified "2024-01-02T00:00:00Z"^^xsd:dateTime .`

/** What the older samples want to be absent: texts that no vocabulary has, and a size with its unit. */
const shownAsText = new Set([
  'spatial_resource',
  'distributions.media_type',
  'distributions.byte_size',
])

/** Texts of the older samples that mean something by now. */
const understood = new Set(['Umwelt', 'CSV', 'Tyrol'])

/** The samples with what the wire has said since: plain checksum algorithms, names in the language of the catalogue. */
const current = (text: string): string =>
  text
    .replaceAll('checksumAlgorithm_sha256', 'sha256')
    .replaceAll('"name": "Water Board"', '"name": "Wasserverband"')

describe.skipIf(!hasSamples)('the worked samples', () => {
  test('the missing() of this test finds what is missing', () => {
    expect(missing({ a: [{ b: 1 }], c: '*' }, { a: [{ b: 2 }], c: 3 })).toEqual(['.a[0]', '.c'])
    expect(missing([[1, 2]], [[2, 1]])).toEqual(['[0]'])
  })

  test.each([
    [
      'worked/dataset.ttl',
      'https://example.org/ds/pegel',
      'pegel-2024-1',
      'worked/expected-document.json',
    ],
    ['broken/untidy.ttl', 'https://example.org/ds/untidy', 'untidy', 'broken/untidy.expected.json'],
  ])('%s becomes its expected document', async (file, source, id, expectation) => {
    const expected = JSON.parse(current(sample(expectation))) as Expected
    const { document, reports } = await build(file, source, id, record(id))
    expect(missing(expected.document, document.record)).toEqual([])
    expect(
      expected.absent.filter(
        (path) => !shownAsText.has(path) && at(document.record, path.split('.')).length > 0,
      ),
    ).toEqual([])
    const told = reports.map(({ field, value, problem }) => ({ field, value, problem }))
    const leftOut = expected.leftOut.filter(({ value }) => !understood.has(value))
    expect(told).toHaveLength(leftOut.length)
    expect(told).toEqual(expect.arrayContaining(leftOut))
  })
})
