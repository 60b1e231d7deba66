/** What queries and data may take of the memory: a bound in the engine itself, met by one query and noticed by nobody else. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Failure } from '../../src/errors.ts'
import type { GraphStore } from '../../src/store/graph-store.ts'
import { content, graphName } from './graphs.ts'
import { newDirectory, openEmbedded } from './opening.ts'

const MB = 2 ** 20
/** Every step doubles the text of the one before: 4 GB in the end. */
const doubling = `SELECT (STRLEN(?x21) AS ?n) { BIND("${'x'.repeat(2048)}" AS ?x0) ${Array.from(
  { length: 21 },
  (_, n) => `BIND(CONCAT(?x${n}, ?x${n}) AS ?x${n + 1})`,
).join(' ')} }`
const product = 'SELECT (GROUP_CONCAT(?c) AS ?all) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }'

describe('a public query that wants all memory', () => {
  let store: GraphStore
  const ask = (query: string) => store.publicQuery({ query, accept: undefined, client: 'me' })

  beforeAll(async () => {
    store = await openEmbedded({ publicMs: 60_000, publicMemory: 512 * MB })
    await store.write(
      Array.from({ length: 500 }, (_, n) => ({
        graph: `urn:test:g${n}`,
        content: content([`<urn:s:${n}> <urn:title> "${'long '.repeat(200)}${n}" .`]),
      })),
    )
    await ask('ASK {}')
  })
  afterAll(() => store.close())

  it.each([
    ['a text that is doubled again and again', doubling],
    ['a group of everything with everything', product],
  ])('%s is refused as too complex, and the process stays as small as it may', async (_, query) => {
    const before = process.resourceUsage().maxRSS * 1024
    const graph = graphName()
    const state = { ended: false }
    const running = ask(query)
      .catch((error: unknown) => error)
      .finally(() => (state.ended = true))
    let writes = 0
    while (!state.ended) {
      await store.write([{ graph, content: `<urn:w> <urn:p> "${writes}" .\n` }])
      expect(await store.ask(`ASK { GRAPH <${graph}> { ?s ?p "${writes}" } }`)).toBe(true)
      writes += 1
    }
    expect(await running).toMatchObject({
      kind: 'query-too-complex',
      status: 413,
      detail: expect.stringContaining('sparqlMemoryBytes'),
    })
    expect(process.resourceUsage().maxRSS * 1024 - before).toBeLessThan(1024 * MB)
    // The next question is answered, by a copy that has seen every write.
    const { body } = await ask(`SELECT ?o { GRAPH <${graph}> { ?s ?p ?o } }`)
    expect(body).toContain(`"${writes - 1}"`)
  })
})

const million = 'x'.repeat(1_000_000)
const text = (n: number, count: number) =>
  content(
    Array.from(
      { length: count },
      (_, m) => `<urn:s:${n}> <urn:p:${m}> "${n} ${m} ${million}" .`,
    ).sort(),
  )

describe('an engine that is full', () => {
  const small = { memory: 400 * MB }
  const kindOf = (call: Promise<unknown>) =>
    call.then(
      () => 'done',
      (error: unknown) => (error instanceof Failure ? error.kind : error),
    )

  it('refuses what is added by name, keeps what it has, answers, and takes removals', async () => {
    const directory = newDirectory()
    const store = await openEmbedded(small, directory)
    let kept = 0
    let kind = 'done'
    for (; kind === 'done' && kept < 200; kept += kind === 'done' ? 1 : 0) {
      kind = String(await kindOf(store.write([{ graph: `urn:t:${kept}`, content: text(kept, 2) }])))
    }
    expect(kind).toBe('store-full')
    expect(kept).toBeGreaterThan(5)
    expect(await store.ask(`ASK { GRAPH ?g { <urn:s:${kept - 1}> ?p ?o } }`)).toBe(true)
    expect(await store.read(`urn:t:${kept}`)).toBeUndefined()
    expect(await kindOf(store.write([{ graph: 'urn:t:0', drop: true }]))).toBe('done')
    await store.close()
    const again = await openEmbedded(small, directory)
    expect((await again.health()).graphs).toBe(kept - 1)
    await again.close()
  })

  it('refuses one write that is larger than what is left, as if it had never come', async () => {
    const store = await openEmbedded({ memory: 250 * MB })
    await store.write([{ graph: 'urn:t:1', content: text(1, 1) }])
    const large = text(2, 150)
    expect(await kindOf(store.write([{ graph: 'urn:t:2', content: large }]))).toBe('store-full')
    await expect.poll(() => kindOf(store.ask('ASK { GRAPH ?g { <urn:s:1> ?p ?o } }'))).toBe('done')
    expect(await store.read('urn:t:2')).toBeUndefined()
    expect(await kindOf(store.write([{ graph: 'urn:t:3', content: text(3, 1) }]))).toBe('done')
    await store.close()
  })

  it('says at the start that the data do not fit', async () => {
    const directory = newDirectory()
    const store = await openEmbedded({}, directory)
    for (let n = 0; n < 25; n += 1) {
      await store.write([{ graph: `urn:t:${n}`, content: text(n, 10) }])
    }
    await store.close()
    const opening = openEmbedded({ memory: 200 * MB }, directory)
    expect(await kindOf(opening)).toBe('store-full')
  })
})

it('a public copy that the data do not fit into is named, and the store goes on', async () => {
  const store = await openEmbedded({ publicMemory: 8 * MB })
  await store.write([{ graph: 'urn:t:1', content: text(1, 20) }])
  const asked = () => store.publicQuery({ query: 'ASK {}', accept: undefined, client: 'me' })
  await expect(asked()).rejects.toMatchObject({
    kind: 'store-unavailable',
    detail: expect.stringContaining('sparqlMemoryBytes'),
  })
  expect(await store.ask('ASK { GRAPH ?g { <urn:s:1> ?p ?o } }')).toBe(true)
  await store.close()
})
