/** Points that a description would reach: however many distributions there are, the best one counts. */

import { expect, it } from 'vitest'
import { expectedScores } from '../../../src/metrics/measure/expected-score.ts'
import { loadValueTests } from '../../../src/metrics/measure/measured-values.ts'
import { loadWeights } from '../../../src/metrics/measure/weights.ts'
import { parse } from '../../../src/rdf/parse.ts'
import { prefixes } from '../../support/repository.ts'

const { weights } = await loadWeights()
const values = await (
  await loadValueTests({ licenceSchemes: [], literalFormats: false, read: async () => undefined })
)(new AbortController().signal)

/** `good` is the one distribution that has a download address. */
async function scoreOf(count: number, good: number) {
  const all = Array.from({ length: count }, (_, n) => `<urn:x${n}>`).join(', ')
  const more = `<urn:x${good}> dcat:downloadURL <https://data.example/file.csv> .`
  const text = `${prefixes}<urn:d> a dcat:Dataset ; dct:title "D"@en ; dcat:distribution ${all} . ${more}`
  const quads = await parse(text, 'turtle', { baseIri: 'urn:base' })
  const [score] = await expectedScores(quads, { isCompliant: true, values, weights })
  return score
}

it('is that of the best distribution, wherever it stands among very many', async () => {
  const alone = await scoreOf(1, 0)
  for (const good of [0, 250, 599]) expect(await scoreOf(600, good)).toEqual(alone)
  expect((await scoreOf(600, 600))?.total).toBeLessThan(alone?.total ?? 0)
})

it('is that of the dataset alone where it has no distribution', async () => {
  const quads = await parse(`${prefixes}<urn:d> a dcat:Dataset .`, 'turtle', { baseIri: 'urn:b' })
  const scores = await expectedScores(quads, { isCompliant: false, values, weights })
  expect(scores.map(({ dataset }) => dataset)).toEqual(['urn:d'])
})
