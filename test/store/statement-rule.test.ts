/** The index of the writer has fewer statements than the store; no query of the platform finds less in it, and no public one asks it. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { logger } from '../../src/log.ts'
import { embeddedStore } from '../../src/store/embedded/embedded-store.ts'
import {
  indexedEffects,
  indexedPart,
  type StatementRule,
} from '../../src/store/embedded/statement-rule.ts'
import type { GraphChange, GraphStore } from '../../src/store/graph-store.ts'
import { bind, loadQuery } from '../../src/store/queries.ts'
import { newDirectory, openEmbedded } from './opening.ts'
import { changes, dataset, names, rowsOf, run, values } from './query-cases.ts'

const rule: StatementRule = {
  metrics: `urn:test:metrics:${run}:`,
  datasets: `urn:test:dataset:${run}:`,
  records: `urn:test:record:${run}:`,
  distributions: `urn:test:distribution:${run}:`,
  genids: `urn:test:genid:${run}:`,
  base: 'urn:test:',
}
const indexedText = (used: StatementRule | undefined, graph: string, text: string) =>
  indexedPart(used, graph, text).text
const metrics = { graph: `${rule.metrics}1`, content: '<urn:test:m> <urn:test:value> "1" .\n' }
const statements = 'SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }'

describe('a store whose index has the statements that the platform asks for', () => {
  const directory = newDirectory()
  const open = () => embeddedStore({ directory, log: logger('silent'), rule })
  let [full, reduced]: (GraphStore | undefined)[] = []
  beforeAll(async () => {
    full = await openEmbedded()
    reduced = await open()
    for (const store of [full, reduced]) await store.write([...changes, metrics])
  })
  afterAll(async () => {
    await full?.close()
    await reduced?.close()
  })
  const countIn = async (store: GraphStore | undefined) =>
    Number((await store?.select(statements))?.[0]?.['n']?.value)
  const publicAnswer = async (store: GraphStore | undefined) => {
    const request = {
      query: 'SELECT ?o { GRAPH ?g { ?s ?p ?o } } ORDER BY STR(?o)',
      accept: 'text/csv',
      client: 'test',
      defaultGraphs: [],
      namedGraphs: [],
    }
    return (await store?.publicQuery(request))?.body
  }

  it.each(names)('%s finds the same as in an index of all statements', async (name) => {
    const query = bind(loadQuery(name), values[name] ?? {})
    const expected = await rowsOf(full, query)
    expect(expected.length).toBeGreaterThan(0)
    expect((await rowsOf(reduced, query)).sort()).toEqual(expected.sort())
  })

  it('has fewer statements, and reads and public queries have them all', async () => {
    expect(await countIn(reduced)).toBeLessThan((await countIn(full)) - 4 * 40)
    const graphs = [...new Set([...changes, metrics].map(({ graph }) => graph))]
    expect(await reduced?.readAll(graphs)).toEqual(await full?.readAll(graphs))
    expect(await publicAnswer(reduced)).toEqual(await publicAnswer(full))
  })

  it('keeps the same ones after changes and after a start', async () => {
    const [first, second] = [dataset(1), dataset(2)]
    const before = (await reduced?.read(first)) ?? ''
    const after = before.replace(/"Title 1"@de/g, '"Other"@de').replace(/.*description.*\n/, '')
    const write: readonly GraphChange[] = [
      { graph: first, content: after, before },
      { graph: second, drop: true },
    ]
    for (const store of [full, reduced]) await store?.write(write)
    expect(await reduced?.read(first)).toBe(after)
    const query = bind(loadQuery('related-titles'), values['related-titles'] ?? {})
    const expected = (await rowsOf(full, query)).sort()
    expect((await rowsOf(reduced, query)).sort()).toEqual(expected)
    expect(expected.join()).toContain('Other')
    const count = await countIn(reduced)
    const { quads } = (await reduced?.health()) ?? {}
    await reduced?.close()
    reduced = await open()
    expect(await countIn(reduced)).toBe(count)
    expect((await reduced.health()).quads).toBe(quads)
    expect((await rowsOf(reduced, query)).sort()).toEqual(expected)
    expect(await publicAnswer(reduced)).toEqual(await publicAnswer(full))
  })
})

describe('a text of a dataset', () => {
  const graph = dataset(7)
  const text = (value: string) =>
    `<${graph}> <http://purl.org/dc/terms/title> "${value}"@de .\n` +
    `<${graph}> <http://www.w3.org/ns/dcat#keyword> "${value}" .\n` +
    `<urn:x> <http://purl.org/dc/terms/title> "${value}" .\n`

  it('loses the lines of literals that are not asked for, whatever they hold', () => {
    for (const value of ['a', '> <http://purl.org/dc/terms/title> ', '\\"\\n> "', ''])
      expect(indexedText(rule, graph, text(value))).toBe(text(value).split('\n')[0] + '\n')
  })

  it('keeps of its other nodes what queries match', () => {
    const [dct, dcat] = ['http://purl.org/dc/terms/', 'http://www.w3.org/ns/dcat#']
    const type = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type'
    const [file, node] = [`${rule.distributions}1`, `${rule.genids}1`]
    const record = `${rule.records}7`
    const lines = (triples: readonly (readonly [string, string, string])[]) =>
      triples.map(([s, p, o]) => `<${s}> <${p}> ${o.startsWith('"') ? o : `<${o}>`} .\n`).join('')
    const kept = lines([
      [graph, type, `${dcat}Dataset`],
      [graph, `${dct}temporal`, node],
      [graph, `${dcat}distribution`, file],
      [file, type, `${dcat}Distribution`],
      [file, `${dct}license`, 'https://x.example/licence'],
      [file, `${dcat}accessURL`, `${rule.datasets}2`],
      [record, `${dct}identifier`, '"id"'],
      [record, 'http://spdx.org/rdf/terms#checksum', node],
      ['urn:x', `${dct}identifier`, '"id"'],
    ])
    const left = lines([
      [graph, `${dct}identifier`, '"id"'],
      [graph, `${dcat}landingPage`, 'https://x.example/page'],
      [file, `${dcat}accessURL`, 'https://x.example/file'],
      [file, `${dct}identifier`, '"id"'],
      [file, `${dct}spatial`, node],
      [record, type, `${dcat}CatalogRecord`],
      [node, type, `${dct}PeriodOfTime`],
      [node, 'http://www.w3.org/2006/vcard/ns#hasEmail', 'mailto:a@x.example'],
    ])
    expect(indexedPart(rule, graph, left + kept)).toEqual({ text: kept, others: 8 })
  })

  it('is whole in other graphs and without a rule, and empty in those of measurements', () => {
    expect(indexedText(rule, `${graph}/more`, text('a'))).toBe(text('a'))
    expect(indexedText(undefined, graph, text('a'))).toBe(text('a'))
    expect(indexedText(rule, metrics.graph, text('a'))).toBe('')
  })

  it('that changes in such lines alone does not change the index', () => {
    const keyword = (value: string) =>
      `<${graph}> <http://www.w3.org/ns/dcat#keyword> "${value}" .\n`
    const effect = { graph, kind: 'change', removed: keyword('a'), added: keyword('b') } as const
    expect(indexedEffects(rule, [effect, { graph, kind: 'drop' }])).toEqual([
      { graph, kind: 'drop' },
    ])
  })
})
