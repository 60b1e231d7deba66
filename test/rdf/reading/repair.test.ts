import { describe, expect, test } from 'vitest'
import { toLines } from '../../../src/rdf/lines.ts'
import type { Format } from '../../../src/rdf/media-types.ts'
import { parse, type Repair } from '../../../src/rdf/parse.ts'

const repaired = async (text: string, format: Format) => {
  const repairs: Repair[] = []
  const options = { baseIri: 'http://e/x', repair: (one: Repair) => repairs.push(one) }
  return { text: toLines(await parse(text, format, options)), repairs }
}

describe('with repair', () => {
  test('a bad IRI in Turtle is percent-encoded and reported with its place', async () => {
    expect(await repaired('<a> <p>\n <http://e/a "b"> .', 'turtle')).toEqual({
      text: '<http://e/a> <http://e/p> <http://e/a%20%22b%22> .\n',
      repairs: [
        { kind: 'iri', from: 'http://e/a "b"', to: 'http://e/a%20%22b%22', line: 2, column: 2 },
      ],
    })
  })

  test('the same holds for IRIs in lines, prefixes and datatypes', async () => {
    const line = '<http://e/a|b> <http://e/p> "x"^^<http://e/t{}> .'
    expect((await repaired(line, 'ntriples')).text).toBe(
      '<http://e/a%7Cb> <http://e/p> "x"^^<http://e/t%7B%7D> .\n',
    )
    const prefix = '@prefix b: <http://e/[x]/> . b:c <p> b:c .'
    expect((await repaired(prefix, 'turtle')).text).toBe(
      '<http://e/%5Bx%5D/c> <http://e/p> <http://e/%5Bx%5D/c> .\n',
    )
  })

  test('an IRI that cannot be saved takes its triple with it, and only that', async () => {
    const { text, repairs } = await repaired('<a> <p> <http://h:x/>, <b> .', 'turtle')
    expect(text).toBe('<http://e/a> <http://e/p> <http://e/b> .\n')
    expect(repairs).toEqual([{ kind: 'iri', from: 'http://h:x/', line: 1, column: 9 }])
    const long = await repaired(`<a> <p> <b>, <http://e/${'é'.repeat(900)}> .`, 'turtle')
    expect(long.text).toBe('<http://e/a> <http://e/p> <http://e/b> .\n')
    expect(long.repairs).toHaveLength(1)
  })

  test.each([
    ['trig', '<http://h:x/> { <a> <p> <b> }'],
    ['nquads', '<http://e/a> <http://e/p> <http://e/b> <http://h:x/> .'],
    ['jsonld', '{"@id": "http://h:x/", "@graph": {"@id": "a", "http://e/p": {"@id": "b"}}}'],
  ] as const)(
    'triples of a graph whose name cannot be saved have none in %s',
    async (format, text) => {
      const options = { baseIri: 'http://e/x', repair: () => undefined }
      const [found] = await parse(text, format, options)
      expect([found?.object.value, found?.graph.termType]).toEqual(['http://e/b', 'DefaultGraph'])
    },
  )

  test.each([
    ['turtle', '<a> <p> "x"@en_GB .'],
    ['jsonld', '{"@id": "a", "http://e/p": {"@value": "x", "@language": "en_GB"}}'],
    [
      'rdfxml',
      `<d:Description xmlns:d="http://www.w3.org/1999/02/22-rdf-syntax-ns#" d:about="a">
        <p xmlns="http://e/" xml:lang="en_GB">x</p></d:Description>`,
    ],
  ] as const)('a language tag with an underscore is put right in %s', async (format, source) => {
    const { text, repairs } = await repaired(source, format)
    expect(text).toBe('<http://e/a> <http://e/p> "x"@en-GB .\n')
    expect(repairs).toMatchObject([{ kind: 'language', from: 'en_GB', to: 'en-GB' }])
  })

  test('a tag beyond repair goes, the text stays', async () => {
    const source = '{"@id": "a", "http://e/p": {"@value": "x", "@language": "in English!"}}'
    expect((await repaired(source, 'jsonld')).text).toBe('<http://e/a> <http://e/p> "x" .\n')
  })

  test('half a surrogate pair goes, the text stays', async () => {
    const { text } = await repaired('{"@id": "a", "http://e/p": "x\\ud800"}', 'jsonld')
    expect(text).toBe('<http://e/a> <http://e/p> "x" .\n')
  })

  test('an over-long literal is left out and reported by its beginning', async () => {
    const { text, repairs } = await repaired(`<a> <p> "${'x'.repeat(1_048_577)}" .`, 'turtle')
    expect(text).toBe('')
    expect(repairs).toMatchObject([{ kind: 'literal', from: 'x'.repeat(80) }])
  })

  test('broken syntax stays an error', async () => {
    await expect(repaired('<a> <p> <b', 'turtle')).rejects.toMatchObject({ kind: 'malformed-rdf' })
  })
})
