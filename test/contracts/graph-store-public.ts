/** What the public door of every store behind a wire must do: answer, cut, refuse, and end what runs away. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GraphStore } from '../../src/store/graph-store.ts'
import { content, graphName, markOf, system } from '../store/graphs.ts'
import type { OpenLimited } from './graph-store-queries.ts'
import type { Known } from './graph-store.ts'

const limits = { rows: 5, bytes: 20_000, perClient: 3, waiting: 2, lanes: 2 }

export function publicContract(
  dialect: string,
  open: OpenLimited,
  { union = true, alone = false }: Known,
): void {
  describe(`${dialect}: public queries`, () => {
    let store: GraphStore
    const graph = graphName()
    // A letter begins the local name: RDF/XML has no element for one of digits alone.
    const title = `urn:test:title:t${graph.slice(-12)}`
    const inGraph = `GRAPH <${graph}> { ?s <${title}> ?o }`
    const ask = (query: string, accept?: string, client = 'me') =>
      store.publicQuery({ query, accept, client })
    const yes = async (query: string) => JSON.parse((await ask(query)).body).boolean

    beforeAll(async () => {
      store = await open({ publicMs: 1000, publicLimits: limits })
      const lines = Array.from(
        { length: 300 },
        (_, n) => `<urn:s:${n}> <${title}> "t ${n} \\" , }{ <result> \\n x"@en .`,
      )
      await store.write([
        { graph, content: content(lines) },
        { graph: system, add: [markOf(graph, 1)] },
      ])
    })
    afterAll(() => store.close())

    it.each([
      [
        'application/sparql-results+json',
        (body: string) => JSON.parse(body).results.bindings.length,
      ],
      ['application/json', (body: string) => JSON.parse(body).results.bindings.length],
      ['application/sparql-results+xml', (body: string) => body.split('<result>').length - 1],
      ['text/csv', (body: string) => body.split('\r\n').length - 2],
      ['text/tab-separated-values', (body: string) => body.split('\n').length - 2],
    ])('cuts %s behind the last row that is allowed, and says so', async (accept, count) => {
      const query = `SELECT ?s ?o { ${inGraph} } ORDER BY ?s`
      const answer = await ask(query, accept)
      expect([answer.mediaType, answer.cut, count(answer.body)]).toEqual([accept, true, 5])
      const whole = await ask(`${query} LIMIT 5`, accept)
      expect([whole.cut, whole.body]).toEqual([false, answer.body])
    })

    it.each([
      ['SELECT ?ažý ?v1', `{ ${inGraph.replace('?o', '?ažý')} BIND(1 AS ?v1) }`, ['ažý', 'v1']],
      ['SELECT ?ú', `{ ${inGraph.replace('?o', '?ú')} FILTER(?ú != "ú") } ORDER BY ?ú`, ['ú']],
      ['SELECT *', `{ ${inGraph.replaceAll('?s', '?größe').replace('?o', '?ú')} }`, ['größe', 'ú']],
      [
        'SELECT ?日本 (COUNT(?ü) AS ?ö)',
        `{ { SELECT ?日本 ?ü { ${inGraph.replace('?s', '?日本').replace('?o', '?ü')} } } } GROUP BY ?日本 HAVING (COUNT(?ü) > 0)`,
        ['日本', 'ö'],
      ],
      ['SELECT ?ö', `{ VALUES (?ö ?ä) { ("ä" 1) } FILTER EXISTS { ${inGraph} } }`, ['ö']],
    ])('gives variables back by the names of the query: %s', async (head, rest, names) => {
      const found = JSON.parse((await ask(`${head} ${rest} LIMIT 2`)).body)
      expect(found.head.vars.toSorted()).toEqual(names.toSorted())
      for (const row of found.results.bindings)
        expect(Object.keys(row).toSorted()).toEqual(names.toSorted())
      expect(found.results.bindings.length).toBeGreaterThan(0)
    })

    it('builds graphs from variables with any names', async () => {
      const pattern = inGraph.replace('?o', '?ú')
      const { body } = await ask(
        `CONSTRUCT { ?s <urn:ú> ?ú } WHERE { ${pattern} } LIMIT 2`,
        'application/n-triples',
      )
      expect(body.trim().split('\n')).toHaveLength(2)
      expect(body).toContain('<urn:ú>')
      expect(await yes(`ASK { ${pattern} }`)).toBe(true)
    })

    it.each(['text/turtle', 'application/n-triples', 'application/rdf+xml', 'application/ld+json'])(
      'cuts a graph and writes it as %s',
      async (accept) => {
        const answer = await ask(`CONSTRUCT { ?s <${title}> ?o } WHERE { ${inGraph} }`, accept)
        expect([answer.mediaType, answer.cut]).toEqual([accept, true])
        expect(answer.body.match(/urn:s:\d+/g)).toHaveLength(5)
      },
    )

    it('counts the triples of a graph, not the solutions that give them', async () => {
      const rows = `${'(<urn:a> 1) (<urn:a> 2) '.repeat(3)}${'(<urn:b> 1) (<urn:b> 2) '.repeat(3)}`
      const values = `VALUES (?s ?o) { ${rows} }`
      const whole = await ask(`CONSTRUCT { ?s <${title}> ?o } { ${values} }`, 'text/turtle')
      expect([whole.body.match(/urn:[ab]/g)?.length, whole.cut]).toEqual([2, false])
      const same = `DESCRIBE ?s FROM <${graph}> { ?s <${title}> ?o VALUES ?x { 1 2 3 4 5 6 7 8 } FILTER(?s = <urn:s:1>) }`
      const described = await ask(same, 'application/n-triples')
      expect([described.body.match(/urn:s:1>/g)?.length, described.cut]).toEqual([1, false])
      const three = `CONSTRUCT { ?s <${title}> 1 , 2 , 3 } { VALUES ?s { <urn:a> <urn:b> } }`
      const { body, cut } = await ask(three, 'application/n-triples')
      expect([body.split('\n').length - 1, cut]).toEqual([5, true])
    })

    it('cuts at the byte limit too', async () => {
      const long = '"' + 'ä'.repeat(3000) + '"'
      const answer = await ask(`SELECT * { VALUES ?x { 1 2 3 4 5 } BIND(${long} AS ?y) }`)
      expect(answer.cut).toBe(true)
      expect(Buffer.byteLength(answer.body)).toBeLessThan(20_100)
      expect(JSON.parse(answer.body).results.bindings).toHaveLength(3)
    })

    it('answers ASK, by GRAPH, by FROM and from the union', async () => {
      expect(await yes(`ASK { ${inGraph} }`)).toBe(true)
      expect(await yes(`ASK { GRAPH ?g { ?s <${title}> ?o } }`)).toBe(true)
      expect(await yes(`ASK FROM <${graph}> { ?s <${title}> ?o }`)).toBe(true)
      expect(await yes(`ASK { GRAPH <${graph}> { ?s <urn:test:none> ?o } }`)).toBe(false)
      expect(await yes(`ASK { ?s <${title}> ?o }`)).toBe(union)
    })

    it('shows nothing of the bookkeeping, whichever way it is asked', async () => {
      const about = `FILTER(?s = <${graph}>)`
      expect(await yes(`ASK { ?s ?p ?o ${about} }`)).toBe(false)
      expect(await yes(`ASK { { ?s ?p ?o } UNION { ?s ?q ?o } ${about} }`)).toBe(false)
      expect(await yes(`ASK { GRAPH ?g { ?s ?p ?o ${about} } }`)).toBe(false)
      const there = `FILTER EXISTS { ?x ?p ?y FILTER(?x = <${graph}>) }`
      expect(await yes(`ASK { ${inGraph} ${there} }`)).toBe(false)
      expect(await yes(`ASK { { SELECT ?s { GRAPH ?g { ?s ?p ?o } } } ${about} }`)).toBe(false)
      expect(await yes(`ASK { GRAPH ?g { } FILTER(?g = IRI("urn:cartulary:" + "system")) }`)).toBe(
        false,
      )
      const described = await ask(`DESCRIBE <${graph}>`, 'application/n-triples')
      expect(described.body).not.toContain('urn:cartulary')
    })

    it.each([
      ['an update', 'DROP ALL'],
      ['an update behind a query', 'ASK {} ; DROP ALL'],
      ['SERVICE', 'SELECT * { SERVICE <http://169.254.169.254/> { ?s ?p ?o } }'],
      ['LOAD', 'LOAD <http://169.254.169.254/>'],
      ['DEFINE', 'DEFINE get:soft "replace" SELECT * { ?s ?p ?o }'],
      ['bif:', 'SELECT * { ?s ?p ?o FILTER(bif:contains(?o, "x")) }'],
      ['FROM of a graph that is not there', 'ASK FROM <http://169.254.169.254/> { ?s ?p ?o }'],
      ['FROM of the system graph', `ASK FROM <${system}> { ?s ?p ?o }`],
      ['GRAPH of the system graph', `ASK { GRAPH <${system}> { ?s ?p ?o } }`],
      ['a property of the bookkeeping', 'ASK { ?s <urn:cartulary:control#pending> ?o }'],
      ['every property but some', 'ASK { ?s !<urn:p> ?o }'],
    ])('[T20] 47 refuses %s', async (_, query) => {
      await expect(ask(query)).rejects.toMatchObject({ kind: 'malformed-query' })
    })

    it('[T20] 48 ends a runaway query, while writes and reads go on, and answers again', async () => {
      const bomb = `SELECT (COUNT(*) AS ?n) { ${['a', 'b', 'c', 'd', 'e']
        .map((name) => `GRAPH <${graph}> { ?s${name} ?p${name} ?o${name} }`)
        .join(' ')} }`
      const state = { ended: false }
      const running = ask(bomb)
        .catch((error: unknown) => error)
        .finally(() => (state.ended = true))
      const other = graphName()
      let writes = alone ? 2 : 0
      if (alone) await running
      while (!state.ended) {
        await store.write([{ graph: other, content: `<urn:w> <urn:p> "${writes}" .\n` }])
        writes += (await store.ask(`ASK { GRAPH <${other}> { ?s ?p "${writes}" } }`)) ? 1 : 0
      }
      expect(await running).toMatchObject({ kind: 'time-limit' })
      expect(writes).toBeGreaterThan(1)
      await expect
        .poll(() => yes(`ASK { ${inGraph} }`).catch(() => false), { timeout: 30_000 })
        .toBe(true)
    })
  })
}
