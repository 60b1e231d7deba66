/**
 * Decides when a foreign segment has finished. Foreign segments send no end, so it is inferred from sent and received
 * messages.
 */

import { Failure } from '../../errors.ts'
import type { RecordHeader } from '../message.ts'
import type { ArrivedList } from './envelope.ts'
import type { SegmentTimes } from './transport-limits.ts'

/** Factor by which a slow segment's longest time so far extends its time-outs. */
export const slownessFactor = 5

type Pending = {
  readonly record: RecordHeader
  /** Number in order of sending, from 1. */
  readonly number: number
  readonly sentAt: number
  /** Time at which the segment accepted the record. */
  takenAt?: number
}

/** Messages exchanged with a segment so far; times are in ms. */
export type SegmentProgress = {
  /** Time of the start, and of the last message in either direction. */
  readonly began: number
  last: number
  /** Number of records that the segment accepted, and of distinct records that it returned, including refused ones. */
  taken: number
  records: number
  /** Largest total announced by a record. */
  total?: number
  /** Merged lists of ids, and the listed ids that have not arrived. */
  list?: ArrivedList
  missing: Set<string>
  /** Records that the segment has and may still return, by id, oldest first; a later record replaces one with the same id. */
  readonly pending: Map<string, Pending>
  /** Keys of received messages, without lists. */
  readonly seen: Set<string>
  /** Longest time from sending a record to its return, in ms. */
  slowestMs: number
}

/**
 * Decision at the time `at`, unless a message arrives before. `done`: nothing is missing. `listed`: listed records are
 * missing. `endless`: the segment never said how many records there are. `dropped`: pending records will not return.
 * `silent`: nothing arrived at all.
 */
export type Ending = {
  readonly kind: 'done' | 'listed' | 'endless' | 'dropped' | 'silent'
  readonly at: number
  readonly problem?: Failure
}

/** Decides when and how an importer has finished. */
export function importEnding(state: SegmentProgress, times: SegmentTimes): Ending {
  const { list, records, total = 0, missing, began, last } = state
  if (list) {
    const isComplete = list.records === undefined ? missing.size === 0 : records >= list.records
    return isComplete ? { kind: 'done', at: 0 } : { kind: 'listed', at: last + times.listMs }
  }
  if (records === 0) return silent('gave no record', began, times.firstMs)
  return total > 0 && records >= total
    ? { kind: 'done', at: last + times.totalMs }
    : { kind: 'endless', at: last + times.quietMs }
}

/** Decides when and how a transformer has finished. */
export function transformEnding(
  { last, taken, seen, pending, list, slowestMs }: SegmentProgress,
  wantsList: boolean,
  times: SegmentTimes,
): Ending {
  if (pending.size === 0 && (list || !wantsList)) return { kind: 'done', at: 0 }
  const waitMs = list ? times.returnedMs : Math.max(times.listMs, slownessFactor * slowestMs)
  // A returned list proves that the segment works and has dropped all records.
  const isOutage = pending.size > 0 && seen.size === 0 && !list
  return isOutage
    ? silent(`gave back none of ${taken} records`, last, waitMs)
    : { kind: 'dropped', at: last + waitMs }
}

function silent(what: string, since: number, ms: number): Ending {
  const detail = `the segment ${what} within ${Math.round(ms / 1000)} s`
  return { kind: 'silent', at: since + ms, problem: new Failure('segment-silent', detail) }
}
