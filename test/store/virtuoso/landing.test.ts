/** Writes to a real Virtuoso whose traps are its own: what its compiler misreads, merges, forgets or leaves there. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GraphStore } from '../../../src/store/graph-store.ts'
import { toLine } from '../../../src/rdf/lines.ts'
import { literal, namedNode, quad } from '../../../src/rdf/terms.ts'
import { digestOf, noteOf } from '../../../src/store/remote/spelling-notes.ts'
import { content, graphName, linesOf, record, system } from '../graphs.ts'
import { bareDoor, isAbsent, open, type Bare } from './server.ts'

const xsd = (name: string) => namedNode(`http://www.w3.org/2001/XMLSchema#${name}`)
const [s, p] = [namedNode('urn:test:s'), namedNode('urn:test:p')]
const tripleOf = (object: Parameters<typeof quad>[2]) => toLine(quad(s, p, object))
const typed = (text: string, name: string) => tripleOf(literal(text, xsd(name)))

/** One of every kind that its templates, its data blocks or its index treat in another way. */
const kinds: readonly string[] = [
  tripleOf(namedNode('urn:test:o')),
  tripleOf(literal('x')),
  tripleOf(literal('x'.repeat(5000))),
  tripleOf(literal('x', 'de')),
  tripleOf(literal('x', 'sr-Latn')),
  tripleOf(literal('x'.repeat(60), 'de')),
  tripleOf(literal('x', namedNode('urn:test:type'))),
  tripleOf(literal('<a/>', namedNode('http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral'))),
  tripleOf(literal('POINT(1 2)', namedNode('http://www.opengis.net/ont/geosparql#wktLiteral'))),
  typed('7', 'integer'),
  typed('-9223372036854775808', 'integer'),
  typed('123456789012345678901234567890', 'integer'),
  typed('x', 'integer'),
  typed('7', 'unsignedByte'),
  typed('7.50', 'decimal'),
  typed('1.0e6', 'double'),
  typed('13.404954', 'double'),
  typed('NaN', 'double'),
  typed('INF', 'float'),
  typed('1', 'boolean'),
  typed('2020-01-01', 'date'),
  typed('2020-01-01+02:00', 'date'),
  typed('2020-01-01T00:00:00.5Z', 'dateTime'),
  typed('-0044-03-15T12:00:00Z', 'dateTime'),
  typed('12:34:56', 'time'),
  typed('2020', 'gYear'),
  typed('2020-01', 'gYearMonth'),
  typed('--01-02', 'gMonthDay'),
  typed('--01', 'gMonth'),
  typed('---01', 'gDay'),
  typed('P1Y2M', 'duration'),
  typed('PT24H', 'dayTimeDuration'),
  typed('http://example.org/', 'anyURI'),
  typed('0fB7', 'hexBinary'),
  typed('x', 'token'),
]

describe.skipIf(isAbsent)('a write to Virtuoso', () => {
  let store: GraphStore
  let bare: Bare
  beforeAll(async () => {
    bare = bareDoor()
    store = await open()
  })
  afterAll(async () => {
    await store.close()
    await bare.close()
  })

  const raw = async (graph: string) =>
    linesOf(await store.construct(`CONSTRUCT { ?s ?p ?o } WHERE { GRAPH <${graph}> { ?s ?p ?o } }`))
  const facts = async (graph: string) =>
    (await raw(system)).filter((line) => line.startsWith(`<${graph}>`))
  const around = (graph: string, n: number) => [
    {
      graph: `urn:test:catalogue:${graph}`,
      add: [linkOf(graph, n)],
      remove: [linkOf(graph, n - 1)],
    },
    { graph: system, add: [markOf(graph, n)], remove: [markOf(graph, n - 1)] },
  ]
  const linkOf = (graph: string, n: number) =>
    `<urn:test:catalogue:${graph}> <http://www.w3.org/ns/dcat#dataset> <urn:test:d${n}> .`
  const markOf = (graph: string, n: number) => `<${graph}> <urn:cartulary:control#pending> "${n}" .`

  it.each(kinds)('brings, keeps and takes away beside a link and a mark: %s', async (line) => {
    const graph = graphName()
    const other = tripleOf(literal('other'))
    await store.write([{ graph, content: content([line, other]) }, ...around(graph, 1)])
    expect(linesOf(await store.read(graph))).toEqual([line, other].sort())
    await store.write([{ graph, content: content([other]) }, ...around(graph, 2)])
    expect(await raw(graph)).toEqual([other])
    await store.write([{ graph, content: content([line]) }, ...around(graph, 3)])
    expect(linesOf(await store.read(graph))).toEqual([line])
    await store.write([{ graph, content: '' }])
    expect(await raw(graph)).toEqual([])
    expect(await facts(graph)).toEqual([markOf(graph, 3)])
    expect(await raw(`urn:test:catalogue:${graph}`)).toEqual([linkOf(graph, 3)])
  })

  it('brings all of them at once and takes them away again', async () => {
    const graph = graphName()
    const text = content(kinds)
    await store.write([{ graph, content: text }, ...around(graph, 1)])
    expect(await store.read(graph)).toBe(text)
    await store.write([{ graph, content: record(5) }, ...around(graph, 2)])
    expect(linesOf(await store.read(graph))).toEqual(linesOf(record(5)))
    await store.write([{ graph, content: text }, ...around(graph, 3)])
    expect(await store.read(graph)).toBe(text)
    await store.write([{ graph, drop: true }])
    expect([await raw(graph), await facts(graph)]).toEqual([[], [markOf(graph, 3)]])
  })

  it.each([
    [typed('1', 'integer'), typed('1', 'decimal')],
    [typed('1', 'boolean'), typed('1', 'integer')],
    [typed('2020-01-01', 'date'), typed('2020-01-01T00:00:00', 'dateTime')],
    [typed('2020-01-01T00:00:00Z', 'dateTime'), typed('2020-01-01T02:00:00+02:00', 'dateTime')],
    [tripleOf(literal('x', 'de-DE')), tripleOf(literal('x', 'de-de'))],
  ])('makes of %s its equal %s, and keeps both when both are there', async (one, other) => {
    const graph = graphName()
    await store.write([{ graph, content: content([one]) }, ...around(graph, 1)])
    await store.write([{ graph, content: content([other]) }, ...around(graph, 2)])
    expect(linesOf(await store.read(graph))).toEqual([other])
    await store.write([{ graph, content: content([one, other]) }])
    expect(linesOf(await store.read(graph))).toEqual([one, other].sort())
    await store.write([{ graph, content: content([one]) }])
    expect(linesOf(await store.read(graph))).toEqual([one])
  })

  it('changes more than one operation can hold, with its links and marks', async () => {
    const graph = graphName()
    await store.write([{ graph, content: record(1500, 'old') }, ...around(graph, 1)])
    await store.write([{ graph, content: record(1500, 'new') }, ...around(graph, 2)])
    expect(await store.read(graph)).toBe(record(1500, 'new'))
    const digest = noteOf(graph, digestOf(linesOf(record(1500, 'new'))))
    expect(await facts(graph)).toEqual([markOf(graph, 2), digest])
    await store.write([{ graph, drop: true }, ...around(graph, 3)])
    expect([await raw(graph), await facts(graph)]).toEqual([[], [markOf(graph, 3)]])
  })

  it('removes a hundred graphs with their links and marks in one call', async () => {
    const graphs = Array.from({ length: 100 }, graphName)
    const [catalogue] = graphs.map((graph) => `urn:test:catalogue:${graph}`)
    const links = graphs.map(
      (_, n) => `<${catalogue}> <http://www.w3.org/ns/dcat#dataset> <urn:test:d${n}> .`,
    )
    await store.write([
      ...graphs.map((graph) => ({ graph, content: record(12) })),
      { graph: catalogue ?? '', add: links },
    ])
    await store.write([
      ...graphs.map((graph) => ({ graph, drop: true as const })),
      { graph: catalogue ?? '', remove: links.slice(1) },
      { graph: system, add: graphs.map((graph) => markOf(graph, 1)) },
    ])
    expect((await store.readAll(graphs)).size).toBe(0)
    expect(await raw(catalogue ?? '')).toEqual(links.slice(0, 1))
    for (const graph of graphs.slice(0, 5)) expect(await facts(graph)).toEqual([markOf(graph, 1)])
  })

  it('takes away what a foreign writer left and nobody can name: blank nodes, hidden digits', async () => {
    const graph = graphName()
    await bare.endpoint.update(
      `INSERT { GRAPH <${graph}> { _:b <urn:test:p> _:c . <urn:test:s> <urn:test:p> 13.404954321e0 } } WHERE {}`,
    )
    await store.write([{ graph, content: record(5) }])
    expect(await raw(graph)).toEqual(linesOf(record(5)))
  })

  it.each(['nodeID://b1', 'local:x'])('refuses <%s> before anything is sent', async (iri) => {
    const graph = graphName()
    const call = store.write([
      { graph, content: record(3) },
      { graph: graphName(), content: `${tripleOf(namedNode(iri))}\n` },
    ])
    await expect(call).rejects.toMatchObject({ kind: 'invalid-content' })
    await expect(store.write([{ graph: iri, content: record(1) }])).rejects.toMatchObject({
      kind: 'invalid-content',
    })
    expect(await raw(graph)).toEqual([])
  })

  it('shows every reader a whole graph while it is replaced', async () => {
    const graph = graphName()
    const state = { done: false, seen: new Set<string>() }
    await store.write([{ graph, content: record(60, '0') }])
    const reader = async () => {
      while (!state.done) state.seen.add((await store.read(graph)) ?? '')
    }
    const readers = [reader(), reader(), reader()]
    for (let n = 1; n <= 60; n += 1) await store.write([{ graph, content: record(60, String(n)) }])
    state.done = true
    await Promise.all(readers)
    const whole = new Set(Array.from({ length: 61 }, (_, n) => record(60, String(n))))
    expect([...state.seen].filter((text) => !whole.has(text))).toEqual([])
  })
})
