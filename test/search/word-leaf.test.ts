/** What a word of `q` becomes: a term with its spellings, or a phrase. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Leaf, leavesOf, type QueryTree } from '../../src/search-index/query-tree.ts'
import { scopesOf, textLeaf } from '../../src/search/query/leaves.ts'
import { parseQuery } from '../../src/search/query/parser.ts'
import { wordLeaf } from '../../src/search/query/word-leaf.ts'
import { settings } from './suite/settings.ts'
import { treeText } from './suite/tree-text.ts'

const parse = (q: string): QueryTree => parseQuery(q, scopesOf(settings))
const leaves = (q: string): readonly Leaf[] => leavesOf(parse(q))
const terms = (q: string) => leaves(q).filter((leaf) => leaf.kind === 'term')

describe('an article before an apostrophe is not searched', () => {
  it.each([
    ["l'eau", 'eau'],
    ["L'EAU", 'eau'],
    ['l\u2019eau', 'eau'],
    ['l\u2018eau', 'eau'],
    ['l\u2032eau', 'eau'],
    ['l\uff07eau', 'eau'],
    ['l`eau', 'eau'],
    ['l\u00b4eau', 'eau'],
    ["d'école,", 'ecole'],
    ["(d'école)", 'ecole'],
    ["«l'eau»", 'eau'],
    ["'l'eau'", 'eau'],
    ["l'eau*", 'eau'],
    ["l'œuvre", 'oeuvre'],
    ["dell'acqua", 'acqua'],
    ["dall'alto", 'alto'],
    ["nell'acqua", 'acqua'],
    ["sull'acqua", 'acqua'],
    ["all'acqua", 'acqua'],
    ["coll'acqua", 'acqua'],
    ["quell'acqua", 'acqua'],
    ["un'isola", 'isola'],
    ["gl'italiani", 'italiani'],
    ["sant'anna", 'anna'],
    ["c'est", 'est'],
    ["j'ai", 'ai'],
    ["m'a", 'a'],
    ["n'est", 'est'],
    ["s'est", 'est'],
    ["t'es", 'es'],
    ["qu'une", 'une'],
    ["lorsqu'une", 'une'],
    ["puisqu'une", 'une'],
    ["jusqu'à", 'a'],
    ["quoiqu'une", 'une'],
    ["l'2024", '2024'],
    ["l'année-2024", 'phrase(annee 2024)'],
    ['l\u02bceau', 'eau'],
    ["l'arc-en-ciel", 'arcenciel(arc en ciel)'],
    ["L'Île-d'Yeu", 'iledyeu(ile d yeu)'],
  ])('%s', (q, tree) => expect(treeText(parse(q))).toBe(tree))
})

describe('an ending ’s is not searched', () => {
  it.each([
    ["city's", 'city'],
    ['city\u2019s', 'city'],
    ["City'S,", 'city'],
    ["it's", 'it'],
  ])('%s', (q, tree) => expect(treeText(parse(q))).toBe(tree))
})

describe('two or three words joined by hyphens or apostrophes are one word, or their phrase', () => {
  it.each([
    ["aujourd'hui", 'aujourdhui(aujourd hui)'],
    ["O'Brien", 'obrien(o brien)'],
    ["don't", 'dont(don t)'],
    ["rock'n'roll", 'rocknroll(rock n roll)'],
    ["children's-books", 'childrensbooks(children s books)'],
    ['Wi-Fi', 'wifi(wi fi)'],
    ['Wi\u2011Fi', 'wifi(wi fi)'],
    ['Wi\u2010Fi', 'wifi(wi fi)'],
    ['Wi\u2013Fi', 'wifi(wi fi)'],
    ['cycle-path,', 'cyclepath(cycle path)'],
    ['e-mail', 'email(e mail)'],
    ['Île-de-France', 'iledefrance(ile de france)'],
    ["м'ята", 'мята(м ята)'],
    ["title:l'eau", 'title:eau'],
    ['title:wi-fi', 'title:wifi(wi fi)'],
    ['title.en:wi-fi', 'title.en:wifi(wi fi)'],
  ])('%s', (q, tree) => expect(treeText(parse(q))).toBe(tree))
})

describe('other words of several tokens are phrases', () => {
  it.each([
    ['2016-17', 'phrase(2016 17)'],
    ['covid-19', 'phrase(covid 19)'],
    ['a-b2', 'phrase(a b2)'],
    ["2016's", '2016'],
    ['a-b-c-d-e', 'phrase(a b c d e)'],
    ["a-b-c-d's", 'phrase(a b c d s)'],
    ['a-b~~1', 'phrase(a b 1)'],
    ['a.b@c.d', 'phrase(a b c d)'],
    ['a.b', 'phrase(a b)'],
    ['a_b', 'phrase(a b)'],
    ['a/b', 'phrase(a b)'],
    ['AT&T', 'phrase(at t)'],
    ['wi--fi', 'phrase(wi fi)'],
    ["l''eau", 'phrase(l eau)'],
    ['Wi\u2014Fi', 'phrase(wi fi)'],
    ['東京都', 'phrase(東京 都)'],
    ['東京都-人口', 'phrase(東京 都 人口)'],
    ['id:a-b', 'id:phrase(a b)'],
  ])('%s', (q, tree) => expect(treeText(parse(q))).toBe(tree))

  it.each(['id', 'identifier', 'distributions.identifier'])('a-b in the field %s', (field) => {
    expect(textLeaf('a-b', 'word', field)).toEqual({ kind: 'phrase', tokens: ['a', 'b'], field })
    expect(textLeaf('a', 'word', field)).toMatchObject({ kind: 'term', token: 'a', field })
  })
})

describe('quoted words and words of filters are as they are written', () => {
  it.each([
    ['"l\'eau"', 'phrase(l eau)'],
    ['"Wi-Fi"', 'phrase(wi fi)'],
    ['"city\'s"', 'phrase(city s)'],
    ['"child care"', 'phrase(child care)'],
    ['"eau"', 'exact(eau)'],
    ['"München"', 'exact(munchen)'],
    ['title:"l\'eau"', 'title:phrase(l eau)'],
  ])('%s', (q, tree) => expect(treeText(parse(q))).toBe(tree))

  it('a word of a filter has neither parts nor pieces nor its accents', () => {
    expect(textLeaf('München', 'strict')).toEqual({ kind: 'term', token: 'munchen' })
    expect(textLeaf('wi-fi', 'strict')).toEqual({ kind: 'phrase', tokens: ['wi', 'fi'] })
    expect(textLeaf("l'eau", 'strict')).toEqual({ kind: 'phrase', tokens: ['l', 'eau'] })
  })
})

describe('a term', () => {
  it('has parts, and the word as typed where its token differs', () => {
    expect(parse('water')).toEqual({ kind: 'term', token: 'water', parts: true })
    expect(parse('WATER')).toEqual({ kind: 'term', token: 'water', parts: true })
    expect(parse('München')).toEqual({
      kind: 'term',
      token: 'munchen',
      typed: 'münchen',
      parts: true,
    })
    expect(parse('Mu\u0308nchen')).toEqual(parse('München'))
    expect(parse("l'Île")).toMatchObject({ token: 'ile', typed: 'île' })
  })

  it('has the words that it gives with a neighbour', () => {
    expect(terms('child care').map(({ joined }) => joined)).toEqual([['childcare'], ['childcare']])
    expect(terms('a b c').map(({ joined }) => joined)).toEqual([['ab'], ['ab', 'bc'], ['bc']])
    expect(terms('child OR care').map(({ joined }) => joined)).toEqual([
      ['childcare'],
      ['childcare'],
    ])
    expect(terms('covid 19').map(({ joined }) => joined)).toEqual([['covid19'], ['covid19']])
    expect(terms('title:child title:care').map(({ joined }) => joined)).toEqual([
      ['childcare'],
      ['childcare'],
    ])
    expect(terms("l'école d'été").map(({ joined }) => joined)).toEqual([['ecoleete'], ['ecoleete']])
  })

  it.each(['care', 'child AND care', '2016 17', 'title:child care', 'child "care"', 'child ca*'])(
    'has none in %s',
    (q) => {
      expect(terms(q).length).toBeGreaterThan(0)
      expect(terms(q).filter((term) => 'joined' in term)).toEqual([])
    },
  )

  it('under a NOT has neither parts nor words with a neighbour, but pieces and its accents', () => {
    expect(parse('trinkwasser NOT wasser')).toEqual({
      kind: 'and',
      operands: [
        { kind: 'term', token: 'trinkwasser', parts: true },
        { kind: 'not', operand: { kind: 'term', token: 'wasser' } },
      ],
    })
    expect(terms('NOT (child care)')).toEqual([
      { kind: 'term', token: 'child' },
      { kind: 'term', token: 'care' },
    ])
    expect(terms('NOT (a AND (b OR title:c))').filter((term) => 'parts' in term)).toEqual([])
    expect(terms('NOT wi-fi')).toEqual([{ kind: 'term', token: 'wifi', pieces: ['wi', 'fi'] }])
    expect(terms('NOT München')).toEqual([{ kind: 'term', token: 'munchen', typed: 'münchen' }])
  })

  it('under two NOT has parts', () => {
    expect(terms('a NOT NOT b').map(({ parts }) => parts)).toEqual([true, true])
  })
})

describe('any text', () => {
  const unit = fc.constantFrom(
    ...Array.from("aeéüßœldsʼ'’‘′`´-‐‑–—. _19中都ア\u0301\u00ad\u{10428}\ud800"),
  )
  const text = fc.oneof(
    fc.string({ unit, maxLength: 40 }),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom(
      'a'.repeat(10_000),
      'é'.repeat(10_000),
      `l'${'a'.repeat(10_000)}`,
      "l'".repeat(5_000),
      'a-'.repeat(5_000),
      `${'a'.repeat(5_000)}-${'b'.repeat(5_000)}`,
      `a${"'".repeat(10_000)}b`,
    ),
  )

  it('becomes a term of at most three pieces that give its token, or none', () => {
    fc.assert(
      fc.property(
        text,
        fc.option(fc.constantFrom('title', 'id'), { nil: undefined }),
        (q, field) => {
          const term = wordLeaf(q, field)
          if (term?.kind !== 'term') return
          const { token, pieces = [token], typed } = term
          expect(token).not.toBe('')
          expect([pieces.length <= 3, pieces.join('')]).toEqual([true, token])
          for (const piece of pieces) expect(Array.from(piece).length).toBeLessThanOrEqual(64)
          expect(typed).not.toBe(token)
          expect(term).toMatchObject({ kind: 'term', parts: true, ...(field && { field }) })
          expect(field === 'id' && term.pieces !== undefined).toBe(false)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('with pieces has two or three', () => {
    fc.assert(
      fc.property(text, (q) => {
        const leaf = wordLeaf(q)
        const count = leaf?.kind === 'term' ? leaf.pieces?.length : undefined
        expect(count === undefined || count === 2 || count === 3).toBe(true)
      }),
    )
  })
})

it('compounds are searched for up to 32 words of a query', () => {
  const query = (count: number) => Array.from({ length: count }, (_, n) => `w${n}`).join(' ')
  expect(terms(query(32)).every(({ parts }) => parts === true)).toBe(true)
  expect(terms(query(33)).some(({ parts }) => parts === true)).toBe(false)
})
