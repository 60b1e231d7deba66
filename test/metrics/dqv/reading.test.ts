/** Measurements of older versions and of others. */

import { describe, expect, it } from 'vitest'
import {
  measurementQuads,
  measurements,
  withoutMetrics,
} from '../../../src/metrics/measure/measurements.ts'
import {
  isCompliant,
  readReport,
  withoutReport,
} from '../../../src/metrics/measure/validation-report.ts'
import { parse } from '../../../src/rdf/parse.ts'
import { namedNode } from '../../../src/rdf/terms.ts'
import { at, prefixes } from '../pipe/segment-fixture.ts'

const quadsOf = (text: string) =>
  parse(
    `${prefixes} @prefix sh: <http://www.w3.org/ns/shacl#> . @prefix oa: <http://www.w3.org/ns/oa#> . ${text}`,
    'turtle',
    { baseIri: 'urn:x:' },
  )
const ds = 'https://example.org/ds'
const one = async (metric: string, value: string) =>
  measurements(
    await quadsOf(
      `:ds dqv:hasQualityMeasurement [ dqv:isMeasurementOf ${metric} ; dqv:value ${value} ] .`,
    ),
  )

describe('a value', () => {
  it.each([
    ['pv:keywordAvailability', 'true', true],
    ['pv:keywordAvailability', '"1"^^xsd:boolean', true],
    ['pv:keywordAvailability', '1', true],
    ['pv:keywordAvailability', '"0"', false],
    ['pv:keywordAvailability', '"FALSE"', false],
    ['pv:keywordAvailability', '1.0', true],
    ['pv:accessUrlStatusCode', '200', 200],
    ['pv:accessUrlStatusCode', '"200"^^xsd:int', 200],
    ['pv:accessUrlStatusCode', '"404"', 404],
    ['pv:accessUrlStatusCode', '2.0e2', 200],
    ['pv:scoring', '"380"^^xsd:long', 380],
    ['<https://example.org/other#scoring>', '380.0', 380],
    ['<urn:metric:categoryAvailability>', 'true', true],
    ['pv:somethingElse', 'true', true],
    ['pv:somethingElse', '7', 7],
  ])('of %s written as %s is %s', async (metric, value, expected) => {
    expect((await one(metric, value)).map((found) => found.value)).toEqual([expected])
  })

  it.each([
    ['pv:keywordAvailability', '"maybe"'],
    ['pv:keywordAvailability', '2'],
    ['pv:keywordAvailability', '""'],
    ['pv:scoring', '"NaN"^^xsd:double'],
    ['pv:scoring', '" "'],
    ['pv:scoring', 'pv:true'],
  ])('of %s written as %s is none', async (metric, value) => {
    expect(await one(metric, value)).toEqual([])
  })
})

describe('what was measured', () => {
  it('is said by computedOn, by its misspelling, else by what links the measurement', async () => {
    const found = measurements(
      await quadsOf(`
        :a dqv:hasQualityMeasurement [ dqv:isMeasurementOf pv:scoring ; dqv:value 1 ; dqv:computedOn :ds ] .
        :ds dqv:hasQualityMeasurement [ dqv:isMeasurementOf pv:scoring ; dqv:value 2 ] ,
          [ dqv:isMeasurementOf pv:scoring ; dqv:value 3 ; dqv:computeOn :b ] .
        :named dqv:isMeasurementOf pv:scoring ; dqv:value 4 ; dqv:computedOn :ds .
        [] dqv:isMeasurementOf pv:scoring ; dqv:value 5 .
        [] dqv:value 6 ; dqv:computedOn :ds .`),
    )
    expect(
      found.map(({ target, value }) => [target.replace('https://example.org/', ':'), value]),
    ).toEqual([
      [':ds', 1],
      [':ds', 2],
      [':b', 3],
      [':ds', 4],
    ])
  })

  it('is told with the URL that was asked', () => {
    const target = namedNode(ds)
    const quads = measurementQuads({
      metric: 'accessUrlStatusCode',
      target,
      value: 200,
      time: at,
      url: 'https://example.org/a',
    })
    expect(measurements(quads)).toEqual([
      {
        metric: 'accessUrlStatusCode',
        target: ds,
        value: 200,
        url: 'https://example.org/a',
        time: at,
      },
    ])
  })
})

describe('replacing', () => {
  it('takes out the measurements of some metrics in any namespace, links included, and nothing else', async () => {
    const quads = await quadsOf(`
      :ds dqv:hasQualityMeasurement [ dqv:isMeasurementOf <urn:old#scoring> ; dqv:value 1 ; dqv:computedOn :ds ] ,
        [ dqv:isMeasurementOf pv:keywordAvailability ; dqv:value true ] .
      :file dqv:hasQualityMeasurement :named . :named dqv:isMeasurementOf pv:scoring ; dqv:value 3 .
      :ds dct:title "stays" .`)
    const left = withoutMetrics(quads, ['scoring'])
    expect(measurements(left)).toEqual([{ metric: 'keywordAvailability', target: ds, value: true }])
    expect(left).toHaveLength(4)
    expect(withoutMetrics(left, ['scoring'])).toEqual(left)
  })
})

const annotated = (body: string) =>
  quadsOf(`:ds dqv:hasQualityAnnotation [ a dqv:QualityAnnotation ; oa:hasBody ${body} ] ; dct:title "stays" .
    :ds dqv:hasQualityAnnotation [ a dqv:QualityAnnotation ; oa:hasBody "somebody's remark" ] .`)

describe('a report', () => {
  it('is there or not, and complies unless it has a Violation', async () => {
    const read = async (body: string) => isCompliant(await annotated(body))
    expect(await read('"none"')).toBeUndefined()
    expect(await read('[ a sh:ValidationReport ; sh:conforms true ]')).toBe(true)
    const results = (...severities: string[]) =>
      `[ a sh:ValidationReport ; sh:conforms false ; ${severities.map((one) => `sh:result [ sh:resultSeverity sh:${one} ]`).join(' ; ')} ]`
    expect(await read(results('Warning', 'Info'))).toBe(true)
    expect(await read(results('Warning', 'Violation'))).toBe(false)
  })

  it('can be taken out with all that hangs below it, other annotations stay', async () => {
    const quads =
      await annotated(`[ a sh:ValidationReport ; sh:result [ sh:resultSeverity sh:Violation ;
      sh:resultPath [ sh:inversePath dct:title ] ; sh:value [] ] ]`)
    const left = withoutReport(quads)
    expect(readReport(quads)?.results).toHaveLength(1)
    expect(readReport(left)).toBeUndefined()
    expect(left).toHaveLength(4)
  })
})
