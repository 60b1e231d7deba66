/** What is sent to Virtuoso for a line, and what is made of its answers: rules that were measured on a real server. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toLine } from '../../../src/rdf/lines.ts'
import { literal, namedNode, quad } from '../../../src/rdf/terms.ts'
import { normaliseNTriples } from '../../../src/store/virtuoso/virtuoso.ts'
import { checkName, virtuosoFidelity } from '../../../src/store/virtuoso/virtuoso-values.ts'

const xsd = (name: string) => namedNode(`http://www.w3.org/2001/XMLSchema#${name}`)
const [s, p] = [namedNode('urn:test:s'), namedNode('urn:test:p')]
const lineOf = (object: Parameters<typeof quad>[2]) => toLine(quad(s, p, object))
const typed = (text: string, name: string) => lineOf(literal(text, xsd(name)))

type Fate = 'exact' | 'noted' | 'hidden'

function fateOf(line: string): Fate {
  const sent = virtuosoFidelity.encode(line)
  if (sent.line.length > line.length) return 'hidden'
  return sent.exact ? 'exact' : 'noted'
}

describe('a value on its way to Virtuoso', () => {
  it.each<[string, string, Fate]>([
    ['1', 'integer', 'exact'],
    ['-9223372036854775808', 'integer', 'exact'],
    ['9223372036854775808', 'integer', 'hidden'],
    ['123456789012345678901234567890', 'integer', 'hidden'],
    ['01', 'integer', 'noted'],
    ['+1', 'integer', 'noted'],
    ['1.0', 'integer', 'hidden'],
    ['', 'integer', 'hidden'],
    ['4294967295', 'unsignedInt', 'hidden'],
    ['18446744073709551615', 'unsignedLong', 'hidden'],
    ['1.5', 'decimal', 'exact'],
    ['1.50', 'decimal', 'noted'],
    ['2020', 'decimal', 'noted'],
    ['.5', 'decimal', 'noted'],
    ['0.1234567890123456', 'decimal', 'hidden'],
    ['1e3', 'decimal', 'hidden'],
    ['.', 'decimal', 'hidden'],
    ['1.5', 'double', 'exact'],
    ['1e+06', 'double', 'exact'],
    ['100000.0', 'double', 'exact'],
    ['1e-05', 'double', 'exact'],
    ['1.0e6', 'double', 'noted'],
    ['13.404954', 'double', 'hidden'],
    ['13.404954', 'float', 'hidden'],
    ['0.1', 'float', 'exact'],
    ['INF', 'double', 'exact'],
    ['1e400', 'double', 'hidden'],
    ['1e-400', 'double', 'noted'],
    ['-0.0', 'double', 'exact'],
    ['-0.0', 'float', 'hidden'],
    ['true', 'boolean', 'exact'],
    ['1', 'boolean', 'noted'],
    ['TRUE', 'boolean', 'hidden'],
    ['2020-02-29T01:02:03Z', 'dateTime', 'exact'],
    ['2020-02-29T01:02:03.123+02:00', 'dateTime', 'exact'],
    ['2020-02-29T01:02:03.5Z', 'dateTime', 'noted'],
    ['2020-02-29T01:02:03+00:00', 'dateTime', 'noted'],
    ['2020-02-29T01:02:03-00:00', 'dateTime', 'hidden'],
    ['2020-02-29T01:02:03.1234567Z', 'dateTime', 'hidden'],
    ['2019-02-29T01:02:03Z', 'dateTime', 'hidden'],
    ['-0044-03-15T12:00:00Z', 'dateTime', 'hidden'],
    ['12020-01-01T00:00:00Z', 'dateTime', 'hidden'],
    ['2020', 'date', 'hidden'],
    ['2020', 'gYear', 'exact'],
    ['P1Y', 'duration', 'hidden'],
    ['PT24H', 'dayTimeDuration', 'hidden'],
    ['a b', 'anyURI', 'exact'],
    ['0fb7', 'hexBinary', 'exact'],
    ['x', 'nobodyKnows', 'hidden'],
  ])('"%s"^^xsd:%s is %s', (text, name, fate) => {
    expect(fateOf(typed(text, name))).toBe(fate)
  })

  it.each(['double', 'float', 'decimal'])(
    'NaN never gets there as a number: it breaks the index of the whole store (xsd:%s)',
    (name) => {
      expect(virtuosoFidelity.encode(typed('NaN', name)).line).toContain('urn:cartulary:literal:')
    },
  )

  it.each([
    'http://www.opengis.net/ont/geosparql#wktLiteral',
    'http://www.openlinksw.com/schemas/virtrdf#Geometry',
    'http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral',
    'urn:cartulary:literal:urn:x',
  ])('a %s comes back as it was sent, because nobody looks into it', (datatype) => {
    const line = lineOf(literal('POINT(1 2)', namedNode(datatype)))
    expect(fateOf(line)).toBe('hidden')
    expect(virtuosoFidelity.decode(virtuosoFidelity.encode(line).line)).toBe(line)
  })

  it('keeps a note of a language tag that would be lower-cased, and of no other', () => {
    expect(fateOf(lineOf(literal('x', 'de-DE')))).toBe('noted')
    expect(fateOf(lineOf(literal('x', 'de-de')))).toBe('exact')
    expect(fateOf(lineOf(literal('x')))).toBe('exact')
    expect(fateOf(lineOf(namedNode('urn:x')))).toBe('exact')
  })

  it.each(['nodeID://b1', 'local:x'])('refuses the IRI %s wherever it stands', (iri) => {
    const other = '<urn:test:x>'
    for (const line of [
      `<${iri}> ${other} ${other} .`,
      `${other} <${iri}> ${other} .`,
      `${other} ${other} <${iri}> .`,
      `${other} ${other} "x"^^<${iri}> .`,
    ]) {
      expect(() => virtuosoFidelity.encode(line)).toThrow('cannot keep')
    }
    expect(() => checkName(iri)).toThrow('cannot keep')
    expect(fateOf(lineOf(literal(`a <${iri}> . "b"^^<${iri}> .`)))).toBe('exact')
  })
})

describe('lines that Virtuoso holds for one triple', () => {
  it.each([
    ['01', 'integer', '1', 'decimal'],
    ['1', 'integer', '1.0', 'double'],
    ['1.5', 'decimal', '1.5', 'float'],
    ['1', 'integer', 'true', 'boolean'],
    ['1000000000000000000', 'integer', '1e18', 'double'],
    ['0', 'integer', '-0.0', 'double'],
    ['2020-01-01', 'date', '2020', 'gYear'],
    ['2020-01-01', 'date', '2020-01-01T00:00:00', 'dateTime'],
    ['2020-01-01T00:00:00Z', 'dateTime', '2020-01-01T02:00:00+02:00', 'dateTime'],
  ])('"%s"^^xsd:%s and "%s"^^xsd:%s have one key', (text, name, other, otherName) => {
    expect(virtuosoFidelity.key(typed(text, name))).toBe(
      virtuosoFidelity.key(typed(other, otherName)),
    )
  })

  it.each([
    [typed('1', 'integer'), lineOf(literal('1'))],
    [typed('1', 'integer'), typed('2', 'integer')],
    [typed('P1Y', 'duration'), typed('P12M', 'duration')],
    [lineOf(literal('x', 'de')), lineOf(literal('x', 'de-de'))],
    [typed('9007199254740993', 'integer'), typed('9007199254740992', 'integer')],
  ])('%s and %s have two', (one, other) => {
    expect(virtuosoFidelity.key(one)).not.toBe(virtuosoFidelity.key(other))
  })
})

describe("Virtuoso's N-Triples", () => {
  it('are read in our spelling, whatever a literal holds', () => {
    const escapeAll = (line: string) =>
      line.replace(/(?<=>) (?=[<"])/g, '\t').replace(/[\u0080-\u{10ffff}]/gu, (found) => {
        const point = (found.codePointAt(0) ?? 0).toString(16).toUpperCase()
        return point.length > 4 ? `\\U${point.padStart(8, '0')}` : `\\u${point.padStart(4, '0')}`
      })
    const text = fc.string({ unit: 'binary', maxLength: 30 }).filter((one) => one.isWellFormed())
    fc.assert(
      fc.property(text, (value) => {
        const line = `${lineOf(literal(value.replaceAll('> ', '>_')))}\n`
        expect(normaliseNTriples(escapeAll(line))).toBe(line)
      }),
      { numRuns: 2000 },
    )
  })

  it('are nothing when the answer says that it is empty', () => {
    expect(normaliseNTriples('# Empty NT\n')).toBe('')
    expect(normaliseNTriples('')).toBe('')
  })

  it('keep a backslash that stands before a u', () => {
    const line = lineOf(literal('\\u0041 é'))
    expect(normaliseNTriples(`${line.replace('é', '\\u00E9')}\n`)).toBe(`${line}\n`)
  })
})
