/** Where foreign segments give back what runs of this process wait for. */

import type { Segment } from '../document.ts'
import type { Capability } from './capability.ts'
import type { ReturnEndpoint } from './messages/envelope.ts'
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
  readonly address: string
}

export type ReturnDoor = {
  /** What comes back over a broker is listened for before the first message leaves. */
  readonly ready: (queue: Queue | undefined) => Promise<void>
  /** Where the output for that segment is to go, by the way on which messages go out. */
  readonly endpoint: (next: Segment, runId: string, queue: Queue | undefined) => ReturnEndpoint
}

export function returnDoor(options: DoorOptions): ReturnDoor {
  const { brokers, bus, returns, returnQueue } = options
  const listening = new Map<string, Promise<unknown>>()
  bus.listen(returnQueue, (message) => returns.take(message))
  const listen = (broker: string): Promise<unknown> =>
    brokers
      .listen({ broker, name: returnQueue }, (message, delivery) => {
        returns.take(message)
        delivery.done()
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
      const { name, segmentNumber } = next.header
      if (queue) return { protocol: 'eventbus', address: returnQueue, returns: true }
      const password = options.capability.of({ runId, segmentNumber })
      return {
        protocol: 'http',
        address: `${options.address}/${encodeURIComponent(name)}/pipe`,
        method: 'POST',
        authentication: { authMethod: 'bearer', credentials: { username: 'run', password } },
        returns: true,
      }
    },
  }
}
