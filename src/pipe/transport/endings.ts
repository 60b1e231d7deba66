/** When a segment elsewhere counts as finished: it never says so, and what it was sent and has given shows it. */

import { Failure } from '../../errors.ts'
import type { RecordMessage } from '../message.ts'
import type { ArrivedList } from './envelope.ts'
import type { SegmentTimes } from './transport-limits.ts'

/** A slow segment is given five times the time that it has taken so far. */
export const slownessFactor = 5

/** A record without its text, which the other process has. */
export type SentRecord = Omit<RecordMessage, 'text'>

type Pending = {
  readonly record: SentRecord
  /** Running number in order of sending. */
  readonly number: number
  readonly sentAt: number
  /** When the segment had taken it over. */
  takenAt?: number
}

/** What a segment has got and given so far; times are ms of the clock. */
export type SegmentProgress = {
  /** When it was told to begin, and when the last message went or came. */
  readonly began: number
  last: number
  /** Records that it took, and distinct ones that came, refused ones too. */
  taken: number
  records: number
  /** The largest total that a record announced. */
  total?: number
  /** All lists together, and those of their ids that have not come. */
  list?: ArrivedList
  missing: Set<string>
  /** Records that the segment has, by id, oldest first; of two with the same id the later one. */
  readonly pending: Map<string, Pending>
  /** Keys of the messages that came, lists not counted. */
  readonly seen: Set<string>
  /** Longest time from sending a record to its return, ms. */
  slowestMs: number
}

/**
 * What is decided at the time `at` unless a message comes before. `done`: nothing is missing. `listed`: the list is not
 * whole. `endless`: nobody knows whether there is more. `dropped`: what is out will not come back. `silent`: nothing came.
 */
export type Ending = {
  readonly kind: 'done' | 'listed' | 'endless' | 'dropped' | 'silent'
  readonly at: number
  readonly problem?: Failure
}

/** When an importer is finished, and how. */
export function importEnding(state: SegmentProgress, times: SegmentTimes): Ending {
  const { list, records, total = 0, missing, began, last } = state
  if (list) {
    const isWhole = list.records === undefined ? missing.size === 0 : records >= list.records
    return isWhole ? { kind: 'done', at: 0 } : { kind: 'listed', at: last + times.listMs }
  }
  if (records === 0) return silent('gave no record', began, times.firstMs)
  return total > 0 && records >= total
    ? { kind: 'done', at: last + times.totalMs }
    : { kind: 'endless', at: last + times.quietMs }
}

/** When a transformer is finished, and how. */
export function transformEnding(
  { last, taken, seen, pending, list, slowestMs }: SegmentProgress,
  wantsList: boolean,
  times: SegmentTimes,
): Ending {
  if (pending.size === 0 && (list || !wantsList)) return { kind: 'done', at: 0 }
  const waitMs = list ? times.returnedMs : Math.max(times.listMs, slownessFactor * slowestMs)
  // Where the list has come back somebody is there, and has wanted none of them.
  const isOutage = pending.size > 0 && seen.size === 0 && !list
  return isOutage
    ? silent(`gave back none of ${taken} records`, last, waitMs)
    : { kind: 'dropped', at: last + waitMs }
}

function silent(what: string, since: number, ms: number): Ending {
  const detail = `the segment ${what} within ${Math.round(ms / 1000)} s`
  return { kind: 'silent', at: since + ms, problem: new Failure('segment-silent', detail) }
}
