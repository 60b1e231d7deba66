/** Values get into queries as terms and as nothing else. */

import { readdirSync } from 'node:fs'
import fc from 'fast-check'
import { Parser } from 'sparqljs'
import { describe, expect, it } from 'vitest'
import { literal, namedNode } from '../../src/rdf/terms.ts'
import { bind, loadQuery, parseQuery } from '../../src/store/queries.ts'
import { hostileText } from './hostile-text.ts'

const tree = (text: string) => JSON.parse(JSON.stringify(new Parser().parse(text)))
const text = `# $none here
PREFIX ex: <urn:$notHere:>
SELECT ?s (1 AS ?n) WHERE {
  GRAPH $graph { ?s ex:a\\$b $value ; ex:p "$no", '''$no ' $no''', """$no "" $no""" }
  FILTER(?s<$graph && ?s != $value)
}`

/** The template's tree with the parameters' variables replaced by what the terms look like in a tree. */
function expected(template: string, values: Readonly<Record<string, unknown>>): unknown {
  const replace = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(replace)
    if (typeof node !== 'object' || node === null) return node
    const { termType, value } = Object.fromEntries(Object.entries(node))
    if (termType === 'Variable' && typeof value === 'string' && value in values)
      return values[value]
    return Object.fromEntries(Object.entries(node).map(([key, part]) => [key, replace(part)]))
  }
  return replace(tree(template))
}

describe('binding', () => {
  it('[T4] leaves the tree of the query as it is, whatever a literal holds', () => {
    const query = parseQuery(text)
    const graph = namedNode('urn:g')
    fc.assert(
      fc.property(hostileText, fc.constantFrom('', 'de', 'zh-Hant'), (value, language) => {
        const term = language === '' ? literal(value) : literal(value, language)
        const bound = tree(bind(query, { graph, value: term }))
        const datatype = { termType: 'NamedNode', value: term.datatype.value }
        // The parser writes language tags in lower case.
        const inTree = { termType: 'Literal', value, language: language.toLowerCase(), datatype }
        expect(bound).toEqual(
          expected(text, { graph: { termType: 'NamedNode', value: 'urn:g' }, value: inTree }),
        )
      }),
      { numRuns: 1000 },
    )
  })

  it('[T4] gives every one of 30,000 hostile literals back from the tree', () => {
    const query = parseQuery('SELECT * { VALUES $value { UNDEF } ?s ?p $value }')
    const many = fc.array(hostileText, { minLength: 100, maxLength: 100 })
    fc.assert(
      fc.property(many, (values) => {
        const { where } = tree(bind(query, { value: values.map((value) => literal(value)) }))
        expect(where).toHaveLength(2)
        const back = where[0].values.map(
          (row: Record<string, { value: string }>) => row['?value']?.value,
        )
        expect(JSON.stringify(back)).toBe(JSON.stringify(values))
      }),
      { numRuns: 300 },
    )
  })

  it('[T4] takes IRIs, datatypes and language tags only when they are such', () => {
    const query = parseQuery('SELECT * { ?s ?p $value }')
    fc.assert(
      fc.property(hostileText, (part) => {
        for (const term of [
          namedNode(`urn:x:${part}`),
          literal('x', namedNode(`urn:x:${part}`)),
          literal('x', `de${part}`),
        ]) {
          let bound: string
          try {
            bound = bind(query, { value: term })
          } catch {
            continue
          }
          const { where } = tree(bound)
          expect(where[0].triples).toHaveLength(1)
          expect(where[0].triples[0].object.value).toBe(term.value)
        }
      }),
      { numRuns: 1500 },
    )
  })

  it.each([
    ['a space', 'urn:a b'],
    ['an end', 'urn:a> } ; DROP ALL #'],
    ['no scheme', 'a/b'],
    ['a backslash', 'urn:a\\u003e'],
    ['half a character', 'urn:a\ud800'],
  ])('refuses an IRI with %s', (_, iri) => {
    expect(() => bind(parseQuery('ASK { $s ?p ?o }'), { s: namedNode(iri) })).toThrow('IRI')
  })

  it('refuses values that are missing, unused, or of the wrong shape', () => {
    const query = parseQuery('ASK { $s ?p $o }')
    const term = namedNode('urn:x')
    expect(() => bind(query, { s: term })).toThrow('$o')
    expect(() => bind(query, { s: term, o: term, x: term })).toThrow('$x')
    expect(() => bind(query, { s: term, o: [term] })).toThrow('VALUES')
    expect(() => bind(parseQuery('ASK { VALUES $s { UNDEF } $s ?p ?o }'), { s: term })).toThrow(
      'list',
    )
    expect(() => bind(query, { s: term, o: literal('\ud800') })).toThrow('half')
  })

  it('fills a list, and the variable stays one', () => {
    const query = parseQuery('SELECT * { VALUES $g { UNDEF } GRAPH $g { ?s ?p ?o } }')
    const bound = bind(query, { g: [namedNode('urn:a'), namedNode('urn:b')] })
    const [values] = tree(bound).where
    expect(values.values.map((row: Record<string, { value: string }>) => row['?g']?.value)).toEqual(
      ['urn:a', 'urn:b'],
    )
    expect(tree(bind(query, { g: [] })).where[0].values).toEqual([])
  })

  it('fills rows, given under the first name', () => {
    const query = parseQuery('SELECT * { VALUES ($g $n) { (UNDEF UNDEF) } GRAPH $g { ?s ?p $n } }')
    const rows = [
      [namedNode('urn:a'), literal('1')],
      [namedNode('urn:b'), literal('} { "')],
    ]
    const [values] = tree(bind(query, { g: rows })).where
    expect(
      values.values.map((row: Record<string, { value: string }>) => [
        row['?g']?.value,
        row['?n']?.value,
      ]),
    ).toEqual([
      ['urn:a', '1'],
      ['urn:b', '} { "'],
    ])
    expect(() => bind(query, { g: [[namedNode('urn:a')]] })).toThrow('rows of 2')
  })
})

describe('the queries of the platform', () => {
  const folder = new URL('../../sparql/', import.meta.url)
  const names = readdirSync(folder).filter((name) => /\.r[qu]$/.test(name))

  it.each(names)('%s is SPARQL as it stands and says what it is for', (name) => {
    const query = loadQuery(name.slice(0, -3))
    const source = query.tokens.map((token) => token.text).join('')
    expect(source.startsWith('#')).toBe(true)
    expect(() => new Parser().parse(source)).not.toThrow()
  })

  it('an unknown one is an error', () => {
    expect(() => loadQuery('no-such-query')).toThrow('no-such-query')
  })
})
