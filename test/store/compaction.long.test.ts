/** The memory of deleted statements comes back: another worker takes the place of the present one, and nobody notices. */

import { describe, expect, it } from 'vitest'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { logger, type Log } from '../../src/log.ts'
import { embeddedStore } from '../../src/store/embedded/embedded-store.ts'
import type { GraphStore } from '../../src/store/graph-store.ts'

const graphs = Array.from({ length: 40 }, (_, n) => `urn:test:graph:${n}`)
const line = (graph: string, n: number, version: number) =>
  `<${graph}> <urn:test:p${String(n).padStart(3, '0')}> "version ${version}" .\n`
const content = (graph: string, version: number) =>
  Array.from({ length: 100 }, (_, n) => line(graph, n, version)).join('')

/** Events that the store logs, by name. */
function recorded(): { readonly log: Log; readonly names: string[] } {
  const names: string[] = []
  const log = logger('info', {
    write: (text: string) => void names.push(String(JSON.parse(text).event)),
  })
  return { log, names }
}

async function withStore(
  work: (
    store: GraphStore,
    again: () => Promise<GraphStore>,
    names: readonly string[],
  ) => Promise<void>,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'cartulary-'))
  const { log, names } = recorded()
  const open = () => embeddedStore({ directory, log })
  let store: GraphStore = await open()
  try {
    await work(
      store,
      async () => {
        await store.close()
        store = await open()
        return store
      },
      names,
    )
  } finally {
    await store.close()
    await rm(directory, { recursive: true, force: true })
  }
}

/** Replaces every statement of every graph, one graph a write, and answers the version that each has then. */
async function churn(store: GraphStore, rounds: number, first = 1): Promise<number> {
  let version = first
  for (let round = 0; round < rounds; round += 1, version += 1) {
    await Promise.all(
      graphs.map((graph) => store.write([{ graph, content: content(graph, version) }])),
    )
  }
  return version - 1
}

async function expectVersion(store: GraphStore, version: number): Promise<void> {
  const rows = await store.select(
    'SELECT ?g ?v (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?v } FILTER(STRSTARTS(STR(?g), "urn:test:graph:")) } GROUP BY ?g ?v',
  )
  expect(new Set(rows.map(({ g, v, n }) => [g?.value, v?.value, n?.value].join(' ')))).toEqual(
    new Set(graphs.map((graph) => `${graph} version ${version} 100`)),
  )
  expect(await store.read(graphs[7] ?? '')).toBe(content(graphs[7] ?? '', version))
}

const dead = async (store: GraphStore) => (await store.health()).dead ?? Number.NaN

describe('statements that were replaced', () => {
  it('are counted, and gone from memory when there are more of them than of the others', async () => {
    await withStore(async (store, again, names) => {
      await churn(store, 3)
      expect(await dead(store)).toBe(8000)
      const version = await churn(store, 4, 4)
      await expect.poll(() => names.includes('store.compacted')).toBe(true)
      await expect.poll(() => dead(store)).toBeLessThanOrEqual(20_000)
      await expectVersion(store, version)
      expect((await store.health()).quads).toBe(4000)
      await expectVersion(await again(), version)
    })
  })

  it('go while others write and read: each write is there once, no read fails', async () => {
    await withStore(async (store, again, names) => {
      const large = 'urn:test:large'
      const lines = Array.from(
        { length: 6000 },
        (_, n) => `<urn:x:${String(n).padStart(6, '0')}> <urn:test:p> "${'a'.repeat(400)}" .\n`,
      )
      const count = (name: string) => names.filter((one) => one === name).length
      await store.write([{ graph: large, content: lines.join('') }])
      const before = count('store.compacted')
      const compacted = () => count('store.compacted') > before
      // A reader of a large graph, begun before and ended after.
      const reading = (async () => {
        let text = ''
        for await (const chunk of store.readLines(large)) {
          text += chunk
          await expect.poll(compacted, { timeout: 150_000 }).toBe(true)
        }
        return text
      })()
      await store.write([{ graph: 'urn:test:staged', content: lines.join('') }])
      let version = 0
      while (!compacted()) version = await churn(store, 5, version + 1)
      version = await churn(store, 2, version + 1)
      expect(await reading).toBe(lines.join(''))
      await expectVersion(store, version)
      const same = await store.select(
        'SELECT (COUNT(*) AS ?n) { GRAPH <urn:test:staged> { ?s ?p ?o } GRAPH <urn:test:large> { ?s ?p ?o } }',
      )
      expect(same[0]?.['n']?.value).toBe('6000')
      await expectVersion(await again(), version)
    })
  })

  it('are of no concern to public queries, which see every write before and after', async () => {
    await withStore(async (store, _, names) => {
      const ask = async (version: number) => {
        const query = `ASK { GRAPH <urn:test:graph:39> { ?s ?p "version ${version}" } }`
        const { body } = await store.publicQuery({ query, accept: undefined, client: 'a' })
        return body.includes('true')
      }
      await churn(store, 1)
      await expect.poll(() => ask(1)).toBe(true)
      for (let version = 2; !names.includes('store.compacted'); version += 1) {
        await churn(store, 1, version)
        await expect.poll(() => ask(version)).toBe(true)
      }
      await churn(store, 1, 1000)
      await expect.poll(() => ask(1000)).toBe(true)
    })
  })

  it('go from the public copies too, one after the other, and somebody always answers', async () => {
    await withStore(async (store, _, names) => {
      const answers: string[] = []
      const state = { version: 0 }
      const ask = async () => {
        const query = 'SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }'
        const request = { query, accept: 'text/csv', client: 'a' }
        answers.push((await store.publicQuery(request)).body)
      }
      await churn(store, 1, 1)
      await ask()
      const renewed = () => names.filter((name) => name === 'replica.renewed').length
      for (state.version = 1; renewed() < 2;) {
        state.version = await churn(store, 2, state.version + 1)
        await ask()
      }
      await expect
        .poll(async () => {
          const query = `ASK { GRAPH <urn:test:graph:39> { ?s ?p "version ${state.version}" } }`
          return (await store.publicQuery({ query, accept: undefined, client: 'a' })).body
        })
        .toContain('true')
      expect(new Set(answers)).toEqual(new Set(['n\r\n4000\r\n']))
    })
  })
})
