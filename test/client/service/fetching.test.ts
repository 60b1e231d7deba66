/** `fetch` over the wire, as the SPARQL client uses it. */

import { describe, expect, it } from 'vitest'
import { sparqlClient } from '../../../src/store/protocol/client.ts'
import { failureOf, httpServer, rawServer, wholeAnswer, wire } from './servers.ts'

const fetchOf = () => wire().fetch
const form = { 'Content-Type': 'application/x-www-form-urlencoded' }

describe('the SPARQL client over the wire', () => {
  it('asks, selects and constructs', async () => {
    const { url } = await httpServer((request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (part: string) => (body += part))
      request.on('end', () => {
        const query = new URLSearchParams(body).get('query') ?? ''
        if (query.startsWith('ASK')) response.end('{"head":{},"boolean":true}')
        else if (query.startsWith('SELECT'))
          response.end(
            '{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"literal","value":"ü"}}]}}',
          )
        else response.end('<urn:s> <urn:p> "ü" .\n')
      })
    })
    const client = sparqlClient({ queryEndpoint: url, fetch: fetchOf() })
    expect(await client.ask('ASK {}')).toBe(true)
    expect((await client.select('SELECT * {}')).map((row) => row['x']?.value)).toEqual(['ü'])
    expect(await client.construct('CONSTRUCT WHERE { ?s ?p ?o }')).toBe('<urn:s> <urn:p> "ü" .\n')
  })

  it('gives no rows of a cut answer, but an error', async () => {
    const { url } = await rawServer(({ socket }) =>
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{"head":{"vars":["x"]},"results":'),
    )
    const client = sparqlClient({ queryEndpoint: url, fetch: fetchOf() })
    expect((await failureOf(client.select('SELECT * {}'))).kind).toBe('store-unavailable')
  })

  it('is ended by its signal', async () => {
    const arrived = Promise.withResolvers<void>()
    const { url } = await rawServer(() => arrived.resolve())
    const stop = new AbortController()
    const asked = sparqlClient({ queryEndpoint: url, fetch: fetchOf() }).ask('ASK {}', stop.signal)
    await arrived.promise
    stop.abort('enough')
    await expect(asked).rejects.toBe('enough')
  })
})

describe('fetch', () => {
  it.each<[string, RequestInit, number]>([
    [
      'a query by form',
      { method: 'POST', headers: form, body: new URLSearchParams({ query: 'ASK {}' }) },
      2,
    ],
    [
      'a direct query',
      { method: 'POST', headers: { 'Content-Type': 'application/sparql-query' }, body: 'ASK {}' },
      2,
    ],
    ['a GET', {}, 2],
    ['a PUT', { method: 'put', body: '' }, 2],
    [
      'an update by form',
      { method: 'POST', headers: form, body: new URLSearchParams({ update: 'CLEAR ALL' }) },
      1,
    ],
    ['another POST', { method: 'POST', body: 'query=no form' }, 1],
  ])('sends %s as often as that is harmless', async (_, options, expected) => {
    let requests = 0
    const { url } = await rawServer(({ socket, number }) => {
      requests += 1
      if (number === 1) socket.resetAndDestroy()
      else socket.write(wholeAnswer('fine'))
    })
    await fetchOf()(new URL(url), options).catch(() => 'failed')
    expect(requests).toBe(expected)
  })

  it('tells by status whether the answer is good', async () => {
    const { url } = await httpServer((request, response) => {
      response.writeHead(Number(request.url?.slice(-3))).end('text')
    })
    const told = async (status: number) => {
      const answer = await fetchOf()(`${url}/${status}`, {})
      return [answer.ok, answer.status, await answer.text()]
    }
    expect(await told(200)).toEqual([true, 200, 'text'])
    expect(await told(404)).toEqual([false, 404, 'text'])
  })

  it('refuses what the wire cannot send', async () => {
    const fetch = fetchOf()
    await expect(fetch('http://127.0.0.1:1/', { method: 'PATCH' })).rejects.toThrow(TypeError)
    const body = new Blob(['x'])
    await expect(fetch('http://127.0.0.1:1/', { method: 'POST', body })).rejects.toThrow(TypeError)
  })
})
