/** The message about pipes that begin to go wrong: when it is sent, what is in it, and what it never does. */

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Failure } from '../../src/errors.ts'
import { notifier, type Notifier } from '../../src/harvest/notifier.ts'
import { logger } from '../../src/log.ts'
import { type RunChange, type RunStart, storedProblem } from '../../src/pipe/runs/run.ts'
import type { Runs } from '../../src/pipe/runs/run-history.ts'
import { runsFixture } from '../pipe/runs/runs-fixture.ts'
import { outboundFixture, type OutboundFixture } from '../support/portals/outbound.ts'

const url = 'http://hook.example/in/s3cret-token'
type Received = {
  readonly headers: Record<string, unknown>
  readonly body: Record<string, unknown>
}

let server: Server
let received: Received[]
let statuses: number[]
let outside: OutboundFixture
let runs: Runs
let told: Notifier
let lines = ''
beforeEach(async () => {
  received = []
  statuses = []
  lines = ''
  server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => (text += String(chunk)))
    request.on('end', () => {
      received.push({ headers: request.headers, body: JSON.parse(text) })
      response.statusCode = statuses.shift() ?? 204
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  outside = outboundFixture({
    names: { 'hook.example': ['93.184.216.34'], 'inner.example': ['10.0.0.7'] },
    world: { '93.184.216.34': port, '10.0.0.7': port },
  })
  const place = runsFixture()
  runs = place.open({ now: () => (place.at += 1000) })
  told = opened(url)
})
afterEach(async () => {
  await told.stop()
  await outside.client.close()
  server.closeAllConnections()
  server.close()
})

function opened(address: string, allow: readonly string[] = []): Notifier {
  const sink = new Writable({
    write: (chunk: Buffer, _, done) => {
      lines += chunk.toString()
      done()
    },
  })
  return notifier({
    url: address,
    allow,
    scheduler: 'http://localhost:8080/api/scheduler',
    outbound: outside.client,
    runs,
    log: logger('info', sink),
  })
}

const failed: RunChange = {
  status: 'failed',
  problem: storedProblem(new Failure('source-html', 'a login page')),
}
const well: RunChange = { status: 'finished', outcome: 'complete' }

function run(change: RunChange, start: Partial<RunStart> = {}): string {
  const { id } = runs.create({
    pipe: 'city',
    catalogue: 'town',
    startedBy: 'trigger',
    dryRun: false,
    configs: {},
    segments: [],
    ...start,
  })
  runs.change(id, { status: 'running' })
  told.ended(runs.change(id, change))
  return id
}
const events = () => received.map(({ body }) => body['event'])
const settled = async (count: number) => {
  await expect.poll(() => lines.split('notify.').length - 1).toBe(count)
}

describe('a pipe', () => {
  it('that goes wrong is told once, and once more when it goes well again', async () => {
    run(well)
    const first = run(failed)
    run(failed)
    run({ status: 'timed-out' })
    const back = run({ status: 'finished', outcome: 'not-modified' })
    run(well)
    await settled(2)
    expect(events()).toEqual(['pipe.failing', 'pipe.recovered'])
    expect(received[0]?.body).toMatchObject({
      pipe: 'city',
      href: `http://localhost:8080/api/scheduler/runs/${first}`,
      run: {
        id: first,
        catalogue: 'town',
        status: 'failed',
        problem: { type: 'urn:cartulary:problem:source-html', detail: 'a login page' },
      },
    })
    expect(received[1]?.body).toMatchObject({ run: { id: back, outcome: 'not-modified' } })
    expect(received[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-request-id': `${first}-pipe.failing`,
    })
  })

  it('is judged by its history after a restart', async () => {
    run(failed)
    await settled(1)
    await told.stop()
    told = opened(url)
    run(failed)
    run(well)
    await settled(2)
    expect(events()).toEqual(['pipe.failing', 'pipe.recovered'])
  })

  it('goes wrong too when its removals wait for consent', async () => {
    const problem = storedProblem(new Failure('removal-held', '40 of 100'))
    run({ ...well, problem })
    await settled(1)
    expect(events()).toEqual(['pipe.failing'])
  })

  it.each<[string, RunChange, Partial<RunStart>]>([
    ['cancelled', { status: 'cancelled' }, {}],
    ['interrupted', { status: 'interrupted' }, {}],
    ['dry', failed, { dryRun: true }],
    ['about some records only', failed, { only: ['parks'] }],
  ])('is not judged by a run that is %s', async (_, change, start) => {
    run(change, start)
    run(failed, { pipe: 'lake' })
    await settled(1)
    expect(received.map(({ body }) => body['pipe'])).toEqual(['lake'])
  })
})

describe('the receiver', () => {
  it('that is busy is asked again, a few times at most', async () => {
    statuses = [503, 500]
    run(failed)
    await settled(1)
    expect(received).toHaveLength(3)
    statuses = Array.from({ length: 20 }, () => 503)
    run(well)
    await settled(2)
    expect(received).toHaveLength(7)
    expect(lines).toContain('notify.refused')
  })

  it('[T1] is reached through the guard: not inside the institution unless that is allowed', async () => {
    await told.stop()
    told = opened('http://inner.example/in')
    run(failed)
    await settled(1)
    expect(received).toEqual([])
    expect(lines).toContain('address-refused')
    await told.stop()
    told = opened('http://inner.example/in', ['10.0.0.0/8'])
    run(well)
    await settled(2)
    expect(events()).toEqual(['pipe.recovered'])
  })

  it('is not named in the log, because its address may be a secret', async () => {
    statuses = [404]
    run(failed)
    await settled(1)
    await told.stop()
    told = opened('http://nobody.example/in/s3cret-token')
    run(well)
    await settled(2)
    expect(lines).not.toContain('s3cret')
    expect(lines).not.toContain('example')
  })
})
