/** Stems per language, and the bucket a language key leads to. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bucketOf, officialLanguages } from '../../src/text/language.ts'
import { stemmers, stems } from '../../src/text/stems.ts'

const meet = (language: string, a: string, b: string) =>
  stems(language, a).some((stem) => stems(language, b).includes(stem))

describe('stems', () => {
  const pairs: readonly (readonly [string, string, string])[] = [
    ['en', 'station', 'stations'],
    ['en', 'quantity', 'Quantities'],
    ['de', 'Station', 'Stationen'],
    ['de', 'strasse', 'Straßen'],
    ['fr', 'qualite', 'qualités'],
    ['fr', 'riviere', 'rivières'],
    ['es', 'estacion', 'estaciones'],
    ['it', 'stazione', 'stazioni'],
    ['nl', 'gemeente', 'gemeenten'],
  ]
  it.each(pairs)('%s: %s and %s share one', (language, a, b) => {
    expect(meet(language, a, b)).toBe(true)
  })

  it('belong to one language', () => {
    expect(stems('en', 'stations')).toEqual(['en:station'])
    expect(stems('en', 'dates')).not.toEqual(stems('fr', 'dates'))
  })

  it('are not taken of words with a digit or in languages without a stemmer', () => {
    expect(stems('en', 'co2s')).toEqual([])
    for (const language of ['cs', 'et', 'hr', 'lv', 'mt', 'pl', 'sk', 'sl', 'ja', 'zh', 'x', '']) {
      expect(stems(language, 'stations')).toEqual([])
      expect(Object.hasOwn(stemmers, language)).toBe(false)
    }
  })

  it('never fail and never are empty, for any word in any language', () => {
    const languages = Object.keys(stemmers)
    const word = fc.oneof(fc.string({ unit: 'binary', maxLength: 64 }), fc.string())
    fc.assert(
      fc.property(fc.constantFrom(...languages), word, (language, text) => {
        for (const stem of stems(language, text)) expect(stem).toMatch(/^[a-z]{2}:./su)
      }),
      { numRuns: 500 },
    )
  })
})

describe('buckets', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['en', 'en'],
    ['EN', 'en'],
    ['de-CH', 'de'],
    ['zu', 'x'],
    ['x', 'x'],
    ['', 'x'],
    ['zh-Hant', 'x'],
  ]
  it.each(cases)('%s lies in %s', (key, bucket) => {
    expect(bucketOf(key, officialLanguages)).toBe(bucket)
  })

  it('a configured tag with a region has its own', () => {
    expect(bucketOf('zh-Hant', ['zh-hant', 'zh'])).toBe('zh-hant')
  })
})
