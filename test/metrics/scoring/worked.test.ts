/** The worked examples, indicator by indicator. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { payloadOf } from '../../../src/metrics/pipe/payload.ts'
import { dimensions } from '../../../src/metrics/indicators.ts'
import type { RecordMessage } from '../../../src/pipe/message.ts'
import { one, record, segments } from '../pipe/segment-fixture.ts'
import {
  asked,
  generated,
  generatedRecord,
  isThere,
  measuredValues,
  validated,
  workedExample,
} from './worked-examples.ts'

type Values = Readonly<Record<string, boolean | readonly number[]>>
type Expected = {
  readonly urls: Readonly<Record<string, number>>
  readonly dataset: Values
  readonly distributions: Readonly<Record<string, Values>>
  readonly scores: Readonly<Record<string, number>>
}
type Row = Readonly<Record<string, string | number | boolean>>

async function measured(message: RecordMessage, statusOf: (url: string) => number) {
  const { annotator, scoring } = await segments()
  const annotated = await one([annotator], message)
  return one([scoring], await asked(annotated, statusOf))
}

describe.skipIf(!isThere)('the worked dataset', () => {
  const expected = isThere
    ? (JSON.parse(workedExample('expected-metrics.json')) as Expected)
    : undefined
  const iri = 'https://example.org/ds/pegel'
  const dataset = () => record('', { text: workedExample('dataset.ttl'), mediaType: 'text/turtle' })
  const answer = (url: string) => expected?.urls[url] ?? expect.unreachable(url)

  it('has every indicator and every score that were worked out', async () => {
    const found = await measuredValues(await measured(await validated(dataset(), true), answer))
    expect(found[iri]).toEqual({ ...expected?.dataset, ...expected?.scores })
    for (const [node, values] of Object.entries(expected?.distributions ?? {})) {
      const given = Object.entries(values).filter(
        ([, value]) => !Array.isArray(value) || value.length,
      )
      expect(found[node]).toEqual(Object.fromEntries(given))
    }
    expect(Object.keys(found)).toHaveLength(4)
  })

  it('has 350 points when it is not compliant, and 350 without a report', async () => {
    const scores = { scoring: 350, interoperabilityScoring: 80 }
    const not = await measuredValues(await measured(await validated(dataset(), false), answer))
    expect(not[iri]).toMatchObject({ ...scores, dcatApCompliance: false })
    const unknown = await measuredValues(await measured(dataset(), answer))
    expect(unknown[iri]).toMatchObject(scores)
    expect(unknown[iri]).not.toHaveProperty('dcatApCompliance')
  })

  it('measured twice has the same scores and grows by nothing', async () => {
    const once = await measured(await validated(dataset(), true), answer)
    const { annotator, scoring } = await segments()
    const twice = await one([annotator, scoring], once)
    expect(await measuredValues(twice)).toEqual(await measuredValues(once))
    expect((await payloadOf(twice)).metrics).toHaveLength((await payloadOf(once)).metrics.length)
  })
})

describe.skipIf(!isThere)('the first ten generated datasets', () => {
  const { datasets } = isThere
    ? (JSON.parse(workedExample('generated-seed-1.json')) as { datasets: readonly Row[] })
    : { datasets: [] }
  let directory: string
  let texts: readonly string[] = []
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'cartulary-'))
    texts = generated(directory, 10)
  })
  afterAll(() => rmSync(directory, { recursive: true }))

  it.each(Array.from({ length: 10 }, (_, n) => n))(
    'number %i has the points that were worked out',
    async (n) => {
      const row = datasets[n] ?? {}
      const message = generatedRecord(texts[n] ?? '')
      const complete = await validated(message, row['dcatApCompliance'] === true)
      const found = await measuredValues(await measured(complete, () => 200))
      const own = found[`https://data.example.org/dataset/${String(row['id'])}`]
      expect(own?.['scoring']).toBe(row['total'])
      for (const name of dimensions) expect(own?.[`${name}Scoring`]).toBe(row[name])
      expect(Object.keys(found)).toHaveLength(1 + Number(row['distributions']))
    },
  )
})
