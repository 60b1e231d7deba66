/** How much of a run may be under way between processes, and how long that may take. */

export type TransportLimits = {
  /** Messages that wait in front of one segment of one run, and their bytes together. */
  readonly queued: number
  readonly queuedBytes: number
  /** Runs of other processes that this one works for, each segment counted. */
  readonly streams: number
  /** Messages on their way to one segment at once. */
  readonly inFlight: number
  /** Records that a foreign segment may hold before it gets more. */
  readonly held: number
  /** Records of one run. */
  readonly records: number
  /** How long a list waits for its records, and records for what follows them. */
  readonly waitMs: number
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

export const transportLimits: TransportLimits = {
  queued: 256,
  queuedBytes: 64 * 2 ** 20,
  streams: 64,
  inFlight: 8,
  held: 10_000,
  records: 2_000_000,
  waitMs: 600_000,
  attempts: 4,
  retryAfterMaxMs: 600_000,
  answerMs: 60_000,
  deliveries: 5,
  brokered: 100_000,
}
