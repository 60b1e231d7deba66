/** The brokers that this process speaks to, each connected when it is first needed. */

import type { Queue } from '../sending/ways.ts'
import type { Pipe } from '../../document.ts'
import { openBroker, type Broker } from './broker.ts'
import type { BrokerOptions, Consumer } from './link.ts'

type BrokerQueue = Required<Queue>

export type BrokerPark = {
  send(queue: BrokerQueue, message: Pipe, signal: AbortSignal): Promise<void>
  /** Delivers what is in the queue until the park closes. */
  listen(queue: BrokerQueue, consumer: Consumer): Promise<() => Promise<void>>
  close(): Promise<void>
}

export function brokerPark(options: Omit<BrokerOptions, 'url'>): BrokerPark {
  const open = new Map<string, Promise<Broker>>()
  const at = (url: string): Promise<Broker> => {
    const known = open.get(url)
    if (known) return known
    const opening = openBroker({ ...options, url }).catch((error: unknown) => {
      open.delete(url)
      throw error
    })
    open.set(url, opening)
    return opening
  }
  return {
    send: async ({ broker, name }, message, signal) =>
      (await at(broker)).send(name, message, signal),
    listen: async ({ broker, name }, consumer) => (await at(broker)).listen(name, consumer),
    async close() {
      const brokers = await Promise.allSettled(open.values())
      open.clear()
      const connected = brokers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      await Promise.all(connected.map((broker) => broker.close()))
    },
  }
}
