/** The quick way through N-Triples takes exactly what the parser takes, and makes the same of it. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toLines } from '../../../src/rdf/lines.ts'
import { parse } from '../../../src/rdf/parse.ts'
import { scanChecked } from '../../../src/rdf/reading/line-scanner.ts'
import { readN3 } from '../../../src/rdf/reading/n3-reader.ts'

const line = (object: string) => `<urn:s> <urn:p> ${object} .\n`

describe('what the parser refuses', () => {
  it.each([
    ['a raw line end in a literal', line('"a\nb"')],
    ['an unknown escape', line('"a\\qb"')],
    ['half an escape', line('"a\\u00"')],
    ['a code point beyond Unicode', line('"a\\U00110000"')],
    ['an IRI with a space', line('<urn:a b>')],
    ['a relative IRI', line('<b>')],
    ['a bad language tag', line('"a"@en_GB')],
    ['a literal as subject', '"a" <urn:p> <urn:o> .\n'],
    ['a blank predicate', '<urn:s> _:b <urn:o> .\n'],
    ['no dot', '<urn:s> <urn:p> <urn:o>\n'],
    ['a fourth term', '<urn:s> <urn:p> <urn:o> <urn:g> .\n'],
  ])('%s is refused here too', async (_, text) => {
    await expect(parse(text, 'ntriples', { baseIri: '' })).rejects.toMatchObject({
      kind: 'malformed-rdf',
    })
  })
})

describe('what the parser takes', () => {
  it.each([
    ['comments and blank lines', `# hello\n\n${line('<urn:o>')}`, 1],
    ['tabs between terms', '<urn:s>\t<urn:p>\t"x"@de-DE .', 1],
    ['Windows line ends', '<urn:s> <urn:p> <urn:o> .\r\n<urn:s> <urn:p> "2" .\r\n', 2],
    ['labels with dots', '_:a.b <urn:p> _:c-d .\n', 1],
  ])('%s', async (_, text, count) => {
    expect(await parse(text, 'ntriples', { baseIri: '' })).toHaveLength(count)
  })

  it('the bodies of our own import go the quick way', () => {
    expect(
      scanChecked('_:p12_b0 <urn:p> _:genid_4 .\n<urn:s> <urn:p> "a\\nb"@de-AT .\n'),
    ).toHaveLength(2)
  })

  it('any literal is read alike on both ways', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('\\', '"', 'u', 'U', '0', 'n', '\n', 'é', '.', ' ') }),
    )
    fc.assert(
      fc.property(value, fc.constantFrom('', '@de-AT', '^^<urn:type>'), (raw, extra) => {
        const text = line(`"${raw}"${extra}`)
        const quick = scanChecked(text)
        if (!quick) return true
        return toLines(quick) === toLines(readN3(text, 'ntriples', { baseIri: '' }))
      }),
      { numRuns: 3000 },
    )
  })
})
