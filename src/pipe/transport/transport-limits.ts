/** What the transports of this process stand on, how much may be under way between processes, and how long that may take. */

import type { Outbound } from '../../client/outbound.ts'
import type { ClusterConfig } from '../../config/cluster.ts'
import type { ApiKeys } from '../../http/api-key.ts'
import type { AppOptions } from '../../http/app.ts'
import type { Log } from '../../log.ts'
import type { Pause } from '../../workers/pause.ts'
import type { Placement } from '../discovery.ts'
import type { Segment } from '../document.ts'
import { segmentSettings, settingOf } from '../pipe-check.ts'
import type { SegmentFunction, SegmentKind } from '../segment.ts'
import type { Identify, ReturnQueue } from './envelope.ts'

export type TransportContext = {
  readonly kinds: readonly SegmentKind[]
  readonly resolve: (segment: Segment) => Placement
  readonly serviceDiscovery: ClusterConfig['serviceDiscovery']
  /** Finds out which record is meant, for an exporter in this process. */
  readonly afterImport?: SegmentFunction
  readonly identify?: Identify
  readonly outbound: Pick<Outbound, 'request'>
  /** Hosts and networks inside the institution that pipes may name. */
  readonly allow: readonly string[]
  /** Where plain names of queues are, when not in this process. */
  readonly eventbusUrl?: string
  /** Where foreign segments reach the segments of this process: plain http, with its port, without a slash at its end. */
  readonly returnAddress: string
  /** Queue for what comes back over a broker; the same after a restart, and no other process's. Begins with `returns-`. */
  readonly returnQueue: ReturnQueue
  /** For what came back and waits. */
  readonly scratch: string
  readonly keys: ApiKeys
  /** Bytes of a message. */
  readonly bodyBytes: number
  readonly http: Omit<AppOptions, 'name'>
  readonly version: string
  readonly limits: TransportLimits
  readonly now: () => number
  /** 0..1 */
  readonly random: () => number
  readonly pause: Pause
  readonly makeId: () => string
  readonly log: Log
}

/** When a foreign segment counts as finished; it never says so. */
export type SegmentTimes = Pick<
  TransportLimits,
  'firstMs' | 'quietMs' | 'listMs' | 'returnedMs' | 'totalMs'
>

export type TransportLimits = typeof transportLimits

export const transportLimits = {
  /** Messages that wait in front of one segment of one run, and their bytes together. */
  queued: 256,
  queuedBytes: 64 * 2 ** 20,
  /** Runs of other processes that this one works for, each segment counted. */
  streams: 64,
  /** Messages that are being handed over to one segment at once. */
  sending: 8,
  /** Records that a foreign segment has and may still give back, by HTTP. */
  inFlight: 8,
  /** The same behind a queue, which keeps what nobody works on; and how many unreturned ones are remembered. */
  held: 10_000,
  /** Records of one run. */
  records: 2_000_000,
  /** By a queue: how long a list waits for its records, and records for what follows them. */
  waitMs: 600_000,
  /** An importer gives its first record within this. */
  firstMs: 120_000,
  /** An importer that does not say that it has ended counts as ended after so much silence. */
  quietMs: 120_000,
  /** Silence after which a list waits no longer for its records; or a transformer's records for its list, at least. */
  listMs: 10_000,
  /** Silence after the list came back through a transformer. */
  returnedMs: 2_000,
  /** Silence after as many records as were announced. */
  totalMs: 1_000,
  /** How long after its end a run still takes what comes back, to drop it. */
  lateMs: 60_000,
  /** On disk: returned messages that wait to be worked on, of all runs. */
  spoolBytes: 2 ** 30,
  /** How often a message is sent before it counts as lost, and for how long an answer is waited for. */
  attempts: 4,
  retryAfterMaxMs: 600_000,
  answerMs: 60_000,
  /** Deliveries of one message by a broker before it is put aside. */
  deliveries: 5,
  /** Messages of one queue of a broker. */
  brokered: 100_000,
}

/** The limits of one segment by HTTP: what its config says goes before what the platform says. */
export function limitsOf(limits: TransportLimits, segment: Segment): TransportLimits {
  const given = segmentSettings.map((name) => [name, settingOf(segment, name) ?? limits[name]])
  return { ...limits, ...Object.fromEntries(given) }
}

/** The limits of a segment behind a queue: it may be away for a while, and its messages wait for it. */
export function queueLimits(limits: TransportLimits): TransportLimits {
  const { waitMs, held } = limits
  const times = { firstMs: waitMs, quietMs: waitMs, listMs: waitMs, returnedMs: waitMs }
  return { ...limits, ...times, inFlight: held }
}
