/** What every triplestore must do for us, part one: writing and reading graphs (numbers: the conformance list). */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GraphStore } from '../../src/store/graph-store.ts'
import {
  catalogueName,
  content,
  graphName,
  linesOf,
  linkOf,
  markOf as mark,
  record,
  system,
} from '../store/graphs.ts'

export type OpenStore = () => Promise<GraphStore>

/** What a server is known to refuse, and how much it can be asked for in the time of a test. */
export type Known = {
  /** Characters of the longest literal that its parser takes. */
  readonly literal?: number
  /** It takes no IRIs that are none by the letter of RFC 3987. */
  readonly strict?: true
  /** How much of the amounts of the cases it can be asked for in the time of a test; all by default. */
  readonly share?: number
  /** It does one thing at a time. */
  readonly alone?: boolean
  /** False when a query that names no graph is not answered from all of them. */
  readonly union?: boolean
  /** Whether a query beside a commit may see a part of it, so that only reads of graphs see a whole one (decision 0015). */
  readonly showsPartialCommits?: true
}

const dataset = (graph: string) =>
  `<${graph}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/ns/dcat#Dataset> .\n`

/** For amounts that take a disk its time. */
const patient = { timeout: 600_000 }

export function writingContract(dialect: string, open: OpenStore, known: Known = {}): void {
  describe(`${dialect}: writing`, () => {
    let store: GraphStore
    const many = (count: number) => Math.ceil(count * (known.share ?? 1))
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
      const catalogue = catalogueName()
      const graphs = Array.from({ length: 100 }, graphName)
      await store.write([
        ...graphs.map((graph, n) => ({ graph, content: record(5, String(n)) })),
        ...graphs.map((_, n) => ({ graph: catalogue, add: [linkOf(catalogue, n)] })),
        ...graphs.map((graph, n) => ({ graph: system, add: [mark(graph, n)] })),
      ])
      expect((await store.readAll(graphs)).size).toBe(100)
      expect(linesOf(await store.read(catalogue))).toHaveLength(100)
      const marks = linesOf(await store.read(system))
      expect(graphs.every((graph, n) => marks.includes(mark(graph, n)))).toBe(true)
    })

    it('8 keeps a link that the text of its catalogue quotes', async () => {
      const catalogue = catalogueName()
      const link = linkOf(catalogue, 1)
      const [quoting, noting] = [` see ${link} `, 'x> <urn:cartulary:control#spelling> '].map(
        (text) => `<${catalogue}> <urn:test:p> "${text}" .`,
      )
      await store.write([
        { graph: catalogue, content: content([quoting ?? '', noting ?? '']), add: [link] },
      ])
      const own = content([quoting ?? '', noting ?? ''])
      expect(linesOf(await store.read(catalogue))).toEqual(linesOf(`${own}${link}\n`))
      expect(await store.read(catalogue, { links: false })).toBe(own)
      const fact = `<${catalogue}> <urn:cartulary:control#pending> "> <urn:cartulary:control#spelling> " .`
      await store.write([{ graph: system, add: [fact] }])
      expect(linesOf(await store.read(system))).toContain(fact)
      await store.write([{ graph: system, remove: [fact] }])
    })

    it('9 changes nothing when one of ten changes cannot be stored', async () => {
      const catalogue = catalogueName()
      const graphs = Array.from({ length: 10 }, graphName)
      const changes = graphs.map((graph, n) => ({
        graph,
        content: n === 7 ? '<urn:test:s> <urn:test:p> "no end\n' : record(3),
      }))
      const call = store.write([{ graph: catalogue, add: [linkOf(catalogue, 1)] }, ...changes])
      await expect(call).rejects.toMatchObject({ kind: 'invalid-content' })
      expect((await store.readAll([catalogue, ...graphs])).size).toBe(0)
      expect(await inStore(catalogue)).toBe('')
    })

    it('8 writes 250 groups, each for itself, and says what became of each', async () => {
      const [catalogue, bad] = [catalogueName(), graphName()]
      const graphs = Array.from({ length: 250 }, graphName)
      await put(graphs[3] ?? '', record(9, 'old'))
      const groups = graphs.map((graph, n) => [
        { graph, content: record(5, String(n)) },
        { graph: catalogue, add: [linkOf(catalogue, n)] },
        { graph: system, add: [mark(graph, n)] },
      ])
      const refused = [{ graph: bad, content: '<urn:test:s> <urn:test:p> "no end\n' }]
      const landings = await store.writeEach([...groups, refused])
      const outcomes = landings.map((one) =>
        'written' in one ? one.written[0]?.existed : one.failure,
      )
      expect(outcomes.slice(0, 250)).toEqual(graphs.map((_, n) => n === 3))
      expect(outcomes[250]).toMatchObject({ kind: 'invalid-content' })
      const texts = await store.readAll(graphs)
      expect(graphs.map((graph) => linesOf(texts.get(graph)))).toEqual(
        graphs.map((_, n) => linesOf(record(5, String(n)))),
      )
      expect(linesOf(await store.read(catalogue))).toHaveLength(250)
    })

    it('2 works from what the writer says was there, and from nothing', async () => {
      const graph = graphName()
      const [one, two] = [record(20, 'one'), record(20, 'two')]
      expect(await store.write([{ graph, content: one, before: '' }])).toEqual([
        { graph, existed: false },
      ])
      const before = (await store.read(graph)) ?? ''
      expect(await store.write([{ graph, content: two, before }])).toEqual([
        { graph, existed: true },
      ])
      expect(linesOf(await inStore(graph))).toEqual(linesOf(two))
      await store.write([{ graph, content: '', before: two }])
      expect(await store.read(graph)).toBeUndefined()
    })

    it('keeps the links of a catalogue when its content is replaced, and the content when links change', async () => {
      const graph = catalogueName()
      const link = (n: number) => linkOf(graph, n)
      await store.write([{ graph, content: record(3, 'old'), add: [link(1), link(2)] }])
      await store.write([{ graph, content: record(3, 'new') }])
      await store.write([{ graph, remove: [link(1)] }])
      const wanted = [...linesOf(record(3, 'new')), link(2)].sort()
      expect(linesOf(await store.read(graph))).toEqual(wanted)
      expect(linesOf(await inStore(graph))).toEqual(wanted)
      expect(linesOf(await store.read(graph, { links: false }))).toEqual(linesOf(record(3, 'new')))
      expect((await store.readAll([graph], { links: false })).get(graph)).toBe(
        await store.read(graph, { links: false }),
      )
      await store.write([{ graph, content: '' }])
      expect(await store.read(graph, { links: false })).toBeUndefined()
      expect(linesOf(await store.read(graph))).toEqual([link(2)])
      await store.write([{ graph, remove: [link(2)] }])
      expect(await store.read(graph)).toBeUndefined()
    })

    it('does the changes of one call one after the other', async () => {
      const [graph, catalogue] = [graphName(), catalogueName()]
      await store.write([
        { graph, content: record(3, 'one') },
        { graph: catalogue, add: [linkOf(catalogue, 1), linkOf(catalogue, 2)] },
        { graph, content: record(3, 'two') },
        { graph: catalogue, remove: [linkOf(catalogue, 1)] },
      ])
      expect(linesOf(await inStore(graph))).toEqual(linesOf(record(3, 'two')))
      expect(linesOf(await store.read(catalogue))).toEqual([linkOf(catalogue, 2)])
      await store.write([{ graph: catalogue, drop: true }])
      expect(await store.read(catalogue)).toBeUndefined()
    })

    it('12 shows every reader a whole old or a whole new graph', patient, async () => {
      const graph = graphName()
      await put(graph, record(20, '0'))
      const state = { done: false }
      const seen: string[][] = []
      const reader = async () => {
        while (!state.done) {
          if (!known.showsPartialCommits) seen.push(linesOf(await inStore(graph)))
          seen.push(linesOf(await store.read(graph)))
        }
      }
      const readers = [reader(), reader()]
      for (let n = 1; n <= many(500); n += 1) await put(graph, record(20, String(n)))
      state.done = true
      await Promise.all(readers)
      const whole = new Set(Array.from({ length: 501 }, (_, n) => record(20, String(n))))
      expect(seen.filter((lines) => !whole.has(content(lines)))).toEqual([])
    })

    it('13 lets 8 callers replace one graph; the last content stands', patient, async () => {
      const graph = graphName()
      let next = 0
      const caller = async () => {
        while (next < many(200)) await put(graph, record(10, String(next++)))
      }
      await Promise.all(Array.from({ length: 8 }, caller))
      const text = (await store.read(graph)) ?? ''
      expect(linesOf(await inStore(graph))).toEqual(linesOf(text))
      expect(linesOf(text)).toHaveLength(10)
    })

    it('14 lets 32 callers write 1,000 graphs', patient, async () => {
      const graphs = Array.from({ length: many(1000) }, graphName)
      let next = 0
      const caller = async () => {
        while (next < graphs.length) await put(graphs[next++] ?? '', record(5))
      }
      await Promise.all(Array.from({ length: 32 }, caller))
      expect((await store.readAll(graphs)).size).toBe(graphs.length)
    })

    it('15 changes exactly one of 50,000 links', patient, async () => {
      const graph = catalogueName()
      const length = many(50_000)
      const link = (n: number) => linkOf(graph, n)
      await store.write([{ graph, add: Array.from({ length }, (_, n) => link(n)) }])
      await store.write([{ graph, add: [link(length)], remove: [link(7)] }])
      const lines = new Set(linesOf(await store.read(graph)))
      expect([lines.size, lines.has(link(length)), lines.has(link(7))]).toEqual([
        length,
        true,
        false,
      ])
      const [row] = await store.select(`SELECT (COUNT(*) AS ?n) { GRAPH <${graph}> { ?s ?p ?o } }`)
      expect(row?.['n']?.value).toBe(String(length))
    })

    it.each([
      ['16', 25_000],
      ['18', 9000],
    ])('%s reads a graph of %i triples completely', async (_, whole) => {
      const size = many(whole)
      const graph = graphName()
      await put(graph, record(size))
      expect(linesOf(await store.read(graph))).toHaveLength(size)
      const [row] = await store.select(`SELECT (COUNT(*) AS ?n) { GRAPH <${graph}> { ?s ?p ?o } }`)
      expect(row?.['n']?.value).toBe(String(size))
    })

    it(
      '17 changes 1,200 and 1,200 lines of one graph, and nobody reads a part',
      patient,
      async () => {
        const graph = graphName()
        const [old, next] = [linesOf(record(1200, 'old')), linesOf(record(1200, 'new'))]
        await put(graph, record(1200, 'old'))
        const state = { done: false }
        const seen: string[][] = []
        const reader = async () => {
          while (!state.done) seen.push(linesOf(await store.read(graph)))
        }
        const readers = [reader(), reader()]
        await put(graph, record(1200, 'new'))
        state.done = true
        await Promise.all(readers)
        const whole = new Set([content(old), content(next)])
        const part = seen.find((lines) => !whole.has(content(lines)))
        expect(part?.length).toBeUndefined()
        expect(linesOf(await inStore(graph))).toEqual(next)
      },
    )

    it('19 keeps a newer mark when the older one is cleared', async () => {
      const graph = graphName()
      await store.write([{ graph: system, add: [mark(graph, 1)] }])
      await store.write([{ graph: system, add: [mark(graph, 2)] }])
      await store.write([{ graph: system, remove: [mark(graph, 1)] }])
      expect(
        linesOf(await store.read(system)).filter((line) => line.startsWith(`<${graph}>`)),
      ).toEqual([mark(graph, 2)])
    })

    it('36 lists 12,000 graphs page by page while others are written', patient, async () => {
      const prefix = `${graphName()}/`
      const graphs = Array.from(
        { length: many(12_000) },
        (_, n) => `${prefix}${String(n).padStart(5, '0')}`,
      )
      for (let at = 0; at < graphs.length; at += 1000) {
        const some = graphs.slice(at, at + 1000)
        await store.writeEach(some.map((graph) => [{ graph, content: dataset(graph), before: '' }]))
      }
      const listed: string[] = []
      for (let after = prefix; ; after = listed.at(-1) ?? '') {
        const rows = await store.select(
          `SELECT ?g { GRAPH ?g { ?g a <http://www.w3.org/ns/dcat#Dataset> } ` +
            `FILTER(STRSTARTS(STR(?g), "${prefix}")) FILTER(STR(?g) > "${after}") } ` +
            `ORDER BY STR(?g) LIMIT 500`,
        )
        if (rows.length === 0) break
        listed.push(...rows.map((row) => row['g']?.value ?? ''))
        await put(graphName(), record(1))
      }
      expect(listed).toEqual(graphs)
    })

    it('45 replaces one graph again and again; nothing piles up', patient, async () => {
      const graph = graphName()
      const count = Number(process.env['STORE_REPLACES'] ?? many(300))
      for (let n = 0; n < count; n += 1) await put(graph, record(30, String(n)))
      expect(linesOf(await inStore(graph))).toEqual(linesOf(record(30, String(count - 1))))
    })
  })
}
