/** Arbitrary graphs for property tests: odd literals, shared and circular blank nodes, few terms so that things meet. */
import type { BlankNode, NamedNode, Quad } from '@rdfjs/types'
import * as fc from 'fast-check'
import { dcat, dct, rdf, xsd } from '../../src/rdf/namespaces.ts'
import { blankNode, literal, namedNode, quad } from '../../src/rdf/terms.ts'

const iris = [
  namedNode('http://example.org/a'),
  namedNode('https://example.org/straße/%C3%A4?x=(1)&y=~;z#frag'),
  namedNode('urn:uuid:8f1b1a44-7a1c-4d3f-9f0a-000000000001'),
  namedNode('dct:looks-like-a-prefix'),
  namedNode('mailto:a@example.org'),
  dct('title'),
  dcat('Dataset'),
  rdf('nil'),
]
const predicates = [
  rdf('type'),
  rdf('first'),
  rdf('_1'),
  dct('title'),
  dcat('distribution'),
  namedNode('http://example.org/ns/x.y-z'),
  namedNode('http://example.org/Prädikat'),
]
const texts = [
  '',
  ' ',
  '"',
  '\\',
  '\\n',
  'a\nb',
  'a\r\nb\tc',
  '"""',
  "'''",
  '<b>&amp;</b>',
  ']]>',
  '😀 é',
  'שלום',
  '@en',
  '_:b0',
  '\u0085\u2028\u00a0',
]
const tags = ['en', 'de-DE', 'zh-Hant', 'sr-Latn-RS', 'EN', 'es-t-de-t0-mtec', 'de-de']
const typed: readonly (readonly [string, string])[] = [
  ['01', 'integer'],
  ['1', 'integer'],
  ['1.50', 'decimal'],
  ['1.', 'decimal'],
  ['1.0e6', 'double'],
  ['true', 'boolean'],
  ['1', 'boolean'],
  ['x', 'integer'],
  ['2020-01-01T00:00:00+00:00', 'dateTime'],
]

const text = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...texts) },
  fc.string({ unit: 'grapheme' }),
)

const literals = fc.oneof(
  text.map((value) => literal(value)),
  fc.tuple(text, fc.constantFrom(...tags)).map(([value, tag]) => literal(value, tag)),
  fc.constantFrom(...typed).map(([value, type]) => literal(value, xsd(type))),
  text.map((value) => literal(value, namedNode('http://example.org/datatype'))),
)

const blanks = (count: number): fc.Arbitrary<BlankNode> =>
  fc.nat({ max: count - 1 }).map((index) => blankNode(`b${index}`))

const nodes: fc.Arbitrary<NamedNode | BlankNode> = fc.oneof(fc.constantFrom(...iris), blanks(5))

export const triple: fc.Arbitrary<Quad> = fc
  .tuple(nodes, fc.constantFrom(...predicates), fc.oneof(nodes, literals))
  .map(([subject, predicate, object]) => quad(subject, predicate, object))

/** A graph with everything in it. */
export const graph: fc.Arbitrary<Quad[]> = fc.array(triple, { maxLength: 14 })

const edge = fc
  .tuple(blanks(4), fc.oneof({ weight: 4, arbitrary: blanks(4) }, fc.constantFrom(iris[0]!)))
  .map(([subject, object]) => quad(subject, predicates[3]!, object))

/** Blank nodes with one predicate between them: as alike as can be. */
export const knot: fc.Arbitrary<Quad[]> = fc.array(edge, { maxLength: 7 })

/** The same graph with other labels and in another order. */
export const disguised = (quads: readonly Quad[], seed: number): Quad[] => {
  const rename = <T extends Quad['subject'] | Quad['object']>(term: T) =>
    term.termType === 'BlankNode' ? blankNode(`z${seed}x${term.value}`) : term
  return quads
    .map(({ subject, predicate, object }) => quad(rename(subject), predicate, rename(object)))
    .map((one, index) => ({ one, order: (index * 7919 + seed) % 101 }))
    .sort((a, b) => a.order - b.order)
    .map(({ one }) => one)
}

/** `from 'file'` for bytes in pieces of a size. */
export async function* pieces(text: string | Uint8Array, size: number): AsyncIterable<Uint8Array> {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
