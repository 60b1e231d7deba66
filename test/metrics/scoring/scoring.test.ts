/** The score of a dataset from its measurements. */

import { beforeAll, describe, expect, it } from 'vitest'
import type { MeasuredValue } from '../../../src/metrics/measure/measurements.ts'
import { scoreOf } from '../../../src/metrics/measure/scoring-segment.ts'
import { loadWeights, type Weights } from '../../../src/metrics/measure/weights.ts'
import { weightsFile } from '../pipe/segment-fixture.ts'

let weights: Weights
beforeAll(async () => {
  ;({ weights } = await loadWeights(weightsFile))
})

type Found = Readonly<Record<string, boolean | readonly number[]>>
const on = (node: string, found: Found): MeasuredValue[] =>
  Object.entries(found).flatMap(([metric, value]) => {
    const values: readonly (boolean | number)[] = typeof value === 'boolean' ? [value] : value
    return values.map((each) => ({ metric, target: node, value: each }))
  })

const total = (measured: readonly MeasuredValue[], distributions: readonly string[] = []) =>
  scoreOf(measured, 'ds', distributions, weights).total

describe('a score', () => {
  it('without measurements is nothing', () => {
    const { points, ...score } = scoreOf([], 'ds', ['x'], weights)
    expect([...points.values()].every((one) => one === 0)).toBe(true)
    expect(score).toEqual({
      total: 0,
      dimensions: {
        findability: 0,
        accessibility: 0,
        interoperability: 0,
        reusability: 0,
        contextuality: 0,
      },
    })
  })

  it('without distributions is that of the dataset alone', () => {
    const measured = on('ds', {
      keywordAvailability: true,
      themeAvailability: true,
      publisherAvailability: true,
    })
    expect(total(measured)).toBe(40)
    expect(total([...measured, ...on('gone', { licenceAvailability: true })])).toBe(40)
  })

  it('is that of the best distribution: the others neither help nor harm', () => {
    const measured = [
      ...on('ds', { keywordAvailability: true }),
      ...on('a', { licenceAvailability: true }),
      ...on('b', {
        formatAvailability: true,
        mediaTypeAvailability: true,
        licenceAvailability: false,
      }),
    ]
    const score = scoreOf(measured, 'ds', ['a', 'b', 'c'], weights)
    expect(score.total).toBe(60)
    expect(score.dimensions).toMatchObject({
      findability: 30,
      interoperability: 30,
      reusability: 0,
    })
  })

  it('of two equal distributions is that of the smaller IRI, whatever their order', () => {
    const measured = [
      ...on('https://example.org/\u{1f4a7}', { licenceAvailability: true }),
      ...on('https://example.org/\u{fffd}', { formatAvailability: true }),
    ]
    const nodes = measured.map((one) => one.target)
    for (const order of [nodes, nodes.toReversed()]) {
      const { dimensions } = scoreOf(measured, 'ds', order, weights)
      expect(dimensions).toMatchObject({ reusability: 0, interoperability: 20 })
    }
  })

  it.each([
    [[200, 404], 50],
    [[404, 299], 50],
    [[404, 500], 0],
    [[304], 0],
    [[199], 0],
    [[1100, 1300], 0],
    [[], 0],
  ])('of a distribution whose URLs answered %j has %i points for them', (statuses, points) => {
    expect(total(on('x', { accessUrlStatusCode: statuses }), ['x'])).toBe(points)
  })

  it.each([
    [true, true, 5],
    [true, false, 5],
    [false, true, 5],
    [false, false, 0],
  ])(
    'counts a date once, on the dataset (%s) or on the distribution (%s)',
    (dataset, distribution, points) => {
      const measured = [
        ...on('ds', { dateIssuedAvailability: dataset }),
        ...on('x', { dateIssuedAvailability: distribution }),
      ]
      expect(total(measured, ['x'])).toBe(points)
    },
  )

  it('does not take a metric from where it is not measured', () => {
    expect(
      total(
        [...on('ds', { licenceAvailability: true }), ...on('x', { keywordAvailability: true })],
        ['x'],
      ),
    ).toBe(0)
  })

  it('is at most 405, and 375 without compliance', () => {
    const all = Object.keys(weights).filter((name) => !name.endsWith('StatusCode'))
    const everything = Object.fromEntries(all.map((name) => [name, true]))
    const statuses = { accessUrlStatusCode: [200], downloadUrlStatusCode: [206] }
    const measured = [...on('ds', everything), ...on('x', { ...everything, ...statuses })]
    const { points, ...score } = scoreOf(measured, 'ds', ['x'], weights)
    expect([...points.values()].reduce((sum, one) => sum + one)).toBe(405)
    expect(score).toEqual({
      total: 405,
      dimensions: {
        findability: 100,
        accessibility: 100,
        interoperability: 110,
        reusability: 75,
        contextuality: 20,
      },
    })
    expect(
      total(
        measured.filter(({ metric }) => metric !== 'dcatApCompliance'),
        ['x'],
      ),
    ).toBe(375)
  })

  it('counts what is false as the weights say', () => {
    const harsh = { ...weights, formatAvailability: { ...weights.formatAvailability, no: -5 } }
    const measured = on('x', { formatAvailability: false, licenceAvailability: true })
    expect(scoreOf(measured, 'ds', ['x'], harsh).total).toBe(15)
    expect(scoreOf([], 'ds', ['x'], harsh).total).toBe(0)
  })
})
