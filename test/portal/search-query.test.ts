/** What visitors type into two fields stays apart in the query that is made of them. */

import { describe, expect, it } from 'vitest'
import { askedBy } from '../../src/portal/search-query.ts'

const asked = (q: string, place: string) =>
  askedBy(
    [
      ['q', q],
      ['place', place],
    ],
    'en',
  ).q

describe('text and place', () => {
  it.each([
    ['a) OR (b', 'c', '(a  OR  b) AND (c)'],
    ['a', 'b) OR (c', '(a) AND (b  OR  c)'],
    ['(a OR b) c', 'd', '((a OR b) c) AND (d)'],
    ['"a) OR (b"', 'c', '("a) OR (b") AND (c)'],
    ['"a', 'b" OR c', '( a) AND (b  OR c)'],
    ['((a)', 'b)', '( (a)) AND (b )'],
  ])('%s and %s', (q, place, expected) => {
    expect(asked(q, place)).toBe(expected)
  })

  it('stand alone as they were typed', () => {
    expect(askedBy([['q', 'a) OR (b']], 'en').q).toBe('a) OR (b')
  })
})
