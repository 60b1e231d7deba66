/** JSON in one form. */

import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../../src/harvest/importers/import-config.ts'

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
