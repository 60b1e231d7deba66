/** Exporting what was measured into the repository of the same process: many datasets with one call. */

import { describe, expect, it } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import { batchesOf } from '../../../src/harvest/export/batches.ts'
import { measuredId, metricsPerCall } from '../../../src/harvest/export/metrics-exporter.ts'
import type { Message, MetricsOutcome, RecordMessage } from '../../../src/pipe/message.ts'
import type { SegmentKind } from '../../../src/pipe/segment.ts'
import { pause } from '../../pipe/runs/runs-fixture.ts'
import { harvestFixture, pipeOf, record } from './harvest-fixture.ts'

const measuring: SegmentKind = {
  names: ['metrics-test'],
  job: 'metrics',
  schema: () => ({}),
  open: () => ({ ok: true, run: (input) => input }),
}

const carrying = (id: string): Message =>
  record(id, id, { extra: { identifier: id, catalogue: 'city', content: 'metrics' } })

const end: Message = { kind: 'end', completeness: { kind: 'complete', fingerprint: '' } }

async function metricsFixture(land: (ids: readonly string[]) => readonly MetricsOutcome[]) {
  const calls: (readonly string[])[] = []
  const self = await harvestFixture({
    kinds: [measuring],
    harvest: {
      metricsExport: {
        body: async ({ text, mediaType }) => ({ text, mediaType }),
        writeLocally: async (messages) => {
          const ids = messages.map(({ sourceId }) => sourceId)
          calls.push(ids)
          return land(ids)
        },
      },
    },
  })
  const pipe = pipeOf('metrics')
  const [first, last] = pipe.body.segments
  if (!first || !last) throw new Error('no segments')
  const renamed = { ...first, header: { ...first.header, name: 'metrics-test' } }
  self.pipes.set('metrics', { ...pipe, body: { segments: [renamed, last] } })
  const offers = (ids: readonly string[]) =>
    self.sources.set('metrics', async function* () {
      for (const id of ids) yield carrying(id)
      yield end
    })
  return Object.assign(self, { calls, offers })
}

const many = (count: number) => Array.from({ length: count }, (_, n) => `x${n}`)
const groups = (messages: readonly Message[]) =>
  batchesOf<RecordMessage>(
    (async function* () {
      yield* messages
    })(),
    {
      take: async (message) => (message.kind === 'record' ? message : undefined),
      key: measuredId,
      characters: () => 0,
      maxItems: metricsPerCall,
      pause,
    },
  )

describe('metrics that stay in the house', () => {
  it('are written without requests, and each dataset has its own verdict', async () => {
    const refusal = new Failure('invalid-content', 'nothing of it is about the dataset')
    const verdicts: readonly MetricsOutcome[] = ['created', 'updated', 'unchanged', 'gone', refusal]
    const self = await metricsFixture((ids) =>
      ids.map((id) => verdicts[Number(id.slice(1))] ?? 'gone'),
    )
    self.offers(many(5))
    const run = await self.run('metrics')
    expect(run).toMatchObject({
      outcome: 'complete',
      counts: { created: 1, updated: 1, unchanged: 1, skipped: 1, failed: 1 },
    })
    expect(self.requests).toEqual([])
    expect(self.items(run, 'failed')[0]).toMatchObject({
      sourceId: 'x4',
      problem: { type: 'urn:cartulary:problem:invalid-content' },
    })
  })

  it('are not written where the pipe says that its last segment is skipped', async () => {
    const self = await metricsFixture((ids) => ids.map(() => 'created'))
    const [first, last] = self.pipes.get('metrics')?.body.segments ?? []
    if (!first || !last) throw new Error('no segments')
    const skipped = { ...last, body: { ...last.body, config: { ...last.body.config, skip: true } } }
    self.pipes.set('metrics', { ...pipeOf('metrics'), body: { segments: [first, skipped] } })
    self.offers(many(3))
    expect((await self.run('metrics')).counts).toMatchObject({ skipped: 3, created: 0 })
    expect(self.calls.flat()).toEqual([])
  })

  it('are tried again while the store is away, those that failed alone', async () => {
    let left = 3
    const away = new Failure('store-unavailable', 'not now')
    const self = await metricsFixture((ids) => {
      if (left === 3) {
        left -= 1
        throw away
      }
      return ids.map((id) => (id === 'x1' && left-- > 0 ? away : 'created'))
    })
    self.offers(many(3))
    expect((await self.run('metrics')).counts).toMatchObject({ created: 3, failed: 0 })
    expect(self.calls).toEqual([['x0', 'x1', 'x2'], ['x0', 'x1', 'x2'], ['x1'], ['x1']])
  })

  it('end the run after fifty failures of the store in a row', async () => {
    const self = await metricsFixture((ids) => ids.map(() => new Failure('store-full', 'no room')))
    self.offers(many(200))
    const run = await self.run('metrics')
    expect(run).toMatchObject({ status: 'failed' })
    expect(run.counts.failed).toBe(50)
  })

  it('go in groups that pages, ends and a dataset that comes again close', async () => {
    const page: Message = { kind: 'page', cursor: 'b' }
    const messages = [carrying('a'), carrying('b'), page, carrying('c'), carrying('c'), end]
    const found: (readonly unknown[])[] = []
    for await (const { items, message } of groups(messages))
      found.push([items.map(({ sourceId }) => sourceId), message?.kind])
    expect(found).toEqual([
      [['a', 'b'], 'page'],
      [['c'], undefined],
      [['c'], 'end'],
    ])
    let most = 0
    for await (const { items } of groups(many(100).map(carrying)))
      most = Math.max(most, items.length)
    expect(most).toBe(64)
  })
})
