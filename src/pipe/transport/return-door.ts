/** Where foreign segments give back what runs of this process wait for. */

import type { Endpoint, Segment } from '../document.ts'
import type { Capability } from './capability.ts'
import { returnPath } from './messages/envelope.ts'
import type { BrokerPark } from './nats/brokers.ts'
import type { Returns } from './returns.ts'
import type { Bus } from './sending/bus.ts'
import type { Queue } from './sending/ways.ts'

type DoorOptions = {
  readonly brokers: BrokerPark
  readonly bus: Bus
  readonly returns: Returns
  readonly capability: Capability
  readonly returnQueue: string
  /** Where segments reach the segments of this process, with its port and without a slash at its end. */
  readonly returnAddress: string
}

export type ReturnDoor = {
  /** What comes back over a broker is listened for before the first message leaves. */
  readonly ready: (queue: Queue | undefined) => Promise<void>
  /** Where the output for that segment is to go, by the way on which messages go out. */
  readonly endpoint: (next: Segment, runId: string, queue: Queue | undefined) => Endpoint
}

export function returnDoor(options: DoorOptions): ReturnDoor {
  const { brokers, bus, returns, returnQueue } = options
  const listening = new Map<string, Promise<unknown>>()
  bus.listen(returnQueue, (message) => returns.take(message))
  const listen = (broker: string): Promise<unknown> =>
    brokers
      .listen({ broker, name: returnQueue }, (message, delivery) => {
        // A run that was interrupted may be on its way back: who is not there now may be there later.
        void returns.take(message).then(delivery.done, delivery.failed)
      })
      .catch((error: unknown) => {
        listening.delete(broker)
        throw error
      })
  return {
    async ready(queue) {
      if (queue?.broker === undefined) return
      const known = listening.get(queue.broker) ?? listen(queue.broker)
      listening.set(queue.broker, known)
      await known
    },
    endpoint(next, runId, queue) {
      const { segmentNumber } = next.header
      if (queue) return { protocol: 'eventbus', address: returnQueue }
      const token = options.capability.of({ runId, segmentNumber })
      const address = `${options.returnAddress}${returnPath(token)}`
      return { protocol: 'http', address, method: 'POST' }
    },
  }
}
