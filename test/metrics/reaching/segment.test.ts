/** Segment 3 of the quality pipe: what it measures, in which order, and how far it works ahead. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { urlStatusSegment } from '../../../src/metrics/reach/reach-segment.ts'
import type { Message } from '../../../src/pipe/message.ts'
import type { SegmentFunction } from '../../../src/pipe/segment.ts'
import { portal, type Portal } from '../../support/portals/portal.ts'
import { contextOf } from '../context.ts'
import { codes, datasetOf, recordOf, streamOf } from './records.ts'
import { reachFixture, type ReachFixture } from './reach-fixture.ts'

const signal = new AbortController().signal
let host: Portal
let slow: Portal
let place: ReachFixture
let asked: number

const isRobots = (request: Request) => new URL(request.url).pathname === '/robots.txt'

beforeAll(async () => {
  host = await portal((request) => {
    asked += isRobots(request) ? 0 : 1
    return new Response('', { status: request.url.includes('gone') ? 410 : 200 })
  })
  slow = await portal(
    () => new Response(''),
    [{ on: (request) => !isRobots(request), fault: { kind: 'silent' } }],
  )
})

beforeEach(() => {
  asked = 0
  place = reachFixture({
    silent: (url, asked) => asked === 'page' && url === 'http://slow.example/x',
    names: { 'a.example': ['8.8.8.8'], 'slow.example': ['8.8.4.4'], 'b.example': ['8.8.8.8'] },
    world: { '8.8.8.8': host.port, '8.8.4.4': slow.port },
  })
})

afterEach(() => place.close())

afterAll(async () => {
  await host.close()
  await slow.close()
})

async function segment(config: Readonly<Record<string, boolean>> = {}): Promise<SegmentFunction> {
  const kind = urlStatusSegment({ reach: await place.open() })
  const opened = kind.open(config, { trust: 'trusted' })
  if (!opened.ok) throw new Error(JSON.stringify(opened.problems))
  return opened.run
}

async function outcome(messages: readonly Message[], config?: Record<string, boolean>) {
  const run = await segment(config)
  const told: Message[] = []
  for await (const message of run(streamOf(messages), contextOf('run'), signal)) told.push(message)
  return told
}

describe('a dataset', () => {
  it('gets one measurement per URL and property, with the URL and the time of its check', async () => {
    const text = datasetOf('d', [
      { accessURL: ['<http://a.example/x>', '<http://a.example/gone>'] },
      { accessURL: ['<http://a.example/x>'], downloadURL: ['<http://a.example/x>'] },
    ])
    const [message] = await outcome([recordOf(1, text)])
    expect(await codes(message)).toEqual([
      ['accessUrlStatusCode', 'd/0', 200, 'http://a.example/x'],
      ['accessUrlStatusCode', 'd/0', 410, 'http://a.example/gone'],
      ['accessUrlStatusCode', 'd/1', 200, 'http://a.example/x'],
      ['downloadUrlStatusCode', 'd/1', 200, 'http://a.example/x'],
    ])
    expect(message).toMatchObject({ kind: 'record', extra: { content: 'metrics' } })
    expect(message?.kind === 'record' && message.text).toMatch(/generatedAtTime> "2026-11-22T00:0/)
  })

  it.each([
    ['"http://a.example/x"', 'http://a.example/x'],
    ['"http://a.example/x"^^<http://www.w3.org/2001/XMLSchema#anyURI>', 'http://a.example/x'],
    ['"not a url"', 'not a url'],
    ['<ftp://a.example/x>', 'ftp://a.example/x'],
    ['<mailto:a@a.example>', 'mailto:a@a.example'],
    ['<http://127.0.0.1/x>', 'http://127.0.0.1/x'],
    ['<http://a.example:99999/>', 'http://a.example:99999/'],
    ['[]', undefined],
  ])('gets 1300 for %s', async (object, from) => {
    const [message] = await outcome([recordOf(1, datasetOf('d', [{ accessURL: [object] }]))])
    expect(await codes(message)).toEqual([['accessUrlStatusCode', 'd/0', 1300, from]])
    expect(asked).toBe(0)
  })

  it('gets nothing for a literal without text, a sample, and what is no distribution of it', async () => {
    const text = `${datasetOf('d', [{ accessURL: ['" "'] }])}
      <d> <http://www.w3.org/ns/adms#sample> <s> . <s> dcat:accessURL <http://a.example/x> .
      <other> dcat:accessURL <http://a.example/x> .`
    const told = await outcome([recordOf(1, text), recordOf(2, datasetOf('e', []))])
    expect(await Promise.all(told.map(codes))).toEqual([[], []])
    expect(asked).toBe(0)
  })

  it('keeps other measurements, and loses older ones of these metrics', async () => {
    const old = (name: string, value: string) =>
      `<d/0> dqv:hasQualityMeasurement [ a dqv:QualityMeasurement ; dqv:isMeasurementOf pv:${name} ;
        dqv:computedOn <d/0> ; dqv:value ${value} ] .`
    const dataset = datasetOf('d', [{ accessURL: ['<http://a.example/x>'] }])
    const text = `${dataset} <urn:m> { ${old('accessUrlStatusCode', '404')} ${old('rightsAvailability', 'true')} }`
    const [message] = await outcome([recordOf(1, text)])
    expect(await codes(message)).toEqual([
      ['rightsAvailability', 'd/0', true, undefined],
      ['accessUrlStatusCode', 'd/0', 200, 'http://a.example/x'],
    ])
  })

  it('that cannot be read is refused, and the others go on', async () => {
    const good = recordOf(2, datasetOf('d', []))
    const told = await outcome([recordOf(1, 'this is no RDF'), good])
    expect(told.map(({ kind }) => kind)).toEqual(['refused', 'record'])
  })

  it('with thousands of URLs is asked about like any other', async () => {
    const many = Array.from({ length: 3000 }, (_, n) => ({
      accessURL: [`<http://a.example/x#${n}>`],
    }))
    const [message] = await outcome([recordOf(1, datasetOf('d', many))])
    expect(await codes(message)).toHaveLength(3000)
    expect(asked).toBe(1)
  })
})

describe('the stream', () => {
  it('passes other messages in their place, and everything when told to skip', async () => {
    const record = recordOf(1, datasetOf('d', [{ accessURL: ['<http://a.example/x>'] }]))
    const messages: readonly Message[] = [
      { kind: 'total', total: 1 },
      record,
      { kind: 'page', cursor: 'x' },
      { kind: 'end', completeness: { kind: 'incomplete' } },
    ]
    const told = await outcome(messages)
    expect(told.map(({ kind }) => kind)).toEqual(['total', 'record', 'page', 'end'])
    expect(await outcome(messages, { skip: true })).toEqual(messages)
  })

  it('keeps its order while many wait, and one slow host holds up no other', async () => {
    const urls = Array.from({ length: 60 }, (_, number) =>
      number === 0 ? 'http://slow.example/x' : `http://${number % 2 ? 'a' : 'b'}.example/${number}`,
    )
    const run = await segment()
    const messages = urls.map((url, n) =>
      recordOf(n, datasetOf(`d${n}`, [{ accessURL: [`<${url}>`] }])),
    )
    const told: unknown[] = []
    let askedBefore: number | undefined
    for await (const message of run(streamOf(messages), contextOf('run'), signal)) {
      askedBefore ??= asked
      told.push(await codes(message))
    }
    // The slow one takes two attempts to its time limit: both others were asked all the while.
    expect(askedBefore).toBeGreaterThan(10)
    expect(told.flat()).toEqual(
      urls.map((url, n) => ['accessUrlStatusCode', `d${n}/0`, n === 0 ? 1100 : 200, url]),
    )
  })

  it('ends at once when it is told to', async () => {
    const run = await segment()
    const stop = new AbortController()
    const record = recordOf(1, datasetOf('d', [{ accessURL: ['<http://slow.example/y>'] }]))
    slow.reset()
    const flow = run(streamOf([record, record]), contextOf('run'), stop.signal)
    const first = flow[Symbol.asyncIterator]().next()
    await expect.poll(() => slow.requests.length).toBe(2)
    stop.abort(new Error('enough'))
    await expect(first).rejects.toThrow('enough')
  })
})
