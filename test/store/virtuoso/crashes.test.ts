/** A write that takes several requests lands whole or not at all, wherever it is cut off. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Edit } from '../../../src/store/remote/dialect.ts'
import { virtuoso } from '../../../src/store/virtuoso/virtuoso.ts'
import { graphName, linesOf, system } from '../graphs.ts'
import { bareDoor, counting, dying, isAbsent, type Bare } from './server.ts'

const lines = (count: number, version: string) =>
  Array.from({ length: count }, (_, n) => `<urn:test:s${n}> <urn:test:p> "${n} ${version}"@en .`)
const [integer, decimal] = ['integer', 'decimal'].map(
  (name) => `<urn:test:s> <urn:test:p> "1"^^<http://www.w3.org/2001/XMLSchema#${name}> .`,
)
const edit = (graph: string, more: Partial<Edit>): Edit => ({
  graph,
  clear: false,
  remove: new Set(),
  add: new Set(),
  ...more,
})

type Case = {
  readonly name: string
  /** What is there, what is done to it, and what is there then, by graph. */
  readonly before: readonly string[]
  readonly edits: (graph: string) => Edit
  readonly after: readonly string[]
}

const size = 320
const large = 20_100
/** Of these Virtuoso finds none by its text in the template of a small write. */
const withoutAssignedNames = [
  '"Straße"^^<http://www.w3.org/2001/XMLSchema#token>',
  '"12:00:00"^^<http://www.w3.org/2001/XMLSchema#time>',
].map((term) => `<urn:test:s> <urn:test:p> ${term} .`)

const cases: readonly Case[] = [
  {
    name: 'lines that no template can name',
    before: withoutAssignedNames,
    edits: (graph) =>
      edit(graph, { remove: new Set(withoutAssignedNames), add: new Set(lines(2, 'new')) }),
    after: lines(2, 'new'),
  },
  {
    name: 'many lines for others',
    before: lines(size, 'old'),
    edits: (graph) =>
      edit(graph, { remove: new Set(lines(size, 'old')), add: new Set(lines(size, 'new')) }),
    after: lines(size, 'new'),
  },
  {
    name: 'one value for another of the same worth',
    before: [integer ?? '', ...lines(3, 'same')],
    edits: (graph) =>
      edit(graph, { remove: new Set([integer ?? '']), add: new Set([decimal ?? '']) }),
    after: [decimal ?? '', ...lines(3, 'same')],
  },
  {
    name: 'a graph that is written anew',
    before: lines(5, 'old'),
    edits: (graph) => edit(graph, { clear: true, add: new Set(lines(5, 'new')) }),
    after: lines(5, 'new'),
  },
  {
    name: 'more lines than one operation moves',
    before: lines(3, 'old'),
    edits: (graph) =>
      edit(graph, { remove: new Set(lines(3, 'old')), add: new Set(lines(large, 'new')) }),
    after: lines(large, 'new'),
  },
]

const caseOf = (name: string): Case => {
  const one = cases.find((some) => some.name === name)
  if (!one) throw new Error(`no case ${name}`)
  return one
}

describe.skipIf(isAbsent)('a staged write to Virtuoso', () => {
  let bare: Bare
  beforeAll(() => {
    bare = bareDoor()
  })
  afterAll(() => bare.close())

  const held = async (graph: string) =>
    linesOf(
      await bare.endpoint.construct(
        `CONSTRUCT { ?s ?p ?o } WHERE { GRAPH <${graph}> { ?s ?p ?o } }`,
      ),
    )
  const leftovers = async () => {
    const signs = await bare.endpoint.select(
      `SELECT ?s ?o { GRAPH <${system}> { ?s ?p ?o FILTER(?p IN (<urn:cartulary:control#writing>, ` +
        '<urn:cartulary:control#staging>)) } }',
    )
    const graphs = await bare.endpoint.select(
      'SELECT DISTINCT ?g { GRAPH ?g { ?s <urn:test:p> ?o } FILTER(STRSTARTS(STR(?g), "urn:cartulary:staging:")) }',
    )
    return [...signs, ...graphs]
  }
  /** The edits of one write: a graph, another graph's link, a mark. */
  const writeOf = (one: Case) => {
    const [graph, other, mark] = [graphName(), graphName(), graphName()]
    const link = `<${other}> <urn:test:link> <${graph}> .`
    const pending = `<${mark}> <urn:cartulary:control#pending> "1" .`
    const edits = [
      one.edits(graph),
      edit(other, { add: new Set([link]) }),
      edit(system, { add: new Set([pending]) }),
    ]
    const state = async () => {
      const marks = (await held(system)).filter((line) => line.startsWith(`<${mark}>`))
      return { graph: await held(graph), links: await held(other), marks }
    }
    const old = { graph: [...one.before].sort(), links: [], marks: [] }
    const fresh = { graph: [...one.after].sort(), links: [link], marks: [pending] }
    const prepare = () =>
      virtuoso.commit([edit(graph, { add: new Set(one.before) })], bare.endpoint)
    return { graph, edits, state, old, fresh, prepare }
  }

  it.each(cases)('lands whole: $name', async (one) => {
    const write = writeOf(one)
    await write.prepare()
    await virtuoso.commit(write.edits, bare.endpoint)
    expect(await write.state()).toEqual(write.fresh)
    expect(await leftovers()).toEqual([])
  })

  it.each(cases)('is all or nothing after the next start, cut off anywhere: $name', async (one) => {
    const whole = writeOf(one)
    await whole.prepare()
    const counter = counting(bare.endpoint)
    await virtuoso.commit(whole.edits, counter.endpoint)
    expect(counter.count()).toBeGreaterThan(1)
    for (const when of ['before', 'after'] as const) {
      for (let at = 1; at <= counter.count(); at += 1) {
        const write = writeOf(one)
        await write.prepare()
        await virtuoso.commit(write.edits, dying(bare.endpoint, at, when)).catch(() => undefined)
        await virtuoso.recover?.(bare.endpoint)
        const state = await write.state()
        const isNew = state.links.length > 0
        expect({ at, when, state }).toEqual({ at, when, state: isNew ? write.fresh : write.old })
        expect(await leftovers()).toEqual([])
      }
    }
  })

  it('takes away what lies ready when the process ends before the second of two requests', async () => {
    for (const name of ['many lines for others', 'lines that no template can name']) {
      const write = writeOf(caseOf(name))
      await write.prepare()
      const cut = dying(bare.endpoint, 1, 'after')
      await expect(virtuoso.commit(write.edits, cut)).rejects.toThrow('ended')
      expect(await leftovers()).not.toEqual([])
      expect(await virtuoso.recover?.(bare.endpoint)).toBe(1)
      expect(await write.state()).toEqual(write.old)
      expect(await leftovers()).toEqual([])
    }
  })

  it('is finished by the next write to its graph, and tells readers to wait until then', async () => {
    const one = caseOf('one value for another of the same worth')
    const write = writeOf(one)
    await write.prepare()
    await expect(virtuoso.commit(write.edits, dying(bare.endpoint, 2, 'before'))).rejects.toThrow(
      'ended',
    )
    const waiting = `ASK { GRAPH <${system}> { <${write.graph}> <urn:cartulary:control#writing> ?staging } }`
    expect(await bare.endpoint.ask(waiting)).toBe(true)
    expect(await virtuoso.recover?.(bare.endpoint, write.graph)).toBe(1)
    expect(await write.state()).toEqual(write.fresh)
    expect(await bare.endpoint.ask(waiting)).toBe(false)
    expect(await leftovers()).toEqual([])
  })

  it('dies in the middle of its recovery, and is recovered again', async () => {
    const one = caseOf('one value for another of the same worth')
    for (let at = 1; at <= 3; at += 1) {
      const write = writeOf(one)
      await write.prepare()
      await virtuoso.commit(write.edits, dying(bare.endpoint, 1, 'after')).catch(() => undefined)
      await virtuoso.recover?.(dying(bare.endpoint, at, 'after')).catch(() => undefined)
      await virtuoso.recover?.(bare.endpoint)
      expect(await write.state()).toEqual(write.fresh)
      expect(await leftovers()).toEqual([])
    }
  })
})
