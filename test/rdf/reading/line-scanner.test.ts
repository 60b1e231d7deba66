/** The quick way through N-Triples and N-Quads takes exactly what the parser takes, and makes the same of it. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toLines } from '../../../src/rdf/lines.ts'
import { parse } from '../../../src/rdf/parse.ts'
import { CheckedTerms } from '../../../src/rdf/reading/checked-terms.ts'
import { scanChecked } from '../../../src/rdf/reading/line-scanner.ts'
import { parseText } from '../../../src/rdf/reading/parse-stream.ts'
import { readN3 } from '../../../src/rdf/reading/n3-reader.ts'

const scan = (text: string, named = false) =>
  scanChecked(text, new CheckedTerms({ baseIri: '' }), named)
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
    expect(scan('_:p12_b0 <urn:p> _:genid_4 .\n<urn:s> <urn:p> "a\\nb"@de-AT .\n')).toHaveLength(2)
  })

  it('any literal is read alike on both ways', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('\\', '"', 'u', 'U', '0', 'n', '\n', 'é', '.', ' ') }),
    )
    fc.assert(
      fc.property(value, fc.constantFrom('', '@de-AT', '^^<urn:type>'), (raw, extra) => {
        const text = line(`"${raw}"${extra}`)
        const quick = scan(text)
        if (!quick) return true
        return toLines(quick) === toLines(readN3(text, 'ntriples', { baseIri: '' }))
      }),
      { numRuns: 3000 },
    )
  })
})

describe('N-Quads', () => {
  const quads = '<urn:s> <urn:p> "1" <urn:g> .\n_:a <urn:p> _:b _:g .\n<urn:s> <urn:p> <urn:o> .\n'

  it('go the quick way, with and without the name of a graph', () => {
    const graphs = scan(quads, true)?.map(({ graph }) => graph.termType)
    expect(graphs).toEqual(['NamedNode', 'BlankNode', 'DefaultGraph'])
  })

  it('are read alike on both ways', async () => {
    const texts = (all: Awaited<ReturnType<typeof parse>>) =>
      all.map(({ subject, object, graph }) => [subject.termType, object.value, graph.termType])
    const [quick, slow] = [scan(quads, true) ?? [], readN3(quads, 'nquads', { baseIri: '' })]
    const plain = (all: typeof quick) => texts(all).filter(([, value]) => !/l_/.test(value ?? ''))
    expect(plain(quick)).toEqual(plain(slow))
    expect(quick).toHaveLength(slow.length)
  })

  it('with a fifth term are refused', async () => {
    const text = '<urn:s> <urn:p> <urn:o> <urn:g> <urn:h> .\n'
    await expect(parse(text, 'nquads', { baseIri: '' })).rejects.toMatchObject({
      kind: 'malformed-rdf',
    })
  })
})

describe('a text read in pieces', () => {
  const read = async (text: string) => {
    const found = []
    for await (const batch of parseText(text, 'ntriples', { baseIri: '' })) found.push(...batch)
    return found
  }
  const many = (count: number, object: string) => line(object).repeat(count)

  it('keeps its blank nodes when the parser takes over from the scanner', async () => {
    const text = `${line('_:same')}${many(3000, '"x"')}# a comment\n${line('_:same')}`
    const blanks = (await read(text)).flatMap(({ object }) =>
      object.termType === 'BlankNode' ? object.value : [],
    )
    expect(blanks).toHaveLength(2)
    expect(new Set(blanks).size).toBe(1)
  })

  it('names the line of a fault, however far down', async () => {
    const text = `${many(5000, '"x"')}${line('<not an iri>')}${many(10, '"x"')}`
    await expect(read(text)).rejects.toMatchObject({ errors: [{ line: 5001 }] })
  })

  it('may end without a line end', async () => {
    expect(await read(`${many(2000, '"x"')}<urn:s> <urn:p> <urn:o> .`)).toHaveLength(2001)
  })

  it('without any line end is refused within its limits', async () => {
    await expect(read(`<urn:s> <urn:p> "${'x'.repeat(6_000_000)}`)).rejects.toMatchObject({
      kind: 'malformed-rdf',
    })
  })
})
