/** JSON that others send: what is read of it never ends a call by its depth. */

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { boundedJson } from '../../src/text/json.ts'

const nested = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`

it('JSON of 200 levels is read, deeper JSON is refused as a syntax error', () => {
  expect(() => boundedJson(nested(200))).not.toThrow()
  for (const levels of [201, 300, 100_000])
    expect(() => boundedJson(nested(levels))).toThrow(SyntaxError)
  expect(() => boundedJson(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`)).toThrow(SyntaxError)
})

it('everything else is what JSON.parse makes of it', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 20 }), (text) => {
      expect(boundedJson(text)).toEqual(JSON.parse(text))
    }),
  )
  expect(() => boundedJson('{')).toThrow(SyntaxError)
})
