/** A dataset and its metrics, from message to message and through text. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  measurementQuads,
  measurements,
  withMeasurements,
  withReport,
} from '../../../src/metrics/measure/measurements.ts'
import { readReport } from '../../../src/metrics/measure/validation-report.ts'
import {
  distributionsOf,
  metricsNode,
  payloadOf,
  withPayload,
} from '../../../src/metrics/pipe/payload.ts'
import { canonicalise } from '../../../src/rdf/canonical.ts'
import { dct, dqv } from '../../../src/rdf/namespaces.ts'
import { literal, namedNode, quad } from '../../../src/rdf/terms.ts'
import { at, record } from './segment-fixture.ts'

const ds = namedNode('https://example.org/ds')
const small = ':ds a dcat:Dataset ; dcat:contactPoint [ dct:title "we" ] .'
const score = (value: number) =>
  measurementQuads({ metric: 'scoring', target: ds, value, time: at })

describe('a payload', () => {
  it('is read from triples and told whose it is', async () => {
    const payload = await payloadOf(record(small))
    expect(payload.subject).toEqual({
      id: 'ds',
      iri: ds.value,
      catalogue: 'cat',
      source: 'dcat-ap',
    })
    expect(payload.dataset).toHaveLength(3)
    expect(payload.metrics).toEqual([])
    expect(payload.metricsGraph).toBe('urn:cartulary:metrics')
    expect((await payloadOf(record(small), 'a b')).metricsGraph).toBe('urn:cartulary:a%20b')
  })

  it('is read from N-Triples and N-Quads as well', async () => {
    const type = '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>'
    const line = `<https://example.org/ds> ${type} <http://www.w3.org/ns/dcat#Dataset> .\n`
    const lines = `${line}<urn:m> ${type} <http://www.w3.org/ns/dqv#QualityMetadata> <urn:g> .\n`
    const triples = record('', { mediaType: 'application/n-triples', text: line })
    const quads = record('', { mediaType: 'application/n-quads', text: lines })
    expect((await payloadOf(triples)).subject.iri).toBe(ds.value)
    const { metrics, metricsGraph } = await payloadOf(quads)
    expect([metricsGraph, metrics[0]?.subject.value]).toEqual(['urn:g', 'urn:g'])
  })

  it('has the metrics of the named graph, whose metadata node takes its name', async () => {
    const text = `${small} <urn:run:metrics> { [] a dqv:QualityMetadata .
      :ds dqv:hasQualityMetadata <urn:other> . <urn:other> a dqv:QualityMetadata . }`
    const payload = await payloadOf(record(text))
    expect(payload.metricsGraph).toBe('urn:run:metrics')
    expect(metricsNode(payload).value).toBe('urn:run:metrics')
    expect(payload.metrics.map((q) => [q.subject.value, q.object.value])).toEqual([
      ['urn:run:metrics', dqv('QualityMetadata').value],
      [ds.value, 'urn:run:metrics'],
      ['urn:run:metrics', dqv('QualityMetadata').value],
    ])
    expect(payload.metrics.every((q) => q.graph.termType === 'DefaultGraph')).toBe(true)
  })

  it('is about a series as well', async () => {
    const text = '<https://e.example/s> a dcat:DatasetSeries .'
    expect((await payloadOf(record(text))).subject.iri).toBe('https://e.example/s')
  })

  it('is about the dataset that has the id, else the first one', async () => {
    const two = ':other a dcat:Dataset . :ds a dcat:Dataset .'
    expect((await payloadOf(record(two))).subject.iri).toBe(ds.value)
    const withoutAssignedNames = record(two, {
      extra: {},
      sourceId: 'source',
      originalId: 'original',
    })
    expect((await payloadOf(withoutAssignedNames)).subject).toEqual({
      id: 'original',
      iri: 'https://example.org/other',
    })
  })

  it.each([
    ['malformed-rdf', record(':ds a ')],
    ['missing-class', record(':ds dct:title "no class" .')],
    ['missing-class', record('[] a dcat:Dataset .')],
    ['unsupported-media-type', record(small, { mediaType: 'application/json' })],
  ])('is refused as %s', async (kind, message) => {
    await expect(payloadOf(message)).rejects.toMatchObject({ kind })
  })

  it('is not parsed again between our segments, and its text is written only for who reads it', async () => {
    const first = record(small)
    const payload = await payloadOf(first)
    const next = withPayload(first, { ...payload, metrics: score(7) })
    const forbidden = withPayload(next, payload)
    Object.defineProperty(next, 'text', { get: () => expect.unreachable() })
    expect(measurements((await payloadOf(next)).metrics)).toHaveLength(1)
    expect(withPayload(next, payload).mediaType).toBe('application/trig')
    expect(forbidden.text).toContain('"we"')
    expect(await payloadOf(first)).toBe(payload)
  })

  it('travels with what the message says, and says that it is metrics', async () => {
    const first = record(small, { originalId: 'o', sourceUrl: 'https://example.org/x' })
    const { text: _, ...next } = withPayload(first, await payloadOf(first))
    expect(next).toEqual({
      kind: 'record',
      counter: 1,
      sourceId: 'ds',
      aliases: [],
      findings: [],
      originalId: 'o',
      sourceUrl: 'https://example.org/x',
      mediaType: 'application/trig',
      extra: { identifier: 'ds', catalogue: 'cat', source: 'dcat-ap', content: 'metrics' },
    })
  })

  it('comes back from its text as it was, whatever text is in it', async () => {
    const message = record(small)
    const payload = await payloadOf(message)
    const pieces = ['a', '"', '\\', '{', '}', '<', '>', '.', '#', '\n', '\r', '\u0007', 'é', '💧']
    const any = fc.string({ unit: fc.constantFrom(...pieces), maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(any, fc.integer(), async (text, value) => {
        const dataset = [...payload.dataset, quad(ds, dct('title'), literal(text))]
        const sent = withPayload(message, { ...payload, dataset, metrics: score(value) })
        const { mediaType, text: written, extra } = sent
        const read = await payloadOf(
          record('', { mediaType, text: written, ...(extra && { extra }) }),
        )
        expect(read.subject).toEqual(payload.subject)
        expect((await canonicalise(read.dataset)).hash).toBe((await canonicalise(dataset)).hash)
        expect(measurements(read.metrics)).toEqual([
          { metric: 'scoring', target: ds.value, value, time: at },
        ])
      }),
    )
  })
})

describe('adding to a payload', () => {
  it('leaves one metadata node with the newest time, and no older measurementQuads of the same metric', async () => {
    const later = '2026-11-22T10:00:00Z'
    const first = withMeasurements(await payloadOf(record(small)), {
      metrics: ['scoring'],
      quads: score(1),
      at,
    })
    const second = withMeasurements(first, { metrics: ['scoring'], quads: score(2), at: later })
    expect(measurements(second.metrics).map(({ value }) => value)).toEqual([2])
    expect(second.metrics).toHaveLength(first.metrics.length)
    const about = second.metrics.filter(({ subject }) => subject.value === second.metricsGraph)
    expect(about.map(({ object }) => object.value)).toEqual([dqv('QualityMetadata').value, later])
    const links = second.metrics.filter((q) => q.predicate.equals(dqv('hasQualityMetadata')))
    expect(links.map((q) => [q.subject.value, q.object.value])).toEqual([
      [ds.value, second.metricsGraph],
    ])
  })

  it('replaces the report and keeps the measurements', async () => {
    const report = (conforms: boolean) => ({ conforms, results: [], truncated: false })
    const measured = withMeasurements(await payloadOf(record(small)), {
      metrics: [],
      quads: score(1),
      at,
    })
    const twice = withReport(withReport(measured, report(false), at), report(true), at)
    expect(readReport(twice.metrics)).toEqual(report(true))
    expect(measurements(twice.metrics)).toHaveLength(1)
    expect(twice.metrics).toHaveLength(withReport(measured, report(true), at).metrics.length)
  })
})

it('distributions are what the dataset links, each once', async () => {
  const payload = await payloadOf(
    record(':ds a dcat:Dataset ; dcat:distribution :b, :a, "text" . :x dcat:distribution :c .'),
  )
  expect(distributionsOf(payload).map(({ value }) => value)).toEqual([
    'https://example.org/b',
    'https://example.org/a',
  ])
})
