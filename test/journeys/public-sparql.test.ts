/** The public SPARQL endpoint: all forms, all formats, and nothing that it must not do. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { prefixes } from '../support/repository.ts'

let directory: string
let platform: Gateway
let api: ReturnType<typeof client>
beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory, { PLATFORM_LIMITS: '{"sparqlMs":1000,"sparqlRows":50}' })
  api = client(platform)
  await api.put('/catalogues/c', `${prefixes}<> a dcat:Catalog .`)
  for (let n = 0; n < 30; n++) {
    await api.putDataset('c', `d${n}`, `${prefixes}<> a dcat:Dataset ; dct:title "Title ${n}"@en .`)
  }
})
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

const title =
  'SELECT ?t WHERE { ?d a <http://www.w3.org/ns/dcat#Dataset> ; <http://purl.org/dc/terms/title> ?t }'

describe('a query', () => {
  it.each([
    ['SELECT', title, 'application/sparql-results+json', '"Title 3"'],
    ['SELECT as XML', title, 'application/sparql-results+xml', 'Title 3</literal>'],
    ['SELECT as CSV', title, 'text/csv', 'Title 3'],
    ['SELECT as TSV', title, 'text/tab-separated-values', '"Title 3"@en'],
    ['ASK', 'ASK { ?s ?p ?o }', 'application/sparql-results+json', 'true'],
    ['CONSTRUCT', 'CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o } LIMIT 5', 'text/turtle', 'http'],
    [
      'CONSTRUCT as N-Triples',
      'CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o } LIMIT 5',
      'application/n-triples',
      ' .',
    ],
    [
      'DESCRIBE',
      'DESCRIBE <http://localhost:8080/set/data/d1>',
      'application/n-triples',
      'Title 1',
    ],
  ])('%s is answered', async (_, query, accept, part) => {
    const answer = await api.query(query, accept)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('Content-Type')).toContain(accept)
    expect(await answer.text()).toContain(part)
  })

  it('comes by GET, as a form, or as itself', async () => {
    const byGet = await fetch(`${platform.url}/sparql?query=${encodeURIComponent(title)}`)
    const direct = await fetch(`${platform.url}/sparql`, {
      method: 'POST',
      body: title,
      headers: { 'Content-Type': 'application/sparql-query' },
    })
    const [a, b, c] = await Promise.all(
      [byGet, direct, await api.query(title)].map((answer) => answer.json()),
    )
    expect(a).toEqual(b)
    expect(b).toEqual(c)
  })

  it.each([
    [
      'JSON',
      'SELECT * { ?s ?p ?o }',
      'application/sparql-results+json',
      (body: string) => JSON.parse(body).head.link[0],
    ],
    [
      'XML',
      'SELECT * { ?s ?p ?o }',
      'application/sparql-results+xml',
      (body: string) => /<link href="([^"]*)"\/><\/head>/.exec(body)?.[1],
    ],
    [
      'Turtle',
      'CONSTRUCT WHERE { ?s ?p ?o }',
      'text/turtle',
      (body: string) => /^# .*?: (\S+)\n/.exec(body)?.[1],
    ],
  ])(
    'that is cut says so in a header that pages may read, and in %s',
    async (_, query, accept, linkOf) => {
      const answer = await api.query(query, accept)
      expect(answer.headers.get('Results-Cut')).toBe('true')
      expect(answer.headers.get('Access-Control-Expose-Headers')).toContain('Results-Cut')
      expect(linkOf(await answer.text())).toMatch(/\/sparql#results-cut$/)
      const whole = await api.query(`${query} LIMIT 50`, accept)
      expect(whole.headers.get('Results-Cut')).toBe(null)
      expect(await whole.text()).not.toContain('results-cut')
    },
  )

  it.each([
    [
      'a graph with a character that XML has not',
      'CONSTRUCT { <urn:s> <urn:x:p> "a\\u0000" } {}',
      'application/rdf+xml',
    ],
    [
      'a graph with a property that XML cannot name',
      'CONSTRUCT { <urn:s> <urn:x:1> "a" } {}',
      'application/rdf+xml',
    ],
    [
      'a value with such a character',
      'SELECT ("a\\u0001" AS ?x) {}',
      'application/sparql-results+xml',
    ],
  ])('%s is refused as XML and comes as something else', async (_, query, accept) => {
    expect((await api.query(query, accept)).status).toBe(406)
    expect((await api.query(query, `${accept}, */*;q=0.1`)).status).toBe(406)
    expect((await api.query(query, '*/*')).status).toBe(200)
  })

  it('may have relative IRIs: they are resolved against the endpoint, or against its own base', async () => {
    const of = async (query: string) => (await api.query(query, 'application/n-triples')).text()
    expect(await of('CONSTRUCT { <#s> <urn:p> <o> } {}')).toMatch(
      /^<http:\/\/[^>]+\/sparql#s> <urn:p> <http:\/\/[^>]+\/o> \.\n$/,
    )
    expect(await of('BASE <http://example.org/> CONSTRUCT { <s> <p> <o> } {}')).toBe(
      '<http://example.org/s> <http://example.org/p> <http://example.org/o> .\n',
    )
  })

  it('is the same with the empty fields of another endpoint’s form, and with a byte order mark', async () => {
    const fields = {
      'default-graph-uri': '',
      'named-graph-uri': '',
      'should-sponge': '',
      query: '\uFEFFASK { ?s ?p ?o }',
      format: 'text/html',
    }
    const parameters = new URLSearchParams(fields)
    const ways = [
      () => fetch(`${platform.url}/sparql?${parameters.toString()}`),
      () => fetch(`${platform.url}/sparql`, { method: 'POST', body: parameters }),
      () =>
        fetch(`${platform.url}/sparql?default-graph-uri=&named-graph-uri=`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/sparql-query' },
          body: fields.query,
        }),
    ]
    for (const way of ways) expect(await (await way()).json()).toMatchObject({ boolean: true })
  })

  it('is read in the charset of its media type, and never in another without a word', async () => {
    const send = (type: string) => {
      const body = Buffer.from('SELECT ("caf\xE9" AS ?x) { }', 'latin1')
      const headers = { 'Content-Type': type }
      return fetch(`${platform.url}/sparql`, { method: 'POST', body, headers })
    }
    const read = await send('application/sparql-query; charset=ISO-8859-1')
    expect(await read.text()).toContain('café')
    const refused = await send('application/sparql-query')
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining('line 1, column 13: the text is not UTF-8'),
    ])
  })

  it('is refused with places in the text that was sent, also beside relative IRIs', async () => {
    const refused = async (query: string) => {
      const address = `${platform.url}/sparql?query=${encodeURIComponent(query)}`
      const answer = await fetch(address)
      return [answer.status, await answer.text()]
    }
    expect(await refused('ASK { <x> ?p\u00A0 ?o }')).toEqual([
      400,
      expect.stringContaining('line 1, column 13: U+00A0'),
    ])
    expect(await refused('ASK { <x> ?p <http://[x> }')).toEqual([
      400,
      expect.stringMatching(/The engine refused the query: .* at 1:2\d/),
    ])
  })

  it('is on the page for a browser, and nowhere else', async () => {
    const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
    const asked = async (query: string, accept: string, method = 'GET') => {
      const answer = await fetch(`${platform.url}/sparql${query}`, {
        headers: { Accept: accept, 'Accept-Language': 'de' },
        redirect: 'manual',
        method,
      })
      return [answer.status, answer.headers.get('Location')]
    }
    const ask = `?query=${encodeURIComponent('ASK { ?s ?p "a&b" }')}`
    const page = `${platform.url}/de/sparql`
    expect(await asked('', browser)).toEqual([303, page])
    expect(await asked(ask, browser)).toEqual([303, page + ask])
    expect(await asked(ask, 'text/html', 'HEAD')).toEqual([303, page + ask])
    const data = ['*/*', 'application/json, text/html', 'application/json, text/html;q=0.9']
    for (const accept of data) expect(await asked(ask, accept)).toEqual([200, null])
    expect((await asked(`${ask}&default-graph-uri=urn:x`, browser))[0]).toBe(400)
  })

  it('without a query the endpoint describes itself', async () => {
    const answer = await fetch(`${platform.url}/sparql`, { headers: { Accept: 'text/turtle' } })
    expect(await answer.text()).toContain('sd:Service')
  })
})

describe('what is refused', () => {
  it.each([
    ['an update as a query', 'DROP ALL'],
    ['a federated query', 'SELECT * WHERE { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }'],
    ['a silent one', 'SELECT * WHERE { SERVICE SILENT <http://127.0.0.1:9/> { ?s ?p ?o } }'],
    ['a load', 'LOAD <http://127.0.0.1:9/>'],
    ['a syntax error', 'SELECT * WHERE { ?s'],
  ])('%s gives 400', async (_, query) => {
    const answer = await api.query(query)
    expect(answer.status).toBe(400)
    expect(answer.headers.get('Content-Type')).toContain('application/problem+json')
  })

  it('an update in any form gives 400, and changes nothing', async () => {
    const before = await (await api.query('SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }')).text()
    const form = await fetch(`${platform.url}/sparql`, {
      method: 'POST',
      body: new URLSearchParams({ update: 'CLEAR ALL' }),
    })
    const direct = await fetch(`${platform.url}/sparql`, {
      method: 'POST',
      body: 'CLEAR ALL',
      headers: { 'Content-Type': 'application/sparql-update' },
    })
    expect([form.status, direct.status]).toEqual([400, 400])
    expect(await (await api.query('SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }')).text()).toBe(
      before,
    )
  })

  it('the bookkeeping of the platform is not to be seen', async () => {
    const answer = await api.query('ASK { GRAPH <urn:cartulary:system> { ?s ?p ?o } }')
    expect(await answer.json()).toMatchObject({ boolean: false })
  })
})

describe('a runaway query', () => {
  it('is ended at its time-out while writes go on, and the next query is answered', async () => {
    const runaway = api.query(
      'SELECT (COUNT(*) AS ?n) WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }',
    )
    const writes = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        api.putDataset('c', `w${n}`, `${prefixes}<> a dcat:Dataset ; dct:title "W" .`),
      ),
    )
    expect(writes.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 201))
    const ended = await runaway
    expect(ended.status).toBe(503)
    expect(ended.headers.get('Retry-After')).toMatch(/^\d+$/)
    await expect
      .poll(async () => (await api.query('ASK { ?s ?p ?o }')).status, { timeout: 10_000 })
      .toBe(200)
  })

  it('a write is seen by the next query', async () => {
    await api.putDataset('c', 'fresh', `${prefixes}<> a dcat:Dataset ; dct:title "Fresh" .`)
    const answer = await api.query('ASK { ?s <http://purl.org/dc/terms/title> "Fresh" }')
    expect(await answer.json()).toMatchObject({ boolean: true })
  })
})
