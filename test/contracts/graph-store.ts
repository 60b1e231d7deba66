/** What every triplestore must do for us, part one: writing and reading graphs (numbers: the conformance list). */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GraphStore } from '../../src/store/graph-store.ts'
import { content, graphName, linesOf, record, system } from '../store/graphs.ts'

export type OpenStore = () => Promise<GraphStore>

const link = (n: number) =>
  `<urn:test:catalogue> <http://www.w3.org/ns/dcat#dataset> <urn:test:d${n}> .`
const mark = (graph: string, n: number) => `<${graph}> <urn:cartulary:control#pending> "${n}" .`

export function writingContract(dialect: string, open: OpenStore): void {
  describe(`${dialect}: writing`, () => {
    let store: GraphStore
    const put = (graph: string, text: string) => store.write([{ graph, content: text }])
    const inStore = (graph: string) =>
      store.construct(`CONSTRUCT { ?s ?p ?o } WHERE { GRAPH <${graph}> { ?s ?p ?o } }`)

    beforeAll(async () => {
      store = await open()
    })
    afterAll(() => store.close())

    it('1 takes a new graph and gives it back, and says that it is new', async () => {
      const graph = graphName()
      const text = record(70)
      expect(await put(graph, text)).toEqual([{ graph, existed: false }])
      expect(linesOf(await store.read(graph))).toEqual(linesOf(text))
      expect(linesOf(await inStore(graph))).toEqual(linesOf(text))
    })

    it('2 replaces all of the old by all of the new', async () => {
      const graph = graphName()
      await put(graph, record(20, 'old'))
      expect(await put(graph, record(20, 'new'))).toEqual([{ graph, existed: true }])
      expect(linesOf(await inStore(graph))).toEqual(linesOf(record(20, 'new')))
      expect(linesOf(await store.read(graph))).toEqual(linesOf(record(20, 'new')))
    })

    it('3 takes equal content as no change', async () => {
      const graph = graphName()
      await put(graph, record(20))
      await put(graph, record(20))
      expect(linesOf(await inStore(graph))).toEqual(linesOf(record(20)))
    })

    it('4 adds what was inserted and keeps the rest', async () => {
      const graph = graphName()
      const more = content(['<urn:test:s> <urn:test:p> "inserted" .', ...linesOf(record(20))])
      await put(graph, record(20))
      await put(graph, more)
      expect(linesOf(await inStore(graph))).toEqual(linesOf(more))
    })

    it('5 makes a graph absent when nothing is left of it', async () => {
      const graph = graphName()
      await put(graph, record(3))
      await put(graph, '')
      expect(await store.read(graph)).toBeUndefined()
      expect(await store.ask(`ASK { GRAPH <${graph}> { ?s ?p ?o } }`)).toBe(false)
      const named = await store.select(`SELECT ?g { GRAPH ?g {} FILTER(?g = <${graph}>) }`)
      expect(named).toEqual([])
    })

    it('6, 7 removes, removes again, and removes what never was', async () => {
      const graph = graphName()
      await put(graph, record(3))
      expect(await store.write([{ graph, drop: true }])).toEqual([{ graph, existed: true }])
      expect(await store.write([{ graph, drop: true }])).toEqual([{ graph, existed: false }])
      const never = graphName()
      expect(await store.write([{ graph: never, drop: true }])).toEqual([
        { graph: never, existed: false },
      ])
      expect(await store.read(graph)).toBeUndefined()
    })

    it('8 writes 100 graphs with their links and marks in one call', async () => {
      const catalogue = graphName()
      const graphs = Array.from({ length: 100 }, graphName)
      await store.write([
        ...graphs.map((graph, n) => ({ graph, content: record(5, String(n)) })),
        ...graphs.map((_, n) => ({ graph: catalogue, add: [link(n)] })),
        ...graphs.map((graph, n) => ({ graph: system, add: [mark(graph, n)] })),
      ])
      expect((await store.readAll(graphs)).size).toBe(100)
      expect(linesOf(await store.read(catalogue))).toHaveLength(100)
      const marks = linesOf(await store.read(system))
      expect(graphs.every((graph, n) => marks.includes(mark(graph, n)))).toBe(true)
    })

    it('9 changes nothing when one of ten changes cannot be stored', async () => {
      const catalogue = graphName()
      const graphs = Array.from({ length: 10 }, graphName)
      const changes = graphs.map((graph, n) => ({
        graph,
        content: n === 7 ? '<urn:test:s> <urn:test:p> "no end\n' : record(3),
      }))
      const call = store.write([{ graph: catalogue, add: [link(1)] }, ...changes])
      await expect(call).rejects.toMatchObject({ kind: 'invalid-content' })
      expect((await store.readAll([catalogue, ...graphs])).size).toBe(0)
      expect(await inStore(catalogue)).toBe('')
    })

    it('keeps the links of a graph when its content is replaced, and the content when links change', async () => {
      const graph = graphName()
      await store.write([{ graph, content: record(3, 'old'), add: [link(1), link(2)] }])
      await store.write([{ graph, content: record(3, 'new') }])
      await store.write([{ graph, remove: [link(1)] }])
      const wanted = [...linesOf(record(3, 'new')), link(2)].sort()
      expect(linesOf(await store.read(graph))).toEqual(wanted)
      expect(linesOf(await inStore(graph))).toEqual(wanted)
      expect(linesOf(await store.read(graph, { links: false }))).toEqual(linesOf(record(3, 'new')))
      await store.write([{ graph, content: '' }])
      expect(await store.read(graph, { links: false })).toBeUndefined()
      expect(linesOf(await store.read(graph))).toEqual([link(2)])
      await store.write([{ graph, remove: [link(2)] }])
      expect(await store.read(graph)).toBeUndefined()
    })

    it('keeps a line that is content and link until it is neither', async () => {
      const graph = graphName()
      await store.write([{ graph, content: content([link(1), link(2)]), add: [link(1)] }])
      await store.write([{ graph, remove: [link(1)] }])
      expect(linesOf(await inStore(graph))).toEqual([link(1), link(2)])
      await store.write([{ graph, add: [link(1)] }])
      await store.write([{ graph, content: content([link(2)]) }])
      expect(linesOf(await inStore(graph))).toEqual([link(1), link(2)])
      await store.write([{ graph, remove: [link(1)] }])
      expect(linesOf(await inStore(graph))).toEqual([link(2)])
    })

    it('12 shows every reader a whole old or a whole new graph', async () => {
      const graph = graphName()
      await put(graph, record(20, '0'))
      const state = { done: false }
      const seen: string[][] = []
      const reader = async () => {
        while (!state.done)
          seen.push(linesOf(await inStore(graph)), linesOf(await store.read(graph)))
      }
      const readers = [reader(), reader()]
      for (let n = 1; n <= 150; n += 1) await put(graph, record(20, String(n)))
      state.done = true
      await Promise.all(readers)
      const whole = new Set(Array.from({ length: 151 }, (_, n) => record(20, String(n))))
      expect(seen.filter((lines) => !whole.has(content(lines)))).toEqual([])
    })

    it('13 lets 8 callers replace one graph; the last content stands', async () => {
      const graph = graphName()
      let next = 0
      const caller = async () => {
        while (next < 200) await put(graph, record(10, String(next++)))
      }
      await Promise.all(Array.from({ length: 8 }, caller))
      const text = (await store.read(graph)) ?? ''
      expect(linesOf(await inStore(graph))).toEqual(linesOf(text))
      expect(linesOf(text)).toHaveLength(10)
    })

    it('14 lets 32 callers write 1,000 graphs', async () => {
      const graphs = Array.from({ length: 1000 }, graphName)
      let next = 0
      const caller = async () => {
        while (next < graphs.length) await put(graphs[next++] ?? '', record(5))
      }
      await Promise.all(Array.from({ length: 32 }, caller))
      expect((await store.readAll(graphs)).size).toBe(1000)
    })

    it('15 changes exactly one of 50,000 links', async () => {
      const graph = graphName()
      await store.write([{ graph, add: Array.from({ length: 50_000 }, (_, n) => link(n)) }])
      await store.write([{ graph, add: [link(50_000)], remove: [link(7)] }])
      const lines = new Set(linesOf(await store.read(graph)))
      expect([lines.size, lines.has(link(50_000)), lines.has(link(7))]).toEqual([
        50_000,
        true,
        false,
      ])
      const [row] = await store.select(`SELECT (COUNT(*) AS ?n) { GRAPH <${graph}> { ?s ?p ?o } }`)
      expect(row?.['n']?.value).toBe('50000')
    })

    it.each([
      ['16', 25_000],
      ['18', 9000],
    ])('%s reads a graph of %i triples completely', async (_, size) => {
      const graph = graphName()
      await put(graph, record(size))
      expect(linesOf(await store.read(graph))).toHaveLength(size)
      const [row] = await store.select(`SELECT (COUNT(*) AS ?n) { GRAPH <${graph}> { ?s ?p ?o } }`)
      expect(row?.['n']?.value).toBe(String(size))
    })

    it('17 changes 1,200 and 1,200 lines of one graph', async () => {
      const graph = graphName()
      await put(graph, record(1200, 'old'))
      await put(graph, record(1200, 'new'))
      expect(linesOf(await inStore(graph))).toEqual(linesOf(record(1200, 'new')))
    })

    it('19 keeps a newer mark when the older one is cleared', async () => {
      const graph = graphName()
      await store.write([{ graph: system, add: [mark(graph, 1)] }])
      await store.write([{ graph: system, add: [mark(graph, 2)] }])
      await store.write([{ graph: system, remove: [mark(graph, 1)] }])
      expect(
        linesOf(await store.read(system)).filter((line) => line.startsWith(`<${graph}>`)),
      ).toEqual([mark(graph, 2)])
    })

    it('36 lists many graphs page by page while others are written', async () => {
      const prefix = `${graphName()}/`
      const graphs = Array.from(
        { length: 1200 },
        (_, n) => `${prefix}${String(n).padStart(5, '0')}`,
      )
      await store.write(graphs.map((graph) => ({ graph, content: record(1) })))
      const listed: string[] = []
      for (let after = prefix; ; after = listed.at(-1) ?? '') {
        const rows = await store.select(
          `SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } FILTER(STRSTARTS(STR(?g), "${prefix}")) ` +
            `FILTER(STR(?g) > "${after}") } ORDER BY ?g LIMIT 500`,
        )
        if (rows.length === 0) break
        listed.push(...rows.map((row) => row['g']?.value ?? ''))
        await put(graphName(), record(1))
      }
      expect(listed).toEqual(graphs)
    })
  })
}
