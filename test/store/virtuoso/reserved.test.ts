/** Strangers' queries do not reach the SQL engine behind Virtuoso. */

import { describe, expect, it } from 'vitest'
import { parseSparql } from '../../../src/store/sparql-syntax.ts'
import { guardedQuery } from '../../../src/store/remote/guarded-query.ts'
import { virtuoso } from '../../../src/store/virtuoso/virtuoso.ts'

const guarded = (query: string) => guardedQuery(query, { ...virtuoso, choosesGraphs: false })

describe("a stranger's query to Virtuoso", () => {
  it.each([
    'DEFINE sql:log-enable 3 SELECT * { ?s ?p ?o }',
    'DEFINE input:default-graph-exclude <urn:x> SELECT * { ?s ?p ?o }',
    'SELECT (bif:now() AS ?n) {}',
    'SELECT (sql:f(1) AS ?n) {}',
    'SELECT * { ?s bif:contains "x" }',
    'SELECT * { ?s ?p ?o . FILTER(`select 1`) }',
  ])('is not valid SPARQL 1.1: %s', (query) => {
    expect(() => parseSparql(query)).toThrow('not valid SPARQL')
  })

  it.each([
    'PREFIX bif: <bif:> SELECT (bif:now() AS ?n) {}',
    'SELECT (<bif:exec>("x") AS ?n) {}',
    'SELECT (<BIF:exec>("x") AS ?n) {}',
    'SELECT (<sql:DB.DBA.f>() AS ?n) {}',
    'SELECT (<http://www.openlinksw.com/schemas/bif#now>() AS ?n) {}',
    'SELECT (<http://example.org/any>() AS ?n) {}',
    'SELECT * { ?s <bif:contains> "x" }',
    'SELECT * { { SELECT * { ?s ?p ?o FILTER EXISTS { ?s <bif:contains> "x" } } } }',
    'SELECT * { ?s ?p ?o } ORDER BY <bif:rnd>(10)',
    'SELECT ?x { ?s ?p ?o } GROUP BY (<sql:f>(?s) AS ?x)',
  ])('is refused: %s', (query) => {
    expect(() => guarded(query)).toThrow('is not public')
  })

  it('may cast and call what the standard has', () => {
    const query =
      'PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> SELECT * { ?s ?p ?o FILTER(xsd:integer(?o) > 1 && STRLEN(STR(?o)) < 5) }'
    expect(guarded(query)).toContain('STRLEN')
  })
})
