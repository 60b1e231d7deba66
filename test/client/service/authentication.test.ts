/** Credentials: asked for before a body is sent, kept per path, renewed once, refused with a typed error. */

import { describe, expect, it } from 'vitest'
import { CredentialsError } from '../../../src/client/authentication.ts'
import { basicServer, credentials, digestServer } from './guarded.ts'
import { asking, failureOf, httpServer, rawServer, updating, wholeAnswer, wire } from './servers.ts'

const auth = credentials
const wrong = { ...credentials, password: 'something else' }

describe.each([
  ['Basic', basicServer],
  ['Digest with MD5', () => digestServer()],
  ['Digest with SHA-256', () => digestServer({ algorithm: 'SHA-256' })],
])('%s', (_, start) => {
  it('is found out by an empty request; after that every request is accepted at once', async () => {
    const { url, seen } = await start()
    const one = wire({ auth })
    const update = updating(url)
    for (let turn = 0; turn < 20; turn += 1) expect((await one.send(update)).text).toBe('welcome')
    expect(seen.map(({ status }) => status)).toEqual([
      401,
      ...Array.from({ length: 20 }, () => 200),
    ])
    expect(seen[0]?.body).toBe('')
    expect(new Set(seen.slice(1).map(({ body }) => body))).toEqual(new Set([update.body]))
  })

  it('is asked for once on every path', async () => {
    const { url, seen } = await start()
    const one = wire({ auth })
    for (const path of ['/query', '/update', '/query', '/update?using=x', '/query'])
      await one.send(updating(url + path))
    const refused = seen.filter(({ status }) => status === 401).map(({ path }) => path)
    expect(refused).toEqual(['/ds/query', '/ds/update'])
  })

  it('needs no empty request where there is no body', async () => {
    const { url, seen } = await start()
    const one = wire({ auth })
    await one.send(asking(`${url}?query=ASK%7B%7D`))
    await one.send(asking(url, { method: 'DELETE' }))
    expect(seen.map(({ method, status }) => [method, status])).toEqual([
      ['GET', 401],
      ['GET', 200],
      ['DELETE', 200],
    ])
  })

  it('with a wrong password is a typed error after two requests, and again at the next call', async () => {
    const { url, seen } = await start()
    const one = wire({ auth: wrong })
    const update = updating(url, { body: 'update', isIdempotent: true })
    for (const expected of [
      ['', 'update'],
      ['', 'update', '', 'update'],
    ]) {
      const failure = await failureOf(one.send(update))
      expect(failure.kind).toBe('store-unavailable')
      expect(failure.cause).toBeInstanceOf(CredentialsError)
      expect(failure.detail).not.toContain('who are you?')
      expect(String(failure.cause)).toContain('who are you?')
      expect(seen.map(({ body }) => body)).toEqual(expected)
    }
  })

  it('is a typed error when no credentials are configured', async () => {
    const { url, seen } = await start()
    const failure = await failureOf(wire().send(asking(url)))
    expect(failure.cause).toBeInstanceOf(CredentialsError)
    expect(seen).toHaveLength(1)
  })

  it('sends no body without credentials, however many calls begin at once', async () => {
    const { url, seen } = await start()
    const one = wire({ auth })
    await Promise.all(Array.from({ length: 30 }, () => one.send(updating(url))))
    const bodies = seen.filter(({ status }) => status === 401).map(({ body }) => body)
    expect(new Set(bodies)).toEqual(new Set(['']))
  })
})

describe('the nonce of a digest', () => {
  it('is used again and counted', async () => {
    const { url, seen } = await digestServer()
    const one = wire({ auth })
    for (let turn = 0; turn < 11; turn += 1) await one.send(updating(url))
    expect(seen.slice(1).map(({ count }) => Number.parseInt(count ?? '', 16))).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
    ])
  })

  it.each([true, false])(
    'is renewed once when it has expired (the server says so: %s)',
    async (saysStale) => {
      const { url, seen } = await digestServer({ uses: 3, saysStale })
      const one = wire({ auth })
      for (let turn = 0; turn < 7; turn += 1)
        expect((await one.send(updating(url))).text).toBe('welcome')
      expect(seen.map(({ status }) => status)).toEqual([
        401, 200, 200, 200, 401, 200, 200, 200, 401, 200,
      ])
    },
  )

  it('is renewed after the server was restarted', async () => {
    const { url, seen, forget } = await digestServer()
    const one = wire({ auth })
    await one.send(updating(url))
    forget()
    expect((await one.send(updating(url))).text).toBe('welcome')
    expect(seen.map(({ status }) => status)).toEqual([401, 200, 401, 200])
  })

  it('is renewed for all calls that meet its end together', async () => {
    const { url, forget } = await digestServer()
    const one = wire({ auth })
    await one.send(updating(url))
    forget()
    const calls = Array.from({ length: 8 }, () => one.send(updating(url)))
    for (const { text } of await Promise.all(calls)) expect(text).toBe('welcome')
  })

  it('that is stale again and again is an error, not a circle', async () => {
    const { url, seen } = await digestServer({ uses: 0 })
    const failure = await failureOf(wire({ auth }).send(updating(url)))
    expect(failure.cause).toBeInstanceOf(CredentialsError)
    expect(seen).toHaveLength(3)
  })

  // A server that refuses before it has read the body hangs up, and the reset overtakes its answer.
  it('is asked for anew when the server hung up on a request that bore it', async () => {
    const { url, seen, forget } = await digestServer()
    let hangUps = 0
    const target = new URL(url)
    const front = await httpServer(async (request, response) => {
      const parts: Buffer[] = []
      for await (const part of request) parts.push(part as Buffer)
      const answer = await fetch(new URL(request.url ?? '', target), {
        method: request.method ?? '',
        headers: request.headers.authorization
          ? { authorization: request.headers.authorization }
          : {},
        body: Buffer.concat(parts),
      })
      if (answer.status === 401 && parts.length > 0) {
        hangUps += 1
        request.socket.resetAndDestroy()
        return
      }
      const challenge = answer.headers.get('www-authenticate')
      response.writeHead(answer.status, challenge ? { 'WWW-Authenticate': challenge } : {})
      response.end(await answer.text())
    })
    const one = wire({ auth })
    const update = updating(front.url, { isIdempotent: true })
    await one.send(update)
    forget()
    expect((await one.send(update)).text).toBe('welcome')
    expect(hangUps).toBe(1)
    expect(seen.map(({ status }) => status)).toEqual([401, 200, 401, 401, 200])
  })
})

describe('a store that asks nobody, with credentials configured', () => {
  it.each([200, 204, 400, 405, 415])(
    'gets its requests as they are, once it answered %s to an empty one',
    async (status) => {
      const bodies: [string | undefined, string][] = []
      const { url } = await rawServer(({ head, body, socket }) => {
        bodies.push([/authorization: .*/i.exec(head)?.[0], body])
        const line = body === '' ? `${status} So` : '200 OK'
        socket.write(
          status === 204 && body === '' ? 'HTTP/1.1 204 So\r\n\r\n' : wholeAnswer('', line),
        )
      })
      const one = wire({ auth })
      await one.send(updating(url, { body: 'ASK {}' }))
      await one.send(updating(url, { body: 'ASK {}' }))
      expect(bodies).toEqual([
        [undefined, ''],
        [undefined, 'ASK {}'],
        [undefined, 'ASK {}'],
      ])
    },
  )

  it('never gets an empty PUT, which would empty a graph', async () => {
    const seen: string[] = []
    const { url } = await rawServer(({ head, body, socket }) => {
      const method = head.slice(0, 3)
      seen.push(`${method} ${body}`)
      socket.write(method === 'GET' ? wholeAnswer('', '404 Not Found') : wholeAnswer('done'))
    })
    const request = updating(url, { method: 'PUT', body: '<urn:s> <urn:p> 1 .' })
    expect((await wire({ auth }).send(request)).text).toBe('done')
    expect(seen).toEqual(['GET ', 'PUT <urn:s> <urn:p> 1 .'])
  })

  it('gets no body while it only says that it is not ready', async () => {
    const bodies: string[] = []
    const { url } = await rawServer(({ body, socket, number }) => {
      bodies.push(body)
      if (number < 3) socket.write(wholeAnswer('starting', '503 Service Unavailable'))
      else socket.write(wholeAnswer(body))
    })
    const update = updating(url, { body: 'x', isIdempotent: true })
    expect((await wire({ auth }).send(update)).text).toBe('x')
    expect(bodies).toEqual(['', '', '', 'x'])
  })
})

describe('a store that wants what we do not master', () => {
  it.each(['Negotiate', 'Bearer realm="x"', 'Digest realm="r", nonce="n", qop="auth-int"'])(
    'is refused with a typed error: %s',
    async (challenge) => {
      const { url } = await httpServer((_, response) => {
        response.writeHead(401, { 'WWW-Authenticate': challenge }).end()
      })
      const failure = await failureOf(wire({ auth }).send(updating(url)))
      expect(failure.kind).toBe('store-unavailable')
      expect(failure.cause).toBeInstanceOf(CredentialsError)
    },
  )
})
