/** Long lists of a record are cut, and what is said of all entries stays true. */

import { describe, expect, it } from 'vitest'
import { truncateLists } from '../../src/search-index/truncate-lists.ts'

const licence = (n: number) => ({ id: `licence-${n}`, label: `Licence ${n}` })
const record = (count: number, licences = 2) =>
  JSON.stringify({
    id: 'large',
    title: { en: 'Large' },
    distributions: Array.from({ length: count }, (_, n) => ({
      id: String(n),
      title: { en: `File ${n} ${'x'.repeat(60)}` },
      format: { id: 'CSV', label: 'CSV' },
      ...(n > 0 && { license: licence(n % licences) }),
    })),
  })

type Cut = {
  distributions: readonly object[]
  _cut?: { distributions: { count: number; values: Record<string, readonly unknown[]> } }
}
const cut = (text: string, most?: number): Cut => JSON.parse(truncateLists(text, most))

describe('a record with a long list', () => {
  it('keeps its first entries, counts all, and knows what all of them have', () => {
    const { distributions, _cut } = cut(record(5000), 200)
    expect(distributions).toHaveLength(200)
    expect(_cut!.distributions.count).toBe(5000)
    expect(_cut!.distributions.values['format']).toEqual([{ id: 'CSV', label: 'CSV' }])
    expect(_cut!.distributions.values['license']).toEqual([licence(1), licence(0), null])
  })

  it('keeps no more distinct values than anybody reads', () => {
    const { _cut } = cut(record(5000, 3000), 200)
    expect(_cut!.distributions.values['license']!.length).toBeLessThanOrEqual(101)
  })

  it('is as it was where nobody asks for less, and where it is short', () => {
    expect(truncateLists(record(5000), undefined)).toBe(record(5000))
    expect(truncateLists(record(300), 200)).toBe(record(300))
  })
})
