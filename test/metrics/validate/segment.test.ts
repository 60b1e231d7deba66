/** Segment 1 of the quality pipe: who gets a report, of what, and what happens when there can be none. */

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { logger } from '../../../src/log.ts'
import { measurements } from '../../../src/metrics/measure/measurements.ts'
import { readReport } from '../../../src/metrics/measure/validation-report.ts'
import { payloadOf } from '../../../src/metrics/pipe/payload.ts'
import { validatingSegment } from '../../../src/metrics/validate/validating-segment.ts'
import type { Validation } from '../../../src/metrics/validate/validation.ts'
import type { JsonObject } from '../../../src/text/json.ts'
import type { RecordMessage } from '../../../src/pipe/message.ts'
import { normalName } from '../../../src/pipe/segment-resolver.ts'
import {
  at,
  context,
  isRecord,
  never,
  now,
  one,
  opened,
  record,
  segments,
  runThrough,
} from '../pipe/segment-fixture.ts'
import { endless, opened as openedValidation } from './builders.ts'

const good = ':ds a dcat:Dataset ; dct:title "T" ; dct:description "D" .'
const bad = ':ds a dcat:Dataset ; dct:title "T" .'
const old = `
  { ${bad} }
  <urn:metrics:metrics> { :ds dqv:hasQualityMeasurement [ a dqv:QualityMeasurement ; dqv:isMeasurementOf pv:dcatApCompliance ;
    dqv:computedOn :ds ; dqv:value false ] . <urn:metrics:metrics> a dqv:QualityMetadata . }`

let validation: Validation

beforeAll(async () => {
  validation = await openedValidation(
    { endless, broken: ':S a sh:NodeShape ; sh:targetClass [' },
    { limits: { recordMs: 2000 } },
  )
})
afterAll(() => validation.stop())

const kind = () => validatingSegment({ validation, now })

async function report(text: string, config: JsonObject = {}, more: Partial<RecordMessage> = {}) {
  const found = await one([opened(kind(), config)], record(text, more))
  const { metrics } = await payloadOf(found)
  return { found, metrics, report: readReport(metrics) }
}

describe('the validating segment', () => {
  it('answers to all its names', () => {
    const spellings = [
      'piveau-metrics-validating-shacl',
      'validating-shacl',
      'metrics-validating-shacl',
    ]
    for (const name of spellings) expect(kind().names).toContain(normalName(name))
  })

  it('adds the metrics graph with the report', async () => {
    const { found, report: told } = await report(bad)
    expect(found.extra?.['content']).toBe('metrics')
    expect(told).toMatchObject({
      conforms: false,
      truncated: false,
      results: [{ severity: 'Violation', path: { value: 'http://purl.org/dc/terms/description' } }],
    })
    expect(found.text).toContain('QualityMetadata')
    expect(found.text).toContain(at)
    expect((await report(good)).report).toEqual({ conforms: true, results: [], truncated: false })
  })

  it('makes compliance measurable, with the shapes that the pipe names', async () => {
    const { annotator } = await segments()
    const compliance = async (text: string, config: JsonObject) => {
      const { metrics } = await payloadOf(
        await one([opened(kind(), config), annotator], record(text)),
      )
      return measurements(metrics).find(({ metric }) => metric === 'dcatApCompliance')?.value
    }
    expect(await compliance(good, {})).toBe(true)
    expect(await compliance(bad, {})).toBe(false)
    expect(await compliance(good, { shapeModel: 'dcatap301level2' })).toBe(true)
    const sized = `${good} :ds dcat:distribution :x . :x a dcat:Distribution ; dcat:accessURL :u ; dcat:byteSize 1.0 .`
    expect(await compliance(sized, { shapeModel: 'dcatap211level1' })).toBe(true)
    expect(await compliance(sized, { shapeModel: 'dcatap301level1' })).toBe(false)
    expect(await compliance(sized, { shapeModel: ['dcatap301level1', 'dcatap211level1'] })).toBe(
      true,
    )
    const typed = { shapeModel: 'customized', customized: 'range' }
    expect(await compliance(`${good} :ds dct:language :l .`, typed)).toBe(false)
  })

  it('leaves out datasets of other sources, and those of no known source', async () => {
    const extra = { identifier: 'ds', catalogue: 'cat' }
    for (const source of [{}, { source: 'iso' }]) {
      const { report: told } = await report(bad, {}, { extra: { ...extra, ...source } })
      expect(told).toBeUndefined()
    }
  })

  it('takes a dataset for not measured where the shapes cannot be used, and forgets what was found before', async () => {
    expect(measurements((await payloadOf(record(old))).metrics)).toHaveLength(1)
    const { report: told, metrics } = await report(old, { shapeModel: 'broken' })
    expect([told, measurements(metrics)]).toEqual([undefined, []])
  })

  it('refuses a dataset that cannot be validated in time, so that its run tells of it and its old metrics stay', async () => {
    const slow = `:ds a dcat:Dataset ; dct:title "${'a'.repeat(60)}!" .`
    const run = opened(kind(), { shapeModel: 'endless' })
    const found = await runThrough([run], [record(slow), record(good, { counter: 2 })])
    expect(found).toMatchObject([
      { kind: 'refused', stage: 'transform', problem: { kind: 'time-limit' } },
      { kind: 'record' },
    ])
  }, 30_000)

  it.each([
    ['nobody has time for', { waiting: 0 }, 'queue-full'],
    ['is too large', { length: 10 }, 'too-complex'],
  ] as const)('refuses a dataset that %s', async (_, limits, problem) => {
    const busy = await openedValidation({}, { limits })
    onTestFinished(() => busy.stop())
    const [found] = await runThrough(
      [opened(validatingSegment({ validation: busy, now }))],
      [record(good)],
    )
    expect(found).toMatchObject({ kind: 'refused', problem: { kind: problem } })
  })

  it('says once per run that shapes cannot be used', async () => {
    const lines: string[] = []
    const log = logger('warn', { write: (line: string) => lines.push(line) })
    const run = opened(kind(), { shapeModel: 'broken' })
    const three = [record(good), record(good), record(bad)]
    async function* input() {
      yield* three
    }
    const found = []
    for await (const message of run(input(), { ...context, log }, never)) found.push(message)
    expect(found.filter(isRecord)).toHaveLength(3)
    expect(lines.filter((line) => line.includes('validation.not-measured'))).toHaveLength(1)
  })

  it.each([
    [{ shapeModel: 'dcatap17' }, 'shapeModel'],
    [{ shapeModel: ['dcatap301', 'nothing'] }, 'shapeModel'],
    [{ shapeModel: 'customized', customized: 'everything' }, 'customized'],
    [{ shapeModel: 301 }, 'shapeModel'],
    [{ shapeModel: [] }, 'shapeModel'],
    [{ skip: 'yes' }, 'skip'],
  ])('refuses the config %j', (config, key) => {
    const found = kind().open(config, { trust: 'trusted' })
    expect(found.ok ? [] : found.problems.map((problem) => problem.key)).toEqual([key])
  })

  it('keeps the order of datasets, and ends when the run does', async () => {
    const run = opened(kind())
    const many = Array.from({ length: 40 }, (_, n) =>
      record(n % 3 ? good : bad, { counter: n + 1 }),
    )
    const found = await runThrough([run], many)
    expect(found.filter(isRecord).map(({ counter }) => counter)).toEqual(many.map((m) => m.counter))
    const stopping = new AbortController()
    stopping.abort(new Error('the run ended'))
    await expect(runThrough([run], many, stopping.signal)).rejects.toThrow('the run ended')
  })
})
