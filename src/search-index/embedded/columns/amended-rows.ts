/** The narrow row of a record of which some numbers and facet values are other. */

import type { Amended } from '../threads/messages.ts'
import { floatsOf, ordsOf, packNumbers, packOrds, type Blob } from './rows.ts'

/** The numbers as they are stored then; `names` are those of the settings. */
export function amendedNumbers(
  stored: unknown,
  amended: Amended['numbers'],
  names: readonly string[],
): Blob | null {
  const before = floatsOf(stored)
  const kept = new Map<number, number>()
  for (let i = 0; i < before.length; i += 2) kept.set(before[i] ?? -1, before[i + 1] ?? Number.NaN)
  return packNumbers(names, (name, position) => {
    const value = amended[name]
    return value === undefined ? kept.get(position) : (value ?? undefined)
  })
}

/** The facet numbers as they are stored then: without those of the facets that are other, and with `others`. */
export function amendedOrds(
  stored: unknown,
  isOther: (o: number) => boolean,
  others: readonly number[],
): Blob | null {
  const kept = [...ordsOf(stored)].filter((o) => !isOther(o))
  return packOrds(new Set([...kept, ...others]))
}
