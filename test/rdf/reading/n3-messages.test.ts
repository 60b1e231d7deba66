/** What is said of Turtle, TriG and N-Triples that cannot be read: line and column, and what was expected there. */

import { describe, expect, it } from 'vitest'
import type { Format } from '../../../src/rdf/media-types.ts'
import { parse } from '../../../src/rdf/parse.ts'
import { parseStream } from '../../../src/rdf/reading/parse-stream.ts'
import { pieces } from '../graphs.ts'

const options = { baseIri: 'http://e/' }
const prefix = '@prefix dct: <http://purl.org/dc/terms/> .\n'
const title = (text: string) => `${prefix}<http://e/a> dct:title ${text} .`
const line = (text: string) => `<http://e/a> <http://e/p> ${text} .\n`

const faults: readonly (readonly [
  name: string,
  format: Format,
  text: string,
  place: string,
  detail: string,
])[] = [
  [
    'a line break',
    'turtle',
    title('"one\ntwo"'),
    '2:24',
    'a line break in a text: write \\n, or put the text into three quotes',
  ],
  [
    'a line break in a graph',
    'trig',
    `<http://e/g> { ${line('"one\ntwo"')} }`,
    '1:42',
    'a line break in a text',
  ],
  ['a line break in N-Triples', 'ntriples', line('"one\ntwo"'), '1:27', 'a line break in a text'],
  [
    'a line break after another quote',
    'turtle',
    title('"it\'s\ntwo"'),
    '2:24',
    'a line break in a text',
  ],
  ['a bad escape', 'turtle', title('"C:\\data"'), '2:24', '\\d is no escape in a text: write \\\\'],
  [
    'an unescaped quote',
    'turtle',
    title('"a "b" c"'),
    '2:28',
    'found b": a quote inside of a text needs a backslash (\\")',
  ],
  [
    'three quotes without an end',
    'turtle',
    title('"""one\ntwo'),
    '2:24',
    'the text that begins here has no end: expected """',
  ],
  ['curly quotes', 'turtle', title('“a”'), '2:24', 'texts stand in straight quotes (")'],
  [
    'an unknown prefix',
    'turtle',
    '<http://e/a> dcat:x "a" .',
    '1:14',
    'the prefix "dcat:" is not declared: expected "@prefix dcat: <…> ." before',
  ],
  [
    'a missing dot',
    'turtle',
    `${prefix}<http://e/a> dct:title "a"\n<http://e/b> dct:title "b" .`,
    '3:1',
    'the statement before this has no end',
  ],
  [
    '@prefix without a dot',
    'turtle',
    '@prefix dct: <http://e/>\n<http://e/a> dct:title "a" .',
    '2:1',
    'expected "." after the declaration before this',
  ],
  [
    'an IRI without an end',
    'turtle',
    `${prefix}<http://e/a dct:title "a" .`,
    '2:1',
    'expected ">": the IRI that begins here has no end',
  ],
  [
    'a line break in an IRI',
    'turtle',
    `${prefix}<http://e/a\nb> dct:title "a" .`,
    '2:1',
    'a line break in an IRI: write %0A',
  ],
  [
    'a byte order mark inside',
    'turtle',
    `${prefix}\uFEFF<http://e/a> dct:title "a" .`,
    '2:1',
    'U+FEFF is no white space: write a blank',
  ],
  [
    'a no-break space',
    'turtle',
    title('\u00a0"a"'),
    '2:24',
    'U+00A0 is no white space: write a blank',
  ],
  [
    'a bare word',
    'turtle',
    '<http://e/a> title "a" .',
    '1:14',
    'expected an IRI in <…>, a name with a declared prefix or a literal, found title',
  ],
  ['an empty language tag', 'turtle', title('"a"@'), '2:27', 'expected a language tag such as @en'],
  [
    'a graph without an end',
    'trig',
    `<http://e/g> { ${line('"a"')}`,
    '2:1',
    'expected "}": the graph has no end',
  ],
]

describe('a text that cannot be read', () => {
  it.each(faults)('%s', async (...[, format, text, place, detail]) => {
    const whole = parse(text, format, options)
    const inPieces = async () => {
      const repair = () => undefined
      for await (const _ of parseStream(pieces(text, 7), format, { ...options, repair }));
    }
    for (const reading of [whole, inPieces()]) {
      const error: unknown = await reading.catch((failure: unknown) => failure)
      expect(error).toMatchObject({
        kind: 'malformed-rdf',
        detail: expect.stringContaining(detail) as string,
      })
      const [{ line: row, column } = {}] = (
        error as { errors: { line?: number; column?: number }[] }
      ).errors
      expect(`${row}:${column}`).toBe(place)
    }
  })

  it.each([
    ['a blank', '<http://e/a b>', 'a blank in an IRI: write %20'],
    ['a tab', '<http://e/a\tb>', 'a tab in an IRI: write %09'],
    ['a brace', '<http://e/{a}>', '{ in an IRI: write %7B'],
  ])('without repair: %s', async (_, iri, detail) => {
    await expect(parse(title(iri), 'turtle', options)).rejects.toMatchObject({
      detail: `${detail} (line 2)`,
    })
  })

  it('is placed right behind 200 KB of other text', async () => {
    const text = `${line('"a"').repeat(6000)}${line('"one\ntwo"')}`
    const read = async () => {
      for await (const _ of parseStream(pieces(text, 9000), 'turtle', options));
    }
    await expect(read()).rejects.toMatchObject({
      errors: [{ line: 6001, column: 27, detail: expect.stringContaining('line break') as string }],
    })
  })
})

it.each(['fre', 'fra'])(
  'a body that a client sends has the short tag of a language, too: %s',
  async (tag) => {
    const [quad] = await parse(title(`"a"@${tag}`), 'turtle', options)
    expect(quad?.object).toMatchObject({ language: 'fr' })
  },
)
