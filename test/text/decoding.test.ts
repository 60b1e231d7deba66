/** One decoder for all readers: the byte order mark, UTF-8, the declared charset, Windows-1252, in this order. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  charsetOf,
  decodeText,
  type DecodingOptions,
  TextDecoding,
  UndecodableText,
} from '../../src/text/decoding.ts'
import '../support/seed.ts'

/** Bytes of one-byte charsets: characters up to U+00FF, and some of Windows-1252, Windows-1251 and ISO 8859-15 beside them. */
const bytesOf = (text: string, others: Readonly<Record<string, number>> = {}) =>
  Buffer.from(Array.from(text, (one) => others[one] ?? one.charCodeAt(0)))

const sentence = 'Café Straße, 5 €'
const windows = bytesOf(sentence, { '€': 0x80 })
const iso15 = bytesOf(sentence, { '€': 0xa4 })
const cyrillic = Buffer.from([0xc3, 0xee, 0xf0, 0xee, 0xe4])

function inPieces(bytes: Uint8Array, size: number, options: DecodingOptions = {}) {
  const decoding = new TextDecoding(options)
  let text = ''
  for (let at = 0; at < bytes.length; at += size)
    text += decoding.write(bytes.subarray(at, at + size))
  return { text: text + decoding.end(), assumption: decoding.assumption }
}

describe('text', () => {
  const utf8 = Buffer.from(sentence)
  const big = Buffer.from(`\uFEFF${sentence}`, 'utf16le').swap16()
  const xml = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?><a>größe</a>`
  it.each<[string, Uint8Array, string | undefined, string]>([
    ['UTF-8 without a charset', utf8, undefined, sentence],
    ['UTF-8 although the header says Latin-1', utf8, 'iso-8859-1', sentence],
    ['UTF-8 although the header says UTF-16', utf8, 'utf-16', sentence],
    ['UTF-8 with a mark', Buffer.from(`\uFEFF${sentence}`), 'iso-8859-1', sentence],
    ['UTF-16 with a mark', Buffer.from(`\uFEFF${sentence}`, 'utf16le'), 'utf-8', sentence],
    ['UTF-16 in the other order', big, undefined, sentence],
    ['UTF-16 without a mark', Buffer.from('{"é":1}', 'utf16le'), undefined, '{"é":1}'],
    ['a replacement character that was sent', Buffer.from('a\uFFFDé'), undefined, 'a\uFFFDé'],
    [
      'XML in the encoding that it declares',
      bytesOf(xml('iso-8859-1')),
      'utf-8',
      xml('iso-8859-1'),
    ],
    ['XML in UTF-8 that declares Latin-1', Buffer.from(xml('latin1')), undefined, xml('latin1')],
    ['nothing', new Uint8Array(), undefined, ''],
  ])('is read without an assumption: %s', (_, bytes, declared, text) => {
    expect(decodeText(bytes, { declared })).toEqual({ text, assumption: undefined })
  })

  it.each<[string, Uint8Array, string | undefined, string, RegExp]>([
    [
      'in the declared charset',
      iso15,
      'iso-8859-15',
      sentence,
      /read as iso-8859-15, as its Content-Type says/,
    ],
    ['in a declared charset of other letters', cyrillic, 'WINDOWS-1251', 'Город', /windows-1251/],
    [
      'as Windows-1252 when none is declared',
      windows,
      undefined,
      sentence,
      /windows-1252, which nothing declares/,
    ],
    ['as Windows-1252 when the declared one is UTF-8', windows, 'utf-8', sentence, /windows-1252/],
    [
      'as Windows-1252 when the declared one is unknown',
      windows,
      'klingon',
      sentence,
      /windows-1252/,
    ],
    [
      'as Windows-1252 for single bytes in UTF-8',
      Buffer.concat([Buffer.from('é é '), windows]),
      undefined,
      `é é ${sentence}`,
      /Some bytes are not UTF-8, the first in line 1/,
    ],
    [
      'without the bytes that its charset does not have',
      Buffer.from([0xff, 0xe1, 0xff]),
      'iso-8859-7',
      'α',
      /left out/,
    ],
  ])('is read with an assumption %s', (...[, bytes, declared, text, assumption]) => {
    const read = decodeText(bytes, { declared })
    expect(read.text).toBe(text)
    expect(read.assumption).toMatch(assumption)
  })

  it('says in which line the assumption begins', () => {
    expect(decodeText(Buffer.concat([Buffer.from('a\nb\n'), windows])).assumption).toContain(
      'line 3',
    )
  })

  it('of another kind after 64 KB of UTF-8 keeps what is UTF-8', () => {
    const long = 'é'.repeat(70_000)
    const { text } = inPieces(Buffer.concat([Buffer.from(long), Buffer.of(0xdf)]), 1 << 14)
    expect(text).toBe(`${long}ß`)
  })

  it('is the same in pieces of any size', () => {
    const part = fc.oneof(
      fc.string({ unit: 'binary' }).map((text) => Buffer.from(text.toWellFormed())),
      fc.uint8Array({ maxLength: 12 }),
    )
    fc.assert(
      fc.property(fc.array(part), fc.integer({ min: 1, max: 9 }), (parts, size) => {
        const bytes = Buffer.concat(parts)
        const whole = decodeText(bytes, { declared: 'windows-1251' })
        expect(inPieces(bytes, size, { declared: 'windows-1251' })).toEqual(whole)
      }),
    )
  })

  it('that is UTF-8 is never changed, whatever is declared', () => {
    const charset = fc.constantFrom('utf-8', 'us-ascii', 'iso-8859-1', 'windows-1251', 'shift_jis')
    const letters = fc.string({ unit: 'grapheme' }).filter((text) => !/[\0\uFEFF]/.test(text))
    fc.assert(
      fc.property(letters, charset, fc.boolean(), (text, declared, isStrict) => {
        const read = decodeText(Buffer.from(text), { declared, isStrict })
        expect(read).toEqual({ text, assumption: undefined })
      }),
    )
  })
})

describe('a strict reader', () => {
  it('takes the declared charset and refuses what nobody declared', () => {
    expect(decodeText(iso15, { declared: 'iso-8859-15', isStrict: true }).text).toBe(sentence)
    const refused = () =>
      decodeText(Buffer.concat([Buffer.from('é\nü '), windows]), { isStrict: true })
    expect(refused).toThrow(UndecodableText)
    expect(refused).toThrow(expect.objectContaining({ place: { line: 2, column: 6 } }))
  })
})

it('UTF-32 is refused by its name', () => {
  const bytes = Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0])
  expect(() => decodeText(bytes)).toThrow('the text is UTF-32, which is not read: send UTF-8')
})

it.each([
  ['text/turtle; charset=utf8', 'utf8'],
  ['text/turtle;CHARSET="ISO-8859-1"', 'ISO-8859-1'],
  ["text/html; charset = 'us-ascii' ; x=y", 'us-ascii'],
  ['text/turtle', undefined],
])('the charset of %s', (type, charset) => {
  expect(charsetOf(type)).toBe(charset)
})
