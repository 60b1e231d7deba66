import { expect, onTestFinished, test } from 'vitest'
import { foreignSegment } from '../../support/segments/foreign.ts'
import { pipeOf } from '../pipes.ts'
import { transportFixture } from './transport-fixture.ts'

const through = (records: number) =>
  pipeOf(
    'through',
    ['importing-test', { records, catalogue: 'city', token: 'not-for-others' }],
    ['mending-wells'],
    ['exporting-test'],
  )

async function foreign() {
  const segment = await foreignSegment()
  onTestFinished(segment.stop)
  return `http://127.0.0.1:${segment.port}/pipe`
}

const discovered = (address: string) => ({
  'mending-wells': { http: { address, method: 'POST' as const, headers: {} } },
})

test('a pipe whose middle segment is a process in another runtime writes what that made of each record', async () => {
  const address = await foreign()
  const { run, shelf, texts } = await transportFixture({
    pipes: [through(300)],
    serviceDiscovery: discovered(address),
    limits: { queued: 16 },
  })
  const { status, outcome, counts } = await run('through')
  expect({ status, outcome, created: counts.created }).toEqual({
    status: 'finished',
    outcome: 'complete',
    created: 300,
  })
  const expected = Array.from({ length: 300 }, (_, n) => `<urn:x> <urn:title> "Quelle ${n + 1}" .`)
  expect(texts().toSorted()).toEqual(expected.toSorted())
  // What was known of the records before is known afterwards, and a page comes after all that stood before it.
  expect(shelf).toContainEqual(
    expect.objectContaining({ sourceId: 's7', originalId: 'o7', sourceHash: 'hash-7' }),
  )
  const before = shelf.slice(
    0,
    shelf.findIndex((one) => one.kind === 'page' && one.cursor === 'after-200'),
  )
  const written = new Set(before.flatMap((one) => (one.kind === 'record' ? [one.counter] : [])))
  for (let n = 1; n <= 200; n += 1) expect(written).toContain(n)
  expect(shelf.at(-1)).toMatchObject({ kind: 'end', completeness: { fingerprint: 'f' } })
})

test('the endpoint that a trusted pipe names for itself is used on loopback, one that a foreign pipe names is not', async () => {
  const address = await foreign()
  const pipe = through(5)
  const [first, middle, last] = pipe.body.segments
  const named = {
    ...pipe,
    body: {
      segments: [
        first!,
        { ...middle!, body: { config: {}, endpoint: { protocol: 'http', address } } },
        last!,
      ],
    },
  }
  const trusted = await transportFixture({ pipes: [named] })
  expect(await trusted.run('through')).toMatchObject({ status: 'finished', outcome: 'complete' })
  const distrusted = await transportFixture({ pipes: [named], trust: 'foreign' })
  const refused = await distrusted.run('through')
  expect(refused).toMatchObject({ status: 'failed' })
  expect(refused.problem?.type).toBe('urn:cartulary:problem:address-refused')
})
