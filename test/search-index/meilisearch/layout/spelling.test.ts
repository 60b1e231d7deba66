/** Spellings: nothing is lost, nothing meets, and the order is that of code points. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  documentKey,
  sortableText,
  pairCode,
} from '../../../../src/search-index/meilisearch/attributes.ts'
import { facetCode, encodedName } from '../../../../src/search-index/remote/names.ts'
import { termKey } from '../../../../src/search-index/remote/term-rows.ts'
import { compareCodePoints } from '../../../../src/text/code-points.ts'

const text = fc.string({ unit: 'binary', maxLength: 60 })
const isSame = (a: string, b: string) => a === b

/** What Meilisearch compares: without spaces around, decomposed, in lower case. */
const compared = (value: string) => value.trim().normalize('NFKD').toLowerCase()

describe('the key of a record', () => {
  it.each([
    ['dataset-1', 'dataset-1'],
    ['a~~1', 'a_7e_7e1'],
    ['themes/ü', 'themes_2f_c3_bc'],
    ['a_b', 'a_5fb'],
    ['-', '-'],
    ['', '_'],
  ])('of %s is %s', (id, key) => expect(documentKey(id)).toBe(key))

  it('is one that Meilisearch takes, another one for every id', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(documentKey(a)).toMatch(/^[A-Za-z0-9_-]+$/)
        expect(isSame(documentKey(a), documentKey(b))).toBe(
          isSame(a.toWellFormed(), b.toWellFormed()),
        )
      }),
    )
  })

  it('of a long id is short, and no key of another', () => {
    const [long, longer] = [documentKey('ü'.repeat(300)), documentKey('ü'.repeat(301))]
    expect(long.length).toBeLessThan(512)
    expect(long).not.toBe(longer)
    expect(long).toMatch(/^_h[0-9a-f]{64}$/)
  })
})

describe('an ordered text', () => {
  it('is compared as the code points of what it stands for', () => {
    const sign = (n: number) => Math.sign(n)
    fc.assert(
      fc.property(text, text, (one, two) => {
        const [a, b] = [one.toWellFormed(), two.toWellFormed()]
        const [left, right] = [sortableText(a), sortableText(b)]
        expect(compared(left)).toBe(left)
        expect(left < right ? -1 : left > right ? 1 : 0).toBe(sign(compareCodePoints(a, b)))
      }),
    )
  })

  it.each([
    ['a', 'A'],
    ['\u00e9', 'e\u0301'],
    ['й', 'и'],
    ['x '.repeat(300), `${'x '.repeat(300)}y`],
  ])('tells %s from %s', (a, b) => expect(sortableText(a)).not.toBe(sortableText(b)))

  it('is never longer than what Meilisearch compares', () => {
    expect(sortableText('デ'.repeat(1000)).length).toBeLessThanOrEqual(468)
  })
})

describe('names and codes', () => {
  it('have no sign that a filter, a path or a pattern reads', () => {
    fc.assert(fc.property(text, (name) => /^[A-Za-z0-9_]*$/.test(encodedName(name))))
    expect(encodedName('publisher.name')).toBe('publisher_2ename')
    expect(encodedName('publisher_name')).not.toBe(encodedName('publisher.name'))
  })

  it('tell values apart that differ in case, in marks or behind 468 bytes', () => {
    const values = ['X', 'x', 'Café', 'Cafe\u0301', 'v'.repeat(2000), `${'v'.repeat(2000)}w`]
    const codes = values.map((value) => facetCode('format', value))
    expect(new Set(codes).size).toBe(values.length)
    for (const code of codes) expect(code).toMatch(/^k[0-9a-z]{12}$/)
    expect(facetCode('a', 'b')).not.toBe(facetCode('b', 'a'))
  })

  it('of pairs know the order', () => {
    expect(pairCode('en', 'open', 'data')).toMatch(/^[0-9a-z]{7}$/)
    expect(pairCode('en', 'open', 'data')).not.toBe(pairCode('en', 'data', 'open'))
    expect(pairCode('en', 'open', 'data')).not.toBe(pairCode('de', 'open', 'data'))
  })

  it('of terms fit into a key', () => {
    const key = (token: string, bucket = 'x') => termKey({ token, bucket, stems: [] })
    expect(key('𝔘'.repeat(64))).toMatch(/^[\w-]{1,511}$/)
    expect(key('水質')).not.toBe(key('水'))
    expect(key('water', 'en')).not.toBe(key('water', 'nl'))
  })
})
