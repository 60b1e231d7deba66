/** What is stored of the metrics that somebody sends, and what of that is handed on to the index. */

import { describe, expect, it } from 'vitest'
import { metricsOnly } from '../../../src/repository/resources/dataset-metrics.ts'
import { metricsGraph } from '../../../src/repository/content/metrics-graph.ts'
import { toLines } from '../../../src/rdf/lines.ts'
import { names as namesOf } from '../../../src/rdf/names.ts'
import { parse } from '../../../src/rdf/parse.ts'

const names = namesOf('http://localhost:8080/')
const resource = names.dataset('a')
const [own = '', sample = '', told = '', typed = ''] = ['1', '2', '3', '4'].map((id) =>
  names.distribution(id),
)
const prefixes = `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
@prefix adms: <http://www.w3.org/ns/adms#> . @prefix dqv: <http://www.w3.org/ns/dqv#> . @prefix pv: <https://piveau.eu/ns/voc#> .
`
const quadsOf = (text: string, format: 'turtle' | 'trig' = 'turtle') =>
  parse(prefixes + text, format, { baseIri: 'urn:x:' })

const text = toLines(
  await quadsOf(`<${resource}> a dcat:Dataset ; dcat:distribution <${own}> ; adms:sample <${sample}> ;
  dct:title "See <${told}> ." , " <${told}> .\\n" ; dct:identifier "x"^^<${typed}> . <${own}> dct:title "<${told}>" .`),
)
const measurement = (on: string, metric: string, value: string) =>
  `<${on}> dqv:hasQualityMeasurement [ a dqv:QualityMeasurement ; dqv:isMeasurementOf pv:${metric} ; dqv:computedOn <${on}> ; dqv:value ${value} ] .`
const deps = { names, triples: 1000 }

describe('metrics', () => {
  it('are those of the dataset and its distributions, and of none that a text only speaks of', async () => {
    const all = [resource, own, sample, told, typed].map((on) => measurement(on, 'x', 'true'))
    const sent = await quadsOf(`<urn:m> a dqv:QualityMetadata . ${all.join('\n')}`)
    const { content } = await metricsGraph(deps, 'a', text, sent)
    const targets = content.matchAll(/computedOn> <([^>]*)>/g)
    expect([...targets].map(([, iri = '']) => iri).toSorted()).toEqual(
      [resource, own, sample].toSorted(),
    )
  })

  it('may say five times as much as a dataset, and no more', async () => {
    const all = Array.from({ length: 20 }, (_, n) => measurement(resource, `m${n}`, 'true'))
    const usual = await quadsOf(`<urn:m> a dqv:QualityMetadata . ${all.join('\n')}`)
    const other = await quadsOf(`${all.join('\n')} <${resource}> dct:title "x" .`)
    for (const sent of [usual, other]) {
      const least = Math.ceil(sent.length / 5)
      const { content } = await metricsGraph({ ...deps, triples: least }, 'a', text, sent)
      expect(content.match(/isMeasurementOf/g)).toHaveLength(20)
      const less = metricsGraph({ ...deps, triples: least - 1 }, 'a', text, sent)
      await expect(less).rejects.toMatchObject({
        kind: 'too-large',
        message: expect.stringContaining('(5 times the limit "triples" of PLATFORM_LIMITS)'),
      })
    }
  })

  it('hand those scores on that are stored, whatever else was sent', async () => {
    const scored = (value: number) => measurement(resource, 'scoring', String(value))
    const sent = await quadsOf(
      `<urn:g> { <urn:m> a dqv:QualityMetadata . ${scored(300)} } <urn:other> { ${scored(400)} }`,
      'trig',
    )
    const { content, scores: stored } = await metricsGraph(deps, 'a', text, sent)
    const {
      scores = [],
      quads,
      created,
    } = metricsOnly({ catalogue: 'c', resource, lines: text, scores: stored })
    const values = scores.map(({ object }) => object.value)
    expect([content.includes('"400"'), values.includes('400')]).toEqual([false, false])
    expect([content.includes('"300"'), values.includes('300')]).toEqual([true, true])
    expect([toLines(quads()), created]).toEqual([text, false])
  })
})
