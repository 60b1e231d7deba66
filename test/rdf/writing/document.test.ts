/** Documents in parts: what the parts say together is what the document says, in every format. */
import * as fc from 'fast-check'
import { isomorphic } from 'rdf-isomorphic'
import { expect, test } from 'vitest'
import type { Quad } from '@rdfjs/types'
import { quoteLiteral, toLine, toLines } from '../../../src/rdf/lines.ts'
import { type Format, formats } from '../../../src/rdf/media-types.ts'
import { parse } from '../../../src/rdf/parse.ts'
import { blankNode, namedNode, quad } from '../../../src/rdf/terms.ts'
import { documentWriter, type Part } from '../../../src/rdf/writing/document.ts'
import { graph } from '../graphs.ts'

const baseIri = 'http://example.org/base/x'

/** `undefined` where RDF/XML leaves something out. */
function written(parts: readonly Part[], format: Format, divided = false): string | undefined {
  const { head, part, tail } = documentWriter(format, { isDivided: divided })
  const text = [head, ...parts.map(part), tail].join('')
  return text.includes('<!-- RDF/XML cannot express') ? undefined : text
}

/** Blank nodes of their own for each part. */
const apart = (quads: readonly Quad[], index: number): Quad[] => {
  const own = <T extends Quad['subject'] | Quad['object']>(term: T) =>
    term.termType === 'BlankNode' ? blankNode(`p${index}${term.value}`) : term
  return quads.map((one) => quad(own(one.subject), one.predicate, own(one.object)))
}

const graphNames = ['http://example.org/g1', 'http://example.org/g2', undefined] as const
const several = fc.array(fc.tuple(graph, fc.constantFrom(...graphNames)), { maxLength: 4 })

test.each(Object.keys(formats) as Format[])(
  'parts written as %s read back as the union of their graphs, named where the format has names',
  async (format) => {
    await fc.assert(
      fc.asyncProperty(several, async (chosen) => {
        const graphs = chosen.map(([quads, name], index) => ({ name, quads: apart(quads, index) }))
        const parts = graphs.map(({ quads, name }) => ({
          lines: toLines(quads),
          ...(name !== undefined && { graph: name }),
        }))
        const text = written(parts, format)
        fc.pre(text !== undefined)
        const keep = formats[format].quads
        const expected = graphs.flatMap(({ quads, name }) =>
          quads.map(({ subject, predicate, object }) =>
            keep && name !== undefined
              ? quad(subject, predicate, object, namedNode(name))
              : quad(subject, predicate, object),
          ),
        )
        const once = new Map(expected.map((one) => [`${toLine(one)} ${one.graph.value}`, one]))
        expect(isomorphic([...once.values()], await parse(text ?? '', format, { baseIri }))).toBe(
          true,
        )
      }),
      { numRuns: 120 },
    )
  },
)

test.each(Object.keys(formats) as Format[])(
  'a graph that is divided reads back from %s with the same blank nodes in all parts',
  async (format) => {
    await fc.assert(
      fc.asyncProperty(graph, fc.nat(8), async (quads, at) => {
        const halves = [quads.slice(0, at), quads.slice(at)]
        const parts = halves.map((half) => ({ lines: toLines(half) }))
        const text = written(parts, format, true)
        fc.pre(text !== undefined)
        const once = new Map(quads.map((one) => [toLine(one), one]))
        expect(isomorphic([...once.values()], await parse(text ?? '', format, { baseIri }))).toBe(
          true,
        )
      }),
      { numRuns: 120 },
    )
  },
)

/** Predicates without an XML name at their end, and characters that XML has not, among others that are fine. */
const odd = fc.array(
  fc
    .tuple(
      fc.constantFrom('_:b0', '_:b1', '<http://e/s>'),
      fc.constantFrom('<http://e/p>', '<http://e/1>', '<urn:>', '<http://e/a/>'),
      fc.oneof(
        fc.constantFrom('_:b1', '_:b2', '<http://e/--o-->'),
        fc
          .string({ unit: fc.constantFrom('-', 'a', '\u0000', '\u000b', '\uffff', '>', '<') })
          .map(quoteLiteral),
      ),
    )
    .map((parts) => `${parts.join(' ')} .\n`),
  { maxLength: 8 },
)

test.each([true, false])(
  'RDF/XML leaves out what it cannot express and says what it was (in parts that share nodes: %s)',
  async (divided) => {
    await fc.assert(
      fc.asyncProperty(odd, async (lines) => {
        const all = new Set(lines)
        const { head, part, tail } = documentWriter('rdfxml', { isDivided: divided })
        const text = head + part({ lines: [...all].join('') }) + tail
        const comments = [...text.matchAll(/<!-- RDF\/XML cannot express: (.*?) -->/g)]
        const leftOut = comments.map(([, line = '']) => `${line}\n`).join('')
        for (const [, line = ''] of comments) expect(line).not.toContain('--')
        const [written, told] = await Promise.all([
          parse(text, 'rdfxml', { baseIri }),
          parse(leftOut, 'ntriples', { baseIri }),
        ])
        expect(written.length + told.length).toBe(all.size)
        const cannot = /<(?:http:\/\/e\/1|urn:|http:\/\/e\/a\/)>|\\u0000|\\u000B|\\uFFFF/
        expect(told.every((one) => cannot.test(toLine(one)))).toBe(true)
        expect(written.some((one) => cannot.test(toLine(one)))).toBe(false)
      }),
      { numRuns: 150 },
    )
  },
)

test.each(Object.keys(formats) as Format[])(
  '%s without parts is a whole document',
  async (format) => {
    expect(await parse(written([], format) ?? '', format, { baseIri })).toEqual([])
  },
)

test('Turtle declares a prefix once, where it is first used', () => {
  const lines = '<http://e/a> <http://purl.org/dc/terms/title> "A" .\n'
  const text = written([{ lines }, { lines }], 'turtle')
  expect(text?.match(/@prefix dct:/g)).toHaveLength(1)
})

test('an IRI whose scheme is one of our prefixes keeps its meaning in JSON-LD', async () => {
  const lines = '<geo:48.2,16.4> <http://purl.org/dc/terms/title> "here" .\n'
  const back = await parse(written([{ lines }], 'jsonld') ?? '', 'jsonld', { baseIri })
  expect(toLines(back)).toBe(lines)
})
