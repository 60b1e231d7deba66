/** The portals' ground misbehaves as it says: a fault that does nothing would prove nothing. */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Fault } from '../support/portals/faults.ts'
import { json, portal, type Portal, type SeenRequest } from '../support/portals/portal.ts'

let ground: Portal

beforeAll(async () => {
  ground = await portal((request, number) =>
    json({ number, method: request.method }, { ETag: '"1"' }),
  )
})

afterEach(() => {
  ground.faults.clear()
  ground.reset()
})

afterAll(() => ground.close())

/** Status, text and the error of one request, with so much patience. */
async function ask(fault?: Fault, patienceMs = 5000) {
  if (fault) ground.faults.at(ground.requests.length + 1, fault)
  const options = { redirect: 'manual', signal: AbortSignal.timeout(patienceMs) } as const
  try {
    const answer = await fetch(`${ground.url}/a?b`, options)
    const { status, headers } = answer
    return { status, headers, text: await answer.text() }
  } catch (error) {
    return { error: error instanceof Error ? error.name : error }
  }
}

describe('the ground', () => {
  it('answers rightly when no fault is due, and remembers what it was asked', async () => {
    expect(await ask()).toMatchObject({ status: 200, text: '{"number":1,"method":"GET"}' })
    const seen: readonly SeenRequest[] = ground.requests
    expect(seen).toEqual([
      expect.objectContaining({ number: 1, method: 'GET', path: '/a?b', body: '' }),
    ])
    await fetch(ground.url, { method: 'POST', body: 'x' })
    expect(ground.requests[1]).toMatchObject({ method: 'POST', body: 'x' })
  })

  it.each<[Fault, object]>([
    [{ kind: 'status', status: 503, headers: { 'Retry-After': '2' } }, { status: 503 }],
    [{ kind: 'html' }, { status: 200, text: expect.stringContaining('<!DOCTYPE html>') }],
    [{ kind: 'envelope' }, { status: 200, text: expect.stringContaining('"success":false') }],
    [{ kind: 'empty' }, { status: 200, text: '' }],
    [{ kind: 'redirect', to: '/x' }, { status: 302 }],
    [
      { kind: 'edited', edit: (text) => text.toUpperCase() },
      { text: '{"NUMBER":1,"METHOD":"GET"}' },
    ],
    [{ kind: 'drip', everyMs: 1 }, { text: '{"number":1,"method":"GET"}' }],
    [{ kind: 'truncated', framing: 'length' }, { error: 'TypeError' }],
    [{ kind: 'truncated', framing: 'chunked' }, { error: 'TypeError' }],
    [{ kind: 'head-only' }, { error: 'TypeError' }],
    [{ kind: 'reset' }, { error: 'TypeError' }],
  ])('does %o', async (fault, expected) => {
    expect(await ask(fault)).toMatchObject(expected)
  })

  it.each<Fault>([{ kind: 'silent' }, { kind: 'stuck' }, { kind: 'endless' }])(
    'does not come to an end with %o',
    async (fault) => {
      expect(await ask(fault, 200)).toEqual({ error: 'TimeoutError' })
    },
  )

  it('unpacks a bomb of a few bytes into many', async () => {
    expect((await ask({ kind: 'bomb', bytes: 3_000_000 })).text).toHaveLength(3_000_000)
  })

  it('keeps the right answer where only headers are wrong', async () => {
    const answer = await ask({ kind: 'headers', headers: { 'Content-Type': 'text/turtle' } })
    expect(answer).toMatchObject({ status: 200, text: '{"number":1,"method":"GET"}' })
    expect(answer.headers?.get('content-type')).toBe('text/turtle')
    expect(answer.headers?.get('etag')).toBe('"1"')
  })

  it('applies faults by number, from a number on, and to what they fit, in that order', async () => {
    ground.faults.at(2, { kind: 'empty' })
    ground.faults.when(({ url }) => url.endsWith('b'), { kind: 'status', status: 404 }, 1)
    ground.faults.from(4, { kind: 'status', status: 500 })
    const told = []
    for (let count = 0; count < 5; count += 1) told.push((await ask()).status)
    expect(told).toEqual([404, 200, 200, 500, 500])
    expect(ground.requests).toHaveLength(5)
  })
})
