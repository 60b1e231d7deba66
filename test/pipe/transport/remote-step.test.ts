import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import type { Payload, Pipe } from '../../../src/pipe/document.ts'
import type { Json } from '../../../src/text/json.ts'
import type { Message } from '../../../src/pipe/message.ts'
import type { SegmentContext } from '../../../src/pipe/segment.ts'
import {
  transportLimits,
  type TransportLimits,
} from '../../../src/pipe/transport/transport-limits.ts'
import { spoolFactory } from '../../../src/pipe/transport/return-places.ts'
import { targetSegment } from '../../../src/pipe/transport/envelope.ts'
import { type ReturnTarget, remoteStep } from '../../../src/pipe/transport/remote-step.ts'
import type { ReturnPlace } from '../../../src/pipe/transport/return-places.ts'
import { logSink } from '../../../src/pipe/transport/segment-worker.ts'
import { pipeOf } from '../pipes.ts'
import { silent } from '../runs/runs-fixture.ts'
import { complete, record } from './transport-fixture.ts'

/** What the foreign segment does with a message; what it gives is given back at once. */
type Foreign = (
  payload: Payload | undefined,
  give: (payload: Payload) => void,
) => void | Promise<void>

const echo: Foreign = (payload, give) => payload && give(payload)
const isList = (payload: Payload | undefined) =>
  payload?.body.dataInfo?.['content'] === 'identifierList'
const listOf = (ids: readonly string[], more: Record<string, Json> = {}): Payload => ({
  header: { seqNumber: 1, dataType: 'text' },
  body: { data: JSON.stringify(ids), dataInfo: { content: 'identifierList', ...more } },
})
const dataset = (id: string, counter: number): Payload => ({
  header: { seqNumber: counter, dataType: 'text' },
  body: { data: `text of ${id}`, dataInfo: { identifier: id, counter, total: 2 } },
})

type Scene = {
  readonly input?: readonly Message[]
  readonly foreign?: Foreign
  /** Place of the foreign segment in the pipe. */
  readonly at?: 0 | 1 | 2
  readonly limits?: Partial<TransportLimits>
  readonly reading?: Pick<ReturnTarget, 'identify' | 'wantsRdf'>
  readonly context?: Partial<SegmentContext>
}

/** Short enough for a test, each a part of the usual one. */
const times = { firstMs: 80, quietMs: 80, listMs: 60, returnedMs: 30, totalMs: 20 }

async function travelled({ input = [], foreign = echo, at = 1, ...scene }: Scene) {
  const { limits, reading, context } = scene
  const pipe: Pipe = pipeOf(
    'wells',
    ['importing-test', { catalogue: 'city', auth: { secret: 'name' }, apikey: 'canary' }],
    ['mending-wells', { token: 'its own' }],
    ['exporting-test', { hub: { apiKey: 'canary' }, password: { value: 'canary' } }],
  )
  const segment = pipe.body.segments[at]!
  const sent: Pipe[] = []
  let place: ReturnPlace | undefined
  const give = (payload: Payload) => void place?.take(payload)
  const endpoint = { address: 'http://back.example:80/pipe' }
  const open = (opened: ReturnPlace) => {
    place = opened
    return () => (place = undefined)
  }
  const spool = spoolFactory({ directory: mkdtempSync(join(tmpdir(), 'spool-')), bytes: 2 ** 24 })
  const step = remoteStep({
    pipe: { ...pipe, header: { ...pipe.header, runId: 'run-1' } },
    segment,
    post: async (message) => {
      sent.push(message)
      await foreign(targetSegment(message)?.body.payload, give)
    },
    ...(at < 2 && { returns: { endpoint, open, spool, ...reading } }),
    limits: { ...transportLimits, ...times, ...limits },
    now: () => performance.now(),
    pause: (ms, signal) => sleep(Math.min(ms, 5), undefined, { signal }),
  })
  const sink = logSink(silent)
  const out: Message[] = []
  async function* messages() {
    yield* input
  }
  const whole = { runId: 'run-1', pipe: 'wells', sink, log: silent, dryRun: false, ...context }
  for await (const message of step(messages(), whole, new AbortController().signal))
    out.push(message)
  return { out, sent, counts: sink.counts, end: out.at(-1), kinds: out.map(({ kind }) => kind) }
}

const three = [record(1), record(2), record(3), complete]

test('every record goes out with its number, its id and the total, and the list of all ids after them', async () => {
  const { sent, end } = await travelled({ input: [{ kind: 'total', total: 3 }, ...three] })
  const payloads = sent.map((message) => targetSegment(message)?.body.payload)
  expect(payloads[1]).toMatchObject({
    header: { seqNumber: 2, dataType: 'text' },
    body: {
      dataMimeType: 'application/n-triples',
      data: '<urn:x> <urn:title> "Brunnen 2" .',
      dataInfo: { identifier: 'o2', counter: 2, total: 3, catalogue: 'city', hash: 'hash-2' },
    },
  })
  expect(payloads[3]?.body).toMatchObject({
    data: '["o1","o2","o3"]',
    dataMimeType: 'application/json',
    dataInfo: { content: 'identifierList', complete: true, records: 3 },
  })
  expect(end).toEqual(complete)
})

test('the pipe that goes out says what is done and where its output goes, and holds no secret of other segments', async () => {
  const { sent } = await travelled({ input: three })
  const [first, own, next] = sent[0]!.body.segments
  expect([first, own, next].map((one) => one?.header.processed)).toEqual([true, false, false])
  expect(next?.body.endpoint?.address).toBe('http://back.example:80/pipe')
  expect(own?.body.config).toEqual({ token: 'its own' })
  expect(JSON.stringify(sent)).not.toContain('canary')
  expect(first?.body.config).toEqual({ catalogue: 'city', auth: {} })
})

test('a message that comes back twice counts once', async () => {
  const { kinds } = await travelled({
    input: three,
    foreign: (payload, give) => {
      if (payload) give(payload)
      if (payload) give(payload)
    },
  })
  expect(kinds).toEqual(['record', 'record', 'record', 'end'])
})

test('one record that comes out as several is several', async () => {
  const { out } = await travelled({
    input: [record(1), complete],
    foreign: (payload, give) => {
      if (!payload || isList(payload)) return payload && give(payload)
      give(payload)
      give(dataset('part-a', 1))
      give(dataset('part-b', 1))
      return undefined
    },
  })
  expect(out.flatMap((one) => (one.kind === 'record' ? [one.sourceId] : []))).toEqual([
    's1',
    'part-a',
    'part-b',
  ])
})

test('a page waits for every record before it, whatever order they come back in', async () => {
  const late: (() => void)[] = []
  const { out } = await travelled({
    input: [record(1), { kind: 'page', cursor: 'one' }, record(2), record(3), complete],
    foreign: (payload, give) => {
      if (!payload) return
      if (isList(payload)) {
        late.toReversed().forEach((back) => back())
        give(payload)
      } else late.push(() => give(payload))
    },
  })
  expect(out.map((one) => (one.kind === 'record' ? one.sourceId : one.kind))).toEqual([
    's3',
    's2',
    's1',
    'page',
    'end',
  ])
})

test('a record that is not given back is skipped, and the run is complete: its id stays among the offered ones', async () => {
  const { out, end } = await travelled({
    input: three,
    foreign: (payload, give) => {
      if (payload && payload.body.dataInfo?.['identifier'] !== 'o2') give(payload)
    },
  })
  expect(out).toContainEqual({ kind: 'skipped', sourceId: 's2', reason: 'dropped-by-segment' })
  expect(end).toEqual(complete)
})

test('what comes back after it was not waited for any more is taken all the same', async () => {
  const late: Payload[] = []
  const { out } = await travelled({
    input: three,
    limits: { inFlight: 1, listMs: 40, returnedMs: 200 },
    foreign: (payload, give) => {
      if (!payload) return
      if (payload.body.dataInfo?.['identifier'] === 'o1') late.push(payload)
      else give(payload)
      if (isList(payload)) late.forEach(give)
    },
  })
  expect(out.flatMap((one) => (one.kind === 'record' ? [one.sourceId] : []))).toEqual([
    's2',
    's3',
    's1',
  ])
})

test('a record that cannot be handed over fails alone; one that nobody would take ends the run', async () => {
  const failing =
    (kind: 'item-too-large' | 'source-refused'): Foreign =>
    (payload, give) => {
      if (payload?.body.dataInfo?.['identifier'] === 'o2') throw new Failure(kind, 'no')
      if (payload) give(payload)
    }
  const { kinds, end } = await travelled({ input: three, foreign: failing('item-too-large') })
  expect(kinds.toSorted()).toEqual(['end', 'record', 'record', 'refused'])
  expect(end).toEqual(complete)
  await expect(travelled({ input: three, foreign: failing('source-refused') })).rejects.toThrow(
    'source-refused',
  )
})

test('when ten in a row cannot be handed over, nobody tries the rest', async () => {
  let tries = 0
  const input = [...Array.from({ length: 500 }, (_, n) => record(n + 1)), complete]
  const dead: Foreign = () => {
    tries += 1
    throw new Failure('source-unreachable', 'nobody there')
  }
  await expect(travelled({ input, foreign: dead })).rejects.toThrow('source-unreachable')
  expect(tries).toBeLessThan(30)
})

test('after an import that was not complete no list goes out', async () => {
  const end = { kind: 'end', completeness: { kind: 'incomplete' } } as const
  const { sent, ...rest } = await travelled({ input: [record(1), end] })
  expect(sent).toHaveLength(1)
  expect(rest.end).toEqual(end)
})

test('the list names what is offered and was not sent, and tells how many were', async () => {
  const unchanged = { kind: 'unchanged', sourceId: 's9', originalId: 'o9' } as const
  const skipped = { kind: 'skipped', sourceId: 's8', reason: 'private' } as const
  const { sent, kinds } = await travelled({ input: [record(1), unchanged, skipped, complete] })
  const list = targetSegment(sent.at(-1)!)?.body.payload?.body
  expect(list).toMatchObject({ data: '["o1","o9"]', dataInfo: { records: 1 } })
  expect(kinds.toSorted()).toEqual(['end', 'record', 'skipped', 'unchanged'])
})

test('the list names a record that is skipped and that its source may still have', async () => {
  const kept = { kind: 'skipped', sourceId: 's8', reason: 'stub', isKept: true } as const
  const { sent } = await travelled({ input: [record(1), kept, complete] })
  expect(targetSegment(sent.at(-1)!)?.body.payload?.body.data).toBe('["o1","s8"]')
})

test('a foreign segment gets no more than it may hold until some come back', async () => {
  let out = 0
  let most = 0
  const input = [...Array.from({ length: 200 }, (_, n) => record(n + 1)), complete]
  const { kinds } = await travelled({
    input,
    limits: { held: 10, inFlight: 100, waitMs: 5000 },
    foreign: async (payload, give) => {
      most = Math.max(most, (out += 1))
      await sleep(1)
      out -= 1
      if (payload) give(payload)
    },
  })
  expect(kinds).toHaveLength(201)
  expect(most).toBeLessThanOrEqual(11)
})

test('a foreign importer is complete when as many records came as its list holds', async () => {
  const { out, end, counts } = await travelled({
    at: 0,
    foreign: (payload, give) => {
      expect(payload).toBeUndefined()
      give(dataset('a', 1))
      give(listOf(['a', 'b']))
      give(dataset('b', 2))
    },
  })
  expect(out[0]).toMatchObject({ kind: 'record', sourceId: 'a', text: 'text of a', counter: 1 })
  expect(end).toMatchObject({ completeness: { kind: 'complete' } })
  expect(counts).toEqual({ offered: 2 })
})

test('a record that an importer lists and counts as not sent is kept, and the run is complete', async () => {
  const { out, end } = await travelled({
    at: 0,
    foreign: (_, give) => {
      give(dataset('a', 1))
      give(listOf(['a', 'b'], { records: 1 }))
    },
  })
  expect(out[1]).toMatchObject({ kind: 'skipped', sourceId: 'b', isKept: true })
  expect(end).toMatchObject({ completeness: { kind: 'complete' } })
})

test.each([
  ['lists more than it sends', listOf(['a', 'b', 'c'])],
  ['says itself that its list is not complete', listOf(['a'], { complete: false })],
  ['sends no list', undefined],
])('a foreign importer that %s is not complete', async (_, list) => {
  const { end, kinds } = await travelled({
    at: 0,
    foreign: (_payload, give) => {
      give(dataset('a', 1))
      if (list) give(list)
    },
  })
  expect(kinds.filter((kind) => kind !== 'refused')).toEqual(['record', 'end'])
  expect(end).toMatchObject({ completeness: { kind: 'incomplete' } })
})

test('of a foreign importer a retry takes only the records that are wanted', async () => {
  const { kinds } = await travelled({
    at: 0,
    context: { only: new Set(['b']) },
    foreign: (_, give) => {
      give(dataset('a', 1))
      give(dataset('b', 2))
      give(listOf(['a', 'b']))
    },
  })
  expect(kinds).toEqual(['record', 'end'])
})

test('at a foreign exporter a page and the end come when everything was taken over, and failures are told to the run', async () => {
  const refused = new Failure('item-malformed', 'no')
  const { kinds, counts, sent } = await travelled({
    at: 2,
    input: [record(1), record(2), { kind: 'page', cursor: 'one' }, complete],
    foreign: (payload) => {
      if (payload?.body.dataInfo?.['identifier'] === 'o2') throw refused
    },
  })
  expect(kinds).toEqual(['page', 'end'])
  expect(counts).toEqual({ failed: 1 })
  expect(sent).toHaveLength(3)
})

test('a dry run sends nothing to a foreign exporter', async () => {
  const { kinds, sent } = await travelled({ at: 2, input: three, context: { dryRun: true } })
  expect([kinds, sent]).toEqual([['end'], []])
})
