/** Measurements and reports as they stand in the metrics graph. */

import { describe, expect, it } from 'vitest'
import {
  reportAnnotation,
  type ReportGraph,
  readReport,
  type ReportResult,
} from '../../../src/metrics/measure/validation-report.ts'
import { measurementQuads, measurements } from '../../../src/metrics/measure/measurements.ts'
import { canonicalise } from '../../../src/rdf/canonical.ts'
import { dcat, sh } from '../../../src/rdf/namespaces.ts'
import { parse } from '../../../src/rdf/parse.ts'
import { blankNode, literal, namedNode, quad } from '../../../src/rdf/terms.ts'
import { at as time, prefixes } from '../pipe/segment-fixture.ts'

const target = namedNode('https://example.org/ds')
const more = `@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix oa: <http://www.w3.org/ns/oa#> .`
const hashOf = async (text: string) =>
  (await canonicalise(await parse(prefixes + more + text, 'turtle', { baseIri: 'urn:x:' }))).hash

describe('a measurement', () => {
  it('of a boolean is written as the Data Quality Vocabulary has it', async () => {
    const quads = measurementQuads({ metric: 'keywordAvailability', target, value: true, time })
    expect((await canonicalise(quads)).hash).toBe(
      await hashOf(`:ds dqv:hasQualityMeasurement [ a dqv:QualityMeasurement ;
        dqv:isMeasurementOf pv:keywordAvailability ; dqv:computedOn :ds ; dqv:value true ;
        prov:generatedAtTime "2026-11-21T10:00:00Z"^^xsd:dateTime ] .`),
    )
  })

  it('of a status is an integer with the URL that was asked, and since when it has been failing', async () => {
    const [url, failingSince] = ['https://example.org/a.csv', '2026-11-01T10:00:00Z']
    const failing = { metric: 'accessUrlStatusCode', target, value: 1100, time, url, failingSince }
    const quads = measurementQuads(failing)
    expect(measurements(quads)).toEqual([{ ...failing, target: target.value }])
    expect((await canonicalise(quads)).hash).toBe(
      await hashOf(`:ds dqv:hasQualityMeasurement [ a dqv:QualityMeasurement ;
        dqv:isMeasurementOf pv:accessUrlStatusCode ; dqv:computedOn :ds ; dqv:value 1100 ;
        prov:wasDerivedFrom <https://example.org/a.csv> ;
        dct:valid "2026-11-01T10:00:00Z"^^xsd:dateTime ;
        prov:generatedAtTime "2026-11-21T10:00:00Z"^^xsd:dateTime ] .`),
    )
  })

  it('of something that is no URL keeps it as text', () => {
    const [, ...quads] = measurementQuads({
      metric: 'accessUrlStatusCode',
      target,
      value: 1300,
      time,
      url: 'not a url',
    })
    expect(quads.at(-1)?.object).toEqual(literal('not a url'))
  })

  it('has a node of its own each time', () => {
    const one = () =>
      measurementQuads({ metric: 'scoring', target, value: 0, time })[0]?.object.value
    expect(one()).not.toBe(one())
  })
})

const result = (given: Partial<ReportResult> = {}): ReportResult => ({
  messages: [],
  severity: 'Violation',
  component: sh('DatatypeConstraintComponent').value,
  ...given,
})
const report = (results: readonly ReportResult[], truncated = false): ReportGraph => ({
  conforms: results.length === 0,
  results,
  truncated,
})
const written = (given: ReportGraph) => reportAnnotation({ dataset: target, time, report: given })

describe('a report', () => {
  it('is an annotation of the dataset in the dimension interoperability', async () => {
    const quads = written(
      report([
        result({
          focusNode: namedNode('https://example.org/file'),
          path: dcat('byteSize'),
          value: literal('12'),
          messages: [literal('not a number', 'en')],
        }),
      ]),
    )
    expect((await canonicalise(quads)).hash).toBe(
      await hashOf(`:ds dqv:hasQualityAnnotation [ a dqv:QualityAnnotation ;
        dqv:inDimension pv:interoperability ; oa:motivatedBy oa:describing ; oa:hasTarget :ds ;
        prov:generatedAtTime "2026-11-21T10:00:00Z"^^xsd:dateTime ;
        oa:hasBody [ a sh:ValidationReport ; sh:conforms false ; sh:result [ a sh:ValidationResult ;
          sh:resultSeverity sh:Violation ; sh:focusNode :file ; sh:resultPath dcat:byteSize ;
          sh:value "12" ; sh:resultMessage "not a number"@en ;
          sh:sourceConstraintComponent sh:DatatypeConstraintComponent ] ] ] .`),
    )
  })

  it('of 10,000 results is cut at 1,000 and says so', () => {
    const many = Array.from({ length: 10_000 }, (_, n) => result({ value: literal(String(n)) }))
    const read = readReport(written(report(many)))
    expect(read?.results).toHaveLength(1000)
    expect(read?.truncated).toBe(true)
    expect(readReport(written(report(many.slice(0, 1000))))?.truncated).toBe(false)
    expect(readReport(written(report([result()], true)))?.truncated).toBe(true)
  })

  it('keeps its violations when it is cut', () => {
    const mild = Array.from({ length: 1500 }, () => result({ severity: 'Warning' }))
    const read = readReport(written(report([...mild, result(), result()])))
    expect(read?.results.filter(({ severity }) => severity === 'Violation')).toHaveLength(2)
  })

  it('comes back as it was, paths of several steps and blank nodes too', () => {
    const [list, rest] = [blankNode(), blankNode()]
    const step = (name: string) => namedNode(`http://www.w3.org/1999/02/22-rdf-syntax-ns#${name}`)
    const path = [
      quad(list, step('first'), dcat('distribution')),
      quad(list, step('rest'), rest),
      quad(rest, step('first'), dcat('byteSize')),
      quad(rest, step('rest'), step('nil')),
    ]
    const warning = result({
      path,
      severity: 'Warning',
      focusNode: blankNode('f'),
      value: blankNode('v'),
    })
    const read = readReport(written(report([result(), warning])))
    const [first, second] = read?.results ?? []
    expect(first).toEqual(result())
    expect(second?.severity).toBe('Warning')
    expect(second?.focusNode?.termType).toBe('BlankNode')
    expect([second?.path].flat()).toHaveLength(4)
    expect(read?.conforms).toBe(false)
  })

  it('of a thousand results about one blank node is quickly canonicalised', async () => {
    const focusNode = blankNode('shared')
    const quads = written(report(Array.from({ length: 1000 }, () => result({ focusNode }))))
    await expect(canonicalise(quads, { work: 1 })).resolves.toBeDefined()
  })
})
