/** Every stemmer takes every word. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stemmers } from '../../src/text/stems.ts'

const alphabets = [
  'abcdefghijklmnopqrstuvwxyzäöüßéèçñ',
  'абвгдежзийклмнопрстуфхцчшщъьюя',
  'αβγδεζηθικλμνξοπρσςτυφχψω',
]
const word = fc.oneof(
  ...alphabets.map((letters) =>
    fc.string({ unit: fc.constantFrom(...Array.from(letters)), minLength: 1, maxLength: 20 }),
  ),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 10 }),
)

describe('stemmers', () => {
  it.each(Object.entries(stemmers))('the one of %s answers a text for any word', (_, stem) => {
    fc.assert(
      fc.property(word, (text) => typeof stem?.(text) === 'string'),
      { numRuns: 2000 },
    )
  })

  it('a Bulgarian word that the package stumbles over stays as it is', () => {
    expect(stemmers['bg']?.('финанси')).toBe('финанси')
  })
})
