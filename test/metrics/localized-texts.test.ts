/** Texts in several languages: the one that a reader gets. */

import { describe, expect, it } from 'vitest'
import { oneLine, pickLocalText } from '../../src/metrics/localized-texts.ts'

describe('texts', () => {
  const wish = { locale: 'fr', languages: ['de'], id: 'the-id' }
  it.each([
    [
      { fr: 'eau', de: 'Wasser', en: 'water' },
      { text: 'eau', language: 'fr' },
    ],
    [
      { 'fr-CH': 'eau', de: 'Wasser' },
      { text: 'eau', language: 'fr-CH' },
    ],
    [
      { de: 'Wasser', en: 'water' },
      { text: 'Wasser', language: 'de' },
    ],
    [
      { en: 'water', pl: 'woda' },
      { text: 'water', language: 'en' },
    ],
    [
      { pl: 'woda', cs: 'voda' },
      { text: 'voda', language: 'cs' },
    ],
    [{ '': 'aqua' }, { text: 'aqua' }],
    [
      { fr: '  ', de: 'Wasser' },
      { text: 'Wasser', language: 'de' },
    ],
    [{}, { text: 'the-id' }],
    [{ '"><x': 'aqua' }, { text: 'aqua' }],
  ])(
    'of %j are told in the wanted language, else the main one, English, any: %j',
    (texts, found) => {
      expect(pickLocalText(texts, wish)).toEqual(found)
    },
  )

  it('are one line of characters that can be seen', () => {
    expect(oneLine(' a\0\r\n\tb\u{2028}c\u{85}  d \u{d800}')).toBe('a b c d \u{fffd}')
  })
})
