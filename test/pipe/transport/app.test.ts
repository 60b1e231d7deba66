import { expect, test } from 'vitest'
import type { Json } from '../../../src/text/json.ts'
import { listPayload, outgoingPipe, recordPayload } from '../../../src/pipe/transport/envelope.ts'
import { pipeOf } from '../pipes.ts'
import { complete, transportFixture, record } from './transport-fixture.ts'

const pipe = pipeOf(
  'wells',
  ['importing-test', { records: 2 }],
  ['transforming-test'],
  ['exporting-test'],
)
const inRun = (runId: string) => ({ ...pipe, header: { ...pipe.header, runId } })

/** The message that carries the n-th record to the exporter. */
const exporting = (n: number, runId = 'run-1') =>
  outgoingPipe(inRun(runId), 3, { payload: recordPayload(record(n), { counter: n }) })
const list = (ids: readonly string[], runId = 'run-1') =>
  outgoingPipe(inRun(runId), 3, { payload: listPayload(ids, ids.length, complete) })

test('a message is answered by 202 and the id of its run, and the segment works on it', async () => {
  const { post, shelf } = await transportFixture()
  const answer = await post('exporting-test', exporting(1))
  expect([answer.status, answer.headers.get('Content-Type'), await answer.text()]).toEqual([
    202,
    expect.stringMatching(/^text\/plain/),
    'run-1',
  ])
  const again = await post('exporting-test', exporting(2), {}, 'PUT')
  expect(again.status).toBe(202)
  await expect.poll(() => shelf.filter(({ kind }) => kind === 'record')).toHaveLength(2)
  expect(shelf[0]).toMatchObject({ sourceId: 'o1', counter: 1, text: record(1).text })
})

test('messages of one run are one stream, which ends when the list and all its records are there', async () => {
  const { post, shelf } = await transportFixture()
  for (const body of [exporting(1), list(['o1', 'o2', 'o3']), exporting(3)]) {
    await post('exporting-test', body)
  }
  expect(shelf.some(({ kind }) => kind === 'end')).toBe(false)
  await post('exporting-test', exporting(2))
  await expect.poll(() => shelf.at(-1)).toMatchObject({ completeness: { kind: 'complete' } })
  expect(shelf.filter(({ kind }) => kind === 'record')).toHaveLength(3)
})

test('a record that the list names and the sender did not send is kept', async () => {
  const { post, shelf } = await transportFixture()
  await post('exporting-test', exporting(1))
  const payload = listPayload(['o1', 'o2'], 1, complete)
  await post('exporting-test', outgoingPipe(inRun('run-1'), 3, { payload }))
  await expect.poll(() => shelf.at(-1)).toMatchObject({ completeness: { kind: 'complete' } })
  expect(shelf).toContainEqual(expect.objectContaining({ sourceId: 'o2', isKept: true }))
})

test('a list waits only so long for its records, then nothing may be removed', async () => {
  const { post, shelf } = await transportFixture({ limits: { waitMs: 100 } })
  await post('exporting-test', exporting(1))
  await post('exporting-test', list(['o1', 'o2']))
  await expect.poll(() => shelf.at(-1)).toMatchObject({ completeness: { kind: 'incomplete' } })
})

test('the message of a run that has no id gets one', async () => {
  const { post } = await transportFixture()
  const { runId: _, ...header } = exporting(1).header as Record<string, Json>
  const answer = await post('exporting-test', { ...exporting(1), header })
  expect(await answer.text()).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/)
})

test('public spellings of a name mean the same segment', async () => {
  const { post } = await transportFixture()
  const named = JSON.stringify(exporting(1)).replace(
    'exporting-test',
    'piveau-consus-Exporting-Test',
  )
  expect((await post('piveau-consus-exporting-test', named)).status).toBe(202)
  expect((await post('exporting-test', named)).status).toBe(202)
})

test('an importer begins by itself and hands on record by record, with the list last', async () => {
  const other = await transportFixture({ without: ['importing-test'] })
  const { post } = await transportFixture({
    serviceDiscovery: {
      'exporting-test': {
        http: {
          address: `${other.url}/exporting-test/pipe`,
          method: 'POST',
          headers: { 'X-API-Key': 'operator' },
        },
      },
    },
  })
  await post('importing-test', outgoingPipe(inRun('far'), 1, {}))
  await expect.poll(() => other.shelf.at(-1)?.kind).toBe('end')
  expect(other.texts()).toEqual(expect.arrayContaining(['<urn:x> <urn:title> "Quelle 2" .']))
  const sent = other.requests.map(({ body }) => JSON.parse(body) as typeof pipe)
  expect(sent).toHaveLength(3)
  for (const message of sent) {
    expect(message.body.segments.map(({ header }) => header.processed)).toEqual([true, true, false])
  }
})

test.each([
  ['comes back and ends whole', ['127.0.0.1'], 'finished', 2],
  // The way back is named by a message, and whoever sends messages is not trusted with the inner network.
  ['does not come back to an inner address that nobody there allows', [], 'failed', 0],
])('what passes a segment of ours elsewhere %s', async (_, allow, status, back) => {
  const there = await transportFixture({ allow })
  const { run, texts } = await transportFixture({
    pipes: [pipe],
    without: ['transforming-test'],
    limits: { listMs: back === 0 ? 300 : 10_000 },
    serviceDiscovery: {
      'transforming-test': {
        http: {
          address: `${there.url}/transforming-test/pipe`,
          method: 'POST',
          headers: { Authorization: 'Bearer operator' },
        },
      },
    },
  })
  expect([(await run('wells')).status, texts().length]).toEqual([status, back])
})

test('an importer elsewhere and an exporter here make one run', async () => {
  const there = await transportFixture({ allow: ['127.0.0.1'] })
  const short = pipeOf('short', ['importing-test', { records: 40 }], ['exporting-test'])
  const { run, texts } = await transportFixture({
    pipes: [short],
    serviceDiscovery: {
      'importing-test': {
        http: {
          address: `${there.url}/importing-test/pipe`,
          method: 'POST',
          headers: { 'X-API-Key': 'operator' },
        },
      },
    },
  })
  const { status, outcome, counts } = await run('short')
  expect({ status, outcome, offered: counts.offered, created: counts.created }).toEqual({
    status: 'finished',
    outcome: 'complete',
    offered: 40,
    created: 40,
  })
  expect(new Set(texts()).size).toBe(40)
})

test('a full queue answers 503 with Retry-After, and takes the message when there is room', async () => {
  const gate = Promise.withResolvers<void>()
  const { post, shelf } = await transportFixture({
    limits: { queued: 2 },
    gate: () => gate.promise,
  })
  const sent = [1, 2, 3, 4, 5, 6, 7, 8]
  const answers = await Promise.all(sent.map((n) => post('exporting-test', exporting(n))))
  const full = answers.filter(({ status }) => status === 503)
  expect(full.length).toBeGreaterThan(0)
  expect(full[0]?.headers.get('Retry-After')).toBe('1')
  expect(await full[0]?.json()).toMatchObject({ type: 'urn:cartulary:problem:queue-full' })
  gate.resolve()
  for (const n of sent) {
    await expect.poll(async () => (await post('exporting-test', exporting(n))).status).toBe(202)
  }
  await expect.poll(() => shelf.filter(({ kind }) => kind === 'record')).toHaveLength(8)
})

test('only so many runs of others are worked for at once', async () => {
  const { post } = await transportFixture({ limits: { streams: 1 } })
  expect((await post('exporting-test', exporting(1, 'one'))).status).toBe(202)
  expect((await post('exporting-test', exporting(1, 'two'))).status).toBe(503)
  expect((await post('exporting-test', exporting(2, 'one'))).status).toBe(202)
})

test.each([
  ['no key', { 'X-API-Key': '' }, 401],
  ['a wrong key', { 'X-API-Key': 'guessed' }, 401],
  ['a key of a catalogue', { 'X-API-Key': 'city' }, 403],
  ['a key for another segment', { 'X-API-Key': 'caller' }, 403],
  [
    'a token of a run that somebody made up',
    { 'X-API-Key': `run.cnVuLTE.3.${'A'.repeat(43)}` },
    401,
  ],
  ['a media type that is none of JSON', { 'Content-Type': 'text/turtle' }, 415],
])('with %s nothing is taken', async (_, headers, status) => {
  const { post, shelf } = await transportFixture()
  const answer = await post('exporting-test', exporting(1), headers)
  expect(answer.status).toBe(status)
  expect(answer.headers.get('Content-Type')).toContain('application/problem+json')
  expect(shelf).toEqual([])
})

test('a key for one segment may send to that one', async () => {
  const { post } = await transportFixture()
  const message = outgoingPipe(inRun('run-1'), 2, {
    payload: recordPayload(record(1), { counter: 1 }),
  })
  expect((await post('transforming-test', message, { 'X-API-Key': 'caller' })).status).toBe(202)
})

test.each([
  ['', 400, 'empty-body'],
  ['{', 400, 'malformed-json'],
  ['{"header":{}}', 400, 'invalid-parameter'],
  [outgoingPipe(pipe, 2, {}), 404, 'unknown-segment'],
  [
    JSON.stringify(exporting(1)).replace('"exporting-test"', '"exporting-nowhere"'),
    404,
    'unknown-segment',
  ],
  [outgoingPipe(pipe, 3, {}), 400, 'invalid-parameter'],
  [
    JSON.stringify(exporting(1)).replaceAll('"processed":false', '"processed":true'),
    400,
    'invalid-parameter',
  ],
  [JSON.stringify({ ...exporting(1), much: 'x'.repeat(200_000) }), 413, 'too-large'],
])('a body that is no message for the segment is refused: case %#', async (body, status, slug) => {
  const { post, shelf } = await transportFixture()
  const answer = await post('exporting-test', body)
  expect([answer.status, ((await answer.json()) as { type: string }).type]).toEqual([
    status,
    `urn:cartulary:problem:${slug}`,
  ])
  expect(shelf).toEqual([])
})

test('a segment with a config that is not valid says so at once', async () => {
  const { post } = await transportFixture()
  const wrong = pipeOf('wrong', ['importing-test', { address: 7 }], ['exporting-test'])
  const answer = await post('importing-test', wrong)
  expect(answer.status).toBe(422)
  expect(await answer.json()).toMatchObject({
    errors: [{ pointer: '/body/segments/0/body/config/address' }],
  })
})

test('each segment tells the schema of its config and that it is well', async () => {
  const { url } = await transportFixture()
  const schema = await fetch(`${url}/importing-test/config/schema`)
  expect([schema.status, schema.headers.get('Content-Type'), await schema.json()]).toEqual([
    200,
    'application/schema+json',
    { type: 'object' },
  ])
  const statuses = await Promise.all(
    [
      'exporting-test/config/schema',
      'unheard-of/config/schema',
      'health',
      'importing-test/health',
      'unheard-of/health',
    ].map(async (path) => (await fetch(`${url}/${path}`)).status),
  )
  expect(statuses).toEqual([404, 404, 200, 200, 404])
})

test('the contract is there for programs and for people, and names every route', async () => {
  const { url } = await transportFixture()
  const answer = await fetch(`${url}/openapi.json`)
  const { openapi, paths, info } = (await answer.json()) as {
    openapi: string
    info: { title: string }
    paths: Record<string, Record<string, { security?: unknown[] }>>
  }
  expect([openapi, info.title]).toEqual(['3.1.0', 'Segments'])
  const known = Object.entries(paths).map(([path, methods]) => [path, Object.keys(methods)])
  expect(Object.fromEntries(known)).toEqual({
    '/{name}/pipe': ['post', 'put'],
    '/r/{token}/pipe': ['post', 'put'],
    '/{name}/config/schema': ['get'],
    '/{name}/health': ['get'],
    '/health': ['get'],
  })
  expect(paths['/{name}/pipe']?.['post']?.security).toEqual([{ ApiKey: [] }, { Bearer: [] }])
  const page = await fetch(`${url}/`, { headers: { Accept: 'text/html' } })
  expect(page.headers.get('Content-Type')).toMatch(/^text\/html/)
})
