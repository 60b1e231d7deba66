/** Bytes of texts that lie one after the other in the same place. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inUtf8 } from '../../src/text/utf8.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  // Beyond what is kept at first, and beyond what is ever kept.
  fc
    .tuple(fc.string({ unit: 'binary', minLength: 1, maxLength: 4 }), fc.nat(400_000))
    .map(([unit, times]) => unit.repeat(times)),
)

describe('a text in UTF-8', () => {
  it('is the bytes of this text alone, whatever lay there before', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (texts) => {
        for (const one of texts) {
          const isSame = inUtf8(one, (bytes) => Buffer.from(one).equals(bytes))
          expect(isSame).toBe(true)
        }
      }),
      { numRuns: 50 },
    )
  })
})
