/** How many URLs a run may ask, and which come first when there are more. */

import type { Begun, Known, VerdictFile } from './verdict-file.ts'

export type Allowance = {
  /** Whether this URL may be asked now, and if so, counts it. */
  take(known: Known | undefined, catalogue: string, now: number): boolean
  /** It was not asked after all. */
  giveBack(): void
}

/**
 * A stream of records cannot be sorted, but the file knows what the stream will bring: at the first URL of a catalogue the
 * run looks how old the oldest are that its budget reaches for, and passes over younger ones. URLs never asked before come
 * first, known ones by their age; those that were passed over are the older ones of the next run. New URLs are not
 * foreseen: they are asked as they come, as long as there is budget.
 */
export function allowance(
  file: Pick<VerdictFile, 'nthDue'>,
  budget: number,
  { asked }: Begun,
): Allowance {
  const limits = new Map<string, number>()
  let left = budget - asked
  const limitOf = (catalogue: string, now: number): number => {
    const known = limits.get(catalogue)
    if (known !== undefined) return known
    const limit = file.nthDue(catalogue, left, now) ?? Infinity
    limits.set(catalogue, limit)
    return limit
  }
  return {
    take: (known, catalogue, now) => {
      if (left <= 0 || (known && known.tried > limitOf(catalogue, now))) return false
      left -= 1
      return true
    },
    giveBack: () => {
      left += 1
    },
  }
}
