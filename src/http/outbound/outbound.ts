/** The one client for everything that leaves the house: guarded at the socket, polite, bounded in time and size. */

import type { Socket } from 'node:net'
import type { Log } from '../../log.ts'
import type { OutboundLimits } from './limits.ts'
import type { Outbound } from './request.ts'

export type { Deadlines, OutboundLimits } from './limits.ts'
export { outboundLimits } from './limits.ts'
export type { Outbound, OutboundAnswer, OutboundRequest, Reach, WholeAnswer } from './request.ts'

export type OutboundOptions = {
  readonly userAgent: string
  readonly limits?: Partial<OutboundLimits>
  readonly now: () => number
  readonly random: () => number
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>
  readonly log: Log
  /** All addresses of a name; the system's resolver when absent. */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>
  /** Connects to one of these addresses, all of them permitted; for tests. */
  readonly dial?: (addresses: readonly string[], port: number) => Socket
}

/** Makes the client; one per process, because politeness is per host. */
export function outbound(options: OutboundOptions): Outbound {
  throw new Error(`not yet: ${options.userAgent}`)
}
