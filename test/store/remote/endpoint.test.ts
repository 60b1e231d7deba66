/** Queries and updates of a store by the SPARQL Protocol. */

import { describe, expect, it } from 'vitest'
import { openEndpoint } from '../../../src/store/remote/store-endpoint.ts'
import { fuseki } from '../../../src/store/remote/fuseki.ts'
import {
  failureOf,
  httpServer,
  rawServer,
  wholeAnswer,
  wire,
} from '../../client/service/servers.ts'

const endpoint = (url: string) =>
  openEndpoint({
    dialect: fuseki,
    service: wire(),
    queryEndpoint: url,
    updateEndpoint: url,
    callMs: 1500,
    name: () => 'name',
    pause: () => Promise.resolve(),
  })

describe('an endpoint', () => {
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
    const client = endpoint(url)
    expect(await client.ask('ASK {}')).toBe(true)
    expect((await client.select('SELECT * {}')).map((row) => row['x']?.value)).toEqual(['ü'])
    expect(await client.construct('CONSTRUCT WHERE { ?s ?p ?o }')).toBe('<urn:s> <urn:p> "ü" .\n')
  })

  it('gives no rows of a cut answer, but an error', async () => {
    const { url } = await rawServer(({ socket }) =>
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{"head":{"vars":["x"]},"results":'),
    )
    const client = endpoint(url)
    expect((await failureOf(client.select('SELECT * {}'))).kind).toBe('store-unavailable')
  })

  it('is ended by its signal', async () => {
    const arrived = Promise.withResolvers<void>()
    const { url } = await rawServer(() => arrived.resolve())
    const stop = new AbortController()
    const asked = endpoint(url).ask('ASK {}', stop.signal)
    await arrived.promise
    stop.abort('enough')
    await expect(asked).rejects.toBe('enough')
  })

  it('sends queries as forms with their time limit, and updates as they are', async () => {
    const seen: string[] = []
    const { url } = await httpServer((request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (part: string) => (body += part))
      request.on('end', () => {
        seen.push(`${request.headers['content-type']} ${body}`)
        response.end('{"head":{},"boolean":true}')
      })
    })
    await endpoint(url).ask('ASK {}')
    await endpoint(url).update('INSERT DATA {}')
    expect(seen).toEqual([
      'application/x-www-form-urlencoded query=ASK+%7B%7D&timeout=2',
      'application/sparql-update INSERT DATA {}',
    ])
  })

  it.each([
    ['a query', (url: string) => endpoint(url).ask('ASK {}')],
    ['an update', (url: string) => endpoint(url).update('INSERT DATA {}')],
  ])('sends %s again when its connection broke', async (_, call) => {
    let requests = 0
    const { url } = await rawServer(({ socket, number }) => {
      requests += 1
      if (number === 1) socket.resetAndDestroy()
      else socket.write(wholeAnswer('{"head":{},"boolean":true}'))
    })
    await call(url)
    expect(requests).toBe(2)
  })

  it.each([
    [400, 'malformed-query', 'invalid-content'],
    [503, 'store-unavailable', 'store-unavailable'],
    [507, 'store-full', 'store-full'],
  ])('names what %i means of a query and of an update', async (status, query, update) => {
    const { url } = await httpServer((_, response) => response.writeHead(status).end('no'))
    expect((await failureOf(endpoint(url).ask('ASK {}'))).kind).toBe(query)
    expect((await failureOf(endpoint(url).update('x'))).kind).toBe(update)
  })
})
