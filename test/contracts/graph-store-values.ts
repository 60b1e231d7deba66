/** What every triplestore must do for us, part two: values come back as they were sent, or are refused. */

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GraphStore } from '../../src/store/graph-store.ts'
import { toLine } from '../../src/rdf/lines.ts'
import { literal, namedNode, quad } from '../../src/rdf/terms.ts'
import { content, graphName, linesOf, record, system } from '../store/graphs.ts'
import { hostileText } from '../store/hostile-text.ts'
import type { Known, OpenStore } from './graph-store.ts'

const xsd = (name: string) => namedNode(`http://www.w3.org/2001/XMLSchema#${name}`)
const s = namedNode('urn:test:s')
const p = namedNode('urn:test:p')
const tripleOf = (object: Parameters<typeof quad>[2]) => toLine(quad(s, p, object))

export function valueContract(dialect: string, open: OpenStore, known: Known = {}): void {
  describe(`${dialect}: values`, () => {
    let store: GraphStore
    beforeAll(async () => {
      store = await open()
    })
    afterAll(() => store.close())

    const objects = async (graph: string) => {
      const rows = await store.select(`SELECT ?o { GRAPH <${graph}> { ?s ?p ?o } }`)
      return rows.flatMap((row) => row['o'] ?? [])
    }
    const roundTrip = async (line: string) => {
      const graph = graphName()
      await store.write([{ graph, content: `${line}\n` }])
      expect(linesOf(await store.read(graph))).toEqual([line])
      return objects(graph)
    }

    const refused = async (line: string) => {
      const graph = graphName()
      const call = store.write([{ graph, content: `${line}\n` }])
      await expect(call).rejects.toMatchObject({ kind: 'invalid-content' })
      expect(await store.read(graph)).toBeUndefined()
    }

    it.each([
      [
        '20 markup, quotes, backslash, line ends and tab',
        '<html>&amp;"quoted"\\ \r\n\t\\u0022 \\" end',
      ],
      ['21 emoji, combining marks, right to left, U+FFFD', '🦊 e\u0301 \u05d0\u05d1 \u202e \ufffd'],
      ['20 control characters', 'a\u0000\u0001\u0008\u000b\u001f\u007f b'],
      ['22 900 KB', 'äb"'.repeat(230_000)],
    ])('%s come back the same, or are refused', async (_, value) => {
      if (value.length > (known.literal ?? Infinity)) return refused(tripleOf(literal(value)))
      const [found] = await roundTrip(tripleOf(literal(value)))
      expect(found?.value === value).toBe(true)
    })

    it('20 such values can be replaced again', async () => {
      const graph = graphName()
      for (const value of ['a\u0001 \\u0022 " \r\n', '} ; DROP ALL #', 'x" . } ; DROP ALL #']) {
        await store.write([{ graph, content: `${tripleOf(literal(value))}\n` }])
        expect((await objects(graph)).map((term) => term.value)).toEqual([value])
      }
    })

    it('23 stores a graph whose first line is longer than 100 KB', async () => {
      const graph = graphName()
      const lines = [tripleOf(literal('a'.repeat(120_000))), tripleOf(literal('b'))]
      await store.write([{ graph, content: content(lines) }])
      expect((await objects(graph)).map((term) => term.value.length).sort((a, b) => a - b)).toEqual(
        [1, 120_000],
      )
    })

    it.each(['de-DE', 'zh-Hant', 'en'])(
      '24 keeps the language tag %s but for its case',
      async (tag) => {
        const [found] = await roundTrip(tripleOf(literal('x', tag)))
        expect(found?.termType === 'Literal' && found.language.toLowerCase()).toBe(
          tag.toLowerCase(),
        )
      },
    )

    it.each([
      ['1.50', 'decimal', 1.5],
      ['01', 'integer', 1],
      ['1.0e6', 'double', 1e6],
    ])('25 keeps the value of "%s"^^xsd:%s', async (text, type, value) => {
      const [found] = await roundTrip(tripleOf(literal(text, xsd(type))))
      expect(Number(found?.value)).toBe(value)
    })

    it.each([
      ['numbers', literal('1', xsd('integer')), literal('01', xsd('integer'))],
      ['booleans', literal('true', xsd('boolean')), literal('1', xsd('boolean'))],
      ['language tags', literal('x', 'de-DE'), literal('x', 'de-de')],
      ['decimals', literal('1', xsd('decimal')), literal('1.0', xsd('decimal'))],
      ['doubles', literal('1e1', xsd('double')), literal('10', xsd('double'))],
      ['IRIs', namedNode('http://example.org/a'), namedNode('http://example.org/x/../a')],
      [
        'dates',
        literal('2020-01-01T00:00:00Z', xsd('dateTime')),
        literal('2020-01-01T00:00:00.0Z', xsd('dateTime')),
      ],
    ])('25 removing one of two spellings keeps the other: %s', async (_, one, other) => {
      const graph = graphName()
      const both = content([tripleOf(one), tripleOf(other)])
      await store.write([{ graph, content: both }])
      expect(await store.read(graph)).toBe(both)
      await store.write([{ graph, content: content([tripleOf(one)]) }])
      expect(await store.read(graph)).toBe(content([tripleOf(one)]))
      expect(await objects(graph)).toHaveLength(1)
      await store.write([{ graph, content: content([tripleOf(other)]) }])
      expect(await store.read(graph)).toBe(content([tripleOf(other)]))
      await store.write([{ graph, content: '' }])
      expect(await objects(graph)).toHaveLength(0)
    })

    it.each([
      ['26 an integer of 30 digits', '123456789012345678901234567890', xsd('integer')],
      ['27 a duration', 'P1Y', xsd('duration')],
      [
        '27 a geometry',
        'POINT(13.4 52.5)',
        namedNode('http://www.opengis.net/ont/geosparql#wktLiteral'),
      ],
      ['27 a value outside its datatype', 'x', xsd('integer')],
    ])('%s comes back with form and datatype', async (_, text, datatype) => {
      const [found] = await roundTrip(tripleOf(literal(text, datatype)))
      const type = found?.termType === 'Literal' ? found.datatype.value : ''
      expect(found?.value).toBe(text)
      // A store that would damage the value has it under a datatype that it does not know.
      expect(type.replace('urn:cartulary:literal:', '')).toBe(datatype.value)
    })

    it.each([
      '2020-02-03T04:05:06+02:00',
      '2020-02-03T04:05:06.123Z',
      '2020-02-03T04:05:06',
      '-0044-03-15T12:00:00Z',
    ])('28 keeps the value of the dateTime %s', async (text) => {
      const [found] = await roundTrip(tripleOf(literal(text, xsd('dateTime'))))
      const values = `"${text}"^^<http://www.w3.org/2001/XMLSchema#dateTime> = "${found?.value}"^^`
      const same = `FILTER(${values}<http://www.w3.org/2001/XMLSchema#dateTime>)`
      expect(found?.value === text || (await store.ask(`ASK { ${same} }`))).toBe(true)
    })

    const lexical = fc.oneof(
      fc.constantFrom(
        '1',
        '01',
        '+1',
        '-0',
        '1.0',
        '1.50',
        '.5',
        '5.',
        '1e3',
        '1.0E3',
        'NaN',
        'INF',
      ),
      fc.constantFrom('true', '0', 'TRUE', '', ' 1 ', 'x', '9223372036854775808', '0.1000'),
      fc.constantFrom('2020-02-03', '2020-02-03Z', '2020-02-03+00:00', '2020-02-03T04:05:06.10Z'),
      fc.constantFrom('2020-02-03T24:00:00', '2020-02-03T04:05:06-00:00', '0001-01-01T00:00:00Z'),
      fc.constantFrom('2020-02-03T04:05:06.123456789+02:00', '-0044-03-15T00:00:00Z', '12:00:00.0'),
      fc.constantFrom('P1Y', 'P12M', 'PT36H', 'P1DT12H', '2020', '02020', '--02-03', 'a b', '0aF'),
    )
    const names =
      'integer int nonNegativeInteger byte decimal double float boolean date dateTime dateTimeStamp time gYear ' +
      'gMonthDay duration yearMonthDuration dayTimeDuration anyURI token hexBinary'
    const types = fc.constantFrom(...names.split(' ').map(xsd), namedNode('urn:test:type'))
    const tags = fc.constantFrom('de', 'DE', 'de-DE', 'de-de', 'zh-hant-TW', 'en-x-foo', 'sr-Latn')
    const terms = fc.oneof(
      fc.tuple(lexical, types).map(([text, type]) => literal(text, type)),
      fc.tuple(lexical, tags).map(([text, tag]) => literal(text, tag)),
      lexical.map((text) => literal(text)),
    )
    const contents = fc.array(terms, { maxLength: 25 }).map((all) => content(all.map(tripleOf)))

    it('25 gives language tags and lexical forms back byte for byte, over any changes', async () => {
      const graph = graphName()
      await fc.assert(
        fc.asyncProperty(contents, fc.boolean(), async (text, hinted) => {
          const before = (await store.read(graph)) ?? ''
          await store.write([{ graph, content: text, ...(hinted && { before }) }])
          expect((await store.read(graph)) ?? '').toBe(text)
          expect((await store.readAll([graph])).get(graph) ?? '').toBe(text)
        }),
        { numRuns: Number(process.env['STORE_VALUES'] ?? 60) },
      )
      await store.write([{ graph, drop: true }])
      const left = await store.construct(
        `CONSTRUCT { ?s ?p ?o } WHERE { GRAPH <${system}> { ?s ?p ?o FILTER(?s = <${graph}>) } }`,
      )
      expect(left).toBe('')
    })

    it('[T4] 20 stores hostile text as text: nothing else changes', async () => {
      const [graph, other] = [graphName(), graphName()]
      await store.write([{ graph: other, content: record(3) }])
      const texts = Number(process.env['FUZZ_STRINGS'] ?? 400)
      const many = fc.array(hostileText, { minLength: 200, maxLength: 200 })
      await fc.assert(
        fc.asyncProperty(many, async (values) => {
          const text = content(values.map((value) => tripleOf(literal(value))))
          await store.write([{ graph, content: text }])
          expect(await store.read(graph)).toBe(text)
        }),
        { numRuns: Math.ceil(texts / 200) },
      )
      expect(await store.read(other)).toBe(record(3))
    })

    it.each([
      'http://example.org/ä/東京/%41%2F',
      "http://example.org/a(b)'~;c",
      `http://example.org/?q=${'x'.repeat(500)}`,
      `http://example.org/${'y'.repeat(1800 - 19)}`,
    ])('29, 30 gives an IRI back as it is: %s', async (iri) => {
      expect((await roundTrip(tripleOf(namedNode(iri))))[0]?.value).toBe(iri)
    })

    it('29 gives IRIs back that a parser would resolve', async () => {
      const iris = [
        'http://example.org/./a',
        'http://example.org/a/..',
        'http://example.org/../b/.',
      ]
      const graph = graphName()
      const text = content(iris.map((iri) => tripleOf(namedNode(iri))))
      await store.write([{ graph, content: text }])
      expect(await store.read(graph)).toBe(text)
    })

    it('22 refuses a literal of more than a megabyte before anything is sent', async () => {
      const [fits, over] = ['é'.repeat(2 ** 19), 'é'.repeat(2 ** 19 + 1)]
      const call = store.write([{ graph: graphName(), content: `${tripleOf(literal(over))}\n` }])
      await expect(call).rejects.toMatchObject({ kind: 'invalid-content' })
      if (known.literal === undefined) await roundTrip(tripleOf(literal(fits)))
    })

    it.each([
      ['30 of 1,801 bytes', `<http://example.org/${'y'.repeat(1801 - 19)}>`],
      ['30 of 1,801 bytes in few characters', `<http://example.org/${'ä'.repeat(891)}>`],
      ['31 with a space', '<http://example.org/a b>'],
      ['without scheme', '<a/b>'],
      ['with half a character', '<http://example.org/\ud800>'],
    ])('refuses an IRI %s before anything is sent', async (_, iri) => {
      const graph = graphName()
      const call = store.write([{ graph, content: `<urn:test:s> <urn:test:p> ${iri} .\n` }])
      await expect(call).rejects.toMatchObject({ kind: 'invalid-content' })
      expect(await store.read(graph)).toBeUndefined()
    })

    it('32 refuses blank nodes, so that no two graphs can share one', async () => {
      const call = store.write([
        { graph: graphName(), content: '_:b <urn:test:p> <urn:test:o> .\n' },
      ])
      await expect(call).rejects.toMatchObject({ kind: 'invalid-content' })
    })

    it.each(['', 'a b', 'urn:x> { } } ; DROP ALL #', 'urn:x:\ud800'])(
      'refuses the graph name %j',
      async (graph) => {
        const call = store.write([{ graph, content: `${tripleOf(literal('x'))}\n` }])
        await expect(call).rejects.toMatchObject({ kind: 'invalid-content' })
      },
    )

    it('deletes a triple whose IRI a strict parser would not take', async () => {
      const graph = graphName()
      const strange = '<urn:test:s> <urn:test:p> <http://example.org/%zz[x]> .'
      if (known.strict) return refused(strange)
      await store.write([{ graph, content: content([strange, tripleOf(literal('x'))]) }])
      await store.write([{ graph, content: `${tripleOf(literal('y'))}\n` }])
      expect((await objects(graph)).map((term) => term.value)).toEqual(['y'])
    })
  })
}
