/** The tokeniser by its tables, and what holds for any text. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareCodePoints, cutCodePoints } from '../../src/text/code-points.ts'
import { fold } from '../../src/text/fold.ts'
import { tokens } from '../../src/text/tokens.ts'

const unicode = fc.string({ unit: 'binary', maxLength: 60 })

describe('folding', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['Straße', 'strasse'],
    ['STRASSE', 'strasse'],
    ['Café', 'cafe'],
    ['cafe', 'cafe'],
    ['Łódź', 'lodz'],
    ['Œuvre', 'oeuvre'],
    ['Ærø', 'aero'],
    ['Đorđe', 'dorde'],
    ['Þór', 'thor'],
    ['Ħal', 'hal'],
    ['ΑΘΉΝΑΣ', 'αθηνασ'],
    ['αθηνας', 'αθηνασ'],
    ['İstanbul', 'istanbul'],
    ['ısı', 'isi'],
    ['йод', 'йод'],
    ['Ёлка', 'ёлка'],
    ['データ', 'データ'],
    ['ｶﾞ', 'ガ'],
    ['Äpfel', 'apfel'],
    ['A\u0308\u0323', 'a'],
    ['שָׁלוֹם', 'שלום'],
    ['مُحَمَّد', 'محمد'],
    ['हिन्दी', 'हिन्दी'],
    ['ที่', 'ที่'],
  ]
  it.each(cases)('%s folds to %s', (text, expected) => {
    expect(fold(text)).toBe(expected.normalize('NFC'))
  })

  it('folding twice is folding once, for any text', () => {
    fc.assert(
      fc.property(unicode, (text) => {
        expect(fold(fold(text))).toBe(fold(text))
      }),
    )
  })
})

describe('tokens', () => {
  const cases: readonly (readonly [string, string[]])[] = [
    ['ﬁne ½', ['fine', '1', '2']],
    ['ＤＡＴＡ', ['data']],
    ["l'eau", ['l', 'eau']],
    ['e-mail', ['e', 'mail']],
    ['foo_bar', ['foo', 'bar']],
    ['C++', ['c']],
    ['2024-05', ['2024', '05']],
    ['CO2', ['co2']],
    ['東京都の水質データ', ['東京', '都', 'の', '水質', 'データ']],
    ['Qualité de l’eau', ['qualite', 'de', 'l', 'eau']],
    ['!!!', []],
    ['', []],
    ['\ud800water', ['water']],
  ]
  it.each(cases)('%s gives %j', (text, expected) => {
    expect(tokens(text)).toEqual(expected)
  })

  it('cuts a token at 64 code points, also where a code point is two units', () => {
    expect(tokens('a'.repeat(70))).toEqual(['a'.repeat(64)])
    expect(tokens('𝒶'.repeat(70))).toEqual(['a'.repeat(64)])
    expect(tokens('𐐨'.repeat(70))).toEqual(['𐐨'.repeat(64)])
  })

  it('gives only non-empty, well-formed words of letters, digits and marks, for any text', () => {
    fc.assert(
      fc.property(unicode, (text) => {
        for (const token of tokens(text)) {
          expect(token).toMatch(/^[\p{L}\p{N}\p{M}]+$/u)
          expect(token.isWellFormed()).toBe(true)
          expect(Array.from(token).length).toBeLessThanOrEqual(64)
        }
      }),
    )
  })
})

describe('code points', () => {
  it('are compared as their UTF-8 bytes are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
        const bytes = Buffer.compare(Buffer.from(a), Buffer.from(b))
        expect(Math.sign(compareCodePoints(a, b))).toBe(bytes)
      }),
    )
    expect(compareCodePoints('\uffee', '\u{10000}')).toBeLessThan(0)
  })

  it('are never torn by a cut', () => {
    expect(cutCodePoints('a𐐨b', 2)).toBe('a𐐨')
    expect(cutCodePoints('ab', 2)).toBe('ab')
  })
})
