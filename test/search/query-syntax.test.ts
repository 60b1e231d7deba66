/** What `q` means: the tree of every rule, and that nothing but a limit stops the parser. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Failure } from '../../src/errors.ts'
import { parseQuery } from '../../src/search/query/parser.ts'
import { scopesOf } from '../../src/search/query/leaves.ts'
import { formCases, wordCases } from '../contracts/search-index-words.ts'
import { settings } from './suite/settings.ts'
import { treeText } from './suite/tree-text.ts'

const scopes = scopesOf(settings)
const read = (q: string) => treeText(parseQuery(q, scopes))

describe('q becomes a tree', () => {
  it.each([...wordCases, ...formCases].map(([no, q, tree]) => [no, q, tree]))(
    '%s %s',
    (_, q, tree) => {
      expect(read(q)).toBe(tree)
    },
  )
})

describe('operators', () => {
  it.each([
    ['a b NOT c', 'or(a, and(b, not(c)))'],
    ['NOT NOT a', 'a'],
    ['NOT NOT NOT a', 'not(a)'],
    ['a NOT NOT b', 'and(a, b)'],
    ['a OR NOT b', 'or(a, not(b))'],
    ['a AND b AND c', 'and(a, b, c)'],
    ['a AND (b AND c)', 'and(a, b, c)'],
    ['a (b c)', 'or(a, b, c)'],
    ['a AND (b OR c) d', 'or(and(a, or(b, c)), d)'],
    ['f(x)', 'or(f, x)'],
  ])('%s', (q, tree) => expect(read(q)).toBe(tree))

  it.each([
    ['AND', 'and'],
    ['AND water', 'or(and, water)'],
    ['OR water', 'or(or, water)'],
    ['water OR', 'or(water, or)'],
    ['water NOT', 'or(water, not)'],
    ['(water AND) quality', 'or(water, and, quality)'],
    ['(AND)', 'and'],
    ['a AND OR b', 'or(a, and, b)'],
    ['a AND AND b', 'or(a, and(and, b))'],
    ['NOT AND b', 'and(not, b)'],
  ])('without an operand on one side they are words: %s', (q, tree) => expect(read(q)).toBe(tree))

  it.each([
    ['(NOT water', 'not(water)'],
    ['a (AND b', 'and(a, b)'],
    ['))((a))((', 'a'],
    ['"NOT water', 'not(water)'],
    ['a "b" " c', 'or(a, exact(b), c)'],
    ['")" AND (a', 'a'],
    ['a AND ()', 'a'],
    ['NOT !!!', 'none'],
    ['NOT (a AND !!!)', 'not(a)'],
  ])('what has no partner separates, the rest keeps its meaning: %s', (q, tree) =>
    expect(read(q)).toBe(tree),
  )

  it.each([
    ['+a -b', 'or(a, b)'],
    ['a~2', 'phrase(a 2)'],
    ['a^2', 'phrase(a 2)'],
    ['/re/', 're'],
    ['\\a', 'a'],
    ['"a b"^2', 'or(phrase(a b), 2)'],
    ['*:*', 'all'],
    ['  *  ', 'all'],
    ['**', 'none'],
    ['* NOT water', 'not(water)'],
  ])('no other syntax has a meaning: %s', (q, tree) => expect(read(q)).toBe(tree))
})

describe('wildcards', () => {
  it.each([
    ['Straß*', 'wild(strass*)'],
    ['a***b', 'wild(a*b)'],
    ['??water?', 'wild(water?)'],
    ['*-water*', 'water'],
    ['水?', 'wild(水?)'],
    ['水質？', '水質'],
    ['title:*water', 'title:water'],
  ])('%s', (q, tree) => expect(read(q)).toBe(tree))
})

describe('in a question, question marks after a word are punctuation too', () => {
  it.each([
    ['where can i swim?', 'or(where, can, i, swim?)'],
    ['Wo schwimmen?? In Basel!', 'or(wo, schwimmen??, in, basel)'],
    ['(where can i swim?)', 'or(where, can, i, swim?)'],
    ['Où nager ?', 'or(ou, nager)'],
    ['¿Dónde nadar?', 'or(donde, nadar?)'],
    ['Frage: wo?', 'or(frage, wo?)'],
    ['wo schwimmen？', 'or(wo, schwimmen)'],
    ['“l’eau?” swim?!', 'or(eau, swim)'],
    ['swim… swim! swim?.', 'or(swim, swim, swim)'],
    ['swim? NOT water?', 'and(swim?, not(water?))'],
  ])('%s', (q, tree) => {
    expect(treeText(parseQuery(q, scopes, { isAsked: true }))).toBe(tree)
  })

  it.each(['water*', 'wat?r', 'wat?r?', 'water*?', 'title:wate?', '"swim?"', '東京都?', '?'])(
    'all other wildcards stay: %s',
    (q) => expect(treeText(parseQuery(q, scopes, { isAsked: true }))).toBe(read(q)),
  )
})

describe('a name in front of a colon', () => {
  it.each([
    ['title:"Water Quality"~2', 'title:phrase(water quality)'],
    ['title.en:e-mail', 'title.en:email(e mail)'],
    ['id:d05', 'id:d05'],
    ['format:CSV', 'value(format, CSV)'],
    ['distributions.format.id:CSV', 'value(format, CSV)'],
    ['publisher:"City of X"', 'value(publisher, City of X)'],
    ['theme:ENVI', 'or(value(theme, ENVI), theme:envi)'],
    ['theme.id:ENVI', 'value(theme, ENVI)'],
    ['title.id:air', 'title.id:air'],
    ['hvd_category.id:x', 'value(hvdCategory, x)'],
    ['theme.label.en:water', 'theme.label.en:water'],
    ['scoring:[100 TO 200.5]', 'range(scoring, 100, 200.5)'],
    ['scoring:300', 'range(scoring, 300, 300)'],
    ['issued:2023', 'range(issued, 2023-01-01, 2023-12-31T23:59:59.999Z)'],
    ['issued:[2023-02-01 TO 2023-02-28]', 'range(issued, 2023-02-01, 2023-02-28T23:59:59.999Z)'],
    ['issued:[* TO *]', 'range(issued, *, *)'],
    ['NOT issued:[2023 TO *]', 'not(range(issued, 2023-01-01, *))'],
    ['(title:water)', 'title:water'],
  ])('limits the term to that field: %s', (q, tree) => expect(read(q)).toBe(tree))

  it.each([
    ['title: water', 'or(title, water)'],
    ['title:', 'title'],
    ['title:(water)', 'or(title, water)'],
    ['Title:water', 'phrase(title water)'],
    ['title.toolong:water', 'phrase(title toolong water)'],
    ['http://x.org', 'phrase(http x org)'],
    ['issued:[x TO y]', 'or(phrase(issued x), to, y)'],
    ['issued:[2023-02-30 TO *]', 'or(phrase(issued 2023 02 30), to)'],
    ['title:[a TO b]', 'or(phrase(title a), to, b)'],
    ['constructor:x', 'phrase(constructor x)'],
  ])('is literal otherwise: %s', (q, tree) => expect(read(q)).toBe(tree))
})

describe('limits', () => {
  const deep = (levels: number) => `${'('.repeat(levels)}a${')'.repeat(levels)}`
  const words = (count: number) => Array.from({ length: count }, (_, n) => `w${n}`).join(' ')

  it.each([
    ['4,097 characters', 'a'.repeat(4097)],
    ['33 levels of parentheses', deep(33)],
    ['257 words', words(257)],
    ['257 operators that are words', 'AND '.repeat(257)],
    ['a phrase of 257 words', `"${words(257)}"`],
  ])('%s are too many', (_, q) => {
    expect(() => read(q)).toThrow(expect.objectContaining({ kind: 'query-too-complex' }))
  })

  it.each([
    ['4,096 characters', 'a'.repeat(4096)],
    ['4,096 characters beyond the plane', '😀'.repeat(4096)],
    ['32 levels of parentheses', deep(32)],
    ['256 words', words(256)],
    ['parentheses without partner', '('.repeat(2000)],
    ['words that hold nothing', '! '.repeat(2000)],
  ])('%s are not', (_, q) => {
    expect(() => read(q)).not.toThrow()
  })
})

/** `QUERY_RUNS` for more. */
const runs = Number(process.env['QUERY_RUNS'] ?? 100_000)
/** Steps per character; names of fields and dates are looked at from each place. */
const steepest = 150

describe('any text at all', () => {
  const piece = fc.oneof(
    fc.constantFrom('AND', 'OR', 'NOT', '(', ')', '"', '*', '?', ' ', ':', '[', ']', '~3', ' TO '),
    fc.constantFrom('title:', 'issued:[', 'scoring:', 'format:', 'water', 'e-mail', '2021-01-01'),
    fc.string({ unit: 'binary', maxLength: 6 }),
  )
  const anyQuery = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''))

  it(
    'is read without an error other than a limit, in steps of its length, and without empty or nested groups',
    () => {
      fc.assert(
        fc.property(anyQuery, (q) => {
          const counter = { steps: 0 }
          try {
            const text = treeText(parseQuery(q, scopes, { counter }))
            expect(text).not.toMatch(/and\((and|or)?\(?\)|not\(not\(|not\(none/)
          } catch (error) {
            if (!(error instanceof Failure && error.kind === 'query-too-complex')) throw error
          }
          expect(counter.steps).toBeLessThanOrEqual(steepest * (q.length + 1))
        }),
        { numRuns: runs },
      )
    },
    60_000 + runs,
  )

  it('takes ten times the steps when it is ten times as long', () => {
    const limits = { queryCharacters: 1e6, queryDepth: 1e6, queryTerms: 1e6 }
    fc.assert(
      fc.property(anyQuery, (q) => {
        const stepsOf = (times: number) => {
          const counter = { steps: 0 }
          parseQuery(`${q} `.repeat(times), scopes, { limits, counter })
          return counter.steps
        }
        expect(stepsOf(500)).toBeLessThanOrEqual(11 * stepsOf(50) + 1_000)
      }),
      { numRuns: Math.ceil(runs / 1_000) },
    )
  })

  it('is read in a number of steps that grows with its length only', () => {
    const limits = { queryCharacters: 1e6, queryDepth: 1e6, queryTerms: 1e6 }
    const stepsOf = (unit: string, times: number) => {
      const counter = { steps: 0 }
      parseQuery(unit.repeat(times), scopes, { limits, counter })
      return counter.steps
    }
    const hostile = ['(', '"', 'issued:[', 'issued:[2021 ', 'title:', 'NOT ', 'a*', '*', '~', '(a ']
    const steep = hostile.filter((unit) => stepsOf(unit, 20_000) > 11 * stepsOf(unit, 2000))
    expect(steep).toEqual([])
  })
})
