/** Statements say the same as terms that are written again, whether they were scanned or parsed. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toLine } from '../../../src/rdf/lines.ts'
import { CheckedTerms } from '../../../src/rdf/reading/checked-terms.ts'
import { scanChecked } from '../../../src/rdf/reading/line-scanner.ts'
import { parseStatements, parseStream } from '../../../src/rdf/reading/parse-stream.ts'
import { scanStatements } from '../../../src/rdf/reading/statement-scanner.ts'
import { statementOf } from '../../../src/rdf/reading/statements.ts'
import { pieces } from '../graphs.ts'

const options = { baseIri: 'https://example.org/' }

async function all<Found>(batches: AsyncIterable<readonly Found[]>): Promise<Found[]> {
  const found: Found[] = []
  for await (const batch of batches) found.push(...batch)
  return found
}

/** Both ways with the same terms, so that labels are the same. */
function bothWays(text: string) {
  const terms = new CheckedTerms(options)
  return {
    quick: scanStatements(text, terms),
    slow: scanChecked(text, terms, false)?.map(statementOf),
  }
}

const term = {
  node: fc.constantFrom(
    '<urn:s>',
    '<http://e/ü?q#f>',
    '_:b0',
    '_:x_1',
    '<rel>',
    '<urn:a b>',
    '"s"',
  ),
  predicate: fc.constantFrom('<urn:p>', '<http://e/p>', '<p>', '_:p'),
  literal: fc
    .tuple(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.string({
          unit: fc.constantFrom(
            '\\',
            '"',
            'n',
            '\t',
            ' ',
            '.',
            '<',
            '>',
            '_',
            ':',
            '\u0085',
            '\ud800',
          ),
        }),
      ),
      fc.constantFrom(
        '',
        '@de-AT',
        '@en_GB',
        '^^<urn:type>',
        '^^<type>',
        '^^<http://www.w3.org/2001/XMLSchema#string>',
      ),
    )
    .map(([raw, extra]) => `"${raw}"${extra}`),
  end: fc.constantFrom(' .\n', ' .\n', ' .\n', '.\n', ' \n', ' . \n', ' . # so\n'),
}
const line = fc
  .tuple(term.node, term.predicate, fc.oneof(term.node, term.literal), term.end)
  .map(([subject, predicate, object, end]) => `${subject} ${predicate} ${object}${end}`)
const document = fc
  .array(fc.oneof({ weight: 9, arbitrary: line }, { weight: 1, arbitrary: fc.string() }), {
    maxLength: 4,
  })
  .map((lines) => lines.join(''))

describe('scanned statements', () => {
  it('are those of the terms, and what the terms refuse is left to the parser', () => {
    fc.assert(
      fc.property(document, (text) => {
        const { quick, slow } = bothWays(text)
        // A literal with a raw line end is no line: both leave it to the parser, or both took whole lines.
        expect(quick).toEqual(slow)
      }),
      { numRuns: 3000 },
    )
  })

  it('of a graph in our spelling are its lines', () => {
    const text = '<urn:s> <urn:p> "a \\"b\\""@de .\n<urn:s> <urn:q> <urn:o> .\n'
    expect(
      scanStatements(text, new CheckedTerms(options))
        ?.map((one) => one.line)
        .join(''),
    ).toBe(text)
  })

  it.each([
    ['an IRI that is too long for a store', `<urn:s> <urn:p> <urn:${'x'.repeat(2000)}> .\n`],
    ['a literal that is too long', `<urn:s> <urn:p> "${'x'.repeat(1_048_577)}" .\n`],
  ])('%s is left to the parser', (_, text) => {
    expect(scanStatements(text, new CheckedTerms(options))).toBeUndefined()
  })
})

describe('statements of a document', () => {
  const turtle =
    '@prefix e: <urn:> . e:s e:p "x"@en, [ e:q "1"^^<http://www.w3.org/2001/XMLSchema#string> ] .'
  const lines = '<urn:s> <urn:p> "x" .\n# told\n<urn:s> <urn:p> "\\u0041" .\n_:a <urn:p> _:a .\n'

  it.each([
    ['turtle', turtle],
    ['ntriples', lines],
  ] as const)('of %s are those of its quads', async (format, text) => {
    for (const size of [1, 7, 1000]) {
      const statements = await all(parseStatements(pieces(text, size), format, options))
      const quads = await all(parseStream(pieces(text, size), format, options))
      // Labels of blank nodes are those of the parse.
      const plain = (found: readonly string[]) => found.map((one) => one.replace(/_:p\d+_/g, '_:'))
      expect(plain(statements.map((one) => one.line))).toEqual(
        plain(quads.map((one) => `${toLine(one)}\n`)),
      )
    }
  })

  it('broken ones are named by their line', async () => {
    const text = `<urn:s> <urn:p> "x" .\n<urn:s> <urn:p> "y" .\noops\n`
    for (const size of [1, 7, 1000])
      await expect(
        all(parseStatements(pieces(text, size), 'ntriples', options)),
      ).rejects.toMatchObject({ errors: [expect.objectContaining({ line: 3 }) as object] })
  })
})
