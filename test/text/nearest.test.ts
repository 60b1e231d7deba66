/** Did you mean. */

import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { editDistance, nearest } from '../../src/text/nearest.ts'
import { limitNames, limitTable } from '../../src/http/limits.ts'

it.each([
  ['bodybytes', 'bodyBytes'],
  ['bodyByte', 'bodyBytes'],
  ['cursorTtl', 'cursorTtlMs'],
  ['tripels', 'triples'],
  ['nothing like it', undefined],
  ['', undefined],
])('%s means %s', (typed, meant) => {
  expect(nearest(typed, limitNames)).toBe(meant)
})

it('a name with one letter changed, lost or doubled is found again', () => {
  const names = limitNames.filter((name) => name.length > 8)
  fc.assert(
    fc.property(
      fc.constantFrom(...names),
      fc.nat(),
      fc.constantFrom('', 'x', 'aa'),
      (name, at, put) => {
        const place = at % name.length
        const typed = name.slice(0, place) + put + name.slice(place + 1)
        expect(nearest(typed, [name, 'somethingElse'])).toBe(name)
      },
    ),
  )
})

it('every limit starts inside its own bounds, and no time is longer than a timer can wait', () => {
  const wrong = limitNames.filter((name) => {
    const { defaultValue: standard, minimum: least, maximum: most } = limitTable[name]
    return standard < least || standard > most || (name.endsWith('Ms') && most >= 2 ** 31)
  })
  expect(wrong).toEqual([])
})

it.each([
  ['water', 'water', 0],
  ['watre', 'water', 1],
  ['wate', 'water', 1],
  ['levals', 'levels', 1],
  ['', 'abc', 3],
  ['waetr', 'wtaer', 2],
])('%s is so many letters away from %s', (one, other, steps) => {
  expect([editDistance(one, other), editDistance(other, one)]).toEqual([steps, steps])
})
