/** Virtuoso's limits: rows that it cuts and sorts, time that it takes, users that may not write, errors that poison a connection. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GraphStore } from '../../../src/store/graph-store.ts'
import { pagedGraph } from '../../../src/store/remote/reading.ts'
import {
  isIncomplete,
  isTransient,
  updateFailureKind,
  probeVirtuoso,
} from '../../../src/store/virtuoso/virtuoso.ts'
import { content, graphName, linesOf, record } from '../graphs.ts'
import { bareDoor, config, isAbsent, open, type Bare } from './server.ts'

const answer = (status: number, text: string, headers: Record<string, string> = {}) => ({
  status,
  text,
  headers,
})

describe("Virtuoso's answers", () => {
  it.each([
    [500, 'Virtuoso 40001 Error SR172: Transaction deadlocked\n\nSPARQL query:\nx', true],
    [404, '', true],
    [503, '', true],
    [
      500,
      'Virtuoso 22023 Error SR553: no\n\nSPARQL query:\nINSERT DATA { "SR172 deadlock" }',
      false,
    ],
    [400, 'Virtuoso 37000 Error SP030: SPARQL compiler', false],
    [200, 'SR172', false],
  ])('%i "%s" is worth another try: %s', (status, text, again) => {
    expect(isTransient(answer(status, text))).toBe(again)
  })

  it.each([
    ['Virtuoso 37000 Error SP030: SPARQL compiler, line 1: syntax error', 'invalid-content'],
    ['Virtuoso 22023 Error SR553: Literal can not be created', 'invalid-content'],
    ['Virtuoso 42000 Error SR186:SECURITY: No permission to execute', 'store-unavailable'],
    ['Virtuoso 42000 Error SR325: Transaction aborted because it is too large', 'store-full'],
    ['Virtuoso 40001 Error SR172: Transaction deadlocked', 'store-unavailable'],
    ['something else', 'store-unavailable'],
  ])('"%s" means %s', (text, kind) => {
    expect(updateFailureKind(answer(500, text))).toBe(kind)
  })

  it('are not whole when their head or their end says so', () => {
    expect(isIncomplete(answer(200, '{}', { 'x-sql-state': 'S1TAT' }))).toBe(true)
    expect(isIncomplete(answer(500, 'rows\nVirtuoso S1T00 Error SR171: Timed out'))).toBe(true)
    expect(isIncomplete(answer(200, '"S1TAT"'))).toBe(false)
  })
})

describe.skipIf(isAbsent)('Virtuoso', () => {
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

  it('is read page by page behind the rows that it sorts', async () => {
    const graph = graphName()
    const lines = Array.from(
      { length: 12_001 },
      (_, n) => `<urn:test:s${n % 9}> <urn:test:p> "${n}" .`,
    )
    await store.write([{ graph, content: content(lines) }])
    const query = `CONSTRUCT { ?s ?p ?o } WHERE { GRAPH <${graph}> { ?s ?p ?o } }`
    const found = await pagedGraph(query, bare.endpoint, { page: 5000 })
    expect(content([...found])).toBe(content(lines))
    await store.write([{ graph, drop: true }])
  })

  it('says what it is and how many rows it gives', async () => {
    const { product, rows } = await probeVirtuoso(bare.endpoint)
    expect(product).toMatch(/^OpenLink Virtuoso \d/)
    expect(rows).toBeGreaterThanOrEqual(10_000)
  })

  it('is not opened for somebody who may not write, and says what is missing', async () => {
    const updateEndpoint = config.updateEndpoint.replace('-auth', '')
    await expect(open({ updateEndpoint })).rejects.toThrow('SPARQL_UPDATE')
  })

  it('is not opened with a wrong password, and says that', async () => {
    await expect(open({ password: 'wrong' })).rejects.toThrow('credentials')
  })

  it('answers the next query after one that it refused', async () => {
    for (let n = 0; n < 10; n += 1) {
      await expect(store.select('SELECT * {')).rejects.toMatchObject({ kind: 'malformed-query' })
      expect(await store.ask('ASK { GRAPH <urn:none> { ?s ?p ?o } }')).toBe(false)
    }
  })

  it('takes writes of many at once to the same lines, one after the other', async () => {
    const other = await open()
    const [graph, hot] = [graphName(), `urn:test:catalogue:${graphName()}`]
    const link = (n: number) =>
      `<${hot}> <http://www.w3.org/ns/dcat#dataset> <urn:test:d${n % 5}> .`
    const writes = Array.from({ length: 60 }, (_, n) =>
      (n % 2 === 0 ? store : other).write([
        { graph: `${graph}:${n}`, content: record(20) },
        { graph: hot, add: [link(n)], remove: [link(n + 1)] },
      ]),
    )
    await Promise.all(writes)
    const names = writes.map((_, n) => `${graph}:${n}`)
    expect((await store.readAll(names)).size).toBe(60)
    expect(linesOf(await store.read(`${graph}:7`))).toEqual(linesOf(record(20)))
    await other.close()
  })
})
