/** Compounds: which titles of an index are found by a part, and what holds for every word that is divided. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { logger } from '../../src/log.ts'
import { compoundRule, splitsOf } from '../../src/search-index/compounds.ts'
import type { SearchIndex } from '../../src/search-index/search-index.ts'
import { embeddedIndex } from '../../src/search-index/sqlite/sqlite-index.ts'
import { wordLeaf } from '../../src/search/query/word-leaf.ts'
import { indexedLanguages } from '../../src/text/language.ts'
import { tokenOf, tokens } from '../../src/text/tokens.ts'
import { configured, documentOf, request } from '../contracts/search-index-corpus.ts'
import { compoundTitles, otherTitles, partWords, titlesOf } from './compound-titles.ts'

const opened: { readonly index: SearchIndex; readonly directory: string }[] = []

afterAll(async () => {
  for (const { index, directory } of opened) {
    await index.close()
    rmSync(directory, { recursive: true })
  }
})

/** An index with a record per title; its id is the title. */
async function indexOf(
  titles: Readonly<Record<string, string>>,
  words: Readonly<Record<string, string>> = {},
): Promise<SearchIndex> {
  const directory = mkdtempSync(join(tmpdir(), 'compounds-'))
  const log = logger('silent')
  const index = await embeddedIndex({ directory, log, languages: indexedLanguages })
  opened.push({ index, directory })
  await configured(index)
  const samples = Object.entries(titles).flatMap(([language, text]) =>
    titlesOf(text).map(([, title]) => ({ id: title, text: { title: { [language]: [title] } } })),
  )
  const description = Object.fromEntries(
    Object.entries(words).map(([language, text]) => [language, [text]]),
  )
  const all = [...samples, { id: 'words', text: { description } }]
  await index.write(all.map((sample) => ({ put: documentOf({ index: 'dataset', ...sample }) })))
  return index
}

/** Titles that a word finds. */
async function found(index: SearchIndex, word: string): Promise<readonly string[]> {
  const { hits } = await index.search(request({ tree: wordLeaf(word)! }))
  return hits.map(({ id }) => id)
}

/** Parts of titles which the search of the part does not find. */
async function notFound(index: SearchIndex, text: string): Promise<readonly string[]> {
  const missing: string[] = []
  for (const [part, title] of titlesOf(text))
    if (!(await found(index, part)).includes(title)) missing.push(part)
  return missing
}

/** Parts that do not find their title: where the index has only the titles, and where it also has both parts as words. */
const missing: Readonly<Record<string, { readonly alone: string; readonly withWords: string }>> = {
  da: { alone: 'vand vej kort skov luft støj bygning station træ valg', withWords: '' },
  de: { alone: 'Schule Baum Wald Kind Rad Lärm Luft Müll Park Zahl', withWords: '' },
  fi: {
    alone: 'vesi tie koulu rakennus puisto asema kirjasto kartta katu energia pyörä ilma satama',
    withWords: 'rakennus katu energia pyörä',
  },
  hu: { alone: 'víz állomás erdő föld park zaj', withWords: '' },
  nl: {
    alone: 'weg school gebouw boom garage station brug grens kind bos',
    withWords: 'garage grens',
  },
  sv: { alone: 'väg skola barn skog sjö buss luft park station', withWords: '' },
}
/** Least titles of twenty that are found in each of the two indices. */
const floors: Readonly<Record<string, readonly [alone: number, withWords: number]>> = {
  da: [10, 20],
  de: [10, 20],
  fi: [7, 16],
  hu: [14, 20],
  nl: [10, 18],
  sv: [11, 20],
}

describe('a search of one part of a compound finds titles with the compound', () => {
  it.each(Object.keys(compoundTitles))(
    'twenty titles with a compound are tried in %s',
    (language) => {
      const parts = titlesOf(compoundTitles[language]!)
      expect([parts.length, new Set(parts.flat()).size]).toEqual([20, 40])
      // Nothing but the compound has the part.
      expect(parts.filter(([part, title]) => tokens(title).includes(tokenOf(part)))).toEqual([])
    },
  )

  describe('in an index of the titles alone', () => {
    let index: SearchIndex
    beforeAll(async () => {
      index = await indexOf(compoundTitles)
    })
    it.each(Object.entries(missing))('all but some in %s', async (language, { alone }) => {
      const notThere = await notFound(index, compoundTitles[language]!)
      expect(notThere.join(' ')).toBe(alone)
      expect(20 - notThere.length).toBeGreaterThanOrEqual(floors[language]![0])
    })
  })

  describe('in an index where other records have the parts as words', () => {
    let index: SearchIndex
    beforeAll(async () => {
      index = await indexOf(compoundTitles, partWords)
    })
    it.each(Object.entries(missing))('all but few in %s', async (language, { withWords }) => {
      const notThere = await notFound(index, compoundTitles[language]!)
      expect(notThere.join(' ')).toBe(withWords)
      expect(20 - notThere.length).toBeGreaterThanOrEqual(floors[language]![1])
    })

    it('but not under a NOT, nor where the word is quoted', async () => {
      const withoutParts = { kind: 'term', token: 'wasser' } as const
      const exact = { kind: 'exact', token: 'wasser' } as const
      for (const tree of [withoutParts, exact]) {
        const { hits } = await index.search(request({ tree }))
        expect(hits.map(({ id }) => id)).toEqual(['words'])
      }
    })
  })
})

describe('words that begin or end with another one and are no compounds of it', () => {
  it.each([
    ['the titles alone', {}],
    ['parts of compounds as words', partWords],
  ])('thirteen of twenty are not found in an index with %s', async (_, words) => {
    const index = await indexOf({ de: otherTitles }, words)
    expect(titlesOf(otherTitles)).toHaveLength(20)
    const reached: string[] = []
    for (const [part, title] of titlesOf(otherTitles))
      if ((await found(index, part)).includes(title)) reached.push(part)
    expect(reached.join(' ')).toBe('Messe Karte Meter Essen Regen Alter Recht')
  })
})

const letters = fc.constantFrom(...Array.from('abcdeilmnorstuyzäöüßæжλ中𐐨'))
/** Words of letters, and any texts. */
const anyText = fc.oneof(
  fc.string({ unit: letters, maxLength: 50 }),
  fc.string({ unit: 'binary', maxLength: 70 }),
  fc.constantFrom('a'.repeat(10_000), 'strom'.repeat(2_000), '𐐨'.repeat(10_000)),
)
const anyForms = fc
  .array(fc.string({ unit: letters, minLength: 1, maxLength: 12 }), { maxLength: 64 })
  .map((forms) => new Set(forms))

describe('the rule of compounds', () => {
  it('answers any text and forms with at most fourteen rests for each form, which are parts of the text', () => {
    fc.assert(
      fc.property(anyText, anyForms, (text, forms) => {
        const { rests = [] } = compoundRule(text, forms) ?? {}
        expect(rests.length).toBeLessThanOrEqual(14 * forms.size)
        expect(new Set(rests).size).toBe(rests.length)
        for (const rest of rests) {
          expect(text.includes(rest) && rest !== text).toBe(true)
          expect(rest.length).toBeGreaterThanOrEqual(3)
        }
      }),
    )
  })

  it('answers a form at one end of a word, whatever stands at the other', () => {
    const word = fc.string({ unit: letters, minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(word, word, fc.boolean(), (form, rest, isFirst) => {
        const token = isFirst ? form + rest : rest + form
        const rule = compoundRule(token, new Set([form]))
        const isWord = rest.length >= (form.length > 3 ? 3 : 4) && /[aeiouyæα-ω]/u.test(rest)
        const isCertain = isWord && !isFirst && form.length >= 5
        expect(!isWord || rule?.rests.includes(rest)).toBe(true)
        expect(!isCertain || rule?.isCertain).toBe(true)
      }),
    )
  })

  it('is none for the word itself and for texts with other characters than letters', () => {
    expect(compoundRule('wasser', new Set(['wasser']))).toBeUndefined()
    expect(compoundRule('wasser2wasser', new Set(['wasser']))).toBeUndefined()
    expect(compoundRule('', new Set(['wasser']))).toBeUndefined()
    expect(compoundRule('trinkwasser', new Set())).toBeUndefined()
  })

  it.each([
    ['hochwasser', 'wasser', true],
    ['wasserstand', 'wasser', true],
    ['wasserung', 'wasser', false],
    ['waldbrande', 'wald', false],
    ['schallschutz', 'schall', true],
  ])('%s with %s: certain is %s', (token, form, isCertain) => {
    expect(compoundRule(token, new Set([form]))).toMatchObject({ isCertain })
  })

  it.each([
    ['stromung', 'strom'],
    ['bildung', 'bild'],
    ['quadrat', 'rat'],
  ])('%s with %s: only with another known word', (token, form) => {
    expect(compoundRule(token, new Set([form]))?.isCertain ?? false).toBe(false)
  })

  it('takes a linking element from the side of the form', () => {
    const restsOf = (token: string, form: string) => compoundRule(token, new Set([form]))?.rests
    expect(restsOf('verkehrsunfalle', 'verkehr')).toEqual(['sunfalle', 'unfalle'])
    expect(restsOf('gemeindenamen', 'namen')).toEqual(['gemeinde', 'gemeind'])
  })
})

describe('a word is divided', () => {
  it('into two halves of at least two characters that give the word, at each border', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { phrases } = splitsOf(text)
        const isDivided = /^\p{L}+$/u.test(text) && text.length <= 40
        expect(phrases.length).toBe(isDivided ? Math.max(0, text.length - 3) : 0)
        for (const [first, second] of phrases) {
          expect(first + second).toBe(text)
          expect(Math.min(first.length, second.length)).toBeGreaterThanOrEqual(2)
        }
      }),
    )
  })

  it('into the parts of a compound from seven letters on, the longest last part first', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { compounds, phrases } = splitsOf(text)
        expect(compounds.length).toBe(text.length < 7 ? 0 : Math.max(0, phrases.length - 2))
        const lengths = compounds.map(({ last }) => last.length)
        expect(lengths).toEqual(lengths.toSorted((a, b) => b - a))
        for (const { firsts, last } of compounds) {
          expect(firsts[0]! + last).toBe(text)
          expect(firsts.length).toBeLessThanOrEqual(7)
          for (const first of firsts)
            expect([firsts[0]!.startsWith(first), first.length >= 3]).toEqual([true, true])
        }
      }),
    )
  })

  it('not at all when it is short, longer than 40 letters or has a digit', () => {
    for (const text of ['', 'a', 'abc', 'a'.repeat(41), 'a'.repeat(10_000), 'tempo30zone'])
      expect(splitsOf(text)).toEqual({ phrases: [], compounds: [] })
    expect(splitsOf('abcd')).toEqual({ phrases: [['ab', 'cd']], compounds: [] })
    expect(splitsOf('a'.repeat(40)).phrases).toHaveLength(37)
  })
})
