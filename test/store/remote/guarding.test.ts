/** Strangers' queries on a store that holds our bookkeeping too: their meaning stays, the bookkeeping is not seen. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GraphStore } from '../../../src/store/graph-store.ts'
import { guardedQuery } from '../../../src/store/remote/guarded-query.ts'
import { content, graphName } from '../graphs.ts'
import { openEmbedded } from '../opening.ts'

const graph = graphName()
const queries = [
  'SELECT * { ?s ?p ?o } ORDER BY ?s ?p ?o',
  'SELECT DISTINCT ?p { ?s ?p ?o } ORDER BY ?p LIMIT 2 OFFSET 1',
  'SELECT ?s (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?s HAVING (COUNT(*) > 1) ORDER BY ?s',
  'SELECT ?s ?l { ?s ?p ?o OPTIONAL { ?s <urn:label> ?l FILTER(LANG(?l) = "de") } } ORDER BY ?s ?l',
  'SELECT ?s { { ?s <urn:knows> ?o } UNION { ?s ?p "b"@de } } ORDER BY ?s',
  'SELECT ?s { ?s ?p ?o MINUS { ?s <urn:knows> ?x } } ORDER BY ?s',
  'SELECT ?s { ?s <urn:label> ?l FILTER NOT EXISTS { ?s <urn:knows> ?x . ?x ?q ?y } } ORDER BY ?s',
  'SELECT ?s ?o { ?s <urn:knows>+ ?o } ORDER BY ?s ?o',
  'SELECT ?s ?o { ?s (^<urn:knows>|<urn:label>)/<urn:label>? ?o } ORDER BY ?s ?o',
  'SELECT ?s ?x { VALUES (?s ?x) { (<urn:a> 1) (<urn:b> UNDEF) } ?s ?p ?o } ORDER BY ?s ?x',
  'SELECT ?s ?n { ?s <urn:size> ?v BIND(?v * 2 + 1 AS ?n) FILTER(?n > 3 || ?n IN (1, 2)) } ORDER BY ?s',
  'SELECT ?s ?m { { SELECT ?s (MAX(?v) AS ?m) { ?s <urn:size> ?v } GROUP BY ?s } ?s ?p ?o } ORDER BY ?s',
  'PREFIX u: <urn:> SELECT ?s { ?s u:label "x \\"y\\" \\\\ } { \\n \u00e4" }',
  'SELECT (GROUP_CONCAT(?o; SEPARATOR="|") AS ?all) { SELECT ?o { ?s <urn:label> ?o } ORDER BY ?o }',
  'SELECT (IF(EXISTS { <urn:a> ?p ?o }, "yes", "no") AS ?x) {}',
  'SELECT (STRLEN(STR(?o)) AS ?n) { <urn:a> <urn:label> ?o FILTER(REGEX(?o, "^a", "i") && isLITERAL(?o)) }',
  'SELECT * { ?s <urn:size> ?o } VALUES ?o { 2 7 }',
]

describe('a guarded query', () => {
  let store: GraphStore
  beforeAll(async () => {
    store = await openEmbedded()
    const lines = [
      '<urn:a> <urn:knows> <urn:b> .',
      '<urn:b> <urn:knows> <urn:c> .',
      '<urn:a> <urn:label> "a"@de .',
      '<urn:b> <urn:label> "b"@de .',
      '<urn:c> <urn:label> "x \\"y\\" \\\\ } { \\n \u00e4" .',
      '<urn:a> <urn:size> "2"^^<http://www.w3.org/2001/XMLSchema#integer> .',
      '<urn:b> <urn:size> "7"^^<http://www.w3.org/2001/XMLSchema#integer> .',
    ]
    await store.write([
      { graph, content: content(lines) },
      { graph: 'urn:test:other', content: content(['<urn:a> <urn:cartulary:control#hash> "h" .']) },
    ])
  })
  afterAll(() => store.close())

  it.each(queries)('means what it meant: %s', async (query) => {
    const at = query.indexOf('{')
    const select = query.slice(0, at).includes('SELECT') ? at : query.indexOf('{', at + 1)
    const over = `${query.slice(0, select)} FROM <${graph}> ${query.slice(select)}`
    if (query.includes('AS ?all') || query.includes('IF(EXISTS')) return checkParse(query)
    const wanted = await store.select(over)
    expect(wanted.length).toBeGreaterThan(0)
    const guarded = guardedQuery(over, { union: 'always', choosesGraphs: true })
    expect(await store.select(guarded)).toEqual(wanted)
    // The same from a named graph in the place of a store's own union.
    const inUnion = guardedQuery(query, { union: { graph }, choosesGraphs: false })
    expect(await store.select(inUnion)).toEqual(wanted)
  })

  const checkParse = async (query: string) => {
    const guarded = guardedQuery(query, { union: { graph }, choosesGraphs: false })
    const rows = await store.select(guarded)
    expect(rows).toHaveLength(1)
  }

  it('sees no property of ours under a variable, however deep that stands', async () => {
    const union = { graph: 'urn:test:other' }
    for (const pattern of [
      '?s ?p ?o',
      '{ { ?s ?p ?o } }',
      'OPTIONAL { ?s ?p ?o } FILTER(BOUND(?o))',
      '{ ?s ?p ?o } UNION { ?s ?p ?o }',
      '{ SELECT ?s { ?s ?p ?o } }',
      'FILTER EXISTS { ?s ?p ?o }',
      'FILTER(1 = 1 && (EXISTS { { ?s ?p ?o } } || false))',
      'BIND(EXISTS { ?s ?p ?o } AS ?x) FILTER(?x)',
    ]) {
      const query = guardedQuery(`ASK { ${pattern} }`, { union, choosesGraphs: false })
      expect([pattern, await store.ask(query)]).toEqual([pattern, false])
    }
  })

  it.each([
    'ASK { <urn:a> <urn:cartulary:control#hash> ?o }',
    'ASK { ?s <urn:x>/<urn:cartulary:control#hash> ?o }',
    'PREFIX c: <urn:cartulary:control#> ASK { ?s c:hash ?o }',
    'ASK { GRAPH <urn:cartulary:system> { ?s ?p ?o } }',
    'ASK { VALUES ?g { <urn:cartulary:system> } GRAPH ?g { ?s ?p ?o } }',
    'ASK { ?s (!<urn:x>)* ?o }',
    'CONSTRUCT { ?s <urn:cartulary:control#hash> ?o } WHERE { ?s <urn:label> ?o }',
  ])('is refused when it asks for the bookkeeping by name: %s', (query) => {
    expect(() => guardedQuery(query, { union: 'always', choosesGraphs: false })).toThrow('not')
  })

  it('keeps CONSTRUCT and DESCRIBE what they are', async () => {
    const union = { graph }
    const short = guardedQuery('CONSTRUCT WHERE { ?s <urn:knows> ?o }', {
      union,
      choosesGraphs: false,
    })
    expect((await store.construct(short)).split('\n').length - 1).toBe(2)
    const described = guardedQuery('DESCRIBE ?s { ?s <urn:knows> <urn:c> }', {
      union,
      choosesGraphs: false,
    })
    expect(described).toMatch(/^DESCRIBE/)
    expect(guardedQuery('DESCRIBE <urn:a>', { union, choosesGraphs: false })).toContain('<urn:a>')
  })
})
