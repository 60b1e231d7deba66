/** The weights that we ship, and single values of a deployment in their place. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadWeights } from '../../../src/metrics/measure/weights.ts'
import { dimensions, indicators } from '../../../src/metrics/indicators.ts'
import { parse } from '../../../src/rdf/parse.ts'
import { firstObject, graphOf } from '../../../src/rdf/read.ts'
import { dqv, pv } from '../../../src/rdf/namespaces.ts'
import { readFile } from 'node:fs/promises'
import { prefixes, weightsFile } from '../pipe/segment-fixture.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cartulary-'))
})
afterAll(() => rm(directory, { recursive: true }))

async function withOwn(text: string) {
  const own = join(directory, 'own.ttl')
  await writeFile(own, prefixes + text)
  const { weights, problems } = await loadWeights(weightsFile, own)
  return { weights, problems: problems.map((one) => one.replace(own, 'own.ttl')) }
}

describe('the shipped weights', () => {
  it('are those of the indicators', async () => {
    const { weights, problems } = await loadWeights(weightsFile)
    expect(problems).toEqual([])
    expect(weights).toEqual(
      Object.fromEntries(
        indicators.map(({ name, dimension, points }) => [name, { dimension, yes: points, no: 0 }]),
      ),
    )
  })

  it('make 100, 100, 110, 75 and 20 points', async () => {
    const { weights } = await loadWeights(weightsFile)
    const sums = dimensions.map((name) =>
      Object.values(weights).reduce((sum, one) => sum + (one.dimension === name ? one.yes : 0), 0),
    )
    expect(sums).toEqual([100, 100, 110, 75, 20])
  })

  it('say of each metric what it gives', async () => {
    const graph = graphOf(
      await parse(await readFile(weightsFile, 'utf8'), 'turtle', { baseIri: 'urn:x:' }),
    )
    for (const { name, type } of indicators) {
      const datatype = firstObject(graph, pv(name), dqv('expectedDataType'))?.value
      expect(datatype).toMatch(type === 'status' ? /#integer$/ : /#boolean$/)
    }
  })
})

describe("a deployment's own weights", () => {
  it('replace single values, in any namespace, and leave the others', async () => {
    const { weights, problems } = await withOwn(`
      pv:keywordAvailability pv:trueScore 10 .
      <urn:ours#formatAvailability> <urn:ours#falseScore> -5 ; <urn:ours#trueScore> "25"^^xsd:int .`)
    expect(problems).toEqual([])
    expect(weights.keywordAvailability).toEqual({ dimension: 'findability', yes: 10, no: 0 })
    expect(weights.formatAvailability).toEqual({ dimension: 'interoperability', yes: 25, no: -5 })
    expect(weights.categoryAvailability.yes).toBe(30)
  })

  it.each([
    [
      'pv:keywordAvailabilty pv:trueScore 10 .',
      'own.ttl: https://piveau.eu/ns/voc#keywordAvailabilty is not one of the indicators that are measured',
    ],
    [
      'pv:keywordAvailability pv:trueScore "many" .',
      'own.ttl: trueScore of keywordAvailability must be one integer from -10000 to 10000, found "many"',
    ],
    [
      'pv:keywordAvailability pv:trueScore 1, 2 .',
      'own.ttl: trueScore of keywordAvailability must be one integer from -10000 to 10000, found "1", "2"',
    ],
    [
      'pv:keywordAvailability pv:trueScore 1.5 .',
      'own.ttl: trueScore of keywordAvailability must be one integer from -10000 to 10000, found "1.5"',
    ],
    [
      'pv:accessRightsAvailability dqv:inDimension pv:reusablity .',
      'own.ttl: accessRightsAvailability stays in the dimension reusability, only points can be replaced',
    ],
  ])('with %s are told: %s', async (text, sentence) => {
    const { weights, problems } = await withOwn(text)
    expect(problems).toEqual([sentence])
    expect(weights).toEqual((await loadWeights(weightsFile)).weights)
  })

  it('that cannot be read are told with the line, and the shipped ones count', async () => {
    const { weights, problems } = await withOwn('\npv:keywordAvailability pv:trueScore .')
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(/^own\.ttl cannot be read: .*line 14/)
    expect(weights.keywordAvailability.yes).toBe(30)
    const missing = await loadWeights(weightsFile, join(directory, 'nowhere.ttl'))
    expect(missing.problems[0]).toContain('nowhere.ttl cannot be read')
  })

  it('may say nothing about points, and describe other things', async () => {
    expect((await withOwn(':file dct:title "Our weights" .')).problems).toEqual([])
  })
})
