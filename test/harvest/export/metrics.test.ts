/** Exporting what was measured: into the metrics of datasets that are there, and nothing else. */

import { expect, it } from 'vitest'
import type { Message } from '../../../src/pipe/message.ts'
import type { SegmentKind } from '../../../src/pipe/segment.ts'
import { harvestFixture, pipeOf, record, whole } from './harvest-fixture.ts'

const iri = (id: string) => `http://localhost:8080/set/data/${id}`
const measured = (id: string, value = 5): string =>
  `<${iri(id)}> <http://www.w3.org/ns/dqv#hasQualityMeasurement> _:m .
_:m <http://www.w3.org/ns/dqv#isMeasurementOf> <https://piveau.eu/ns/voc#scoring> .
_:m <http://www.w3.org/ns/dqv#computedOn> <${iri(id)}> .
_:m <http://www.w3.org/ns/dqv#value> "${value}"^^<http://www.w3.org/2001/XMLSchema#integer> .
`
const trig = (id: string, value?: number): string =>
  `<${iri(id)}> a <http://www.w3.org/ns/dcat#Dataset> .
<urn:cartulary:metrics> {
<urn:cartulary:metrics> a <http://www.w3.org/ns/dqv#QualityMetadata> .
${measured(id, value)}}
`
const carrying = (id: string, text = trig(id)): Message =>
  record(id, id, {
    mediaType: 'application/trig',
    text,
    extra: { identifier: id, catalogue: 'city', content: 'metrics' },
  })

/** A segment that measures: what it is fed with comes out as the test says. */
const measuring = (make: (message: Message) => Message): SegmentKind => ({
  names: ['metrics-test'],
  job: 'metrics',
  schema: () => ({}),
  open: () => ({
    ok: true,
    run: async function* (input) {
      for await (const message of input) yield make(message)
    },
  }),
})

async function fixture(
  make: (message: Message) => Message = (message) =>
    message.kind === 'record' ? carrying(message.sourceId) : message,
) {
  const self = await harvestFixture({ kinds: [measuring(make)] })
  self.offers(whole('a', 'b', 'c'))
  await self.run()
  const pipe = pipeOf('metrics')
  const [first, last] = pipe.body.segments
  if (!first || !last) throw new Error('no segments')
  const renamed = { ...first, header: { ...first.header, name: 'metrics-test' } }
  self.pipes.set('metrics', { ...pipe, body: { segments: [renamed, last] } })
  self.requests.length = 0
  const metrics = async (id: string) => {
    const answer = await self.hub.ask(`/datasets/${id}/metrics`, {
      headers: { Accept: 'application/n-triples' },
    })
    return answer.status === 200 ? answer.text() : String(answer.status)
  }
  return Object.assign(self, { metrics })
}

it('replaces the metrics of each dataset, under its own name, and touches nothing else', async () => {
  const self = await fixture()
  const before = await self.text('a')
  const first = await self.run('metrics')
  expect(first).toMatchObject({
    status: 'finished',
    outcome: 'complete',
    catalogue: 'city',
    counts: { offered: 3, created: 3, removed: 0, failed: 0 },
  })
  expect(await self.metrics('a')).toContain(
    '<http://localhost:8080/id/metrics/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/ns/dqv#QualityMetadata> .',
  )
  expect(await self.metrics('a')).not.toContain('urn:cartulary')
  const graph = await self.metrics('b')
  expect((await self.run('metrics')).counts).toMatchObject({ updated: 3, created: 0, removed: 0 })
  expect(await self.metrics('b')).toBe(graph)
  expect(await self.text('a')).toBe(before)
  expect(await self.ids()).toEqual(['a', 'b', 'c'])
  const methods = new Set(self.requests.map(({ method }) => method))
  expect(methods).toEqual(new Set(['PUT']))
})

it('skips datasets that are gone, says what was refused, and writes their neighbours', async () => {
  const self = await fixture((message) => {
    if (message.kind !== 'record') return message
    if (message.sourceId === 'a') return carrying('gone')
    return carrying(message.sourceId, message.sourceId === 'b' ? '<oops' : undefined)
  })
  const run = await self.run('metrics')
  expect(run).toMatchObject({ outcome: 'complete', counts: { created: 1, failed: 1, skipped: 1 } })
  expect(self.items(run, 'skipped')[0]).toMatchObject({ platformId: 'gone' })
  expect(self.items(run, 'failed')[0]).toMatchObject({
    sourceId: 'b',
    problem: { detail: expect.stringContaining('malformed-rdf') as string },
  })
  expect(await self.metrics('c')).toContain('"5"')
})

it('leaves alone what carries no metrics', async () => {
  const self = await fixture((message) => message)
  const run = await self.run('metrics')
  expect(run.counts).toMatchObject({ skipped: 3, created: 0, failed: 0 })
  expect(self.requests).toEqual([])
})

it('writes nothing in a dry run', async () => {
  const self = await fixture()
  const run = await self.run('metrics', { dryRun: true })
  expect(run).toMatchObject({ outcome: 'dry-run' })
  expect(self.items(run)).toHaveLength(3)
  expect(await self.metrics('a')).toBe('404')
})

it('writes nothing where the pipe says that its last segment is skipped', async () => {
  const self = await fixture()
  const pipe = self.pipes.get('metrics')
  if (!pipe) throw new Error('no pipe')
  const [first, last] = pipe.body.segments
  if (!first || !last) throw new Error('no segments')
  const skipped = { ...last, body: { ...last.body, config: { ...last.body.config, skip: true } } }
  self.pipes.set('metrics', { ...pipe, body: { segments: [first, skipped] } })
  const run = await self.run('metrics')
  expect(run).toMatchObject({ outcome: 'complete', counts: { skipped: 3, created: 0, failed: 0 } })
  expect(self.items(run, 'skipped')).toHaveLength(3)
  expect(self.requests).toEqual([])
  expect(await self.metrics('a')).toBe('404')
})

it('tries again what failed, and that alone', async () => {
  const self = await fixture()
  self.intercept = (request) =>
    request.url.includes('/b/metrics') ? new Response(null, { status: 422 }) : undefined
  const first = await self.run('metrics')
  expect(first.counts).toMatchObject({ created: 2, failed: 1 })
  self.intercept = undefined
  const again = await self.ended(self.launcher().retry(first.id).id)
  expect(again.counts).toMatchObject({ created: 1, updated: 0, failed: 0 })
})

it('ends when the key is not known, and after fifty failures of the repository in a row', async () => {
  const self = await fixture()
  self.intercept = () => new Response(null, { status: 403 })
  expect(await self.run('metrics')).toMatchObject({
    status: 'failed',
    problem: { type: 'urn:cartulary:problem:export-refused' },
  })
  self.intercept = () => new Response(null, { status: 500 })
  self.offers(whole(...Array.from({ length: 200 }, (_, n) => `x${n}`)), 'metrics')
  const run = await self.run('metrics')
  expect(run).toMatchObject({ status: 'failed' })
  expect(run.counts.failed).toBeLessThan(70)
})

it('has several requests on their way, and no more than eight', async () => {
  const self = await fixture()
  self.offers(whole(...Array.from({ length: 60 }, (_, n) => `x${n}`)), 'metrics')
  let inside = 0
  let most = 0
  self.intercept = async () => {
    inside += 1
    most = Math.max(most, inside)
    await new Promise(setImmediate)
    inside -= 1
    return undefined
  }
  await self.run('metrics')
  expect(most).toBe(8)
})
