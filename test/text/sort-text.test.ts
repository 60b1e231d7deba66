/** Titles are sorted by the alphabet of their language. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { indexedLanguages } from '../../src/text/language.ts'
import { sortText } from '../../src/text/sort-text.ts'

const sorted = (titles: readonly string[], language: string) =>
  titles.toSorted((a, b) => {
    const [left, right] = [sortText(a, language), sortText(b, language)]
    return left < right ? -1 : left > right ? 1 : 0
  })

describe('titles are in the order of', () => {
  it.each([
    ['sv', 'Ale, Zinkgruvan, Åre, Ängelholm, Öland'],
    ['de', 'Äcker, Affoltern, Öffnungszeiten, Straße, Strassen, Zürich'],
    ['et', 'Saar, Šveits, Zaire, Žanr, Tartu, Õhk, Ülikool'],
    ['cs', 'Cena, Citrus, Chata, Ivan'],
    ['hu', 'Cukor, Csoport, Gomba, Gyermek, Zebra, Zsolna'],
    ['hr', 'Cesta, Čaj, Ćup, Dnevni, Džep, Lutka, Ljeto'],
    ['da', 'Zoo, Ærø, Østerbro, Aarhus, Aasen'],
    ['fr', 'Cote, œuvre, office'],
    ['el', 'Άγιος, Βόλος, Ώρες'],
    ['uk', 'Гора, Ґанок, Еко, Єдність'],
    ['en', '1 ward, 2 wards, 10 wards, wards'],
    ['en', 'Parks 007, Parks 8, Parks 10'],
    ['en', '“Air”, Bees, (Cars)'],
  ])('%s: %s', (language, text) => {
    const titles = text.split(', ')
    expect(sorted(titles.toReversed(), language)).toEqual(titles)
  })
})

it('a region changes nothing, and a language without an order has the English one', () => {
  expect(sortText('Öl', 'sv-FI')).toBe(sortText('Öl', 'sv'))
  for (const tag of ['x', '', 'zz', 'sw', 'no such tag!', 'en_GB'])
    expect(sortText('Öl', tag)).toBe(sortText('Öl', 'en'))
})

it('case, accents that make no letter, punctuation and spaces do not count', () => {
  expect(sortText('  Café-Bar  ', 'en')).toBe(sortText('cafe bar', 'en'))
  expect(sortText('CAFE\u0301 bar', 'en')).toBe(sortText('café bar', 'en'))
})

it('letters of other scripts come after those with an alphabet', () => {
  expect(sorted(['水質', 'שלום', 'Zug', 'מים'], 'en')).toEqual(['Zug', 'מים', 'שלום', '水質'])
})

it('any two words are in the order of the collator of the language', () => {
  const alphabets = [
    'aáàâäãåāăąæbcçćčdđďeéèêëęěfgğģhiíîïījkķlłľļmnñńňņoóôöõøœőpqrřsśšşșßtťțuúùûüūůűvwxyýzźżžþð',
    'αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώ',
    'абвгґдеёжзиіїйклмнопрстуфхцчшщъыьэюяђјљњћџ',
  ].map((letters) => Array.from(letters))
  const word = fc.constantFrom(...alphabets).chain((letters) =>
    fc
      .array(
        fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...letters) }, fc.nat(300).map(String)),
        {
          minLength: 1,
          maxLength: 6,
        },
      )
      .map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(fc.constantFrom(...indexedLanguages), word, word, (language, a, b) => {
      const wanted = new Intl.Collator(language, { numeric: true, sensitivity: 'base' }).compare(
        a,
        b,
      )
      const [left, right] = [sortText(a, language), sortText(b, language)]
      const order = left < right ? -1 : 1
      expect(wanted === 0 ? 0 : order).toBe(wanted)
    }),
    { numRuns: 3000 },
  )
})

it('any text has a sort text, and a long one does not take long', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, language) => {
      expect(typeof sortText(text, language)).toBe('string')
    }),
  )
  expect(sortText('9'.repeat(10_000), 'en').length).toBe(10_002)
})
