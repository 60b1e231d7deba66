/** The connection to a broker, as sending and delivering see it. */

import type { JetStreamClient, JetStreamManager } from 'nats'
import type { Log } from '../../../log.ts'
import type { Pipe } from '../../document.ts'
import type { TransportLimits } from '../limits.ts'
import type { Delivery } from '../working/stream.ts'
import type { QueueNames } from './queue-name.ts'

export type BrokerOptions = {
  /** `nats://user:password@host:4222` or `tls://…`. */
  readonly url: string
  readonly limits: TransportLimits
  readonly now: () => number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  readonly log: Log
}

/** Takes a message; what becomes of it is told by the delivery. Throws `Failure` for what it cannot take. */
export type Consumer = (message: Pipe, delivery: Delivery) => void

export type Link = {
  readonly options: BrokerOptions
  readonly manager: JetStreamManager
  readonly client: JetStreamClient
  /** Makes the queue where it is missing. */
  readonly names: (queue: string) => Promise<QueueNames>
}
