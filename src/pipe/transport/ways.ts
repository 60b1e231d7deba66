/** Which way leads to a segment of another process, or to a queue. */

import { Failure, shown } from '../../errors.ts'
import type { Resolution } from '../discovery.ts'
import type { Endpoint, Segment } from '../document.ts'
import type { Bus, Queue } from './bus.ts'
import { returnPath } from './envelope.ts'
import { type HttpDeps, httpPost } from './http-sender.ts'
import type { Brokers } from './nats.ts'
import type { Post } from './remote-outbox.ts'
import type { Capability, Returns } from './returns.ts'

export type Remote = Extract<Resolution, { readonly kind: 'http' | 'bus' }>

export type WayDeps = HttpDeps & {
  readonly bus: Bus
  readonly brokers: Brokers
  /** Where plain names of queues are, when not in this process. */
  readonly eventbusUrl?: string
  /** Hosts and networks inside the institution that pipes may name. */
  readonly allow: readonly string[]
}

export type Way = {
  readonly post: Post
  /** Absent for HTTP. */
  readonly queue?: Queue
}

type Wanted = {
  /** `trusted`: the pipe is a file of the operator. */
  readonly trust: 'trusted' | 'foreign'
  /** The broker that a message came from: plain names of its endpoints are there. */
  readonly via?: string
}

/** Throws `Failure` `address-refused` for a broker that the operator has not named. */
export function wayTo(found: Remote, wanted: Wanted, deps: WayDeps): Way {
  if (found.kind === 'http') {
    const { address, method, headers, by } = found
    const { allow } = deps
    const reach = { kind: 'configured', address, trust: wanted.trust, allow } as const
    return { post: httpPost({ address, method, headers, ...(by === 'pipe' && { reach }) }, deps) }
  }
  const queue = queueOf(found.address, { by: found.by, via: wanted.via ?? deps.eventbusUrl })
  const { name, broker } = queue
  return {
    queue,
    post: (message, signal) =>
      broker === undefined
        ? deps.bus.send(name, message, signal)
        : deps.brokers.send({ name, broker }, message, signal),
  }
}

/** `nats://host:4222/queue`, or a plain name at `via`. */
export function queueOf(
  address: string,
  { by, via }: { readonly by: 'operator' | 'pipe'; readonly via: string | undefined },
): Queue {
  const url = /^(nats|tls):\/\//i.test(address) ? URL.parse(address) : null
  if (!url) return via === undefined ? { name: address } : { name: address, broker: via }
  const name = decodeURIComponent(url.pathname.slice(1))
  url.pathname = ''
  if (name === '') {
    throw new Failure('invalid-pipe', `${shown(url.host)} is a broker; its queue stands behind a /`)
  }
  const known = via === undefined ? undefined : URL.parse(via)
  if (known?.host === url.host && via !== undefined) return { name, broker: via }
  if (by === 'pipe') {
    throw new Failure('address-refused', `${shown(url.host)} is no broker that the operator named`)
  }
  return { name, broker: url.href }
}

// Where foreign segments give back what runs of this process wait for.

type DoorOptions = {
  readonly brokers: Brokers
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
