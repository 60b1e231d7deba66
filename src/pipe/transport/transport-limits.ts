/** Dependencies, limits and time-outs of the exchange of messages between processes. */

import type { Outbound } from '../../client/outbound.ts'
import type { ClusterConfig } from '../../config/cluster.ts'
import type { ApiKeys } from '../../http/api-key.ts'
import type { SharedAppOptions } from '../../http/app.ts'
import type { Log } from '../../log.ts'
import type { Pause } from '../../workers/pause.ts'
import type { Placement } from '../segment-resolver.ts'
import type { Segment } from '../document.ts'
import { segmentSettings, settingOf } from '../pipe-check.ts'
import type { SegmentFunction, SegmentKind } from '../segment.ts'
import type { Identify, ReturnQueue } from './envelope.ts'

/** Dependencies of the transport. */
export type TransportContext = {
  /** Segments that are built into this process. */
  readonly kinds: readonly SegmentKind[]
  readonly resolve: (segment: Segment) => Placement
  readonly serviceDiscovery: ClusterConfig['serviceDiscovery']
  /** Identifies records after an import, for an exporter in this process. */
  readonly afterImport?: SegmentFunction
  /** Finds the identifier of a returned record whose message has none. */
  readonly identify?: Identify
  readonly outbound: Pick<Outbound, 'request'>
  /** Internal hosts and networks that pipes may name. */
  readonly allow: readonly string[]
  /** Broker of queue names without a scheme; absent if they belong to this process. */
  readonly eventbusUrl?: string
  /** Base URL at which foreign segments reach this process: plain HTTP with port, without trailing slash. */
  readonly returnAddress: string
  /** Queue for messages returned over a broker, unique to this process and stable over restarts. Begins with `returns-`. */
  readonly returnQueue: ReturnQueue
  /** Directory of the spools. */
  readonly scratch: string
  readonly keys: ApiKeys
  /** Maximum bytes of a message. */
  readonly bodyBytes: number
  readonly http: SharedAppOptions
  readonly version: string
  readonly limits: TransportLimits
  readonly now: () => number
  /** Random number from 0 to 1. */
  readonly random: () => number
  readonly pause: Pause
  /** Makes the run id of a message that has none. */
  readonly makeId: () => string
  readonly log: Log
}

/** Time-outs after which a foreign segment counts as finished. */
export type SegmentTimes = Pick<
  TransportLimits,
  'firstMs' | 'quietMs' | 'listMs' | 'returnedMs' | 'totalMs'
>

export type TransportLimits = typeof transportLimits

/** Default limits; names with `Ms` are in ms. */
export const transportLimits = {
  /** Queued messages of one segment of one run, and their total bytes. */
  queued: 256,
  queuedBytes: 64 * 2 ** 20,
  /** Parallel streams for runs of other processes, each for one segment of one run. */
  streams: 64,
  /** Parallel requests to one segment. */
  sending: 8,
  /** Records that were sent to a foreign segment and are neither settled nor late, over HTTP. */
  inFlight: 8,
  /**
   * Records in flight behind a queue, which keeps them; over HTTP the number of unsettled records, late ones too, that are
   * remembered.
   */
  held: 10_000,
  /** Records per run. */
  records: 2_000_000,
  /** With a queue, and for work of other processes: time in place of `firstMs`, `quietMs`, `listMs` and `returnedMs`. */
  waitMs: 600_000,
  /** Time until the first record of an importer. */
  firstMs: 120_000,
  /** Silence after which an importer that sent neither a list nor all announced records counts as finished. */
  quietMs: 120_000,
  /**
   * Silence after which the listed ids whose records did not come count as missing; least wait for records that a transformer
   * has not returned, and over HTTP until a record is late.
   */
  listMs: 10_000,
  /** Silence after which a transformer that has returned the list gives back no more records. */
  returnedMs: 2_000,
  /** Silence after all announced records have arrived. */
  totalMs: 1_000,
  /** Time after the end of a step in which late messages over HTTP are accepted, reported and dropped. */
  lateMs: 60_000,
  /** Bytes on disk of returned, unread messages of all runs. */
  spoolBytes: 2 ** 30,
  /** Attempts to send a message; over HTTP also the longest `Retry-After` between two and the time-out of each. */
  attempts: 4,
  retryAfterMaxMs: 600_000,
  answerMs: 60_000,
  /** Deliveries of a message by a broker before it is moved to the dead-letter stream. */
  deliveries: 5,
  /** Messages per queue of a broker. */
  brokered: 100_000,
}

/** Limits of one segment over HTTP; its config overrides the defaults. */
export function segmentLimits(limits: TransportLimits, segment: Segment): TransportLimits {
  const settings = segmentSettings.map((name) => [name, settingOf(segment, name) ?? limits[name]])
  return { ...limits, ...Object.fromEntries(settings) }
}

/** Limits of a segment behind a queue, which may be offline for a while, and of streams that other processes send. */
export function queueLimits(limits: TransportLimits): TransportLimits {
  const { waitMs, held } = limits
  const times = { firstMs: waitMs, quietMs: waitMs, listMs: waitMs, returnedMs: waitMs }
  return { ...limits, ...times, inFlight: held }
}
