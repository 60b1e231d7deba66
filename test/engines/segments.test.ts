import { randomUUID } from 'node:crypto'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import {
  transportFixture,
  type TransportFixtureOptions,
} from '../pipe/transport/transport-fixture.ts'
import { logger } from '../../src/log.ts'
import { Broker } from '../../src/pipe/transport/broker.ts'
import { transportLimits } from '../../src/pipe/transport/transport-limits.ts'
import { currentTraceId, inTrace } from '../../src/trace.ts'
import { pause } from '../../src/workers/pause.ts'
import { pipeOf } from '../pipe/pipes.ts'
import { ownNats } from '../support/engines/nats.ts'
import { foreignSegmentAt } from '../support/segments/foreign.ts'

const place = inject('nats')
const url = 'missing' in place ? '' : place.url

const through = (name: string, records: number, middle = 'mending-wells') =>
  pipeOf(name, ['importing-test', { records, catalogue: 'city' }], [middle, {}], ['exporting-test'])

const quelle = (records: number) =>
  Array.from({ length: records }, (_, n) => `<urn:x> <urn:title> "Quelle ${n + 1}" .`).toSorted()

const queue = () => `queue-${randomUUID()}`
const at = (name: string) => (address: string) => ({ [name]: { eventbus: { address } } })

const housed = (options: TransportFixtureOptions) =>
  transportFixture({ eventbusUrl: url, returnQueue: `returns-${randomUUID()}`, ...options })

/** What is in a queue, and how much of it somebody has. */
async function stateOf(name: string, server = url) {
  const { host, username: user, password: pass } = new URL(server)
  const connection = await connect({ servers: host, user, pass })
  try {
    const manager = await jetstreamManager(connection)
    const { state } = await manager.streams.info(name)
    const dead = await manager.streams.info(`${name}_dead-letter`)
    return { waiting: state.messages, dead: dead.state.messages }
  } finally {
    await connection.close()
  }
}

describe.skipIf(url === '')('pipes over a NATS server', () => {
  test('a pipe whose middle segment is a foreign process writes what that made of each record', async () => {
    const address = queue()
    const foreign = await foreignSegmentAt(url, address)
    onTestFinished(foreign.stop)
    const { run, texts } = await housed({
      pipes: [through('wells', 300)],
      serviceDiscovery: at('mending-wells')(address),
    })
    expect(await run('wells')).toMatchObject({ status: 'finished', outcome: 'complete' })
    expect(texts().toSorted()).toEqual(quelle(300))
  })

  test('the trace of a run is a header of its messages, and goes on where they are read', async () => {
    const address = queue()
    const context = {
      limits: transportLimits,
      log: logger('silent'),
      pause,
    }
    const broker = await Broker.connect(url, context)
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    const message = pipeOf('wells', ['mending-wells'])
    const { signal } = new AbortController()
    await inTrace(`00-${traceId}-00f067aa0ba902b7-01`, () => broker.send(address, message, signal))
    await broker.send(address, message, signal)
    const seen: (string | undefined)[] = []
    await broker.listen(address, (_, delivery) => {
      seen.push(currentTraceId())
      delivery.done()
    })
    await expect.poll(() => seen.length).toBe(2)
    expect(seen).toEqual([traceId, undefined])
    await broker.close()
  })

  test('a segment of ours on another machine does the same, and says which records it refused', async () => {
    const address = queue()
    const serviceDiscovery = at('transforming-test')(address)
    const pipe = through('wells', 50, 'transforming-test')
    const [first, middle, last] = pipe.body.segments
    const refusing = { ...middle!, body: { config: { refuse: 'o7' } } }
    await housed({ serviceDiscovery })
    const { run, texts, shelf } = await housed({
      serviceDiscovery,
      pipes: [{ ...pipe, body: { segments: [first!, refusing, last!] } }],
      without: ['transforming-test'],
    })
    expect(await run('wells')).toMatchObject({ status: 'finished', outcome: 'complete' })
    expect(texts()).toHaveLength(49)
    expect(shelf).toContainEqual(expect.objectContaining({ kind: 'refused', sourceId: 's7' }))
    await expect.poll(() => stateOf(address)).toEqual({ waiting: 0, dead: 0 })
  })

  test('what a segment had when its process died is done by the next one', async () => {
    const address = queue()
    const serviceDiscovery = at('transforming-test')(address)
    const first = await housed({ serviceDiscovery, limits: { streams: 0 } })
    const main = await housed({
      serviceDiscovery,
      pipes: [through('wells', 20, 'transforming-test')],
      without: ['transforming-test'],
      limits: { waitMs: 60_000 },
    })
    const running = main.run('wells')
    await expect.poll(async () => (await stateOf(address)).waiting).toBeGreaterThan(0)
    await first.transport.stop()
    await housed({ serviceDiscovery })
    expect(await running).toMatchObject({ status: 'finished', outcome: 'complete' })
    expect(main.texts().toSorted()).toEqual(quelle(20))
  })

  test('a message that no try can take over is put aside, and its neighbours are not', async () => {
    const address = queue()
    await housed({ serviceDiscovery: at('transforming-test')(address) })
    const { host, username: user, password: pass } = new URL(url)
    const connection = await connect({ servers: host, user, pass })
    onTestFinished(() => connection.close())
    const client = jetstream(connection)
    for (const text of ['no pipe', '{}', JSON.stringify(pipeOf('other', ['unheard-of'], ['b']))]) {
      await client.publish(address, text)
    }
    await expect.poll(() => stateOf(address)).toEqual({ waiting: 0, dead: 3 })
  })

  test('a message that is too large for the broker fails its record and nothing else', async () => {
    const address = queue()
    const foreign = await foreignSegmentAt(url, address)
    onTestFinished(foreign.stop)
    const { run, shelf } = await housed({
      serviceDiscovery: at('mending-wells')(address),
      pipes: [through('wells', 3)],
      afterImport: async function* (input) {
        for await (const message of input) {
          const isLarge = message.kind === 'record' && message.counter === 2
          yield isLarge ? { ...message, text: 'x'.repeat(2_000_000) } : message
        }
      },
    })
    expect(await run('wells')).toMatchObject({ status: 'finished', outcome: 'complete' })
    expect(shelf).toContainEqual(
      expect.objectContaining({
        kind: 'refused',
        sourceId: 's2',
        problem: expect.objectContaining({ kind: 'item-too-large' }),
      }),
    )
  })

  test.skipIf('own' in place && !place.own)(
    'a broker that goes down and comes back loses nothing that it had taken',
    async () => {
      const server = await ownNats()
      onTestFinished(server.stop)
      const address = queue()
      const serviceDiscovery = at('transforming-test')(address)
      const main = await transportFixture({
        eventbusUrl: server.url,
        returnQueue: 'returns-one',
        serviceDiscovery,
        without: ['transforming-test'],
        pipes: [through('wells', 20, 'transforming-test')],
        limits: { waitMs: 60_000 },
      })
      const { transport } = main
      expect(transport.isConnected()).toBeUndefined()
      const running = main.run('wells')
      await expect.poll(async () => (await stateOf(address, server.url)).waiting).toBe(21)
      expect(transport.isConnected()).toBe(true)
      await server.kill()
      await expect.poll(() => transport.isConnected()).toBe(false)
      await server.restart()
      await transportFixture({
        eventbusUrl: server.url,
        returnQueue: 'returns-other',
        serviceDiscovery,
      })
      expect(await running).toMatchObject({ status: 'finished', outcome: 'complete' })
      expect(main.texts().toSorted()).toEqual(quelle(20))
      expect(transport.isConnected()).toBe(true)
    },
  )

  test('a pipe cannot name a broker of its own', async () => {
    const pipe = through('wells', 3)
    const [first, middle, last] = pipe.body.segments
    const endpoint = { protocol: 'eventbus', address: 'nats://127.0.0.1:4999/queue' }
    const named = { ...middle!, body: { config: {}, endpoint } }
    const { run } = await housed({
      pipes: [{ ...pipe, body: { segments: [first!, named, last!] } }],
    })
    const { status, problem } = await run('wells')
    expect([status, problem?.type]).toEqual(['failed', 'urn:cartulary:problem:address-refused'])
  })
})
