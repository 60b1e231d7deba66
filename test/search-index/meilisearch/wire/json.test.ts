/** JSON for a parser that takes no halves of surrogate pairs. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonText } from '../../../../src/search-index/remote/answers.ts'

const text = fc.string({
  unit: fc.integer({ max: 0xffff }).map((unit) => String.fromCharCode(unit)),
})

describe('a text of JSON', () => {
  it('keeps what is well formed, also what looks like the escape of a half', () => {
    const value = { a: ['\\ud800', '😀', '\u0000"\\'], b: 1, c: null }
    expect(jsonText(value)).toBe(JSON.stringify(value))
  })

  it('has no halves of characters, however deep', () => {
    fc.assert(
      fc.property(fc.array(text), (values) => {
        const told: unknown = JSON.parse(jsonText({ deep: [{ values }] }))
        expect(told).toEqual({ deep: [{ values: values.map((one) => one.toWellFormed()) }] })
      }),
    )
  })
})
