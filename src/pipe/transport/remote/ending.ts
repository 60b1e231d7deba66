/** When a foreign segment is finished: it never says so, and what it has given tells. */

import { Failure } from '../../../errors.ts'
import type { SegmentTimes } from '../limits.ts'
import type { ArrivedList } from '../messages/arrival.ts'

/** What an importer has given; times are ms of the clock. */
export type Imported = {
  /** When it was told to begin. */
  readonly began: number
  /** When the last message came. */
  readonly last: number
  /** Distinct records, refused ones too. */
  readonly records: number
  /** The largest total that a record announced. */
  readonly total: number | undefined
  /** All lists together: a later one of the same import holds the former, or is that of another page. */
  readonly list: ArrivedList | undefined
  /** Ids of the list that have not come. */
  readonly missing: number
}

/** What a transformer has given for what it got; `last` is when the last message went or came. */
export type Transformed = {
  readonly last: number
  /** Records that it took. */
  readonly sent: number
  /** Messages that came back, the list not counted. */
  readonly returned: number
  /** Records that have not come back. */
  readonly out: number
  /** Whether the list was sent. */
  readonly wantsList: boolean
  readonly hasList: boolean
  /** Longest time from sending a record to its return, ms. */
  readonly slowestMs: number
}

/**
 * `wait`: nothing is decided before that time, unless a message comes. `done`: nothing is missing. `listed`: the list is
 * not whole. `endless`: nobody knows whether there is more. `dropped`: what is out will not come back. `silent`: nothing came.
 */
export type Ending =
  | { readonly kind: 'wait'; readonly until: number }
  | { readonly kind: 'done' | 'listed' | 'endless' | 'dropped' }
  | { readonly kind: 'silent'; readonly problem: Failure }

export function importEnding(given: Imported, times: SegmentTimes, now: number): Ending {
  const { list, records, total = 0, missing, began, last } = given
  if (list) {
    const isWhole = list.records === undefined ? missing === 0 : records >= list.records
    return isWhole ? { kind: 'done' } : after(last + times.listMs, now, { kind: 'listed' })
  }
  if (records === 0) {
    return after(began + times.firstMs, now, silent('gave no record', times.firstMs))
  }
  if (total > 0 && records >= total) return after(last + times.totalMs, now, { kind: 'done' })
  return after(last + times.quietMs, now, { kind: 'endless' })
}

/** A slow segment is given five times the longest that it has taken so far. */
const patienceTimes = 5

export function transformEnding(given: Transformed, times: SegmentTimes, now: number): Ending {
  const { last, sent, returned, out, wantsList, hasList, slowestMs } = given
  if (out === 0 && (hasList || !wantsList)) return { kind: 'done' }
  const patience = hasList ? times.returnedMs : Math.max(times.listMs, patienceTimes * slowestMs)
  // Where the list has come back somebody is there, and has wanted none of them.
  const isOutage = out > 0 && returned === 0 && !hasList
  const end = isOutage ? silent(`gave back none of ${sent} records`, patience) : dropped
  return after(last + patience, now, end)
}

const dropped: Ending = { kind: 'dropped' }

const silent = (what: string, ms: number): Ending => ({
  kind: 'silent',
  problem: new Failure('segment-silent', `the segment ${what} within ${Math.round(ms / 1000)} s`),
})

const after = (until: number, now: number, then: Ending): Ending =>
  now >= until ? then : { kind: 'wait', until }
