/** The nodes of metrics, named so that another measuring changes little. */

import * as fc from 'fast-check'
import type { Quad } from '@rdfjs/types'
import { describe, expect, it } from 'vitest'
import { metricsGraph } from '../../../src/repository/content/metrics-graph.ts'
import { canonicalise } from '../../../src/rdf/canonical.ts'
import { fromLines } from '../../../src/rdf/lines.ts'
import { names as namesOf } from '../../../src/rdf/names.ts'
import { parse } from '../../../src/rdf/parse.ts'
import { unskolemise } from '../../../src/rdf/skolem.ts'
import { blankNode, quad } from '../../../src/rdf/terms.ts'

const names = namesOf('http://localhost:8080/')
const [dataset, one, two] = [names.dataset('a'), names.distribution('1'), names.distribution('2')]
const described = `<${dataset}> <urn:p> <${one}> .\n<${dataset}> <urn:p> <${two}> .\n`
const prefixes = `@prefix dqv: <http://www.w3.org/ns/dqv#> . @prefix prov: <http://www.w3.org/ns/prov#> .
@prefix pv: <https://piveau.eu/ns/voc#> . @prefix oa: <http://www.w3.org/ns/oa#> . @prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
`
const head = `<urn:m> a dqv:QualityMetadata ; prov:generatedAtTime "2026-11-21T10:00:00Z"^^xsd:dateTime .
<${dataset}> dqv:hasQualityMetadata <urn:m> .
`
const quadsOf = (body: string, start = head) =>
  parse(prefixes + start + body, 'turtle', { baseIri: 'urn:x:' })

type Measurement = { on: string; metric: string; value: string; from?: string; at?: string }
const measurement = ({ on, metric, value, from, at = '2026-11-21T10:00:00Z' }: Measurement) =>
  `<${on}> dqv:hasQualityMeasurement [ a dqv:QualityMeasurement ; dqv:isMeasurementOf pv:${metric} ; dqv:computedOn <${on}> ;
  dqv:value ${value} ; prov:generatedAtTime "${at}"^^xsd:dateTime ${from === undefined ? '' : `; prov:wasDerivedFrom <${from}>`} ] .
`
const result = (message: string, path = '<urn:p>') =>
  `[ a sh:ValidationResult ; sh:resultSeverity sh:Violation ; sh:resultPath ${path} ; sh:resultMessage "${message}"@en ]`
const report = (results: readonly string[]) =>
  `<${dataset}> dqv:hasQualityAnnotation [ a dqv:QualityAnnotation ; oa:hasTarget <${dataset}> ;
  prov:generatedAtTime "2026-11-21T10:00:00Z"^^xsd:dateTime ;
  oa:hasBody [ a sh:ValidationReport ; sh:conforms false ${results.map((one) => `; sh:result ${one}`).join('')} ] ] .
`
const whole = [
  measurement({ on: dataset, metric: 'scoring', value: '380' }),
  measurement({ on: dataset, metric: 'keywordAvailability', value: 'true' }),
  measurement({ on: one, metric: 'formatAvailability', value: 'true' }),
  measurement({ on: two, metric: 'formatAvailability', value: 'false' }),
  measurement({ on: two, metric: 'accessUrlStatusCode', value: '200', from: 'http://a.example/' }),
  measurement({ on: two, metric: 'accessUrlStatusCode', value: '404', from: 'http://b.example/' }),
  report([result('x'), result('x'), result('y', '[ sh:inversePath <urn:p> ]')]),
].join('')

/** The same graph in another order and with other labels. */
function disguised(quads: readonly Quad[], order: readonly number[]): Quad[] {
  const renamed = new Map<string, ReturnType<typeof blankNode>>()
  const other = <T extends Quad['subject'] | Quad['object']>(term: T) => {
    if (term.termType !== 'BlankNode') return term
    const found = renamed.get(term.value) ?? blankNode()
    renamed.set(term.value, found)
    return found
  }
  return quads
    .map((q, at) => ({ q, key: order[at % order.length] ?? 0 }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ q }) => quad(other(q.subject), q.predicate, other(q.object)))
}

const stored = (quads: readonly Quad[]) =>
  metricsGraph({ names, triples: 10_000 }, 'a', described, quads)
const linesOf = async (quads: readonly Quad[]) => (await stored(quads)).content

/** The canonical hash of what was sent, and of what is stored of it. */
const hashes = async (body: string) => {
  const { content, scores } = await stored(await quadsOf(body))
  const back = unskolemise(fromLines(content), { prefix: names.genidPrefix })
  return [(await canonicalise(scores)).hash, (await canonicalise(back)).hash]
}

describe('metrics of the usual shape', () => {
  it('are the graph that was sent, sorted', async () => {
    const lines = await linesOf(await quadsOf(whole))
    expect(lines.split('\n')).toEqual([...lines.split('\n').slice(0, -1).toSorted(), ''])
    const [sent, kept] = await hashes(whole)
    expect(kept).toBe(sent)
  })

  it('are the same lines in whatever order and with whatever labels they come', async () => {
    const quads = await quadsOf(whole)
    const lines = await linesOf(quads)
    expect(lines).toContain('"380"')
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(1000), { minLength: 5, maxLength: 40 }), async (order) => {
        expect(await linesOf(disguised(quads, order))).toBe(lines)
      }),
    )
  })

  it('differ in times and values alone when they are measured again', async () => {
    const first = (await linesOf(await quadsOf(whole))).split('\n')
    const again = whole.replaceAll('T10:00', 'T11:30').replace('380', '375')
    const second = (await linesOf(await quadsOf(again))).split('\n')
    const gone = first.filter((line) => !second.includes(line))
    expect(gone.filter((line) => !line.includes('generatedAtTime'))).toEqual([
      expect.stringContaining('"380"'),
    ])
    expect(second).toHaveLength(first.length)
  })

  const others: readonly (readonly [string, string])[] = [
    [
      'a node with two places',
      `<${one}> dqv:hasQualityMeasurement _:m . <${two}> dqv:hasQualityMeasurement _:m . _:m dqv:value 1 .`,
    ],
    [
      'a node without a place',
      `${measurement({ on: one, metric: 'x', value: '1' })} _:m dqv:value 1 .`,
    ],
    [
      'a circle',
      `${measurement({ on: one, metric: 'x', value: '1' })} _:m oa:hasBody _:n . _:n oa:hasBody _:m .`,
    ],
    [
      'a node that says itself',
      `${measurement({ on: one, metric: 'x', value: '1' })} _:m oa:hasBody _:m .`,
    ],
    [
      'two values of one metric',
      measurement({ on: one, metric: 'x', value: '1' }) +
        measurement({ on: one, metric: 'x', value: '2' }),
    ],
  ]
  it.each(others)('are the graph that was sent where there is: %s', async (_, body) => {
    const [sent, kept] = await hashes(body)
    expect(kept).toBe(sent)
  })
})
