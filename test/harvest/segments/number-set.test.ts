/** The set that tells millions of ids apart. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NumberSet } from '../../../src/harvest/importers/seen.ts'
import { canonicalJson } from '../../../src/harvest/importers/import-config.ts'

describe('a number set', () => {
  it('says what a Set says', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.maxSafeNat(), fc.nat(40))), (numbers) => {
        const [ours, theirs] = [new NumberSet(8), new Set<number>()]
        for (const number of numbers) {
          expect(ours.add(number)).toBe(!theirs.has(number))
          theirs.add(number)
          expect(ours.has(number)).toBe(true)
        }
        expect(ours.size).toBe(theirs.size)
      }),
    )
  })
})

describe('canonical JSON', () => {
  it('is the same for objects that differ in the order of their keys only', () => {
    const [one, other] = [
      { b: [{ d: 1, c: null }], a: 'x' },
      { a: 'x', b: [{ c: null, d: 1 }] },
    ]
    expect(canonicalJson(one)).toBe(canonicalJson(other))
    expect(canonicalJson(one)).not.toBe(canonicalJson({ ...one, a: 'y' }))
  })
})
