/** Bounds of the embedded store, and how it comes back when its engine breaks. */

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { logger } from '../../src/log.ts'
import { embeddedStore } from '../../src/store/embedded/embedded-store.ts'
import type { Loading } from '../../src/store/graph-store.ts'
import { graphName, linesOf, record } from './graphs.ts'
import { newDirectory, openEmbedded } from './opening.ts'

describe('the embedded store', () => {
  it('refuses what would make it too full, whole, and still takes removals', async () => {
    const store = await openEmbedded({ quads: 100 })
    const graph = graphName()
    await store.write([{ graph, content: record(90) }])
    const more = [
      { graph: graphName(), content: record(5) },
      { graph: graphName(), content: record(6) },
    ]
    await expect(store.write(more)).rejects.toMatchObject({ kind: 'store-full' })
    expect(await store.health()).toMatchObject({ quads: 90, graphs: 1 })
    await store.write([{ graph, content: record(80) }, ...more])
    expect(await store.health()).toMatchObject({ quads: 91, graphs: 3 })
    await store.close()
  })

  it('does not count a write that shares a transaction with one that the file refuses', async () => {
    const directory = newDirectory()
    const store = await openEmbedded({}, directory)
    await store.write([{ graph: graphName(), content: record(9) }])
    const name = readdirSync(directory, { recursive: true }).find((path) =>
      String(path).endsWith('store.db'),
    )
    const file = new DatabaseSync(join(directory, String(name)))
    file.exec(`CREATE TRIGGER full BEFORE INSERT ON graph WHEN NEW.name = 'urn:test:refused'
      BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END`)
    const groups = [graphName(), 'urn:test:refused'].map((graph) => [{ graph, content: record(5) }])
    const results = await store.writeEach(groups)
    expect(results.filter((one) => 'failure' in one)).toHaveLength(2)
    file.exec('DROP TRIGGER full')
    file.close()
    expect(await store.health()).toMatchObject({ quads: 9, graphs: 1 })
    await store.close()
  })

  it('starts again when the file refuses to commit what the index has already', async () => {
    const directory = newDirectory()
    // With so little memory the index comes before the commit.
    const store = await openEmbedded({ memory: 200 * 2 ** 20 }, directory)
    const graph = graphName()
    await store.write([{ graph, content: record(9) }])
    const file = new DatabaseSync(join(directory, 'store.db'))
    file.exec(`CREATE TABLE parent (id INTEGER PRIMARY KEY);
      CREATE TABLE child (id INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
      CREATE TRIGGER full AFTER INSERT ON graph WHEN NEW.name = 'urn:test:refused'
      BEGIN INSERT INTO child VALUES (1); END`)
    const refused = store.write([{ graph: 'urn:test:refused', content: record(5) }])
    await expect(refused).rejects.toMatchObject({ kind: 'store-unavailable' })
    file.exec('DROP TRIGGER full; DROP TABLE child; DROP TABLE parent')
    file.close()
    expect(await store.ask('ASK { GRAPH <urn:test:refused> { ?s ?p ?o } }')).toBe(false)
    await store.write([{ graph, content: record(3) }])
    expect(await store.health()).toMatchObject({ quads: 3, graphs: 1 })
    await store.close()
  })

  it('keeps a line that is content and link until both are removed, and reads it once', async () => {
    const store = await openEmbedded()
    const [graph, other] = [graphName(), '<urn:test:o> <urn:test:p> "o" .']
    const line = '<urn:test:l> <urn:test:p> "l" .'
    const isFound = () => store.ask(`ASK { GRAPH <${graph}> { <urn:test:l> ?p ?o } }`)
    await store.write([{ graph, content: `${line}\n${other}\n`, add: [line] }])
    expect(await store.read(graph)).toBe(`${line}\n${other}\n`)
    await store.write([{ graph, content: `${other}\n` }])
    expect([await isFound(), linesOf(await store.read(graph)).length]).toEqual([true, 2])
    await store.write([{ graph, remove: [line] }])
    expect([await isFound(), await store.read(graph)]).toEqual([false, `${other}\n`])
    await store.close()
  })

  it('starts again from its durable copy when the engine breaks, and serves what was written', async () => {
    const store = await openEmbedded()
    const graph = graphName()
    await store.write([{ graph, content: record(9), add: ['<urn:test:l> <urn:test:p> "l" .'] }])
    const breaking = `ASK { FILTER(${'1||'.repeat(20_000)}1) }`
    await expect(store.ask(breaking)).rejects.toMatchObject({
      kind: 'store-unavailable',
      retryAfter: 2,
    })
    expect(await store.ask(`ASK { GRAPH <${graph}> { <urn:test:l> ?p ?o } }`)).toBe(true)
    await store.write([{ graph, content: record(3) }])
    expect(linesOf(await store.read(graph))).toHaveLength(4)
    await store.close()
  })

  it('counts what it holds over many replaces of one graph', async () => {
    const directory = newDirectory()
    const store = await openEmbedded({}, directory)
    const graph = graphName()
    for (let n = 0; n < 500; n += 1) await store.write([{ graph, content: record(30, String(n)) }])
    expect(await store.health()).toMatchObject({ quads: 30, graphs: 1 })
    await store.close()
    const again = await openEmbedded({}, directory)
    expect(await again.health()).toMatchObject({ quads: 30, graphs: 1 })
    await again.close()
  })

  it('finishes accepted writes when it is closed', async () => {
    const directory = newDirectory()
    const store = await openEmbedded({}, directory)
    const graphs = Array.from({ length: 600 }, graphName)
    const writes = graphs.map((graph) => store.write([{ graph, content: record(2) }]))
    await Promise.all([store.close(), ...writes])
    const again = await openEmbedded({}, directory)
    expect((await again.readAll(graphs)).size).toBe(600)
    await again.close()
  })

  it.each([250, 1500])('of %i graphs tells how many are loaded while it opens', async (size) => {
    const directory = newDirectory()
    const store = await openEmbedded({}, directory)
    const text = `${'x'.repeat(2 ** 21 / size)} ü`
    const line = (n: number) => `<urn:s:${n}> <urn:p> "${text}" .\n`
    const changes = Array.from({ length: size }, (_, n) => {
      const graph = graphName()
      return { graph, content: line(n), add: n === 7 ? [`<${graph}> <urn:p> <urn:ö> .`] : [] }
    })
    await store.write(changes)
    await store.close()
    const told: Loading[] = []
    const loading = (now: Loading) => void told.push(now)
    const again = await embeddedStore({ directory, log: logger('silent'), loading })
    const done = told.map((now) => now.done)
    expect(done).toEqual(done.toSorted((a, b) => a - b))
    expect(done.length).toBeGreaterThan(2)
    expect(done.at(-1)).toBe(size)
    expect(new Set(told.map(({ of }) => of))).toEqual(new Set([size]))
    expect((await again.health()).quads).toBe(size + 1)
    const found = await again.select(
      `SELECT ?g ?o { GRAPH ?g { ?s ?p ?o } FILTER(?o = <urn:ö> || STRENDS(STR(?o), "x ü")) }`,
    )
    expect(found).toHaveLength(size + 1)
    expect(new Set(found.map(({ g }) => g?.value))).toEqual(
      new Set(changes.map(({ graph }) => graph)),
    )
    await again.close()
  })

  it('says no at once when too many calls wait', async () => {
    const store = await openEmbedded({ waiting: 10 })
    const calls = Array.from({ length: 400 }, () => store.read('urn:test:none'))
    const outcomes = await Promise.allSettled(calls)
    const refused = outcomes.filter((one) => one.status === 'rejected')
    expect(refused.length).toBeGreaterThan(0)
    expect(refused.every((one) => one.reason.kind === 'store-unavailable')).toBe(true)
    expect(await store.read('urn:test:none')).toBeUndefined()
    await store.close()
  })
})
