/** What every triplestore must do for us: after replace and delete exactly the new statements are there, whatever their terms. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GraphChange, GraphStore } from '../../src/store/graph-store.ts'
import { quoteLiteral } from '../../src/rdf/lines.ts'
import {
  catalogueName,
  content,
  graphName,
  linesOf,
  linkOf,
  markOf,
  system,
} from '../store/graphs.ts'
import type { OpenStore } from './graph-store.ts'

const xsd = (name: string) => `^^<http://www.w3.org/2001/XMLSchema#${name}>`

const texts: readonly string[] = [
  '',
  'x',
  'two words',
  ' ',
  'Straße',
  'Übersicht',
  '–',
  '’',
  '€',
  'a\u00a0b',
  'e\u0301',
  'שלום',
  'مرحبا',
  '東京',
  '🦊',
  'a\u0001b',
  'a\u007fb',
  'a\u0085b',
  'a\u2028b',
  '\ufffd',
  '\ufffe',
  'a\tb',
  'a\r\nb',
  '"quoted"',
  'back\\slash',
  '\\u0041',
  '<p class="x">&amp;</p>',
  '{ `x` } # ?y',
  'x'.repeat(100),
  'ä'.repeat(100),
  'x'.repeat(1900),
  'ß'.repeat(1900),
  'x'.repeat(5000),
  '🦊'.repeat(2500),
]

const suffixes: readonly string[] = [
  '',
  '@en',
  '@de-AT',
  '@zh-Hant-TW',
  xsd('anyURI'),
  xsd('token'),
  xsd('normalizedString'),
  xsd('hexBinary'),
  '^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#HTML>',
  '^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>',
  '^^<urn:test:type>',
]

const values = [
  ...['7', '-7', '0', '9223372036854775807', '-9223372036854775808', '1'.repeat(30), 'ß'].map(
    (text) => [text, 'integer'],
  ),
  ...'int long short byte unsignedInt unsignedByte nonNegativeInteger positiveInteger'
    .split(' ')
    .map((type) => ['7', type]),
  ...['7.5', '7', '0.000001', '123456789.12345678901'].map((text) => [text, 'decimal']),
  ...['1.5e3', '13.404954', 'NaN', 'INF'].map((text) => [text, 'double']),
  ['1.5', 'float'],
  ['true', 'boolean'],
  ['0', 'boolean'],
  ['2020-02-03', 'date'],
  ['2020-02-03+02:00', 'date'],
  ['2020-02-03T04:05:06', 'dateTime'],
  ['2020-02-03T04:05:06.5+02:00', 'dateTime'],
  ['-0044-03-15T12:00:00Z', 'dateTime'],
  ['12:34:56', 'time'],
  ['2021', 'gYear'],
  ['2021-02', 'gYearMonth'],
  ['--02-03', 'gMonthDay'],
  ['--02', 'gMonth'],
  ['---03', 'gDay'],
  ['P1Y2M', 'duration'],
  ['PT24H', 'dayTimeDuration'],
  ['aGVsbG8=', 'base64Binary'],
  ['de', 'language'],
].map(
  // Each under a property of its datatype: Virtuoso 7.2.5 loses rows of its index by object where numbers, dates and truth
  // values of one property stand in one order.
  ([text = '', type = ''], at) =>
    `<urn:test:s> <urn:test:${type}-${at}> ${quoteLiteral(text)}${xsd(type)} .`,
)

const iris = [
  '<urn:test:o>',
  '<http://example.org/straße/東京>',
  '<http://example.org/.well-known/genid/0123456789abcdef/fedcba9876543210>',
  `<http://example.org/${'y'.repeat(1781)}>`,
]

const lineOf = (term: string) => `<urn:test:s> <urn:test:p> ${term} .`

const chunks = <One>(list: readonly One[], size: number): One[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, at) =>
    list.slice(at * size, (at + 1) * size),
  )

/** Contents of lines with the same text and other tags and datatypes; values and IRIs stand by themselves. */
const families: readonly (readonly string[])[] = [
  ...texts.map((text) => suffixes.map((suffix) => lineOf(`${quoteLiteral(text)}${suffix}`))),
  ...chunks(values, suffixes.length),
  iris.map(lineOf),
]
const all = families.flat()

/** All terms in groups of one kind, so few that their write is one small request. */
const kinds: readonly (readonly string[])[] = suffixes
  .map((suffix) => texts.map((text) => lineOf(`${quoteLiteral(text)}${suffix}`)))
  .concat([values, iris.map(lineOf)])
  .flatMap((lines) => chunks(lines, 9))

const pending = 'urn:cartulary:control#pending'

const patient = { timeout: 300_000 }

export function exactContract(dialect: string, open: OpenStore): void {
  describe(`${dialect}: replace and delete leave exactly the new statements`, () => {
    let store: GraphStore
    beforeAll(async () => {
      store = await open()
    })
    afterAll(() => store.close())

    /** The lines of each graph as they are read. */
    const read = async (graphs: readonly string[]) => {
      const found = await store.readAll(graphs)
      return graphs.map((graph) => linesOf(found.get(graph)))
    }
    /** The marks of graphs. */
    const marks = async (graphs: readonly string[]) => {
      const named = graphs.map((graph) => `<${graph}>`).join(' ')
      const pattern = `VALUES ?s { ${named} } GRAPH <${system}> { ?s ?p ?o FILTER(?p = <${pending}>) }`
      return linesOf(await store.construct(`CONSTRUCT { ?s ?p ?o } WHERE { ${pattern} }`))
    }
    const sorted = (lines: readonly string[]) => linesOf(content(lines))
    /** The changes of a replace as the platform writes it: content, link and mark. */
    const replacing = (graph: string, lines: readonly string[], n: number): GraphChange[] => [
      { graph, content: content(lines) },
      { graph: system, add: [markOf(graph, n)], remove: [markOf(graph, n - 1)] },
    ]
    const created = async (contents: readonly (readonly string[])[]) => {
      const graphs = contents.map(graphName)
      await store.write(graphs.flatMap((graph, at) => replacing(graph, contents[at] ?? [], 1)))
      return graphs
    }

    it(`knows ${all.length} terms`, () => {
      expect(new Set(all).size).toBe(all.length)
      expect(all.length).toBeGreaterThanOrEqual(400)
    })

    it(
      'each term alone is replaced by another, with a mark in the same write',
      patient,
      async () => {
        for (const lines of kinds) {
          const graphs = await created(lines.map((line) => [line]))
          const fresh = lines.map((_, at) => lineOf(`"neu ${at}: Straße"@de`))
          await store.write(graphs.flatMap((graph, at) => replacing(graph, [fresh[at] ?? ''], 2)))
          expect(await read(graphs)).toEqual(fresh.map((line) => [line]))
          expect(await marks(graphs)).toEqual(graphs.map((graph) => markOf(graph, 2)).sort())
        }
      },
    )

    it('one term among twins of the same text is replaced', patient, async () => {
      const graphs = await created(families)
      const fresh = lineOf('"Neuer Titel: Straße"@de')
      const after = families.map((twins, at) => sorted(twins.with(at % twins.length, fresh)))
      await store.writeEach(graphs.map((graph, at) => replacing(graph, after[at] ?? [], 2)))
      expect(await read(graphs)).toEqual(after)
    })

    it('twins are removed one by one until nothing is left', patient, async () => {
      const graphs = await created(families)
      const most = Math.max(...families.map(({ length }) => length))
      for (let gone = 1; gone <= most; gone += 1) {
        const after = families.map((twins) => sorted(twins.slice(gone)))
        const groups = graphs.map((graph, at): GraphChange[] => [
          { graph, content: content(after[at] ?? []) },
        ])
        // One after the other: Virtuoso 7.2.5 may die of many removals of literals that are sent together.
        for (const group of groups) await store.write(group)
        expect(await read(graphs)).toEqual(after)
      }
      expect(await marks(graphs)).toEqual(graphs.map((graph) => markOf(graph, 1)).sort())
    })

    it('graphs are dropped with everything in them', patient, async () => {
      const graphs = await created(families)
      await store.write([
        ...graphs.map((graph): GraphChange => ({ graph, drop: true })),
        { graph: system, remove: graphs.map((graph) => markOf(graph, 1)) },
      ])
      const named = graphs.map((graph) => `<${graph}>`).join(' ')
      expect(await store.ask(`ASK { VALUES ?g { ${named} } GRAPH ?g { ?s ?p ?o } }`)).toBe(false)
      expect(await marks(graphs)).toEqual([])
    })

    it.each([1, 20, 21, 60, 300, 301, 700, 4001])(
      '%i lines are replaced at once',
      patient,
      async (size) => {
        const lines = (version: string) =>
          Array.from({ length: size }, (_, n) =>
            lineOf(`"Straße ${n} ${version}"${suffixes[1 + (n % 3)] ?? ''}`),
          )
        const [graph = ''] = await created([lines('alt')])
        await store.write(replacing(graph, lines('neu'), 2))
        expect(await read([graph])).toEqual([sorted(lines('neu'))])
        expect(await marks([graph])).toEqual([markOf(graph, 2)])
      },
    )

    it('two graphs, a link and a mark change in one write', patient, async () => {
      const catalogue = catalogueName()
      const graphs = await created([all, all])
      const halves = [all.filter((_, at) => at % 2 === 0), all.filter((_, at) => at % 2 === 1)]
      await store.write([{ graph: catalogue, add: [linkOf(catalogue, 1)] }])
      await store.write([
        ...graphs.flatMap((graph, at) => replacing(graph, halves[at] ?? [], 2)),
        { graph: catalogue, add: [linkOf(catalogue, 2)], remove: [linkOf(catalogue, 1)] },
      ])
      expect(await read(graphs)).toEqual(halves.map(sorted))
      expect(linesOf(await store.read(catalogue))).toEqual([linkOf(catalogue, 2)])
      expect(await marks(graphs)).not.toContain(markOf(graphs[0] ?? '', 1))
    })

    it('the same content twice is read as it was sent', patient, async () => {
      const graphs = await created(families)
      for (const [at, graph] of graphs.entries()) {
        const sent = content(families[at] ?? [])
        expect(await store.read(graph)).toBe(sent)
        const [written] = await store.write([{ graph, content: sent }])
        expect(written).toEqual({ graph, existed: true })
        expect(await store.read(graph)).toBe(sent)
      }
    })

    it('writes that share a request each leave what they say', patient, async () => {
      const graphs = await created(families)
      const after = families.map((twins) => sorted(twins.slice(0, -1)))
      await Promise.all(
        graphs.map((graph, at) => store.write(replacing(graph, after[at] ?? [], 2))),
      )
      expect(await read(graphs)).toEqual(after)
      expect(await marks(graphs)).toEqual(graphs.map((graph) => markOf(graph, 2)).sort())
    })
  })
}
