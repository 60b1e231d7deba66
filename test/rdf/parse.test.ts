import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/errors.ts'
import { toLines } from '../../src/rdf/lines.ts'
import type { Format } from '../../src/rdf/media-types.ts'
import { decode, parse } from '../../src/rdf/parse.ts'

type Place = { line: number; column?: number }

const baseIri = 'http://e/base/x'
const failure = async (text: string, format: Format): Promise<Failure> => {
  const error: unknown = await parse(text, format, { baseIri }).then(
    () => undefined,
    (caught: unknown) => caught,
  )
  if (error instanceof Failure) return error
  throw new Error(`no failure but ${String(error)}`)
}
const lines = async (text: string, format: Format) =>
  toLines(await parse(text, format, { baseIri }))

describe('faults name their place', () => {
  test.each<[string, Format, string, Place]>([
    ['an undeclared prefix', 'turtle', '\n\n  ex:a a ex:b .', { line: 3, column: 3 }],
    ['a missing dot', 'turtle', '<a> <b> <c>\n<d> <e> <f> .', { line: 2, column: 1 }],
    ['an unclosed literal', 'turtle', '<a> <b>\n "x', { line: 2, column: 2 }],
    ['an IRI with a space', 'turtle', '<a> <b>\n  <http://e/a b> .', { line: 2, column: 3 }],
    ['an IRI with brackets', 'turtle', '<a> <b>\n  <http://e/?a[b]> .', { line: 2, column: 3 }],
    [
      'an escaped space in an IRI',
      'turtle',
      '<a> <b>\n <http://e/a\\u0020b> .',
      { line: 2, column: 2 },
    ],
    [
      'a relative IRI in N-Triples',
      'ntriples',
      '<a> <http://e/b> <http://e/c> .',
      { line: 1, column: 1 },
    ],
    ['a language tag with _', 'turtle', '<a> <b>\n  "x"@en_GB .', { line: 2 }],
    ['a formula', 'n3', '<a> <b>\n {} .', { line: 2, column: 2 }],
    ['a variable', 'n3', '<a> <b> ?x .', { line: 1, column: 9 }],
    ['a base direction', 'turtle', '<a> <b>\n "x"@en--ltr .', { line: 2 }],
    ['a graph in Turtle', 'turtle', '<g> {<a> <b> <c>}', { line: 1 }],
    ['JSON cut off', 'jsonld', '{\n "a": [1, 2', { line: 2, column: 12 }],
    ['JSON with a trailing comma', 'jsonld', '{"a": 1,\n }', { line: 2, column: 2 }],
    ['JSON with a bare word', 'jsonld', '[\n\n oops]', { line: 3, column: 2 }],
    ['JSON after its end', 'jsonld', '{}\n{}', { line: 2, column: 1 }],
    [
      'an IRI with a space in JSON-LD',
      'jsonld',
      '{\n "@id": "tel:+4 0", "@type": "x"}',
      { line: 2, column: 10 },
    ],
    ['XML that is not closed', 'rdfxml', '<rdf:RDF\n', { line: 2 }],
    ['an undeclared XML prefix', 'rdfxml', '\n<x:y/>', { line: 2 }],
  ])('%s (%s)', async (_, format, text, place) => {
    const { kind, errors } = await failure(text, format)
    expect(kind).toBe('malformed-rdf')
    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatchObject(place)
    expect(errors[0]?.detail).not.toBe('')
  })

  test.each([
    ['<a> <b> <c>\n<d> <e> <f> .', /^expected "\.", ";" or ","/],
    ['<a> <b> [ <c> "d" .', /inside brackets also "\]"/],
    ['<a> <b>', /but the text ends$/],
    ['<a> <b> .', /^expected an IRI, a blank node or a literal, but got \.$/],
  ])('says of %j what was expected', async (text, detail) => {
    const [error] = (await failure(text, 'turtle')).errors
    expect(error?.detail).toMatch(detail)
    expect(error?.detail).not.toContain('undefined')
  })

  test.each<[Format, string]>([
    ['turtle', '<a> <b> <<( <a> <b> <c> )>> .'],
    ['jsonld', '{"@id": "http://e/a", "@type": 1}'],
    ['jsonld', '['.repeat(65) + ']'.repeat(65)],
    ['jsonld', '"http://127.0.0.1:9/never-fetched"'],
    ['jsonld', '{"http://e/p": "\\ud800"}'],
  ])('%s without a place: %s', async (format, text) => {
    expect((await failure(text, format)).kind).toBe('malformed-rdf')
  })

  test('terms that no store keeps are named as such', async () => {
    const long = `<http://e/${'a'.repeat(1_800)}> <b> <c> .`
    expect((await failure(long, 'turtle')).kind).toBe('invalid-content')
    const exact = `http://e/${'a'.repeat(1_791)}`
    expect(await lines(`<${exact}> <b> <c> .`, 'turtle')).toContain(exact)
    expect((await failure(`<a> <b> "${'x'.repeat(1_048_577)}" .`, 'turtle')).kind).toBe(
      'invalid-content',
    )
  })
})

describe('what is written stays as written', () => {
  test.each<[Format, string]>([
    ['turtle', '<http://e/a> <http://e/p> "x"@de-DE, "x"@DE-de, "01"^^<http://e/t> .'],
    [
      'jsonld',
      `{"@context": {"p": "http://e/p", "t": "http://e/t"}, "@id": "http://e/a", "p": [
        {"@value": "x", "@language": "de-DE"}, {"@value": "x", "@language": "DE-de"},
        {"@value": "01", "@type": "t"}]}`,
    ],
    [
      'rdfxml',
      `<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://e/">
        <r:Description r:about="http://e/a" xml:lang="de-DE"><p>x</p><p xml:lang="DE-de">x</p>
        <p r:datatype="http://e/t">01</p></r:Description></r:RDF>`,
    ],
  ])('language tags and lexical forms in %s', async (format, text) => {
    const found = await lines(text, format)
    expect(found).toContain('"x"@de-DE .\n')
    expect(found).toContain('"01"^^<http://e/t> .\n')
    expect(found).toContain('"x"@DE-de .\n')
  })

  test('relative references are resolved against the base', async () => {
    expect(await lines('<> <#p> </q>, <../r> .', 'turtle')).toBe(
      `<${baseIri}> <${baseIri}#p> <http://e/q> .\n<${baseIri}> <${baseIri}#p> <http://e/r> .\n`,
    )
    expect(await lines('{"@id": "", "http://e/p": {"@id": "../r"}}', 'jsonld')).toBe(
      `<${baseIri}> <http://e/p> <http://e/r> .\n`,
    )
  })

  test('labels of blank nodes never meet those of another parse', async () => {
    const text = '_:x <p> [ <p> _:x ] .'
    const [one, other] = [await lines(text, 'turtle'), await lines(text, 'turtle')]
    const labels = (found: string) => new Set(found.match(/_:\S+/g))
    expect(labels(one).size).toBe(2)
    expect(labels(one).isDisjointFrom(labels(other))).toBe(true)
  })
})

describe('bytes', () => {
  const bytes = (...parts: (string | number)[]) =>
    Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.of(part))),
    )

  test('a byte order mark is dropped, a replacement character that was sent is kept', () => {
    expect(decode(bytes('\ufeffa\ufffd'))).toBe('a\ufffd')
    expect(decode(bytes())).toBe('')
  })

  test.each([
    [bytes('a\nbc', 0xe4, 'd'), { line: 2, column: 3 }],
    [bytes('\ufffd\n\ufffd', 0xff), { line: 2, column: 2 }],
    [bytes('a', 0xe2, 0x82), { line: 1, column: 2 }],
  ])('what is not UTF-8 is refused with its place', (text, place) => {
    expect(() => decode(text)).toThrow(
      expect.objectContaining({
        kind: 'malformed-rdf',
        errors: [{ ...place, detail: 'the text is not UTF-8' }],
      }),
    )
  })
})
