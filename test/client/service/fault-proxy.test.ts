/** The proxy that injects faults does what it says, and says what it did; the wire lives with it. */

import { describe, expect, it, onTestFinished } from 'vitest'
import { allFaults, faultProxy, type Fault } from '../../support/fault-proxy.ts'
import { asking, httpServer, rawServer, updating, wholeAnswer, wire } from './servers.ts'

async function proxy(target: string, options: Parameters<typeof faultProxy>[1] = {}) {
  const started = await faultProxy(target, { slowMs: 1, ...options })
  onTestFinished(() => started.close())
  return started
}

/** A store that remembers whole requests and answers `answer`. */
async function store(answer = 'a whole answer') {
  const bodies: string[] = []
  const { url, connections } = await httpServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (part: string) => (body += part))
    request.on('end', () => {
      bodies.push(body)
      if (answer === '') response.writeHead(204).end()
      else response.end(answer)
    })
  })
  return { url, bodies, connections }
}

/** A repeatable sequence of numbers below 1. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

describe('a request through the proxy', () => {
  it('passes as it is, over lasting connections', async () => {
    const { url, bodies, connections } = await store()
    const through = await proxy(url)
    const one = wire()
    for (let turn = 0; turn < 10; turn += 1)
      expect((await one.send(updating(through.url, { body: 'ü' }))).text).toBe('a whole answer')
    expect(bodies).toEqual(Array.from({ length: 10 }, () => 'ü'))
    expect(connections()).toBe(1)
    expect(through.seen()).toMatchObject({ requests: 10, unanswered: 0 })
  })

  it('keeps path, query, method, headers, status', async () => {
    const { url } = await httpServer((request, response) => {
      const { method, url: path, headers } = request
      response.writeHead(404, { 'X-Told': `${method} ${path} ${headers.accept}` }).end()
    })
    const { url: through } = await proxy(url)
    const request = asking(`${through}/data?graph=urn:x`, {
      method: 'DELETE',
      headers: { Accept: 'text/turtle' },
    })
    const { status, headers } = await wire().send(request)
    expect([status, headers['x-told']]).toEqual([404, 'DELETE /ds/data?graph=urn:x text/turtle'])
  })

  it.each<[Fault, number | string, string[]]>([
    ['reset-before', 'store-unavailable', []],
    ['reset-during', 'store-unavailable', []],
    ['reset-after', 'store-unavailable', ['update']],
    ['status-500', 500, []],
    ['status-503', 503, []],
    ['slow', 200, ['update']],
    ['cut-length', 'store-unavailable', ['update']],
    ['cut-chunked', 'store-unavailable', ['update']],
  ])('that meets %s ends with %s, and the store saw %j', async (fault, expected, seen) => {
    for (const answer of ['a whole answer', '']) {
      const { url, bodies } = await store(answer)
      const through = await proxy(url)
      through.script.push(fault)
      const outcome = await wire({ retryable: () => false })
        .send(updating(through.url, { body: 'update' }))
        .then(
          ({ status }) => status,
          (failure: { kind: string }) => failure.kind,
        )
      const told = outcome === 204 ? 200 : outcome
      expect([told, bodies]).toEqual([expected, seen])
      expect(through.seen().faults).toMatchObject({ [fault]: 1 })
      expect((await wire().send(asking(through.url))).text).toBe(answer)
    }
  })

  it('is reset when the store is away, and counted as unanswered', async () => {
    const through = await proxy('http://127.0.0.1:1/ds')
    await expect(wire().send(updating(through.url))).rejects.toThrow('broke off')
    expect(through.seen().unanswered).toBe(1)
  })

  it('is ended at the store too when the client leaves', async () => {
    const left = Promise.withResolvers<void>()
    const { url } = await rawServer(({ socket }) => socket.on('close', left.resolve))
    const { url: through } = await proxy(url)
    const stop = new AbortController()
    const call = wire().send(asking(through, { limits: { firstByteMs: 30 } }), stop.signal)
    await expect(call).rejects.toThrow('time-limit')
    await left.promise
  })
})

describe('faults by chance', () => {
  it('come as often as they should, and the same for the same seed', async () => {
    const { url } = await store()
    const counts = async () => {
      const through = await proxy(url, { random: seeded(7) })
      for (const fault of allFaults) through.rates[fault] = 0.05
      const one = wire({ sockets: 1 })
      for (let turn = 0; turn < 200; turn += 1)
        await one.send(updating(through.url)).catch(() => 'failed')
      return through.seen().faults
    }
    const first = await counts()
    expect(await counts()).toEqual(first)
    for (const fault of allFaults) expect(first[fault]).toBeGreaterThan(0)
  })

  it('are survived by idempotent requests: all are answered', async () => {
    const { url } = await store()
    const through = await proxy(url, { random: seeded(1) })
    for (const fault of allFaults) through.rates[fault] = 0.02
    const one = wire({ retryable: ({ status }) => status >= 500 })
    for (let turn = 0; turn < 300; turn += 1) {
      const answer = await one.send(updating(through.url, { isIdempotent: true }))
      expect(answer.text).toBe('a whole answer')
    }
    const { requests, faults } = through.seen()
    expect(requests - 300).toBe(Object.values(faults).reduce((a, b) => a + b) - faults.slow)
  })
})

describe('a proxy of a server without manners', () => {
  it('hands on that a connection is to be closed', async () => {
    const { url } = await rawServer(({ socket }) =>
      socket.end(wholeAnswer('bye', '401 Unauthorized', 'Connection: close')),
    )
    const { url: through } = await proxy(url)
    const { promise, resolve } = Promise.withResolvers<string>()
    const { request } = await import('node:http')
    request(through, (answer) => resolve(String(answer.headers.connection))).end()
    expect(await promise).toBe('close')
  })
})
