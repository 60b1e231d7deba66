/** Unmodified segments of others: what their connector does on the wire, row by row, in every role. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { Pipe } from '../../../src/pipe/document.ts'
import type { JsonObject } from '../../../src/text/json.ts'
import {
  filtering,
  idIn,
  importing,
  strictSegment,
  triples,
  type Import,
  type WirePipe,
  type Work,
} from '../../support/segments/strict.ts'
import { pipeOf } from '../pipes.ts'
import { transportFixture, type TransportFixtureOptions } from './transport-fixture.ts'

const at = (address: string) => ({ http: { address, method: 'POST' as const, headers: {} } })
const six = ['trees-1', 'trees-2', 'trees-3', 'trees-4', 'trees-5', 'trees-6']

/** A foreign importer, and a pipe from it to the exporter of the house. */
async function imports(
  given: Import,
  config: JsonObject = {},
  options: TransportFixtureOptions = {},
) {
  const importer = await strictSegment(importing(given))
  const pipe = pipeOf(
    'trees',
    ['importing-x', { catalogue: 'city', ...config }],
    ['exporting-test'],
  )
  const place = await transportFixture({
    pipes: [pipe],
    serviceDiscovery: { 'importing-x': at(importer.address) },
    ...options,
  })
  return { ...place, importer, run: () => place.run('trees') }
}

/** Three records of an importer of ours through a foreign segment. */
async function through(
  work: (work: Work) => Promise<void> | void,
  options: TransportFixtureOptions = {},
) {
  const middle = await strictSegment(work)
  const pipe = pipeOf(
    'trees',
    ['importing-test', { catalogue: 'city' }],
    ['middle'],
    ['exporting-test'],
  )
  const place = await transportFixture({
    pipes: [pipe],
    serviceDiscovery: { middle: at(middle.address) },
    ...options,
  })
  return { ...place, middle, run: () => place.run('trees') }
}

const idsOf = (shelf: Awaited<ReturnType<typeof transportFixture>>['shelf']) =>
  shelf.flatMap((one) => (one.kind === 'record' ? [one.sourceId] : [])).toSorted()

const endOf = (shelf: Awaited<ReturnType<typeof transportFixture>>['shelf']) => {
  const last = shelf.at(-1)
  return last?.kind === 'end' ? last.completeness : undefined
}
const problemOf = (shelf: Awaited<ReturnType<typeof transportFixture>>['shelf']) => {
  const end = endOf(shelf)
  return end?.kind === 'incomplete' ? end.problem?.kind : undefined
}

test('an importer, a filter and an exporter of others make one run, and each hands over to the platform alone', async () => {
  const importer = await strictSegment(importing({ ids: six, list: 'all' }))
  const filter = await strictSegment(filtering((id) => id !== 'trees-4'))
  const exported: string[] = []
  const exporter = await strictSegment(({ isList, data, info }) => {
    exported.push(isList ? data : idIn(info))
  })
  const { run, runs, url } = await transportFixture({
    pipes: [pipeOf('trees', ['importing-x', { catalogue: 'city' }], ['filter'], ['exporter'])],
    serviceDiscovery: {
      'importing-x': at(importer.address),
      filter: at(filter.address),
      exporter: at(exporter.address),
    },
  })
  const { id, status, outcome, counts } = await run('trees')
  expect({ status, outcome, counts }).toMatchObject({
    status: 'finished',
    outcome: 'complete',
    counts: { offered: 6, skipped: 1, failed: 0 },
  })
  expect(exported.slice(0, -1).toSorted()).toEqual(six.filter((one) => one !== 'trees-4'))
  // What was dropped on the way is still offered: nobody removes it for that.
  expect(JSON.parse(exported.at(-1) ?? '')).toEqual(expect.arrayContaining(six))
  expect([...runs.items(id, { state: 'skipped' })]).toMatchObject([
    { sourceId: 'trees-4', note: 'dropped-by-segment' },
  ])
  const next = (pipe: WirePipe | undefined, name: string) =>
    pipe?.body.segments.find(({ header }) => header.name === name)?.body.endpoint?.address
  expect(next(importer.taken[0], 'filter')).toMatch(`${url}/r/`)
  expect(next(filter.taken[0], 'exporter')).toMatch(`${url}/r/`)
  expect([importer.errors, filter.errors, exporter.errors]).toEqual([[], [], []])
})

test('of a stored pipe only the keys of the model go out, and no secret of another segment', async () => {
  const { middle, runs, launcher, transport: _, ...place } = await through(({ pass }) => pass())
  expect(launcher.active()).toEqual([])
  const { pipes, run } = await strange(middle.address)
  expect(await run('strange')).toMatchObject({ status: 'finished', outcome: 'complete' })
  const [sent] = middle.taken
  expect(Object.keys(sent?.header ?? {})).toEqual(
    expect.arrayContaining(['id', 'name', 'transport', 'version', 'runId', 'startTime']),
  )
  expect(JSON.stringify(middle.taken)).not.toMatch(/canary|odd/)
  expect(sent?.body.segments[1]?.body.config).toEqual({ own: 'token' })
  expect([middle.errors, pipes.length, runs.list({ offset: 0, limit: 1 }), place.url]).toEqual([
    [],
    1,
    [],
    place.url,
  ])
})

/** A house with a pipe that holds more than the model knows, at every level. */
async function strange(address: string) {
  const odd = { odd: { deep: [1] } }
  const endpoint = { protocol: 'http', address, method: 'POST', ...odd }
  const plain = pipeOf(
    'strange',
    ['importing-test', { catalogue: 'city', logins: [{ password: 'canary' }], token: 'canary' }],
    ['middle', { own: 'token' }],
    ['exporting-test', { hub: { apiKey: 'canary' } }],
  )
  const pipe: Pipe = {
    ...plain,
    ...odd,
    header: { ...plain.header, ...odd },
    body: {
      ...odd,
      segments: plain.body.segments.map(({ header, body }, index) => ({
        header: { ...header, ...odd },
        body: { ...body, ...odd, ...(index === 1 && { endpoint }) },
      })),
    },
  }
  return { ...(await transportFixture({ pipes: [pipe] })), pipes: [pipe] }
}

test('the return address is plain http with its port, POST, and nothing else', async () => {
  const { middle, run } = await through(({ pass }) => pass())
  await run()
  expect(middle.taken[0]?.body.segments[2]?.body.endpoint).toEqual({
    protocol: 'http',
    address: expect.stringMatching(
      /^http:\/\/127\.0\.0\.1:\d+\/api\/segments\/r\/[\w-]{20,200}\/pipe$/,
    ),
    method: 'POST',
  })
})

test('times that come back as numbers, empty objects that vanish and the input beside the result are no trouble', async () => {
  const { middle, run, texts } = await through(async ({ isList, pass, result, data, info }) => {
    await (isList
      ? pass()
      : result(Buffer.from(data.replace('Brunnen', 'Quelle')), 'text/turtle', info))
  })
  expect(await run()).toMatchObject({ outcome: 'complete' })
  // The second run tells the first one's time.
  expect(await run()).toMatchObject({ outcome: 'complete' })
  expect(middle.taken.at(-1)?.header).toMatchObject({
    startTime: expect.any(Number),
    lastRun: expect.any(Number),
  })
  expect([texts().length, texts()[0], middle.answers]).toEqual([
    6,
    '<urn:x> <urn:title> "Quelle 1" .',
    Array.from({ length: 8 }, () => 202),
  ])
})

test('an importer whose list names more than it sends is not complete, and the missing ones are named', async () => {
  const { run, shelf } = await imports({ ids: six.slice(0, 2), list: six.slice(0, 3) })
  expect(await run()).toMatchObject({ outcome: 'incomplete' })
  expect(problemOf(shelf)).toBe('segment-record-missing')
  expect(shelf).toContainEqual(
    expect.objectContaining({ kind: 'refused', sourceId: 'trees-3', stage: 'import' }),
  )
})

test('of two lists, one per page, both are waited for', async () => {
  const pages = async (work: Work) => {
    await importing({ ids: six.slice(0, 3), list: six.slice(0, 4) })(work)
    await importing({ ids: six.slice(3), list: six.slice(3) })(work)
  }
  const importer = await strictSegment(pages)
  const { run, shelf } = await transportFixture({
    pipes: [pipeOf('trees', ['importing-x'], ['exporting-test'])],
    serviceDiscovery: { 'importing-x': at(importer.address) },
  })
  expect(await run('trees')).toMatchObject({ outcome: 'complete' })
  expect(idsOf(shelf)).toEqual(six)
})

test('an importer without list is complete when as many came as it announced, also by `current`', async () => {
  const { run, shelf } = await imports(
    {
      ids: six,
      info: (id, current) => ({ content: 'dcatResource', total: 6, current, identifier: id }),
    },
    {},
    { limits: { totalMs: 30 } },
  )
  expect(await run()).toMatchObject({ outcome: 'complete', counts: { offered: 6 } })
  expect(idsOf(shelf)).toEqual(six)
})

test('a record without identifier has that of its graph, and one whose graph has none fails alone', async () => {
  const { run, shelf } = await imports(
    { ids: six.slice(0, 3), info: (_, current) => ({ total: 3, current, identifier: '' }) },
    {},
    {
      limits: { totalMs: 30 },
      identify: async ({ text }) =>
        text.includes('trees-2') ? undefined : /city\.example\/(\S+)>/.exec(text)?.[1],
    },
  )
  expect(await run()).toMatchObject({ outcome: 'complete', counts: { offered: 3 } })
  expect(idsOf(shelf)).toEqual(['trees-1', 'trees-3'])
  expect(shelf).toContainEqual(
    expect.objectContaining({
      kind: 'refused',
      problem: expect.objectContaining({ kind: 'item-no-identifier' }),
    }),
  )
})

test('an importer that tells no end is through after the silence that its pipe says, and nothing may be removed', async () => {
  const event = (id: string) => ({ content: 'ld-event', catalogue: 'city', identifier: id })
  const { run, shelf } = await imports({ ids: six, info: event }, { quietMs: 60 })
  expect(await run()).toMatchObject({ outcome: 'incomplete' })
  expect(endOf(shelf)).toMatchObject({
    problem: { detail: expect.stringContaining('nothing says that these were all') },
  })
  expect(idsOf(shelf)).toEqual(six)
})

test('an importer that gives nothing at all fails the run', async () => {
  const { run } = await imports({ ids: [] }, { firstMs: 60 })
  expect(await run()).toMatchObject({
    status: 'failed',
    problem: { type: 'urn:cartulary:problem:segment-silent' },
  })
})

test('a transformer that gives nothing back at all fails the run', async () => {
  const { run } = await through(() => undefined, { limits: { listMs: 60 } })
  expect(await run()).toMatchObject({
    status: 'failed',
    problem: { type: 'urn:cartulary:problem:segment-silent' },
  })
})

test('a source that is JSON of its own making can be transformed, and not written', async () => {
  const json = importing({ ids: ['trees-1'], list: 'all' })
  const asJson = ({ result, ...work }: Work) =>
    json({ ...work, result: (data, _, info) => result(data, 'application/json', info) })
  const importer = await strictSegment(asJson)
  const serviceDiscovery = { 'importing-x': at(importer.address) }
  const direct = pipeOf('direct', ['importing-x'], ['exporting-test'])
  const mapped = pipeOf('mapped', ['importing-x'], ['transforming-test'], ['exporting-test'])
  const { run, shelf } = await transportFixture({ pipes: [direct, mapped], serviceDiscovery })
  await run('direct')
  expect(shelf[0]).toMatchObject({
    kind: 'refused',
    sourceId: 'trees-1',
    problem: { kind: 'item-malformed', detail: expect.stringContaining('a transformer') },
  })
  await run('mapped')
  expect(idsOf(shelf)).toEqual(['trees-1'])
})

test('everything that comes is taken at once, however long the exporter takes', async () => {
  const gate = Promise.withResolvers<void>()
  const ids = Array.from({ length: 400 }, (_, n) => `trees-${n}`)
  const { importer, launcher, runs, shelf } = await imports(
    { ids, list: 'all' },
    {},
    { gate: () => gate.promise, limits: { queued: 4 } },
  )
  const launched = launcher.launch({ pipe: 'trees', startedBy: 'api' })
  await expect.poll(() => importer.answers.length, { timeout: 20_000 }).toBe(401)
  expect(new Set(importer.answers)).toEqual(new Set([202]))
  gate.resolve()
  const { id } = 'run' in launched ? launched.run : launched.dropped
  expect(await launcher.waitForEnd(id, AbortSignal.timeout(20_000))).toMatchObject({
    outcome: 'complete',
  })
  expect([idsOf(shelf).length, runs.get(id)?.counts.offered]).toEqual([400, 400])
})

test('a return that is refused is in the report of the run, with its status, while the run goes on', async () => {
  const gate = Promise.withResolvers<void>()
  const { launcher, runs, middle, shelf } = await through(
    async ({ isList, info, pass, result }) => {
      if (info['identifier'] === 'o2') await result('x'.repeat(300_000), 'text/turtle', info)
      else await pass()
      if (isList) gate.resolve()
    },
    { gate: () => gate.promise.then(() => undefined) },
  )
  const launched = launcher.launch({ pipe: 'trees', startedBy: 'api' })
  const { id } = 'run' in launched ? launched.run : launched.dropped
  await expect
    .poll(() => runs.report(id)?.findings['segment-return-refused'], { timeout: 10_000 })
    .toMatchObject({ count: 1, examples: [{ detail: expect.stringMatching(/^413: /) }] })
  expect(await launcher.waitForEnd(id, AbortSignal.timeout(10_000))).toMatchObject({
    outcome: 'complete',
  })
  expect(shelf).toContainEqual({ kind: 'skipped', sourceId: 's2', reason: 'dropped-by-segment' })
  expect(middle.answers.filter((status) => status !== 202)).toEqual([413])
})

test('what was found in a record is in the report once, whether a segment of others gives it back, changes it, drops it or refuses it', async () => {
  const middle = await strictSegment(async ({ isList, info, pass, result }) => {
    const id = idIn(info)
    if (isList || id === 'o1') return pass()
    if (id === 'o2') return result(triples('o2', 'Changed'), 'application/n-triples', info)
    if (id !== 'o3') return undefined
    const problem = { slug: 'transform-failed', detail: 'no' }
    return result('', 'text/plain', { ...info, content: 'problem', problem })
  })
  const exporter = await strictSegment(() => undefined)
  const dated = ['importing-test', { catalogue: 'city', records: 4, dated: true }] as const
  const { run, runs } = await transportFixture({
    pipes: [
      pipeOf('back', [...dated], ['middle'], ['exporting-test']),
      pipeOf('away', [...dated], ['exporter']),
    ],
    serviceDiscovery: { middle: at(middle.address), exporter: at(exporter.address) },
  })
  for (const pipe of ['back', 'away']) {
    const { id, counts } = await run(pipe)
    expect(counts.findings).toBe(4)
    const { count, examples = [] } = runs.report(id)?.findings['invalid-date'] ?? {}
    expect(count).toBe(4)
    for (const { id: record, detail } of examples)
      expect(detail).toBe(`dct:issued: day ${record?.slice(1)}`)
  }
  expect([exporter.taken.length, middle.taken.length]).toEqual([5, 5])
})

test('a spool that is full answers 507, and the run knows', async () => {
  const { run, runs, middle } = await through(({ pass }) => pass(), { limits: { spoolBytes: 10 } })
  const { id } = await run()
  expect(new Set(middle.answers)).toEqual(new Set([507]))
  expect(runs.report(id)?.findings['segment-return-refused']?.examples[0]?.detail).toMatch(/^507: /)
})

test('the token of the path opens one place of one run, for POST and PUT and whatever the type', async () => {
  let address = ''
  let given = ''
  const gate = Promise.withResolvers<void>()
  const { launcher } = await through(async ({ pipe, pass }) => {
    const { endpoint } = pipe.body.segments[2]?.body ?? {}
    address = endpoint?.address ?? ''
    given = JSON.stringify(pipe)
    await gate.promise
    await pass()
  })
  const launched = launcher.launch({ pipe: 'trees', startedBy: 'api' })
  await expect.poll(() => address).not.toBe('')
  const send = async (
    to: string,
    body: string,
    method: 'POST' | 'PUT' = 'POST',
    type = 'application/json',
  ) => {
    const answer = await fetch(to, { method, body, headers: { 'Content-Type': type } })
    return answer.status
  }
  const message = JSON.parse(given) as WirePipe
  const payload = message.body.segments[1]?.body.payload
  const [, , last] = message.body.segments
  if (!last || !payload) throw new Error('no payload')
  last.body.payload = payload
  const good = JSON.stringify(message)
  const bare = good.replaceAll('"payload":', '"nothing":')
  const wrong = address.replace(/r\/./, (start) => (start === 'r/A' ? 'r/B' : 'r/A'))
  expect(await send(wrong, good)).toBe(404)
  expect(await send(address.replace(/r\/[\w-]+/, 'r/short'), good)).toBe(404)
  expect(await send(address, good.replace(/"runId":"[^"]+"/, '"runId":"another"'))).toBe(404)
  expect(await send(address, '{')).toBe(400)
  expect(await send(address, bare)).toBe(400)
  expect(await send(address, good, 'PUT')).toBe(202)
  expect(await send(address, good, 'POST', 'text/plain')).toBe(202)
  gate.resolve()
  const { id } = 'run' in launched ? launched.run : launched.dropped
  await launcher.waitForEnd(id, AbortSignal.timeout(10_000))
  // For a while it is taken and dropped: nobody is told of an error that is none.
  expect(await send(address, good)).toBe(202)
})

test('a message without a payload for the next segment drops the record of its sender', async () => {
  const statuses: number[] = []
  const { run, runs, shelf } = await through(async ({ pipe, info, pass }) => {
    if (info['identifier'] !== 'o2') return pass()
    const address = pipe.body.segments[2]?.body.endpoint?.address ?? ''
    const headers = { 'Content-Type': 'application/json' }
    const answer = await fetch(address, { method: 'POST', body: JSON.stringify(pipe), headers })
    statuses.push(answer.status)
  })
  const { id } = await run()
  expect(statuses).toEqual([202])
  expect(shelf).toContainEqual({ kind: 'skipped', sourceId: 's2', reason: 'dropped-by-segment' })
  expect(runs.report(id)?.findings['segment-return-refused']).toBeUndefined()
})

test('some time after its end a run takes nothing any more', async () => {
  const { run, middle } = await through(({ pass }) => pass(), { limits: { lateMs: -1 } })
  await run()
  const { address = '' } = middle.taken[0]?.body.segments[2]?.body.endpoint ?? {}
  const answer = await fetch(address, { method: 'POST', body: JSON.stringify(middle.taken[0]) })
  expect(answer.status).toBe(404)
})

test('a segment that drops most of what it gets does not hold up the rest', async () => {
  const middle = await strictSegment(filtering((id) => Number(id.slice(1)) % 10 === 0))
  const pipe = pipeOf('many', ['importing-test', { records: 100 }], ['middle'], ['exporting-test'])
  const { run, shelf } = await transportFixture({
    pipes: [pipe],
    serviceDiscovery: { middle: at(middle.address) },
    limits: { listMs: 100 },
  })
  expect(await run('many')).toMatchObject({
    outcome: 'complete',
    counts: { created: 10, failed: 0 },
  })
  expect(shelf.filter(({ kind }) => kind === 'skipped')).toHaveLength(90)
})

/** An importer that knows PUT alone, and has no words for an end. */
async function putting(): Promise<string> {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      if (request.method !== 'PUT') return void response.writeHead(404).end()
      response.writeHead(200).end()
      const pipe = JSON.parse(Buffer.concat(pieces).toString()) as WirePipe
      const [own, next] = pipe.body.segments
      if (!own || !next) throw new Error('no next segment')
      own.header.processed = true
      const dataInfo = { content: 'ld-event', catalogue: 'city' }
      next.body.payload = {
        header: { seqNumber: 1, dataType: 'text' },
        body: { data: triples('trees-1'), dataMimeType: 'application/n-quads', dataInfo },
      }
      const headers = { 'content-type': 'application/json' }
      void fetch(next.body.endpoint?.address ?? '', {
        method: 'PUT',
        headers,
        body: JSON.stringify(pipe),
      })
      return undefined
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/pipe`
}

test('a segment that knows the other method alone is found by it', async () => {
  const { run, shelf } = await transportFixture({
    pipes: [pipeOf('events', ['importing-events', { quietMs: 60 }], ['exporting-test'])],
    serviceDiscovery: { 'importing-events': at(await putting()) },
    identify: async () => 'trees-1',
  })
  expect(await run('events')).toMatchObject({ status: 'finished', outcome: 'incomplete' })
  expect(idsOf(shelf)).toEqual(['trees-1'])
})
