import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromLines, subjectQuads, termText, toLine, toLines } from '../../src/rdf/lines.ts'
import { rdf, xsd } from '../../src/rdf/namespaces.ts'
import { blankNode, defaultGraph, literal, namedNode, quad } from '../../src/rdf/terms.ts'

const a = namedNode('http://e/a')
const p = namedNode('http://e/p')

test.each([
  [a, '<http://e/a>'],
  [literal('plain'), '"plain"'],
  [literal('plain', xsd('string')), '"plain"'],
  [literal('x', 'de-DE'), '"x"@de-DE'],
  [literal('01', xsd('integer')), '"01"^^<http://www.w3.org/2001/XMLSchema#integer>'],
  [literal('"\\\n\r\t\b\f\u0001\u007f'), '"\\"\\\\\\n\\r\\t\\b\\f\\u0001\\u007F"'],
  [literal('ä😀\u2028'), '"ä😀\u2028"'],
])('the term %o is written %s and read back', (term, text) => {
  expect(termText(term)).toBe(text)
  expect(fromLines(toLines([quad(a, p, term)]))).toEqual([quad(a, p, term)])
})

test('labels stay, and no IRI can smuggle syntax into a line', () => {
  expect(termText(blankNode('x'))).toBe('_:x')
  expect(termText(namedNode('http://e/> <x'))).toBe('<http://e/\\u003E\\u0020\\u003Cx>')
})

test('the default graph is no term of N-Triples', () => {
  expect(() => termText(defaultGraph())).toThrow('DefaultGraph')
})

test('lines are sorted, without doubles, each with its end; nothing is no line', () => {
  const two = quad(a, p, literal('2'))
  const one = quad(a, p, literal('1'), namedNode('http://e/g'))
  expect(toLine(one)).toBe('<http://e/a> <http://e/p> "1" .')
  expect(toLines([two, one, two])).toBe(`${toLine(one)}\n${toLine(two)}\n`)
  expect(toLines([])).toBe('')
  expect(fromLines('')).toEqual([])
})

test.each([
  '<http://e/a>  <http://e/p>\t"x" . # comment\n',
  '# nothing\n\n<http://e/a><http://e/p>"x".',
  '<http://e/a> <http://e/p> "\\u0078" .\n',
  '<http://e/a> <http://e/\\u0070> "x" .\r\n',
  '<http://e/a> <http://e/p> "x"^^<http://www.w3.org/2001/XMLSchema#string> .\n',
])('N-Triples in another spelling are understood as well: %j', (text) => {
  expect(toLines(fromLines(text))).toBe('<http://e/a> <http://e/p> "x" .\n')
})

test('what is no N-Triples is refused', () => {
  expect(() => fromLines('<http://e/a> <http://e/p> "x')).toThrow('malformed-rdf')
  expect(() => fromLines('nonsense')).toThrow('malformed-rdf')
})

test('terms are equal by what they say, also to terms of others', () => {
  const foreign = { termType: 'NamedNode', value: rdf('type').value, equals: () => false } as const
  expect(rdf('type').equals(foreign)).toBe(true)
  expect(literal('x', 'de').equals(literal('x', 'DE'))).toBe(false)
  expect(literal('x').equals(literal('x', xsd('integer')))).toBe(false)
  expect(quad(a, p, a).equals(quad(a, p, a, a))).toBe(false)
  expect(blankNode().equals(blankNode())).toBe(false)
})

test('the triples of one subject are read out of a text and no others, as long as their IRI may be', () => {
  const about = (iri: string) => quad(namedNode(iri), p, literal(`<${iri}> "\n`))
  const text = toLines(['http://e/a', 'http://e/ab', 'http://e/ä', 'urn:c'].map(about))
  for (const iri of ['http://e/a', 'http://e/ä', 'urn:c'])
    expect(subjectQuads(text, iri)).toEqual([about(iri)])
  expect(subjectQuads(text, 'http://e/')).toEqual([])
  expect(subjectQuads('', 'http://e/a')).toEqual([])
})

test('lines are written once each, in the order of their characters', () => {
  const name = fc.string({
    unit: fc.constantFrom('a', 'b', '-', '/', '!', 'é', '😀'),
    maxLength: 3,
  })
  const label = fc.string({ unit: fc.constantFrom('a', 'b', '-', '0'), minLength: 1, maxLength: 3 })
  const node = fc.oneof(
    name.map((text) => namedNode(`http://e/${text}`)),
    label.map((text) => blankNode(text)),
  )
  const triple = fc.tuple(
    node,
    node,
    fc.oneof(
      node,
      name.map((text) => literal(text)),
    ),
  )
  fc.assert(
    fc.property(fc.array(triple, { maxLength: 40 }), (triples) => {
      const quads = triples.flatMap(([subject, { value }, object]) =>
        [1, 2].map(() => quad(subject, namedNode(`http://e/${value}`), object)),
      )
      const lines = [...new Set(quads.map((one) => `${toLine(one)}\n`))]
      expect(toLines(quads)).toBe(lines.sort().join(''))
    }),
    { numRuns: 500 },
  )
})
