/** What queries and data may take of the memory: a bound in the engine itself, met by one query and noticed by nobody else. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GraphStore } from '../../src/store/graph-store.ts'
import { content, graphName } from './graphs.ts'
import { openEmbedded } from './opening.ts'

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
