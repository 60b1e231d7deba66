/** How much of a run may be under way between processes, and how long that may take. */

import type { Segment } from '../document.ts'
import { segmentSettings, settingOf } from '../pipe-check.ts'

export type TransportLimits = SegmentTimes & {
  /** Messages that wait in front of one segment of one run, and their bytes together. */
  readonly queued: number
  readonly queuedBytes: number
  /** Runs of other processes that this one works for, each segment counted. */
  readonly streams: number
  /** Messages that are being handed over to one segment at once. */
  readonly sending: number
  /** Records that a foreign segment has and may still give back, by HTTP. */
  readonly inFlight: number
  /** The same behind a queue, which keeps what nobody works on; and how many unreturned ones are remembered. */
  readonly held: number
  /** Records of one run. */
  readonly records: number
  /** By a queue: how long a list waits for its records, and records for what follows them. */
  readonly waitMs: number
  /** How long after its end a run still takes what comes back, to drop it. */
  readonly lateMs: number
  /** On disk: returned messages that wait to be worked on, of all runs. */
  readonly spoolBytes: number
  /** How often a message is sent before it counts as lost. */
  readonly attempts: number
  readonly retryAfterMaxMs: number
  /** For one answer. */
  readonly answerMs: number
  /** Deliveries of one message by a broker before it is put aside. */
  readonly deliveries: number
  /** Messages of one queue of a broker. */
  readonly brokered: number
}

/** When a foreign segment counts as finished; it never says so. */
export type SegmentTimes = {
  /** An importer gives its first record within this. */
  readonly firstMs: number
  /** An importer that tells no end is through after so much silence. */
  readonly quietMs: number
  /** Silence after which a list waits no longer for its records; or a transformer's records for its list, at least. */
  readonly listMs: number
  /** Silence after the list came back through a transformer. */
  readonly returnedMs: number
  /** Silence after as many records as were announced. */
  readonly totalMs: number
}

export const transportLimits: TransportLimits = {
  queued: 256,
  queuedBytes: 64 * 2 ** 20,
  streams: 64,
  sending: 8,
  inFlight: 8,
  held: 10_000,
  records: 2_000_000,
  waitMs: 600_000,
  firstMs: 120_000,
  quietMs: 120_000,
  listMs: 10_000,
  returnedMs: 2_000,
  totalMs: 1_000,
  lateMs: 60_000,
  spoolBytes: 2 ** 30,
  attempts: 4,
  retryAfterMaxMs: 600_000,
  answerMs: 60_000,
  deliveries: 5,
  brokered: 100_000,
}

/** The limits of one segment by HTTP: what its config says goes before what the platform says. */
export function limitsOf(limits: TransportLimits, segment: Segment): TransportLimits {
  const told = segmentSettings.flatMap((name) => {
    const value = settingOf(segment, name)
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...limits, ...Object.fromEntries(told) }
}

/** The limits of a segment behind a queue: it may be away for a while, and its messages wait for it. */
export function queueLimits(limits: TransportLimits): TransportLimits {
  const { waitMs, held } = limits
  return {
    ...limits,
    inFlight: held,
    firstMs: waitMs,
    quietMs: waitMs,
    listMs: waitMs,
    returnedMs: waitMs,
  }
}
