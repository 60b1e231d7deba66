/** The public endpoint: what it refuses, what it cuts, and that nobody else notices a runaway query. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Failure } from '../../src/errors.ts'
import { apiKeys } from '../../src/http/api-key.ts'
import { logger } from '../../src/log.ts'
import { sparqlApp } from '../../src/repository/sparql-app.ts'
import { embeddedStore } from '../../src/store/embedded/embedded-store.ts'
import type { GraphStore, PublicAnswer } from '../../src/store/graph-store.ts'
import { content, graphName, system } from './graphs.ts'
import { newDirectory, openEmbedded } from './opening.ts'

const bomb = 'SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }'
const solutions = 'SELECT ?s ?o { ?s <urn:title> ?o } ORDER BY ?s'

describe('public queries', () => {
  it('may be as long as the operator says, in the store and at the endpoint', async () => {
    const query = `ASK { } #${'x'.repeat(20_000)}`
    const request = { query, accept: undefined, client: 'me' }
    await expect(store.publicQuery(request)).rejects.toMatchObject({ kind: 'query-too-complex' })
    expect((await store.publicQuery({ ...request, maxBytes: 30_000 })).body).toContain('true')
    const at = (queryBytes: number) => {
      const app = sparqlApp({
        store,
        keys: apiKeys({}),
        queryBytes,
        http: { log: logger('silent') },
      })
      const headers = { 'Content-Type': 'application/sparql-query' }
      return app.request('/', { method: 'POST', headers, body: query })
    }
    expect([(await at(30_000)).status, (await at(16_384)).status]).toEqual([200, 400])
  })

  let store: GraphStore
  const limits = { rows: 5, bytes: 20_000, perClient: 2, waiting: 2, lanes: 2 }
  const ask = (query: string, accept?: string, client = 'me'): Promise<PublicAnswer> =>
    store.publicQuery({ query, accept, client })

  beforeAll(async () => {
    store = await openEmbedded({ publicMs: 1000, publicLimits: limits })
    await store.write(
      Array.from({ length: 200 }, (_, n) => ({
        graph: `urn:test:g${n}`,
        content: content([`<urn:s:${n}> <urn:title> "t ${n} \\" , }{ <result> \\n x"@en .`]),
      })),
    )
    await store.write([{ graph: system, add: ['<urn:s:1> <urn:cartulary:control#pending> "1" .'] }])
  })
  afterAll(() => store.close())

  it.each([
    ['application/sparql-results+json', (body: string) => JSON.parse(body).results.bindings.length],
    ['application/json', (body: string) => JSON.parse(body).results.bindings.length],
    ['application/sparql-results+xml', (body: string) => body.split('<result>').length - 1],
    ['text/csv', (body: string) => body.split('\r\n').length - 2],
    ['text/tab-separated-values', (body: string) => body.split('\n').length - 2],
  ])('cuts %s behind the last row that is allowed', async (accept, count) => {
    const answer = await ask(solutions, accept)
    expect([answer.mediaType, answer.cut, count(answer.body)]).toEqual([accept, true, 5])
    const whole = await ask(`${solutions} LIMIT 5`, accept)
    expect([whole.cut, whole.body]).toEqual([false, answer.body])
  })

  it('cuts XML so that it ends well', async () => {
    const { body } = await ask(solutions, 'application/sparql-results+xml')
    expect(body.endsWith('</result></results></sparql>')).toBe(true)
  })

  it.each([
    'text/turtle',
    'application/n-triples',
    'application/rdf+xml',
    'application/ld+json',
    'text/n3',
  ])('cuts a graph and writes it as %s', async (accept) => {
    const answer = await ask('CONSTRUCT WHERE { ?s <urn:title> ?o }', accept)
    expect([answer.mediaType, answer.cut]).toEqual([accept, true])
    expect(answer.body.match(/urn:s:\d+/g)).toHaveLength(5)
  })

  // Twelve solutions that give four triples: six of them would give two.
  const twelve = (form: string) =>
    `${form} { VALUES (?s ?o) { ${'(<urn:a> 1) (<urn:a> 2) '.repeat(3)} ${'(<urn:b> 1) (<urn:b> 2) '.repeat(3)} } }`

  it.each([
    ['CONSTRUCT', twelve('CONSTRUCT { ?s <urn:p> ?o }'), 4],
    ['CONSTRUCT with modifiers', `${twelve('CONSTRUCT { ?s <urn:p> ?o }')} ORDER BY ?s ?o`, 4],
    [
      'DESCRIBE',
      'DESCRIBE ?s { { VALUES ?x { 1 2 3 4 5 6 7 8 } BIND(<urn:s:1> AS ?s) } UNION { VALUES ?s { <urn:s:2> } } }',
      2,
    ],
  ])('counts the triples of %s, not its solutions', async (_, query, triples) => {
    const { body, cut } = await ask(query, 'application/n-triples')
    expect([body.split('\n').length - 1, cut]).toEqual([triples, false])
  })

  it('cuts what has more triples than solutions, and says so', async () => {
    const three = 'CONSTRUCT { ?s <urn:p> 1 , 2 , 3 } { VALUES ?s { <urn:a> <urn:b> } }'
    const { body, cut } = await ask(three, 'application/n-triples')
    expect([body.split('\n').length - 1, cut]).toEqual([5, true])
  })

  it('leaves a LIMIT of the query to the query', async () => {
    const { body, cut } = await ask(`${twelve('CONSTRUCT { ?s <urn:p> ?o }')} LIMIT 2`)
    expect([body.match(/urn:a/g)?.length, cut]).toEqual([1, false])
  })

  it('cuts at the byte limit too', async () => {
    const long = '"' + 'ä'.repeat(3000) + '"'
    const answer = await ask(`SELECT * { VALUES ?x { 1 2 3 4 5 } BIND(${long} AS ?y) }`)
    expect(answer.cut).toBe(true)
    expect(Buffer.byteLength(answer.body)).toBeLessThan(20_100)
    expect(JSON.parse(answer.body).results.bindings).toHaveLength(3)
  })

  it.each([
    'SELECT * { ?s ?p ?o } LIMIT 100 VALUES ?s { <urn:s:3> }',
    'SELECT * { ?s ?p ?o } VALUES ?s { <urn:s:3> } # LIMIT',
    'SELECT * { { SELECT ?s { ?s ?p ?o } LIMIT 9999 } ?s ?p ?o FILTER(?s = <urn:s:3>) }',
    'SELECT ("LIMIT 9999" AS ?x) { <urn:s:3> ?p ?o }',
  ])('keeps the meaning of %s', async (query) => {
    expect(JSON.parse((await ask(query)).body).results.bindings).toHaveLength(1)
  })

  it('answers from the union of all graphs, by GRAPH, and never from the system graph', async () => {
    const yes = async (query: string) => JSON.parse((await ask(query)).body).boolean
    expect(await yes('ASK { <urn:s:1> <urn:title> ?o }')).toBe(true)
    expect(await yes('ASK { GRAPH <urn:test:g1> { <urn:s:1> <urn:title> ?o } }')).toBe(true)
    expect(await yes('ASK FROM <urn:test:g2> { <urn:s:1> <urn:title> ?o }')).toBe(false)
    expect(await yes('ASK { GRAPH ?g { ?s <urn:cartulary:control#pending> ?o } }')).toBe(false)
  })

  it.each([
    ['an update', 'DROP ALL', 'malformed-query'],
    ['an update behind a query', 'ASK {} ; DROP ALL', 'malformed-query'],
    ['SERVICE', 'SELECT * { SERVICE <http://169.254.169.254/> { ?s ?p ?o } }', 'malformed-query'],
    [
      'SERVICE inside',
      'ASK { FILTER NOT EXISTS { OPTIONAL { SERVICE SILENT ?x { ?s ?p ?o } } } }',
      'malformed-query',
    ],
    ['LOAD', 'LOAD <http://169.254.169.254/>', 'malformed-query'],
    ['DEFINE', 'DEFINE get:soft "replace" SELECT * { ?s ?p ?o }', 'malformed-query'],
    ['bif:', 'SELECT * { ?s ?p ?o FILTER(bif:contains(?o, "x")) }', 'malformed-query'],
    [
      'FROM of a graph that is not there',
      'SELECT * FROM <http://169.254.169.254/> { ?s ?p ?o }',
      'malformed-query',
    ],
    ['FROM of the system graph', `SELECT * FROM <${system}> { ?s ?p ?o }`, 'malformed-query'],
    ['33 groups', `ASK ${'{'.repeat(33)}${'}'.repeat(33)}`, 'query-too-complex'],
    ['101 brackets', `ASK { FILTER(${'('.repeat(101)}1${')'.repeat(101)}) }`, 'query-too-complex'],
    ['more than 16 KB', `ASK { ?s ?p "${'x'.repeat(16_400)}" }`, 'query-too-complex'],
    ['a long expression', `ASK { FILTER(${'1||'.repeat(4000)}1) }`, 'query-too-complex'],
    [
      '201 patterns in a group',
      `ASK { ${'MINUS { ?s ?p ?o } '.repeat(201)} }`,
      'query-too-complex',
    ],
    ['a long path', `ASK { ?s ${'<urn:p>/'.repeat(1500)}<urn:p> ?o }`, 'query-too-complex'],
  ])('[T20] refuses %s', async (_, query, kind) => {
    await expect(ask(query)).rejects.toMatchObject({ kind })
  })

  it('says what the engine has against a query', async () => {
    const refused = await ask('ASK { <http://[x> ?p ?o }').catch((error: unknown) => error)
    expect(String(refused)).toMatch(
      /malformed-query: The engine refused the query: .* at 1:18: .*IRI/,
    )
  })

  it('[T20] holds the parameters of the protocol to the same rule', async () => {
    const query = { query: 'ASK { ?s ?p ?o }', accept: undefined, client: 'me' }
    await expect(store.publicQuery({ ...query, defaultGraphs: [system] })).rejects.toMatchObject({
      kind: 'malformed-query',
    })
    const { body } = await store.publicQuery({
      ...query,
      defaultGraphs: ['urn:test:g1'],
      namedGraphs: ['urn:test:g2'],
    })
    expect(JSON.parse(body).boolean).toBe(true)
  })

  it('says which formats there are when none is acceptable', async () => {
    await expect(ask('ASK {}', 'image/png')).rejects.toMatchObject({ kind: 'not-acceptable' })
  })

  it('shows every write, in order', async () => {
    const graph = graphName()
    const value = async () => {
      const { body } = await ask(`SELECT ?o { GRAPH <${graph}> { ?s ?p ?o } }`, 'text/csv')
      return body.split('\r\n').slice(1, -1)
    }
    await value()
    for (let n = 0; n < 50; n += 1)
      await store.write([{ graph, content: `<urn:w> <urn:p> "${n}" .\n` }])
    await expect.poll(value).toEqual(['49'])
    await store.write([{ graph, drop: true }])
    await expect.poll(value).toEqual([])
  })

  it('never shows what is written to the system graph while copies follow', async () => {
    const graph = graphName()
    const isShown = async (pattern: string) => {
      const { body } = await ask(`ASK { GRAPH ?g { ${pattern} } }`)
      return JSON.parse(body).boolean
    }
    expect(await isShown(`<${graph}> ?p ?o`)).toBe(false)
    const line = `<${graph}> <urn:cartulary:control#pending> "2" .`
    await store.write([
      { graph: system, add: [line] },
      { graph, content: `<${graph}> <urn:p> "1" .\n` },
    ])
    await expect.poll(() => isShown(`<${graph}> <urn:p> "1"`)).toBe(true)
    expect(await isShown(`?s <urn:cartulary:control#pending> ?o`)).toBe(false)
  })

  it('[T20] ends a runaway query, while writes and reads go on, and answers again', async () => {
    await ask('ASK {}')
    const graph = graphName()
    const state = { ended: false }
    const running = ask(bomb)
      .catch((error: unknown) => error)
      .finally(() => (state.ended = true))
    let writes = 0
    while (!state.ended) {
      await store.write([{ graph, content: `<urn:w> <urn:p> "${writes}" .\n` }])
      writes += (await store.ask(`ASK { GRAPH <${graph}> { ?s ?p "${writes}" } }`)) ? 1 : 0
    }
    expect(await running).toMatchObject({ kind: 'time-limit' })
    expect(writes).toBeGreaterThan(10)
    const { body } = await ask(`SELECT ?o { GRAPH <${graph}> { ?s ?p ?o } }`, 'text/csv')
    expect(body).toBe(`o\r\n${writes - 1}\r\n`)
  })

  it('lets a client have two queries, and two wait', async () => {
    const slow =
      'SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . { SELECT * { ?g ?h ?i } LIMIT 20 } }'
    const isSecondReady = async () => {
      const order: string[] = []
      const note = (client: string) => (answer: unknown) => {
        order.push(client)
        return answer
      }
      await Promise.all([
        ask(slow, undefined, 'x').then(note('x')),
        ask('ASK {}', undefined, 'y').then(note('y')),
      ])
      return order[0] === 'y'
    }
    // It is built while the first is busy.
    await expect.poll(isSecondReady, { timeout: 20_000 }).toBe(true)
    const all = ['a', 'a', 'a', 'b', 'c', 'd'].map((client) => ask(bomb, undefined, client))
    const kinds = (await Promise.allSettled(all)).map(
      (one) => one.status === 'rejected' && one.reason.kind,
    )
    expect(kinds).toEqual([
      'time-limit',
      'time-limit',
      'too-many-requests',
      'time-limit',
      'time-limit',
      'too-many-requests',
    ])
    expect((await ask('ASK {}', undefined, 'a')).cut).toBe(false)
  })

  it('gives up at once when the client leaves', async () => {
    const abort = new AbortController()
    const call = store.publicQuery({ query: bomb, accept: undefined, client: 'gone' }, abort.signal)
    abort.abort(new Error('left'))
    await expect(call).rejects.toThrow('left')
    await expect
      .poll(
        async () =>
          ask('ASK {}').then(
            () => true,
            () => false,
          ),
        { timeout: 10_000 },
      )
      .toBe(true)
  })
})

describe('one client who asks without pause what never ends', () => {
  let store: GraphStore
  beforeAll(async () => {
    store = await openEmbedded({
      publicMs: 1000,
      publicIdleMs: 3000,
      publicLimits: { rows: 5, bytes: 20_000, perClient: 2, waiting: 8, lanes: 2 },
    })
    const lines = Array.from({ length: 2000 }, (_, n) => `<urn:s:${n}> <urn:title> "t ${n}" .`)
    await store.write([{ graph: 'urn:test:many', content: content(lines.sort()) }])
  })
  afterAll(() => store.close())

  const copy = async () => (await store.health()).replica

  it('there is no copy before the first question', async () => {
    expect(await copy()).toBe('absent')
  })

  it('keeps nobody else waiting until a query of hers is over', async () => {
    const state = { ended: 0 }
    const again = async (): Promise<void> => {
      const kind = await store
        .publicQuery({ query: bomb, accept: undefined, client: 'attacker' })
        .catch((error: Failure) => error.kind)
      expect(kind).toBe('time-limit')
      state.ended += 1
      if (state.ended < 3) await again()
    }
    const attack = Promise.all([again(), again()])
    let waited = 0
    while (state.ended < 3) {
      const { body } = await store.publicQuery({
        query: 'ASK {}',
        accept: undefined,
        client: 'other',
      })
      expect(body).toContain('true')
      waited += 1
    }
    await attack
    // In a queue one question would have waited for each query of hers.
    expect(waited).toBeGreaterThan(15)
  })

  it('the memory of copies is freed when nobody asks for a time, and the next question is answered', async () => {
    await expect.poll(copy, { timeout: 20_000 }).toBe('absent')
    const { body } = await store.publicQuery({
      query: solutions,
      accept: 'text/csv',
      client: 'other',
    })
    expect(body).toContain('t 1000')
    expect(await copy()).toBe('ready')
  })
})

describe('where the process has little memory', () => {
  const MB = 2 ** 20
  const memory = { used: 300 * MB, limit: 1024 * MB }
  let store: GraphStore
  beforeAll(async () => {
    store = await embeddedStore({
      directory: newDirectory(),
      log: logger('silent'),
      limits: { publicBuildMs: 2000 },
      memory: () => memory,
    })
    const lines = Array.from({ length: 2000 }, (_, n) => `<urn:s:${n}> <urn:title> "t ${n}" .`)
    await store.write([{ graph: 'urn:test:many', content: content(lines.sort()) }])
  })
  afterAll(() => store.close())

  const copy = async () => (await store.health()).replica
  const ask = () => store.publicQuery({ query: 'ASK {}', accept: undefined, client: 'me' })

  it('a query is told how much a copy needs and how much is left, and is answered once there is enough', async () => {
    memory.used = 900 * MB
    await expect(ask()).rejects.toMatchObject({
      kind: 'store-unavailable',
      detail:
        'A public copy of the data needs about 61 MB of memory, and 43 MB are left to this process.',
      retryAfter: 60,
    })
    expect(await copy()).toBe('absent')
    memory.used = 300 * MB
    await expect.poll(() => ask().catch(() => undefined)).toBeDefined()
  })

  it('copies are ended before the process exceeds its memory, and made again when there is enough', async () => {
    memory.used = 300 * MB
    await expect.poll(() => ask().catch(() => undefined)).toBeDefined()
    expect(await copy()).toBe('ready')
    memory.used = 950 * MB
    await expect.poll(copy).toBe('absent')
    await expect(ask()).rejects.toMatchObject({ kind: 'store-unavailable' })
    memory.used = 300 * MB
    await expect.poll(() => ask().catch(() => undefined)).toBeDefined()
  })
})
