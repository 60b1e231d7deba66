/** The two protocols of the embedded store, without a socket. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EmbeddedStore } from '../../src/store/graph-store.ts'
import { content, graphName, linesOf } from './graphs.ts'
import { newDirectory, openEmbedded } from './opening.ts'

const form = 'application/x-www-form-urlencoded'
const turtle = '<urn:s> <urn:p> "a", 01 .'

describe('the protocols', () => {
  const directory = newDirectory()
  let store: EmbeddedStore
  beforeAll(async () => {
    store = await openEmbedded({}, directory)
  })
  afterAll(() => store.close())

  const send = (
    path: string,
    method = 'GET',
    body?: string,
    headers: Record<string, string> = {},
  ) =>
    store.protocol(
      new Request(`http://store${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
      }),
    )
  const data = (graph: string) => `/data?graph=${encodeURIComponent(graph)}`
  const put = (graph: string, body = turtle, method = 'PUT') =>
    send(data(graph), method, body, { 'content-type': 'text/turtle' })
  const update = (text: string) =>
    send('/update', 'POST', text, { 'content-type': 'application/sparql-update' })

  it('queries by GET, by form and directly', async () => {
    const query = 'ASK { }'
    const answers = [
      await send(`/query?query=${encodeURIComponent(query)}`),
      await send('/query', 'POST', `query=${encodeURIComponent(query)}`, { 'content-type': form }),
      await send('/query', 'POST', query, { 'content-type': 'application/sparql-query' }),
    ]
    for (const answer of answers) {
      expect([answer.status, await answer.json()]).toMatchObject([200, { boolean: true }])
    }
  })

  it.each([
    ['SELECT * { ?s ?p ?o }', 'text/csv', 'text/csv'],
    ['SELECT * { ?s ?p ?o }', 'application/xml;q=0.9, text/nothing', 'application/xml'],
    ['CONSTRUCT WHERE { ?s ?p ?o }', 'text/turtle', 'text/turtle'],
    ['CONSTRUCT WHERE { ?s ?p ?o }', '*/*', 'application/n-triples'],
  ])('negotiates the result of %s for %s', async (query, accept, type) => {
    const answer = await send(`/query?query=${encodeURIComponent(query)}`, 'GET', undefined, {
      accept,
    })
    expect(answer.headers.get('content-type')).toBe(type)
  })

  it('queries the default graph only, or the graphs that the parameters name', async () => {
    const graph = graphName()
    await put(graph)
    const query = encodeURIComponent('ASK { ?s <urn:p> "a" }')
    const plain = await send(`/query?query=${query}`)
    expect(await plain.json()).toMatchObject({ boolean: false })
    const chosen = await send(
      `/query?query=${query}&default-graph-uri=${encodeURIComponent(graph)}`,
    )
    expect(await chosen.json()).toMatchObject({ boolean: true })
  })

  it('makes, changes, merges, reads and deletes a graph with the statuses of the standard', async () => {
    const graph = graphName()
    expect((await send(data(graph))).status).toBe(404)
    expect((await put(graph)).status).toBe(201)
    expect((await put(graph, '<urn:s> <urn:p> "b" .')).status).toBe(204)
    expect((await put(graph, '<urn:s> <urn:p> "c" .', 'POST')).status).toBe(204)
    const read = await send(data(graph), 'GET', undefined, { accept: 'application/n-triples' })
    expect(linesOf(await read.text())).toEqual(['<urn:s> <urn:p> "b" .', '<urn:s> <urn:p> "c" .'])
    const head = await send(data(graph), 'HEAD')
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect((await send(data(graph), 'DELETE')).status).toBe(204)
    expect((await send(data(graph), 'DELETE')).status).toBe(404)
    expect((await send(data(graph), 'HEAD')).status).toBe(404)
  })

  it('keeps the default graph apart', async () => {
    expect(
      (await send('/data?default', 'PUT', turtle, { 'content-type': 'text/turtle' })).status,
    ).toBe(201)
    expect(await store.ask('ASK { ?s <urn:p> "a" }')).toBe(true)
    expect((await send('/data?default', 'DELETE')).status).toBe(204)
    expect(await store.ask('ASK { ?s ?p ?o }')).toBe(false)
  })

  it.each([
    ['bad Turtle', () => put(graphName(), '<urn:s> <urn:p> '), 400],
    ['blank nodes', () => put(graphName(), '<urn:s> <urn:p> [] .'), 400],
    [
      'an unknown media type',
      () => send(data(graphName()), 'PUT', 'x', { 'content-type': 'image/png' }),
      415,
    ],
    ['no graph', () => send('/data'), 400],
    ['two graphs', () => send('/data?graph=urn:a&default'), 400],
    ['a graph name that is no IRI', () => send('/data?graph=a%20b'), 400],
    ['another method', () => send(data(graphName()), 'PATCH', 'x'), 405],
    ['a bad query', () => send('/query?query=SELECT'), 400],
    ['no query', () => send('/query'), 400],
    ['an update as a query', () => send(`/query?query=${encodeURIComponent('DROP ALL')}`), 400],
    ['a query as an update', () => update('ASK {}'), 400],
    ['an update by GET', () => send(`/update?update=${encodeURIComponent('DROP ALL')}`), 405],
    [
      'a wrong type of update',
      () => send('/update', 'POST', 'DROP ALL', { 'content-type': 'text/plain' }),
      415,
    ],
    ['LOAD', () => update('LOAD <http://127.0.0.1:9/>'), 400],
    [
      'SERVICE',
      () =>
        update(
          'INSERT { GRAPH <urn:a> { ?s ?p ?o } } WHERE { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }',
        ),
      400,
    ],
    [
      'blank nodes in an update',
      () => update('INSERT DATA { GRAPH <urn:a> { _:b <urn:p> 1 } }'),
      400,
    ],
    [
      'BNODE() in an update',
      () => update('INSERT { GRAPH <urn:a> { ?b <urn:p> 1 } } WHERE { BIND(BNODE() AS ?b) }'),
      400,
    ],
    ['another address', () => send('/other'), 404],
    [
      'a type that no result has',
      () =>
        send(`/query?query=${encodeURIComponent('ASK {}')}`, 'GET', undefined, {
          accept: 'image/png',
        }),
      406,
    ],
  ])('refuses %s', async (_, call, status) => {
    const answer = await call()
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
  })

  it('makes SPARQL updates durable, whichever graphs they touch', async () => {
    const [one, two, gone] = [graphName(), graphName(), graphName()]
    await store.write([
      {
        graph: one,
        content: content([
          '<urn:s> <urn:p> "01"^^<http://www.w3.org/2001/XMLSchema#integer> .',
          '<urn:s> <urn:q> "x" .',
        ]),
      },
      {
        graph: gone,
        content: content(['<urn:gone> <urn:p> "x" .']),
        add: ['<urn:gone> <urn:link> <urn:x> .'],
      },
    ])
    expect(
      (
        await update(
          `DELETE { GRAPH ?g { ?s <urn:q> ?o } } INSERT { GRAPH <${two}> { ?s <urn:moved> ?o } } WHERE { GRAPH ?g { ?s <urn:q> ?o } }`,
        )
      ).status,
    ).toBe(204)
    const body = `update=${encodeURIComponent(`DROP GRAPH <${gone}>`)}`
    expect((await send('/update', 'POST', body, { 'content-type': form })).status).toBe(204)
    const look = async () => [await store.read(one), await store.read(two), await store.read(gone)]
    const before = await look()
    expect(before).toEqual([
      '<urn:s> <urn:p> "01"^^<http://www.w3.org/2001/XMLSchema#integer> .\n',
      '<urn:s> <urn:moved> "x" .\n',
      undefined,
    ])
    await store.close()
    store = await openEmbedded({}, directory)
    expect(await look()).toEqual(before)
    expect(await store.ask(`ASK { GRAPH <${two}> { <urn:s> <urn:moved> "x" } }`)).toBe(true)
  })
})
