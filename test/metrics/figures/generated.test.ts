/** The first ten generated datasets as a catalogue, measured by the segments. */

import { expect, it } from 'vitest'
import { payloadOf } from '../../../src/metrics/pipe/payload.ts'
import type { Shares } from '../../../src/metrics/figures/figures.ts'
import { toLines } from '../../../src/rdf/lines.ts'
import {
  asked,
  generated,
  generatedRecord,
  isThere,
  validated,
  workedExample,
} from '../scoring/worked-examples.ts'
import { one, segments } from '../pipe/segment-fixture.ts'
import { names, newDirectory, openStore, cacheFixture } from './cache-fixture.ts'
import { write } from './measured.ts'

type Row = { readonly id: string; readonly dcatApCompliance: boolean }
type Expected = {
  readonly datasets: readonly Row[]
  readonly catalogue: {
    readonly score: number
    readonly distributions: number
    readonly dimensions: Readonly<Record<string, object>>
    readonly datasetShares: Readonly<Record<string, number>>
    readonly distributionShares: Readonly<Record<string, number>>
  }
}

const yesOf = (shares: Shares | null | undefined) =>
  shares?.find(({ name }) => name === 'yes')?.percentage

/** Measures a dataset whose URLs all answer 200, under the names that it came with: they decide between equal distributions. */
async function measuredLines(text: string, { id, dcatApCompliance }: Row): Promise<string> {
  const { annotator, scoring } = await segments()
  const complete = await validated(generatedRecord(text), dcatApCompliance)
  const measured = await one([scoring], await asked(await one([annotator], complete), () => 200))
  const lines = toLines((await payloadOf(measured)).metrics)
  const genid = names.genid(names.metrics(id))
  const runsFixture = lines.replaceAll(/_:(\S+)/g, (_, label: string) => `<${genid}${label}>`)
  return runsFixture
    .split('\n')
    .filter((line) => line !== '')
    .sort()
    .map((line) => `${line}\n`)
    .join('')
}

it.skipIf(!isThere)('has the figures that were worked out for the ten together', async () => {
  const expected = JSON.parse(workedExample('generated-seed-1.json')) as Expected
  const texts = generated(newDirectory(), 10)
  const store = await openStore()
  await write(store, { id: 'ten', datasets: expected.datasets.map(({ id }) => ({ id })) })
  for (const [n, row] of expected.datasets.entries()) {
    const content = await measuredLines(texts[n] ?? '', row)
    await store.write([{ graph: names.metrics(row.id), content }])
  }
  const { cache, figures } = cacheFixture({ store })
  await cache.refresh('all')
  const found = figures.aggregate({ catalogue: 'ten' })
  const { score, dimensions, distributions, datasetShares, distributionShares } = expected.catalogue
  expect(found?.score).toBe(score)
  expect(found?.dimensions).toEqual(dimensions)
  expect(figures.measured('global')).toMatchObject({ all: 10, datasets: 10, distributions })
  const shares = new Map<string, Shares | null>(Object.entries(found?.metrics ?? {}))
  const single = Object.entries({ ...datasetShares, ...distributionShares }).filter(
    ([metric]) => !metric.startsWith('date'),
  )
  for (const [metric, share] of single)
    expect([metric, yesOf(shares.get(metric))]).toEqual([metric, share])
  // Issued: 8 of 10 datasets and 11 of 21 distributions; modified: 10 and 11.
  expect(yesOf(shares.get('dateIssuedAvailability'))).toBe(61.3)
  expect(yesOf(shares.get('dateModifiedAvailability'))).toBe(67.7)
  expect(shares.get('accessUrlStatusCode')).toEqual([{ name: '200', percentage: 100 }])
  expect(figures.violations('ten', { offset: 0, limit: 9 }).count).toBe(2)
})
