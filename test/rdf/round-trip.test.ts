import * as fc from 'fast-check'
import { isomorphic } from 'rdf-isomorphic'
import { expect, test } from 'vitest'
import type { Quad } from '@rdfjs/types'
import { Failure } from '../../src/errors.ts'
import { fromLines, toLine, toLines } from '../../src/rdf/lines.ts'
import { type Format, formats } from '../../src/rdf/media-types.ts'
import { parseStream } from '../../src/rdf/reading/parse-stream.ts'
import { parse } from '../../src/rdf/parse.ts'
import { serialise } from '../../src/rdf/serialise.ts'
import { namedNode, quad } from '../../src/rdf/terms.ts'
import { graph, pieces } from './graphs.ts'

const baseIri = 'http://example.org/base/x'
const distinct = (quads: readonly Quad[]) => [
  ...new Map(quads.map((one) => [toLine(one), one])).values(),
]
const grounds = (quads: readonly Quad[]) =>
  toLines(quads.filter((one) => !toLine(one).includes('_:')))

/** RDF/XML has no control characters; the property is about the graphs that it can hold. */
const fits = (text: string | undefined): text is string => text !== undefined
const written = async (quads: Quad[], format: Format) => {
  try {
    return await serialise(toLines(quads), format)
  } catch (error) {
    if (error instanceof Failure && error.kind === 'not-acceptable') return undefined
    throw error
  }
}

test.each(Object.keys(formats) as Format[])(
  'what is written as %s reads back as the same graph, literals byte for byte',
  async (format) => {
    await fc.assert(
      fc.asyncProperty(graph, async (quads) => {
        const text = await written(quads, format)
        fc.pre(fits(text))
        const back = await parse(text, format, { baseIri })
        expect(grounds(back)).toBe(grounds(quads))
        expect(isomorphic(distinct(quads), back)).toBe(true)
      }),
      { numRuns: 150 },
    )
  },
)

test.each(['trig', 'nquads'] as const)('%s keeps the name of a graph', async (format) => {
  const name = 'http://example.org/g'
  await fc.assert(
    fc.asyncProperty(graph, async (quads) => {
      const text = await serialise(toLines(quads), format, { graph: name })
      const named = distinct(quads).map(({ subject, predicate, object }) =>
        quad(subject, predicate, object, namedNode(name)),
      )
      expect(isomorphic(named, await parse(text, format, { baseIri }))).toBe(true)
    }),
    { numRuns: 100 },
  )
})

test.each(['turtle', 'ntriples', 'rdfxml', 'jsonld'] as const)(
  '%s in small pieces reads as it does in one',
  async (format) => {
    await fc.assert(
      fc.asyncProperty(graph, fc.integer({ min: 1, max: 40 }), async (quads, size) => {
        const text = await written(quads, format)
        fc.pre(fits(text))
        const back: Quad[] = []
        for await (const batch of parseStream(pieces(text, size), format, { baseIri }))
          back.push(...batch)
        expect(isomorphic(distinct(quads), back)).toBe(true)
      }),
      { numRuns: 60 },
    )
  },
)

test('our own lines read back as they are, labels included', () => {
  fc.assert(
    fc.property(graph, (quads) => {
      const lines = toLines(quads)
      expect(toLines(fromLines(lines))).toBe(lines)
    }),
  )
})
