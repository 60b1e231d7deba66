/** How many URLs a run may ask, and which come first when there are more. */

import type { Begun, Known, VerdictFile } from './verdict-file.ts'

export type Allowance = {
  /** Whether this URL may be asked now, and if so, counts it. */
  take(known: Known | undefined, catalogue: string, now: number): boolean
  /** It was not asked after all. */
  giveBack(): void
}

/** How a run got on with a catalogue: what the next one learns from. */
type Pace = {
  /** How many times its budget it has looked ahead. */
  readonly stretch: number
  /** URLs that were due, and too young. */
  withheld: number
  readonly left: () => number
}

/** By catalogue; of the last run of each, whichever it was. */
export type Paces = Map<string, Pace>

type Means = {
  readonly file: Pick<VerdictFile, 'nthDue'>
  readonly budget: number
  readonly paces: Paces
}

/**
 * A stream of records cannot be sorted, but the file knows what the stream will bring: at the first URL of a catalogue the
 * run looks how old the oldest are that its budget reaches for, and passes over younger ones. URLs never asked before come
 * first, known ones by their age; those that were passed over are the older ones of the next run. New URLs are not
 * foreseen: they are asked as they come, as long as there is budget.
 */
export function allowance({ file, budget, paces }: Means, { asked }: Begun): Allowance {
  const own = new Map<string, { readonly pace: Pace; readonly limit: number }>()
  let left = budget - asked
  const ownOf = (catalogue: string, now: number) => {
    const known = own.get(catalogue)
    if (known) return known
    const pace = { stretch: stretchAfter(paces.get(catalogue)), withheld: 0, left: () => left }
    const limit = file.nthDue(catalogue, left * pace.stretch, now) ?? Infinity
    const fresh = { pace, limit }
    own.set(catalogue, fresh)
    paces.set(catalogue, pace)
    return fresh
  }
  return {
    take: (known, catalogue, now) => {
      if (left <= 0) return false
      const { pace, limit } = ownOf(catalogue, now)
      if (known && known.tried > limit) {
        pace.withheld += 1
        return false
      }
      left -= 1
      return true
    },
    giveBack: () => {
      left += 1
    },
  }
}

/** The oldest may stand in no dataset any more: a run that kept its budget for them in vain makes the next look further. */
function stretchAfter(last: Pace | undefined): number {
  if (!last) return 1
  const left = last.left()
  if (left <= 0) return Math.max(1, last.stretch / 2)
  return last.withheld >= left ? last.stretch * 2 : last.stretch
}
