/** Sentences about what is wrong: in the language of the page, from the shape where it speaks it, else from the portal. */

import { describe, expect, it } from 'vitest'
import { faultWords, sentenceOf, typedWords } from '../../src/portal/parts/fault-words.ts'
import { interfaceLanguages, translationsOf } from '../../src/portal/translations.ts'

const german = translationsOf('de', 'UTC')
const shacl = 'http://www.w3.org/ns/shacl#'
const key = (name: string, editor?: Parameters<typeof sentenceOf>[1]) =>
  sentenceOf(`${shacl}${name}ConstraintComponent`, editor)

describe('words about a fault', () => {
  const [own, foreign] = ['Wie heißt der Pegel?', 'Name the gauge']

  it('are the message of the shape in the language of the page', () => {
    const fault = { key: key('MinCount'), messages: { en: foreign, de: own } }
    expect(faultWords(german, fault)).toBe(own)
  })

  it('are a sentence about the constraint where the shape speaks another language', () => {
    expect(faultWords(german, { key: key('MinCount'), messages: { en: foreign } })).toBe(
      'Noch nicht angegeben.',
    )
    expect(faultWords(german, { key: key('Datatype', 'date'), value: 'bald' })).toContain(
      '„bald“ ist kein Datum',
    )
  })

  it('are the message in another language, marked, where the portal has no sentence', () => {
    const words = faultWords(german, { key: key('LessThan'), messages: { en: '<b>later</b>' } })
    expect(JSON.parse(JSON.stringify(words))).toBe(
      '<span lang="en" dir="ltr">&lt;b&gt;later&lt;/b&gt;</span>',
    )
    expect(faultWords(german, {})).toBe('Es entspricht nicht den Regeln dieses Feldes.')
  })

  it('name what cannot be seen, and what a profile says about texts of the wrong form', () => {
    const field = { pattern: '^A', message: { de: 'Beginnt mit A' } }
    expect(typedWords(german, field, { message: 'no-match', text: 'B' })).toBe('Beginnt mit A')
    expect(typedWords(german, field, { message: 'no-date', text: 'B' })).toContain('„B“')
    const hidden = { message: 'hidden-characters', text: 'a\u202eb' }
    expect(typedWords(german, field, hidden)).toContain('U+202E')
  })

  it.each(interfaceLanguages)('are there in %s for every constraint and editor', (language) => {
    const page = translationsOf(language, 'UTC')
    const components = 'MinCount MaxCount Datatype Node Or Pattern NodeKind Class In HasValue'
    const bounds = 'MinLength MaxLength MinInclusive MaxExclusive UniqueLang LanguageIn'
    const editors = ['texts', 'date', 'number', 'address', 'email', 'concept', 'nested'] as const
    for (const name of `${components} ${bounds}`.split(' '))
      for (const editor of [undefined, ...editors]) {
        const words = faultWords(page, { key: key(name, editor), value: 'x' })
        expect([name, editor, words]).not.toContainEqual(expect.stringMatching(/^form-/))
      }
  })
})
