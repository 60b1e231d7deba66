/** What every triplestore must do for us: large graphs read in chunks, and replaced all or nothing. */

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GraphStore } from '../../src/store/graph-store.ts'
import { content, graphName, linesOf, markOf as mark, system } from '../store/graphs.ts'
import type { Known, OpenStore } from './graph-store.ts'

/** `size` lines about half as many subjects, in order, of which some have twins and forms of their own. */
function* generated(size: number, version = '1'): Generator<string> {
  const name = (n: number) => String(n).padStart(9, '0')
  for (let n = 0; n < size / 2; n += 1) {
    const subject = `<urn:test:concept:${name(n)}>`
    yield `${subject} <http://www.w3.org/2004/02/skos/core#notation> "0${n}"^^<http://www.w3.org/2001/XMLSchema#integer> .\n`
    yield `${subject} <http://www.w3.org/2004/02/skos/core#prefLabel> "Label ${n} ${n % 10 === 0 ? version : ''}"@de-de .\n`
  }
}

async function textOf(chunks: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const chunk of chunks) text += chunk
  return text
}

export function streamContract(dialect: string, open: OpenStore, known: Known = {}): void {
  const of = (lines: number) => 2 * Math.ceil((lines * (known.share ?? 1)) / 2)
  const size = of(Number(process.env['STORE_STREAMED'] ?? 20_000))
  const small = of(2000)

  describe(`${dialect}: streams`, () => {
    let store: GraphStore
    const patient = { timeout: 600_000 }
    const count = async (graph: string) => {
      const [row] = await store.select(`SELECT (COUNT(*) AS ?n) { GRAPH <${graph}> { ?s ?p ?o } }`)
      return Number(row?.['n']?.value)
    }
    const replace = (graph: string, lines: Iterable<string>, n?: number) =>
      store.write([
        { graph, content: [...lines].join('') },
        ...(n === undefined ? [] : [{ graph: system, add: [mark(graph, n)] }]),
      ])
    const marksOf = async (graph: string) =>
      linesOf(await store.read(system)).filter((line) =>
        line.startsWith(`<${graph}> <urn:cartulary:control#pending>`),
      )

    beforeAll(async () => {
      store = await open()
    })
    afterAll(() => store.close())

    it(
      'takes a large graph, with its marks, and gives it back sorted, in our spelling',
      patient,
      async () => {
        const graph = graphName()
        await replace(graph, generated(size), 1)
        expect(await count(graph)).toBe(size)
        const chunks: string[] = []
        for await (const chunk of store.readLines(graph)) chunks.push(chunk)
        expect(chunks.every((chunk) => chunk.endsWith('\n'))).toBe(true)
        expect(chunks.join('') === [...generated(size)].join('')).toBe(true)
        expect(await marksOf(graph)).toEqual([mark(graph, 1)])
      },
    )

    it('writes what differs, and takes away what is gone', patient, async () => {
      const graph = graphName()
      await replace(graph, generated(size), 1)
      await replace(graph, generated(size / 2, '2'), 2)
      expect(await count(graph)).toBe(size / 2)
      const text = await textOf(store.readLines(graph))
      expect(text === [...generated(size / 2, '2')].join('')).toBe(true)
      await replace(graph, [], 3)
      expect(await textOf(store.readLines(graph))).toBe('')
      expect(await store.read(graph)).toBeUndefined()
      expect(await store.ask(`ASK { GRAPH <${graph}> { ?s ?p ?o } }`)).toBe(false)
      expect(await marksOf(graph)).toEqual([1, 2, 3].map((n) => mark(graph, n)))
    })

    it('keeps equal values in different spellings apart, also when one of them goes', async () => {
      const graph = graphName()
      const typed = (text: string, type: string) =>
        `<urn:test:s> <urn:test:p> "${text}"^^<http://www.w3.org/2001/XMLSchema#${type}> .`
      const many = ['1', '01', '+1'].map((text) => typed(text, 'integer'))
      const more = [
        typed('1.50', 'decimal'),
        typed('1.5', 'decimal'),
        '<urn:test:s> <urn:test:p> <urn:test:o> .',
      ]
      const ended = (lines: string[]) => content(lines).match(/[^\n]*\n/g) ?? []
      await replace(graph, ended([...many, ...more]))
      expect(await textOf(store.readLines(graph))).toBe(content([...many, ...more]))
      await replace(graph, ended([...many.slice(1), ...more.slice(1)]))
      expect(await textOf(store.readLines(graph))).toBe(
        content([...many.slice(1), ...more.slice(1)]),
      )
      expect(await store.read(graph)).toBe(content([...many.slice(1), ...more.slice(1)]))
    })

    it('changes nothing when a line cannot be stored', async () => {
      const graph = graphName()
      await replace(graph, generated(small), 1)
      const bad = ['<urn:test:a> <urn:test:p> "x" .\n', '<urn:test:b> <urn:test:p> "no end\n']
      await expect(replace(graph, bad, 3)).rejects.toMatchObject({ kind: 'invalid-content' })
      expect(await textOf(store.readLines(graph))).toBe([...generated(small)].join(''))
      expect(await marksOf(graph)).toEqual([mark(graph, 1)])
    })

    it('changes nothing when another change cannot be stored', async () => {
      const graph = graphName()
      await replace(graph, generated(small), 1)
      const other = { graph: graphName(), content: '<urn:test:s> <urn:test:p> "no end\n' }
      const call = store.write([{ graph, content: [...generated(small, '2')].join('') }, other])
      await expect(call).rejects.toMatchObject({ kind: 'invalid-content' })
      expect(await textOf(store.readLines(graph))).toBe([...generated(small)].join(''))
    })

    it('shows every reader a whole old or a whole new graph', patient, async () => {
      const graph = graphName()
      const [one, two] = [[...generated(small, 'one')], [...generated(small, 'two')]]
      await replace(graph, one)
      const state = { done: false }
      const seen = new Set<string>()
      const reader = async () => {
        while (!state.done) {
          seen.add(await textOf(store.readLines(graph)))
          seen.add((await store.read(graph)) ?? '')
        }
      }
      const readers = [reader(), reader()]
      for (let n = 0; n < 6; n += 1) await replace(graph, n % 2 === 0 ? two : one)
      state.done = true
      await Promise.all(readers)
      const whole = new Set([one.join(''), two.join('')])
      expect([...seen].filter((text) => !whole.has(text))).toEqual([])
    })

    it('gives a slow reader the state that he began with', async () => {
      const graph = graphName()
      const old = [...generated(size)].join('')
      await replace(graph, generated(size))
      let text = ''
      for await (const chunk of store.readLines(graph)) {
        if (text === '') await replace(graph, generated(100, '2'))
        text += chunk
        await sleep(0)
      }
      expect(text === old).toBe(true)
      expect(await textOf(store.readLines(graph))).toBe([...generated(100, '2')].join(''))
    })
  })
}
