/** Values of stores that spell them in their own way: which are the same, and how ours come back. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fuseki } from '../../../src/store/remote/fuseki.ts'
import { spellingKey } from '../../../src/store/remote/spelled-values.ts'
import {
  linesOf,
  noteIn,
  noteOf,
  applyNotes,
  linesToNote,
} from '../../../src/store/remote/spelling-notes.ts'
import { sparql11 } from '../../../src/store/remote/sparql11.ts'
import { hostileText } from '../hostile-text.ts'
import { toLine } from '../../../src/rdf/lines.ts'
import { literal, namedNode, quad } from '../../../src/rdf/terms.ts'

const line = (object: string) => `<urn:s> <urn:p> ${object} .`
const typed = (text: string, type: string) =>
  line(`"${text}"^^<http://www.w3.org/2001/XMLSchema#${type}>`)

describe('the key of a line', () => {
  it.each([
    ['integer', ['1', '01', '+1', ' 1 ']],
    ['integer', ['0', '-0', '00']],
    ['decimal', ['1.5', '1.50', '01.5', '+1.5']],
    ['decimal', ['1', '1.0', '1.', '01']],
    ['decimal', ['.5', '0.5', '0.50']],
    ['double', ['1e6', '1.0E6', '1000000', '1000000.0e0']],
    ['float', ['1.5', '1.5e0', '15e-1']],
    ['double', ['INF', '+INF']],
    ['boolean', ['1', 'true', ' true ']],
    ['dateTime', ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00.000+00:00', '2019-12-31T24:00:00Z']],
    ['dateTime', ['2020-01-01T02:00:00+02:00', '2020-01-01T00:00:00-00:00']],
    ['date', ['2020-01-01Z', '2020-01-01+00:00', '2020-01-01-00:00']],
    ['time', ['12:00:00', '12:00:00.0']],
    ['duration', ['P1Y', 'P12M']],
    ['dayTimeDuration', ['PT36H', 'P1DT12H', 'PT129600.0S']],
  ])('is one for the spellings of an xsd:%s: %j', (type, forms) => {
    expect(new Set(forms.map((form) => spellingKey(typed(form, type)))).size).toBe(1)
  })

  it.each([
    ['integer', ['1', '10', '-1', 'x', '']],
    ['decimal', ['1.5', '1.05', '15', '-1.5', '.']],
    ['double', ['1', '1.5', 'NaN', 'INF', '-INF', 'x']],
    ['dateTime', ['2020-01-01T00:00:00', '2020-01-01T00:00:00Z', '2020-01-01T00:00:00.1Z', 'x']],
    ['dateTime', ['-0044-03-15T00:00:00Z', '0044-03-15T00:00:00Z']],
    ['date', ['2020-01-01', '2020-01-01Z', '2020-01-02Z']],
    ['duration', ['P1Y', 'P1M', '-P1Y', 'PT1M', 'P']],
  ])('differs for different values of an xsd:%s: %j', (type, forms) => {
    expect(new Set(forms.map((form) => spellingKey(typed(form, type)))).size).toBe(forms.length)
  })

  it('takes the case of a tag, types that stores merge, and steps of a path for the same', () => {
    expect(spellingKey(line('"x"@de-DE'))).toBe(spellingKey(line('"x"@DE-de')))
    expect(spellingKey(typed('5', 'int'))).toBe(spellingKey(typed('5', 'integer')))
    expect(spellingKey(line('<http://a/b/../c?d=/../e>'))).toBe(line('<http://a/c?d=/../e>'))
    expect(spellingKey(line('"a /../ b"'))).toBe(line('"a /../ b"'))
    expect(spellingKey(typed('x', 'string'))).toBe(line('"x"'))
  })
})

/** A store that keeps one triple of every key and gives it in a spelling of its own. */
const throughStore = (lines: readonly string[]) => new Set(lines.map(spellingKey))

describe.each([fuseki, sparql11])('spelling notes of $name', ({ fidelity }) => {
  const forms = fc.constantFrom(
    '1',
    '01',
    '1.0',
    '1.50',
    '1e0',
    'true',
    'x',
    '2020-01-01T00:00:00.0Z',
  )
  const types = fc.constantFrom(
    'integer',
    'int',
    'decimal',
    'double',
    'boolean',
    'dateTime',
    'string',
  )
  const objects = fc.oneof(
    fc.tuple(forms, types).map(([form, type]) => typed(form, type)),
    fc.constantFrom('de-DE', 'de-de', 'DE', 'en').map((tag) => line(`"x"@${tag}`)),
    fc.constantFrom('<http://a/c>', '<http://a/b/../c>', '"1"', '"x"').map(line),
  )

  it('bring every line back as it was, from whatever a store makes of it', () => {
    fc.assert(
      fc.property(fc.uniqueArray(objects, { maxLength: 12 }), (lines) => {
        const sent = lines.map((one) => fidelity.encode(one).line)
        const back = [...throughStore(sent)].map((one) => fidelity.decode(one))
        const notes = [...linesToNote(new Set(lines), fidelity)]
        // A line without a note is one that such a store gives back as it is.
        const same = lines.filter((one) => !notes.includes(one))
        const kept = new Map(same.map((one) => [spellingKey(one), one]))
        const came = new Set(back.map((one) => kept.get(spellingKey(one)) ?? one))
        expect([...applyNotes(came, notes, fidelity)].sort()).toEqual(lines.toSorted())
      }),
    )
  })

  it('that fit nothing any more are left aside', () => {
    const came = new Set([typed('2', 'integer')])
    expect(applyNotes(came, [typed('01', 'integer')], fidelity)).toEqual(came)
  })

  it('are lines of the system graph that hold any line', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const one = toLine(quad(namedNode('urn:s'), namedNode('urn:p'), literal(text, 'de-DE')))
        const note = noteOf('urn:g', one)
        expect([note.split('\n').length, noteIn('urn:g', note)]).toEqual([1, one])
        expect(noteIn('urn:other', note)).toBeUndefined()
      }),
    )
  })
})

describe('what a store sends', () => {
  it('is read whatever its white space, escapes and comments are', () => {
    const ours = [line('"\u00e4 \\u0001 \\" \\\\"@de'), line('<http://a/\u00e4>')]
    const theirs = `${line('"\\u00E4 \u0001 \\u0022 \\\\"@de').replaceAll('> ', '>\t')}\n# end\n${line('<http://a/\\u00E4>')}\r\n`
    expect([...linesOf(theirs)]).toEqual(ours)
    expect([...linesOf(`${ours.join('\n')}\n${ours[0]}\n`)]).toEqual(ours)
  })
})
