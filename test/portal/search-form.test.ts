/** What visitors type into two fields stays apart in the query that is made of them. */

import { describe, expect, it } from 'vitest'
import { searchParamsOf, searchForm } from '../../src/portal/search-form.ts'

const asked = (q: string, place: string) =>
  searchParamsOf(
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
    expect(searchParamsOf([['q', 'a) OR (b']], 'en').q).toBe('a) OR (b')
  })
})

it.each([
  ['178,-20,-179,-10', [['bbox', '178,-20,-179,-10']]],
  ['178,-20,181,-10', [['bbox', '178,-20,181,-10']]],
  ['178,-20,361,-10', []],
  ['-181,-20,-179,-10', []],
])('the box %s goes over the date line as the search allows it', (bbox, query) => {
  expect(searchForm(new URLSearchParams({ bbox })).query).toEqual(query)
})
