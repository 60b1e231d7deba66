/** Other spellings of letters with umlauts and rings. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { transcriptionsOf } from '../../src/search-index/transcriptions.ts'
import { tokenOf } from '../../src/text/tokens.ts'

/** Spellings of a word as typed, as `languages token`. */
const spellings = (typed: string) => {
  const [token, lower] = [tokenOf(typed), typed.toLowerCase()]
  return transcriptionsOf(token, lower === token ? undefined : lower).map(
    (spelling) => `${spelling.languages.join(',')} ${spelling.token}`,
  )
}

describe('a word has', () => {
  it.each([
    ['Muenchen', ['de munchen']],
    ['München', ['de muenchen']],
    ['Laerm', ['de larm']],
    ['Lärm', ['de laerm']],
    ['Aarhus', ['da,no arhus']],
    ['Århus', ['da,no aarhus']],
    ['Tromsoe', ['de tromso', 'da,no tromso']],
    ['Tromsø', ['da,no tromsoe']],
    ['Feuerwehrhaeuser', ['de feurwehrhaeuser', 'de feuerwehrhauser', 'de feurwehrhauser']],
    ['Straße', []],
    ['water', []],
    ['Malmö', ['de malmoe']],
  ])('%s: the other spellings %j', (typed, expected) => {
    expect(spellings(typed)).toEqual(expected)
  })

  it('every combination at up to four places, and one spelling at more', () => {
    expect(transcriptionsOf('ae'.repeat(4), undefined)).toHaveLength(15)
    expect(transcriptionsOf('ae'.repeat(5), undefined).map(({ token }) => token)).toEqual(['aaaaa'])
    const longest = transcriptionsOf('ae'.repeat(32), undefined)
    expect(longest.map(({ token }) => token)).toEqual(['a'.repeat(32)])
  })

  it('the same spellings whether its accents are typed as one character or as two', () => {
    expect(transcriptionsOf('munchen', 'mu\u0308nchen')).toEqual(
      transcriptionsOf('munchen', 'm\u00fcnchen'),
    )
  })

  it('at most 34 spellings, each only once for a language and none of them the word, whatever the text', () => {
    const unit = fc.constantFrom(...Array.from('aeouäöüåøsß'))
    const text = fc.oneof(
      fc.string({ unit, maxLength: 40 }),
      fc.string({ unit: 'binary', maxLength: 70 }),
      fc.constantFrom('ae'.repeat(5_000), 'ü'.repeat(10_000), 'oe'.repeat(20)),
    )
    fc.assert(
      fc.property(text, fc.option(text, { nil: undefined }), (token, typed) => {
        const found = transcriptionsOf(token, typed)
        expect(found.length).toBeLessThanOrEqual(34)
        const names = found.map((spelling) => `${spelling.languages.join()} ${spelling.token}`)
        expect(new Set(names).size).toBe(names.length)
        for (const { token: other } of found) {
          expect(other).not.toBe(token)
          expect(other.length).toBeLessThanOrEqual(Math.max(token.length, 128))
        }
      }),
    )
  })
})
