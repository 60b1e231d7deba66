/** What all segments of the quality pipe do alike. */

import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { Failure } from '../../../src/errors.ts'
import {
  metricsSegment,
  segmentConfig,
  type MetricsKind,
} from '../../../src/metrics/pipe/metrics-segment.ts'
import type { Message } from '../../../src/pipe/message.ts'
import { isRecord, opened, record, runThrough } from './segment-fixture.ts'

type Settings = z.infer<typeof segmentConfig>
const kind = (given: Partial<MetricsKind<Settings>> = {}) =>
  metricsSegment({
    names: ['metrics-test'],
    config: segmentConfig,
    atOnce: 2,
    work: (payload) => ({ ...payload, metricsGraph: 'urn:done' }),
    ...given,
  })
const good = ':ds a dcat:Dataset .'
const others: Message[] = [
  { kind: 'total', total: 2 },
  { kind: 'skipped', sourceId: 'a', reason: 'private' },
  { kind: 'deleted', sourceId: 'b' },
  { kind: 'page', cursor: 'c' },
  { kind: 'end', completeness: { kind: 'incomplete' } },
]

describe('a segment', () => {
  it('passes every message that is no record untouched and in its place', async () => {
    const messages = [record(good), ...others.slice(0, 4), record(good), ...others.slice(4)]
    const found = await runThrough([opened(kind())], messages)
    expect(found.map((one) => one.kind)).toEqual(messages.map((one) => one.kind))
    expect(found.filter((one) => !isRecord(one))).toEqual(others)
    expect(found.filter(isRecord).map(({ extra }) => extra?.['content'])).toEqual([
      'metrics',
      'metrics',
    ])
  })

  it('that is skipped passes everything', async () => {
    const messages = [record('no RDF at all'), ...others]
    const run = opened(kind({ work: () => expect.unreachable() }), { skip: true, more: 1 })
    expect(await runThrough([run], messages)).toEqual(messages)
  })

  it('refuses what it cannot read, and goes on', async () => {
    const bad = record(':ds a ', { sourceId: 'bad', sourceUrl: 'https://example.org/bad' })
    const [refused, next] = await runThrough([opened(kind())], [bad, record(good)])
    expect(refused).toMatchObject({
      kind: 'refused',
      sourceId: 'bad',
      stage: 'transform',
      sourceUrl: 'https://example.org/bad',
      problem: { kind: 'malformed-rdf' },
    })
    expect(refused).toHaveProperty('excerpt', bad.text)
    expect(next?.kind).toBe('record')
  })

  it('refuses a dataset whose work fails, and ends with any other error', async () => {
    const failing = (error: Error) =>
      opened(
        kind({
          work: () => {
            throw error
          },
        }),
      )
    const [refused] = await runThrough(
      [failing(new Failure('too-complex', 'too much'))],
      [record(good)],
    )
    expect(refused).toMatchObject({ kind: 'refused', problem: { detail: 'too much' } })
    await expect(runThrough([failing(new Error('bug'))], [record(good)])).rejects.toThrow('bug')
  })

  it('ends when the run is stopped', async () => {
    const stop = new AbortController()
    const work: MetricsKind<Settings>['work'] = () => {
      stop.abort(new Error('stopped'))
      throw new Failure('internal', 'because of that')
    }
    const run = opened(kind({ work }))
    await expect(runThrough([run], [record(good)], stop.signal)).rejects.toThrow('stopped')
  })

  it('says what is wrong with its config, and shows what may be said', () => {
    const picky = kind({ check: () => [{ key: 'shapeModel', detail: 'is not known' }] })
    const place = { trust: 'trusted' } as const
    expect(picky.open({}, place)).toEqual({
      ok: false,
      problems: [{ key: 'shapeModel', detail: 'is not known' }],
    })
    expect(kind().open({ skip: 'yes' }, place)).toMatchObject({
      ok: false,
      problems: [{ key: 'skip' }],
    })
    expect(kind().schema()).toMatchObject({ properties: { skip: { type: 'boolean' } } })
  })
})
