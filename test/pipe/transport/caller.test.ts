import { expect, onTestFinished, test } from 'vitest'
import { outboundLimits } from '../../../src/client/deadlines.ts'
import type { Reach } from '../../../src/client/outbound.ts'
import { transportLimits } from '../../../src/pipe/transport/transport-limits.ts'
import { httpSender } from '../../../src/pipe/transport/http-sender.ts'
import { inTrace } from '../../../src/trace.ts'
import { outboundFixture } from '../../support/portals/outbound.ts'
import { portal } from '../../support/portals/portal.ts'
import { pipeOf } from '../pipes.ts'

const message = pipeOf('wells', ['mending-wells'])

type Answer = number | { readonly status: number; readonly headers: Record<string, string> }

/** A service that gives these answers one after the other, the last one for ever. */
async function called(answers: readonly Answer[], reachOf?: (address: string) => Reach) {
  const service = await portal((_, number) => {
    const answer = answers[Math.min(number, answers.length) - 1] ?? 200
    return typeof answer === 'number'
      ? new Response(null, { status: answer })
      : new Response('', answer)
  })
  onTestFinished(() => service.close())
  const { client } = outboundFixture({ limits: { deadlines: outboundLimits.deadlines } })
  const pauses: number[] = []
  const address = `${service.url}/pipe`
  const reach = reachOf?.(address)
  const post = httpSender(
    {
      address,
      method: 'PUT',
      headers: { 'X-API-Key': 'key' },
      ...(reach && { reach }),
    },
    {
      outbound: client,
      limits: transportLimits,
      now: () => Date.parse('2026-11-21T12:00:00Z'),
      random: () => 1,
      pause: async (ms) => void pauses.push(ms),
    },
  )
  const outcome = await post(message, new AbortController().signal).then(
    () => 'taken over',
    (error: Error) => error.message.split(':')[0],
  )
  return { outcome, pauses, requests: service.requests }
}

test('a segment gets the trace of the run', async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const { requests } = await inTrace(`00-${traceId}-00f067aa0ba902b7-01`, () => called([202]))
  expect(requests[0]?.headers).toMatchObject({
    traceparent: expect.stringMatching(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`)),
  })
})

test('an address that a pipe names is asked by the method that it names', async () => {
  const { outcome, requests } = await called([202], (address) => ({
    kind: 'configured',
    address,
    trust: 'trusted',
    allow: [],
  }))
  expect([outcome, requests[0]?.method]).toEqual(['taken over', 'PUT'])
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual(message)
})

test.each([200, 202, 204])('%d means that the message was taken over', async (status) => {
  const { outcome, requests } = await called([status])
  expect(outcome).toBe('taken over')
  expect(requests).toHaveLength(1)
  expect(requests[0]).toMatchObject({ method: 'PUT', path: '/pipe' })
  expect(requests[0]?.headers).toMatchObject({
    'content-type': 'application/json',
    'x-api-key': 'key',
  })
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual(message)
})

test('503 and 500 are tried again, after 1, 2 and 4 seconds, four times in all', async () => {
  expect(await called([503, 500, 202])).toMatchObject({
    outcome: 'taken over',
    pauses: [1000, 2000],
  })
  const { outcome, pauses, requests } = await called([500])
  expect({ outcome, pauses, tries: requests.length }).toEqual({
    outcome: 'source-error',
    pauses: [1000, 2000, 4000],
    tries: 4,
  })
})

test('Retry-After is waited for, and not when it is longer than anybody waits', async () => {
  const later = (after: string) => ({ status: 503, headers: { 'Retry-After': after } })
  expect(await called([later('7'), 202])).toMatchObject({ outcome: 'taken over', pauses: [7000] })
  const { outcome, pauses } = await called([later('86400'), 202])
  expect({ outcome, pauses }).toEqual({ outcome: 'source-throttled', pauses: [] })
})

test.each([
  [400, 'item-malformed'],
  [401, 'source-refused'],
  [403, 'source-refused'],
  [413, 'item-too-large'],
  [302, 'source-error'],
])('%d is final: %s', async (status, slug) => {
  const { outcome, requests } = await called([
    { status, headers: { Location: 'http://127.0.0.1:9/' } },
  ])
  expect([outcome, requests.length]).toEqual([slug, 1])
})

test('a segment that knows the other of POST and PUT alone gets that, from then on', async () => {
  const { outcome, requests } = await called([404, 202])
  expect([outcome, requests.map(({ method }) => method)]).toEqual(['taken over', ['PUT', 'POST']])
  const nowhere = await called([404, 405])
  expect([nowhere.outcome, nowhere.requests.length]).toEqual(['source-not-found', 2])
})

test('a service that is not there is tried four times', async () => {
  const { client } = outboundFixture({})
  const pauses: number[] = []
  const post = httpSender(
    { address: 'http://127.0.0.1:1/pipe', method: 'POST', headers: {} },
    {
      outbound: client,
      limits: transportLimits,
      now: () => 0,
      random: () => 1,
      pause: async (ms) => void pauses.push(ms),
    },
  )
  await expect(post(message, new AbortController().signal)).rejects.toThrow('source-unreachable')
  expect(pauses).toHaveLength(3)
})

test('[T1] an address that a pipe names is met by the guard: no request reaches a private address that nobody allowed', async () => {
  const address = 'http://127.0.0.1/'
  const reach = { kind: 'configured', address, trust: 'foreign', allow: [] } as const
  const { outcome, requests } = await called([202], () => reach)
  expect([outcome, requests.length]).toEqual(['address-refused', 0])
})
