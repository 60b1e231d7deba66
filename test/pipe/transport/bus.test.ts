import fc from 'fast-check'
import { expect, test } from 'vitest'
import { listPayload, outgoingPipe, recordPayload } from '../../../src/pipe/transport/envelope.ts'
import { queueOf } from '../../../src/pipe/transport/transport.ts'
import { pipeOf } from '../pipes.ts'
import { complete, transportFixture, record } from './transport-fixture.ts'

const pipe = pipeOf(
  'wells',
  ['importing-test', { records: 250 }],
  ['transforming-test'],
  ['exporting-test'],
)

test('a segment behind a queue of this process does what it does in a chain', async () => {
  const { run, texts } = await transportFixture({
    pipes: [pipe],
    serviceDiscovery: { 'transforming-test': { eventbus: { address: 'piveau.transforming' } } },
    limits: { queued: 8 },
  })
  expect(await run('wells')).toMatchObject({ status: 'finished', outcome: 'complete' })
  expect(texts()).toHaveLength(250)
  expect(new Set(texts())).toContain('<urn:x> <urn:title> "Quelle 250" .')
})

test('a queue that nobody listens at takes nothing, and the run says so', async () => {
  const { run } = await transportFixture({
    pipes: [pipeOf('lost', ['importing-test'], ['far-away'], ['exporting-test'])],
    serviceDiscovery: { 'far-away': { eventbus: { address: 'nowhere' } } },
  })
  const { status, problem } = await run('lost')
  expect([status, problem?.type]).toEqual(['failed', 'urn:cartulary:problem:unknown-segment'])
})

test.each([
  ['line', 'pipe', 'nats://a:b@broker:4222', { name: 'line', broker: 'nats://a:b@broker:4222' }],
  [
    'nats://broker:4222/line.one',
    'pipe',
    'nats://a:b@broker:4222',
    { name: 'line.one', broker: 'nats://a:b@broker:4222' },
  ],
  ['nats://other:4222/line', 'operator', undefined, { name: 'line', broker: 'nats://other:4222' }],
] as const)('the queue %s, named by the %s while the broker is %s', (address, by, via, queue) => {
  expect(queueOf(address, { by, via })).toEqual(queue)
})

test('a broker is named by the operator only, and always with a queue', () => {
  const via = 'nats://broker:4222'
  expect(() => queueOf('nats://other:4222/line', { by: 'pipe', via })).toThrow('address-refused')
  expect(() => queueOf(via, { by: 'operator', via })).toThrow('invalid-pipe')
  expect(() => queueOf('line', { by: 'operator', via: undefined })).toThrow('unknown-segment')
})

test('[T18] messages in any order and any number of times leave the same behind', async () => {
  const { post, shelf } = await transportFixture()
  let run = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 10 }), { maxLength: 60 }),
      fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], { minLength: 11 }),
      async (repeats, order) => {
        const runId = `run-${(run += 1)}`
        shelf.length = 0
        for (const n of [...repeats, ...order]) {
          const payload =
            n === 10
              ? listPayload(
                  Array.from({ length: 10 }, (_, id) => `o${id}`),
                  10,
                  complete,
                )
              : recordPayload(record(n), { counter: n })
          const message = outgoingPipe({ ...pipe, header: { ...pipe.header, runId } }, 3, {
            payload,
          })
          expect((await post('exporting-test', message)).status).toBe(202)
        }
        await expect.poll(() => shelf.at(-1)?.kind, { interval: 2 }).toBe('end')
        const ids = shelf.flatMap((one) => (one.kind === 'record' ? [one.sourceId] : []))
        expect(ids.toSorted()).toEqual(Array.from({ length: 10 }, (_, n) => `o${n}`))
        expect(shelf.filter(({ kind }) => kind === 'end')).toEqual(
          [complete].map(() =>
            expect.objectContaining({
              completeness: expect.objectContaining({ kind: 'complete' }),
            }),
          ),
        )
      },
    ),
    { numRuns: 50 },
  )
})
