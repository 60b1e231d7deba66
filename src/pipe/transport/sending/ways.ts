/** Which way leads to a segment of another process, or to a queue. */

import { Failure, shown } from '../../../errors.ts'
import type { Resolution } from '../../discovery.ts'
import type { Post } from '../remote/outbox.ts'
import type { Bus } from './bus.ts'
import { httpPost, type HttpDeps } from './http.ts'

export type Remote = Extract<Resolution, { readonly kind: 'http' | 'bus' }>

/** A queue: of this process, or of the broker at that address. */
export type Queue = { readonly name: string; readonly broker?: string }

/** The parts of brokers that sending needs. */
type Brokers = {
  send(queue: Required<Queue>, message: Parameters<Post>[0], signal: AbortSignal): Promise<void>
}

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
