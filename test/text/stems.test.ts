/** Stems per language, and the bucket a language key leads to. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fold } from '../../src/text/fold.ts'
import { bucketOf, indexedLanguages, officialLanguages } from '../../src/text/language.ts'
import { stemmers, stems } from '../../src/text/stems.ts'
import { inflected, pairsOf } from './inflected-words.ts'

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

  it.each(Object.entries(inflected))(
    '%s: ten words share one with an inflected form',
    (language, text) => {
      const apart = pairsOf(text).filter(([word, form]) => !meet(language, word, form))
      expect([pairsOf(text).length, apart]).toEqual([10, []])
    },
  )

  it('are tried with ten words in every bucket that has a stemmer', () => {
    const withStemmer = indexedLanguages.filter((language) => Object.hasOwn(stemmers, language))
    expect(Object.keys(inflected).sort()).toEqual(withStemmer.sort())
  })

  const ofTheDesign: readonly (readonly [string, string, string])[] = [
    ['no', 'sykkelvei', 'sykkelveier'],
    ['tr', 'hattı', 'hatları'],
    ['uk', 'школа', 'школи'],
    ['ar', 'مدارس', 'المدارس'],
  ]
  it.each(ofTheDesign)('%s: %s and %s share one', (language, a, b) => {
    expect(meet(language, a, b)).toBe(true)
  })

  it('are shared by a word and its folded form', () => {
    for (const [language, text] of Object.entries(inflected))
      for (const word of pairsOf(text).flat())
        expect([word, meet(language, word, fold(word))]).toEqual([word, true])
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

  it.each([
    ['nb', 'no'],
    ['nn', 'no'],
    ['nb-NO', 'no'],
    ['nn-NO', 'no'],
    ['NB', 'no'],
    ['no', 'no'],
    ['sr-Latn', 'sr'],
    ['uk-UA', 'uk'],
    ['ja', 'x'],
    ['zh', 'x'],
    ['zu', 'x'],
    ['th', 'x'],
    ['nbx', 'x'],
  ])('of the indexed languages: %s lies in %s', (key, bucket) => {
    expect(bucketOf(key, indexedLanguages)).toBe(bucket)
  })

  it('every official language and ar, hy, id, no, ru, sr, tr and uk have one of their own', () => {
    const own = [...officialLanguages, ...'ar hy id no ru sr tr uk'.split(' ')]
    expect(own.map((language) => bucketOf(language, indexedLanguages))).toEqual(own)
    expect([new Set(indexedLanguages).size, indexedLanguages.length]).toEqual([32, 32])
  })

  it('Bokmål has its own where it is configured, and that of others where Norwegian is not', () => {
    expect(bucketOf('nb-NO', ['nb', 'no'])).toBe('nb')
    expect(bucketOf('nb', officialLanguages)).toBe('x')
  })

  it('a configured tag with a region has its own', () => {
    expect(bucketOf('zh-Hant', ['zh-hant', 'zh'])).toBe('zh-hant')
  })
})
