/** One request, one whole answer: limits, cut answers, connections, cancellation. */

import { describe, expect, it } from 'vitest'
import { asking, failureOf, httpServer, rawServer, updating, wholeAnswer, wire } from './servers.ts'

describe('an answer', () => {
  it('comes with status, headers in lower case and the whole text', async () => {
    const { url } = await httpServer((request, response) => {
      response.setHeader('X-SPARQL-MaxRows', '10000')
      response.writeHead(404).end(`${request.method} ${request.url} grüßt`)
    })
    const answer = await wire().send(asking(`${url}?graph=urn:x`))
    expect(answer.status).toBe(404)
    expect(answer.headers['x-sparql-maxrows']).toBe('10000')
    expect(answer.text).toBe('GET /ds?graph=urn:x grüßt')
  })

  it('keeps characters whole that arrive in pieces', async () => {
    const { url } = await rawServer(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
      for (const byte of Buffer.from('🦉🦉🦉'))
        socket.write(Buffer.concat([Buffer.from('1\r\n'), Buffer.of(byte), Buffer.from('\r\n')]))
      socket.write('0\r\n\r\n')
    })
    expect((await wire().send(asking(url))).text).toBe('🦉🦉🦉')
  })

  it('may be a redirect, which is not followed', async () => {
    const { url, connections } = await httpServer((_, response) => {
      response.writeHead(302, { Location: '/elsewhere' }).end()
    })
    expect((await wire().send(asking(url))).status).toBe(302)
    expect(connections()).toBe(1)
  })

  it.each([
    ['shorter than its Content-Length', 'Content-Length: 100\r\n\r\n<urn:s> <urn:p> "cut'],
    ['in chunks without the last one', 'Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n'],
    ['cut within a chunk', 'Transfer-Encoding: chunked\r\n\r\nff\r\nabcde'],
    ['cut in its head', 'Content-Le'],
  ])('that is %s is an error', async (_, rest) => {
    const { url } = await rawServer(({ socket }) => socket.end(`HTTP/1.1 200 OK\r\n${rest}`))
    const failure = await failureOf(wire().send(updating(url)))
    expect(failure.kind).toBe('store-unavailable')
    expect(failure.retryAfter).toBeGreaterThan(0)
  })

  it.each(['', 'Transfer-Encoding: gzip\r\n'])(
    'that does not say where it ends is an error, even when it looks whole (%j)',
    async (field) => {
      const head = `HTTP/1.1 200 OK\r\n${field}\r\n`
      const { url } = await rawServer(({ socket }) => socket.end(`${head}{}`))
      expect((await failureOf(wire().send(asking(url)))).kind).toBe('store-unavailable')
    },
  )

  it('to HEAD has no end to tell', async () => {
    const { url } = await rawServer(({ socket }) => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
    expect((await wire().send(asking(url, { method: 'HEAD' }))).status).toBe(200)
  })

  it('of no sense is an error', async () => {
    const { url } = await rawServer(({ socket }) => socket.end('220 mail.example ESMTP\r\n'))
    expect((await failureOf(wire().send(asking(url)))).kind).toBe('store-unavailable')
  })
})

describe('the limits', () => {
  it('end an answer that announces too many bytes before they are read', async () => {
    const { url } = await httpServer((_, response) => {
      response.writeHead(200, { 'Content-Length': 1_000_001 }).write('x')
    })
    expect((await failureOf(wire().send(asking(url)))).kind).toBe('too-large')
  })

  it('end an endless answer', async () => {
    const { url } = await httpServer((_, response) => {
      const more = () => response.write('x'.repeat(10_000), more)
      more()
    })
    expect((await failureOf(wire().send(asking(url)))).kind).toBe('too-large')
  })

  it('let an answer of exactly so many bytes through', async () => {
    const { url } = await httpServer((_, response) => response.end('12345'))
    const limits = { bytes: 5 }
    expect((await wire().send(asking(url, { limits }))).text).toBe('12345')
  })

  it.each(['firstByteMs', 'totalMs'])(
    'end the wait for a store that never answers (%s)',
    async (part) => {
      const { url } = await rawServer(() => {})
      const limits = { [part]: 20 }
      const failure = await failureOf(wire({ limits }).send(asking(url)))
      expect(failure.kind).toBe('time-limit')
    },
  )

  it('end an answer that never comes to its end', async () => {
    const { url } = await httpServer((_, response) => void response.write('a beginning'))
    const failure = await failureOf(wire().send(asking(url, { limits: { totalMs: 20 } })))
    expect(failure.kind).toBe('time-limit')
  })

  it('end the making of a connection that does not come to stand', async () => {
    const { url } = await rawServer(() => {})
    const secure = url.replace('http:', 'https:')
    const failure = await failureOf(wire({ limits: { connectMs: 20 } }).send(asking(secure)))
    expect(failure.kind).toBe('store-unavailable')
    expect(failure.detail).toBe('The store cannot be reached.')
  })

  it('count the wait for a free connection', async () => {
    const { url } = await rawServer(() => {})
    const busy = wire({ sockets: 1, limits: { totalMs: 60 } })
    const both = [busy.send(asking(url)), busy.send(asking(url))]
    for (const failure of await Promise.all(both.map(failureOf)))
      expect(failure.kind).toBe('time-limit')
  })

  it('leave the wire usable for the next call', async () => {
    const { url } = await rawServer(({ socket, number }) => {
      if (number > 1) socket.write(wholeAnswer('fine'))
    })
    const one = wire({ sockets: 1 })
    await failureOf(one.send(asking(url, { limits: { firstByteMs: 20 } })))
    expect((await one.send(asking(url))).text).toBe('fine')
  })
})

describe('connections', () => {
  it('last over many requests', async () => {
    const { url, connections } = await httpServer((_, response) => response.end('x'))
    const one = wire()
    for (let turn = 0; turn < 20; turn += 1) await one.send(updating(url))
    expect(connections()).toBe(1)
  })

  it('are as many as allowed, and the rest waits', async () => {
    const { url, connections } = await httpServer((_, response) => {
      setImmediate(() => response.end('x'))
    })
    const one = wire({ sockets: 3 })
    await Promise.all(Array.from({ length: 30 }, () => one.send(asking(url))))
    expect(connections()).toBe(3)
  })

  // Virtuoso raises errors before it has read the body, which then stands in front of the next request.
  it('that carried an error are given up, where the store is known for leaving bodies in them', async () => {
    const { url, connections } = await rawServer(({ socket, onConnection, number }) => {
      if (onConnection > 1) socket.write(wholeAnswer('desynced', '501 Not Implemented'))
      else if (number % 2 === 1) socket.write(wholeAnswer('SP030', '400 Bad Request'))
      else socket.write(wholeAnswer('fine', '200 OK', 'Connection: close'))
    })
    const one = wire({ closesAfterError: true, sockets: 1 })
    const calls = Array.from({ length: 6 }, () => one.send(updating(url)))
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(statuses).toEqual([400, 200, 400, 200, 400, 200])
    expect(connections()).toBe(6)
  })

  it('that carried an error are kept otherwise', async () => {
    const { url, connections } = await httpServer((_, response) => response.writeHead(400).end('x'))
    const one = wire()
    for (let turn = 0; turn < 5; turn += 1) await one.send(updating(url))
    expect(connections()).toBe(1)
  })
})

describe('an aborted call', () => {
  it('rejects with the reason of its signal, and the store sees that nobody waits', async () => {
    const left = Promise.withResolvers<void>()
    const arrived = Promise.withResolvers<void>()
    const { url } = await httpServer((_, response) => {
      response.on('close', left.resolve)
      arrived.resolve()
    })
    const stop = new AbortController()
    const call = wire().send(asking(url), stop.signal)
    await arrived.promise
    stop.abort('enough')
    await expect(call).rejects.toBe('enough')
    await left.promise
  })

  it('is not even sent when its signal was aborted before', async () => {
    const { url, connections } = await httpServer((_, response) => response.end())
    await expect(wire().send(asking(url), AbortSignal.abort('early'))).rejects.toBe('early')
    expect(connections()).toBe(0)
  })

  it('gives its place to the next one when it was waiting for a connection', async () => {
    const held = Promise.withResolvers<() => void>()
    const { url } = await rawServer(({ socket, number }) => {
      const answer = () => void socket.write(wholeAnswer(`no. ${number}`))
      if (number === 1) held.resolve(answer)
      else answer()
    })
    const one = wire({ sockets: 1 })
    const first = one.send(asking(url))
    const stop = new AbortController()
    const second = one.send(asking(url), stop.signal)
    const third = one.send(asking(url))
    const release = await held.promise
    stop.abort('enough')
    await expect(second).rejects.toBe('enough')
    release()
    expect((await first).text).toBe('no. 1')
    expect((await third).text).toBe('no. 2')
  })
})

describe('closing', () => {
  it('ends what runs and what waits, and refuses what comes', async () => {
    const arrived = Promise.withResolvers<void>()
    const { url, connections } = await rawServer(() => arrived.resolve())
    const one = wire({ sockets: 1 })
    const pending = Promise.all([1, 2].map(() => failureOf(one.send(updating(url)))))
    await arrived.promise
    await one.close()
    const late = await failureOf(one.send(asking(url)))
    for (const { kind, detail } of [...(await pending), late])
      expect([kind, detail]).toEqual([
        'store-unavailable',
        'The connection to the store is closed.',
      ])
    expect(connections()).toBe(1)
  })
})
