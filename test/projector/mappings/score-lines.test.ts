/** Scores read from a part of a metrics graph are those of the whole. */

import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import '../../support/seed.ts'
import type { MappingContext } from '../../../src/projector/mappings/mapping.ts'
import { scores } from '../../../src/profile/field-models.ts'
import { computedScores, scoreLines } from '../../../src/projector/mappings/values.ts'
import { fromLines, toLines } from '../../../src/rdf/lines.ts'
import { dqv, prov, rdf } from '../../../src/rdf/namespaces.ts'
import { graphOf } from '../../../src/rdf/read.ts'
import { literal, namedNode, quad } from '../../../src/rdf/terms.ts'
import { compileFields } from '../../../src/projector/mappings/compiled-fields.ts'
import { concepts, field } from './mapped.ts'

const dataset = namedNode('http://localhost:8080/set/data/d')
const nodes = ['a', 'b', 'c', 'd'].map((name) => namedNode(`urn:x:genid/${name}`))
const namespace = 'urn:x:metrics#'
const measured = [...scores, 'titleAvailability', 'scoringOfOthers']

const node = fc.constantFrom(...nodes)
const triple = fc.oneof(
  node.map((one) => quad(dataset, dqv('hasQualityMeasurement'), one)),
  fc
    .tuple(node, fc.constantFrom(...measured))
    .map(([one, name]) => quad(one, dqv('isMeasurementOf'), namedNode(namespace + name))),
  node.map((one) => quad(one, dqv('isMeasurementOf'), literal('scoring'))),
  fc
    .tuple(node, fc.constantFrom('computedOn', 'computeOn'), fc.constantFrom(dataset, ...nodes))
    .map(([one, name, on]) => quad(one, dqv(name), on)),
  fc
    .tuple(node, fc.constantFrom('12', '380', '7.5', 'none', 'a\nb'))
    .map(([one, text]) => quad(one, dqv('value'), literal(text))),
  fc
    .tuple(node, fc.constantFrom('2026-01-01', '2026-02-01'))
    .map(([one, at]) => quad(one, prov('generatedAtTime'), literal(at))),
  node.map((one) => quad(one, rdf('type'), dqv('QualityMeasurement'))),
  fc
    .constantFrom(...scores)
    .map((name) =>
      quad(dataset, dqv('note'), literal(` <${dqv('isMeasurementOf').value}> <urn:x:${name}> .`)),
    ),
)

function read(lines: string) {
  const reports: string[] = []
  const graph = graphOf(fromLines(lines))
  const scene: MappingContext = {
    resource: dataset.value,
    id: 'd',
    graph,
    metrics: graph,
    concepts,
    language: 'en',
    genidPrefix: 'urn:x:genid/',
    report: (field, problem, value) =>
      reports.push(`${field} ${problem} ${typeof value === 'string' ? value : value.value}`),
  }
  const [slot] = compileFields([field('quality_meas', 'Metrics')])
  return { json: slot && computedScores(dataset, slot, scene), reports }
}

test('scores and reports are those of the whole graph', () => {
  fc.assert(
    fc.property(fc.array(triple, { maxLength: 40 }), (triples) => {
      const lines = toLines(triples)
      expect(read(scoreLines(lines, dataset.value))).toEqual(read(lines))
    }),
    { numRuns: 500 },
  )
})

test('what is no score is left out', () => {
  const about = (name: string, at: number) => {
    const one = namedNode(`urn:x:genid/${at}`)
    return [
      quad(one, dqv('isMeasurementOf'), namedNode(namespace + name)),
      quad(one, dqv('value'), literal(String(at))),
    ]
  }
  const others = Array.from({ length: 50 }, (_, at) => about('titleAvailability', at + 1)).flat()
  const lines = toLines([...about('scoring', 0), ...others])
  expect(scoreLines(lines, dataset.value)).toBe(toLines(about('scoring', 0)))
  expect(scoreLines(toLines(others), dataset.value)).toBe('')
})
