/**
 * Decides when a foreign segment, or another process that sends work, has finished. They send no end, so it is inferred from
 * the messages and the silence after them; `inbox.ts` asks after each message and each wait.
 */

import { Failure } from '../../errors.ts'
import type { RecordHeader } from '../message.ts'
import type { ArrivedList } from './envelope.ts'
import type { SegmentTimes } from './transport-limits.ts'

/** A segment gets at least this many times the longest time that a record has taken so far. */
export const slownessFactor = 5

type Pending = {
  readonly record: RecordHeader
  /** Number in order of sending, from 1. */
  readonly number: number
  readonly sentAt: number
  /** Time at which the segment accepted the record. */
  acceptedAt?: number
}

/** Messages exchanged with a segment so far; times are in ms. */
export type SegmentProgress = {
  /** Times of the start, and of the last message in either direction. */
  readonly startedAt: number
  lastActivity: number
  /** Number of records that the segment accepted, and of distinct records that it returned, deleted, dropped or refused. */
  accepted: number
  returned: number
  /** Largest total announced by a record. */
  total?: number
  /** All lists of ids that arrived, merged, and (not for transformers) the listed ids whose records have not arrived. */
  list?: ArrivedList
  missingIds: Set<string>
  /** Records that were sent and may still return, by id, oldest first; a later record replaces one with the same id. */
  readonly pending: Map<string, Pending>
  /** Keys of received messages, without lists. */
  readonly messageKeys: Set<string>
  /** Longest time from sending a record to its return, in ms. */
  slowestMs: number
}

/**
 * Decision at the time `at`, unless a message arrives before. `done`: nothing is missing. `listed`: listed records are
 * missing. `endless`: the segment never said how many records there are, or fewer came. `dropped`: pending records, or the
 * list, will not return. `silent`: nothing arrived at all; `problem` says so.
 */
export type Ending = {
  readonly kind: 'done' | 'listed' | 'endless' | 'dropped' | 'silent'
  readonly at: number
  readonly problem?: Failure
}

/** Decides when and how an importer or a sender has finished. */
export function importEnding(state: SegmentProgress, times: SegmentTimes): Ending {
  const { list, returned, total = 0, missingIds, startedAt, lastActivity } = state
  if (list) {
    const isComplete = list.records === undefined ? missingIds.size === 0 : returned >= list.records
    return isComplete
      ? { kind: 'done', at: 0 }
      : { kind: 'listed', at: lastActivity + times.listMs }
  }
  if (returned === 0) return silent('gave no record', startedAt, times.firstMs)
  return total > 0 && returned >= total
    ? { kind: 'done', at: lastActivity + times.totalMs }
    : { kind: 'endless', at: lastActivity + times.quietMs }
}

/** Decides when and how a transformer has finished. */
export function transformEnding(
  { lastActivity, accepted, messageKeys, pending, list, slowestMs }: SegmentProgress,
  wantsList: boolean,
  times: SegmentTimes,
): Ending {
  if (pending.size === 0 && (list || !wantsList)) return { kind: 'done', at: 0 }
  const waitMs = list ? times.returnedMs : Math.max(times.listMs, slownessFactor * slowestMs)
  // A returned list proves that the segment works and has dropped all records.
  const isOutage = pending.size > 0 && messageKeys.size === 0 && !list
  return isOutage
    ? silent(`gave back none of ${accepted} records`, lastActivity, waitMs)
    : { kind: 'dropped', at: lastActivity + waitMs }
}

function silent(event: string, since: number, ms: number): Ending {
  const detail = `the segment ${event} within ${Math.round(ms / 1000)} s`
  return { kind: 'silent', at: since + ms, problem: new Failure('segment-silent', detail) }
}
