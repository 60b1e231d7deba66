/** Feeding a run from a real repository: every dataset once, in order, whatever comes and goes meanwhile. */

import { describe, expect, it, onTestFinished } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import { feedSegment } from '../../../src/metrics/pipe/dataset-feed.ts'
import type { Message } from '../../../src/pipe/message.ts'
import type { Feed } from '../../../src/pipe/runs/run.ts'
import type { SegmentContext } from '../../../src/pipe/segment.ts'
import { names as namesOf } from '../../../src/rdf/names.ts'
import { payloadOf } from '../../../src/metrics/pipe/payload.ts'
import { silent } from '../../pipe/runs/runs-fixture.ts'
import type { GraphStore } from '../../../src/store/graph-store.ts'
import { base, repository } from '../../support/repository.ts'

const dcat = 'http://www.w3.org/ns/dcat#'
const dataset = (id: string) =>
  `<urn:x:${id}> a <${dcat}Dataset> ; <http://purl.org/dc/terms/title> "${id}" ; <${dcat}contactPoint> [ a <urn:y> ] .`
const catalogue = (type?: string) =>
  `<urn:x> a <${dcat}Catalog> ; <http://purl.org/dc/terms/title> "C"${type ? ` ; <http://purl.org/dc/terms/type> ${type}` : ''} .`

async function runsFixture(ids: readonly string[], type = '"dcat-ap"') {
  const hub = await repository()
  onTestFinished(() => hub.close())
  const put = (path: string, body: string) =>
    hub.ask(path, { method: 'PUT', type: 'text/turtle', body })
  await put('/catalogues/city', catalogue(type))
  for (const id of ids) await put(`/catalogues/city/datasets/origin?originalId=${id}`, dataset(id))
  const pauses: number[] = []
  const self = {
    atOnce: 7,
    reads: ((...asked) => hub.store.readAll(...asked)) as GraphStore['readAll'],
  }
  const feed = feedSegment({
    names: namesOf(base),
    store: { ...hub.store, readAll: (...asked) => self.reads(...asked) },
    repository: {
      turn: (work) => work(self.atOnce),
    },
    pause: async (ms) => void pauses.push(ms),
  })
  const told: unknown[] = []
  const sink = new Proxy({} as SegmentContext['sink'], {
    get: (_, name) => (value: unknown) => void told.push([name, value]),
  })
  const context = { runId: 'r', pipe: 'metrics', sink, log: silent, dryRun: false }
  async function* read(asked: Feed, more: Partial<SegmentContext> = {}) {
    const none = (async function* (): AsyncGenerator<Message> {})()
    yield* feed(asked)(none, { ...context, ...more }, AbortSignal.timeout(20_000))
  }
  const all = async (asked: Feed, more?: Partial<SegmentContext>) => {
    const messages: Message[] = []
    for await (const message of read(asked, more)) messages.push(message)
    return messages
  }
  return Object.assign(self, { hub, put, read, all, pauses, told })
}

const idsOf = (messages: readonly Message[]) =>
  messages.flatMap((message) => (message.kind === 'record' ? [message.sourceId] : []))

const many = Array.from({ length: 230 }, (_, n) => `d${String(n).padStart(3, '0')}`)

describe('a feed', () => {
  it('brings every dataset of a catalogue with what segments want to know of it', async () => {
    const { all, told } = await runsFixture(['b', 'a', 'c'])
    const messages = await all({ catalogue: 'city' })
    expect(messages.map(({ kind }) => kind)).toEqual(['total', 'record', 'record', 'record', 'end'])
    const [, first] = messages
    expect(first).toMatchObject({
      counter: 1,
      sourceId: 'a',
      mediaType: 'application/n-triples',
      extra: {
        identifier: 'a',
        catalogue: 'city',
        source: 'dcat-ap',
        uriRef: `${base}set/data/a`,
      },
    })
    expect(messages.at(-1)).toMatchObject({ completeness: { kind: 'complete' } })
    expect(told).toContainEqual(['total', 3])
    if (first?.kind !== 'record') throw new Error('no record')
    const { subject, dataset: quads, metrics } = await payloadOf(first, 'metrics')
    expect(subject).toMatchObject({ id: 'a', iri: `${base}set/data/a`, source: 'dcat-ap' })
    expect(quads.some(({ object }) => object.termType === 'BlankNode')).toBe(true)
    expect(metrics).toEqual([])
  })

  it('is in order, with a page behind every hundredth, and goes on behind any id', async () => {
    const { all } = await runsFixture(many)
    const messages = await all({ catalogue: 'city' })
    expect(idsOf(messages)).toEqual(many)
    expect(messages.flatMap((one) => (one.kind === 'page' ? [one.cursor] : []))).toEqual([
      'd099',
      'd199',
    ])
    for (const after of ['d099', 'd0995', '', 'a', 'd228', 'z'])
      expect(idsOf(await all({ catalogue: 'city' }, { resumeFrom: after }))).toEqual(
        many.filter((id) => id > after),
      )
  })

  it('of all datasets, of chosen ones, of what failed alone', async () => {
    const { all, put } = await runsFixture(['a', 'b'])
    await put('/catalogues/land', catalogue())
    await put('/catalogues/land/datasets/origin?originalId=x', dataset('x'))
    expect(idsOf(await all({}))).toEqual(['a', 'b', 'x'])
    expect(idsOf(await all({ catalogue: 'land' }))).toEqual(['x'])
    const chosen = await all({ catalogue: 'city', datasets: ['b', 'gone', 'b', 'x'] })
    expect(idsOf(chosen)).toEqual(['b', 'x'])
    expect(chosen).toContainEqual({
      kind: 'skipped',
      sourceId: 'gone',
      reason: 'the dataset is gone',
    })
    expect(chosen.find((one) => one.kind === 'record' && one.sourceId === 'x')).toMatchObject({
      extra: { catalogue: 'land' },
    })
    expect(idsOf(await all({ catalogue: 'city' }, { only: new Set(['b']) }))).toEqual(['b'])
  })

  it('lists its datasets once: those that stay come once each, whatever comes and goes while it reads', async () => {
    const self = await runsFixture(['a', 'b', 'c', 'd'])
    self.atOnce = 1
    const found: string[] = []
    for await (const message of self.read({ catalogue: 'city', pulseMs: 1 })) {
      if (message.kind === 'record' || message.kind === 'skipped') found.push(message.sourceId)
      if (message.kind === 'total') {
        await self.hub.ask('/datasets/b', { method: 'DELETE' })
        await self.put('/catalogues/city/datasets/origin?originalId=aa', dataset('aa'))
      }
    }
    expect(found).toEqual(['a', 'b', 'c', 'd'])
  })

  it('takes the present metrics along when asked to', async () => {
    const { all, put } = await runsFixture(['a', 'b'])
    const measured = `[] <http://www.w3.org/ns/dqv#isMeasurementOf> <urn:m> ; <http://www.w3.org/ns/dqv#computedOn> <${base}set/data/a> ; <http://www.w3.org/ns/dqv#value> true .`
    expect((await put('/datasets/a/metrics', measured)).status).toBe(201)
    const messages = await all({ catalogue: 'city', withMetrics: true })
    const payloads = await Promise.all(
      messages.flatMap((one) => (one.kind === 'record' ? [payloadOf(one, 'metrics')] : [])),
    )
    expect(payloads.map(({ metrics }) => metrics.length > 0)).toEqual([true, false])
    expect(payloads[0]?.dataset.length).toBe(payloads[1]?.dataset.length)
    expect(payloads[0]?.metricsGraph).toBe('urn:cartulary:metrics')
  })

  it('keeps the pulse', async () => {
    const { all, pauses } = await runsFixture(['a', 'b', 'c'])
    await all({ catalogue: 'city', pulseMs: 7 })
    expect(pauses).toEqual([7, 7])
  })

  it('asks again while the repository is busy, and refuses a dataset that cannot be read', async () => {
    const self = await runsFixture(['a', 'b'])
    self.atOnce = 1
    self.reads = async (graphs, ...more) => {
      if (graphs.some((graph) => graph.endsWith('/b')))
        throw new Failure('store-unavailable', 'not now')
      return self.hub.store.readAll(graphs, ...more)
    }
    const messages = await self.all({ catalogue: 'city' })
    expect(idsOf(messages)).toEqual(['a'])
    expect(messages).toContainEqual(
      expect.objectContaining({ kind: 'refused', sourceId: 'b', stage: 'import' }),
    )
  })

  it('fails for a catalogue that is not there', async () => {
    const { all } = await runsFixture([])
    await expect(all({ catalogue: 'none' })).rejects.toThrow(/unknown-catalogue/)
    expect(await all({ catalogue: 'city' })).toHaveLength(2)
  })

  it('knows the kind of a catalogue by text or by the last part of an IRI', async () => {
    const { all } = await runsFixture(['a'], '<https://types.example/DCAT-AP> , "other"')
    expect((await all({ catalogue: 'city' }))[1]).toMatchObject({ extra: { source: 'dcat-ap' } })
  })
})
