/** Pipes between processes: over HTTP, over queues of this process, and over a broker. */

import { Failure, shown } from '../../errors.ts'
import type { ClusterConfig } from '../../config/cluster.ts'
import type { App } from '../../http/app.ts'
import type { Placement } from '../discovery.ts'
import type { Endpoint, Pipe, Segment } from '../document.ts'
import { normalName } from '../naming.ts'
import type { SegmentFunction } from '../segment.ts'
import { bus, type Bus, type Queue } from './bus.ts'
import { following, returnPath, type ReturnQueue } from './envelope.ts'
import { type HttpContext, httpPost, type Post } from './http-sender.ts'
import { Brokers } from './nats.ts'
import { remoteStep, type ReturnTarget } from './remote-step.ts'
import { capabilities, type Capability, type ReturnPlace, ReturnPlaces } from './returns.ts'
import { SegmentWorker, type WorkerContext } from './segment-worker.ts'
import { segmentsApp, type SegmentsContext } from './segments-app.ts'
import { spools } from './spool.ts'
import { limitsOf, queueLimits, transportLimits, type TransportLimits } from './transport-limits.ts'

export type TransportOptions = Omit<WorkerContext, 'limits' | 'postTo'> &
  Pick<HttpContext, 'outbound' | 'random'> &
  Pick<SegmentsContext, 'keys' | 'bodyBytes' | 'http' | 'version'> & {
    readonly serviceDiscovery: ClusterConfig['serviceDiscovery']
    /** Hosts and networks inside the institution that pipes may name. */
    readonly allow: readonly string[]
    /** Where plain names of queues are, when not in this process. */
    readonly eventbusUrl?: string
    /** Where foreign segments reach the segments of this process: plain http, with its port, without a slash at its end. */
    readonly returnAddress: string
    /** 32 random bytes: who has a token made of them may hand in what a run waits for. */
    readonly secret: Uint8Array
    /** Queue for what comes back over a broker; the same after a restart, and no other process's. Begins with `returns-`. */
    readonly returnQueue: ReturnQueue
    /** For what came back and waits. */
    readonly scratch: string
    readonly identify?: ReturnTarget['identify']
    readonly limits?: Partial<TransportLimits>
  }

/** A segment that is elsewhere. */
type Remote = Extract<Placement, { readonly kind: 'http' | 'bus' }>

type Route = { readonly post: Post; /** Absent for HTTP. */ readonly queue?: Queue }

export class Transport {
  /** `/api/segments`. */
  readonly app: App
  /** Queues of this process. */
  readonly bus: Bus
  readonly #options: TransportOptions
  readonly #limits: TransportLimits
  readonly #brokers: Brokers
  readonly #returns: ReturnPlaces
  readonly #capability: Capability
  readonly #worker: SegmentWorker
  readonly #spool: ReturnType<typeof spools>
  /** Brokers where what comes back is listened for. */
  readonly #listening = new Map<string, Promise<unknown>>()

  constructor(options: TransportOptions) {
    const { now, pause, log, secret, returnQueue, scratch } = options
    const limits = { ...transportLimits, ...options.limits }
    const postTo: WorkerContext['postTo'] = (found, via) =>
      this.#routeTo(found, 'foreign', via).post
    this.#options = options
    this.#limits = limits
    this.bus = bus({ queued: limits.queued, pause, log })
    this.#brokers = new Brokers({ limits, pause, log })
    this.#returns = new ReturnPlaces(now, limits.lateMs)
    this.#capability = capabilities(secret)
    this.#worker = new SegmentWorker({ ...options, limits, postTo })
    this.#spool = spools({ directory: scratch, bytes: limits.spoolBytes })
    const returns = { worker: this.#worker, returns: this.#returns, capability: this.#capability }
    this.app = segmentsApp({ ...options, ...returns })
    this.bus.listen(returnQueue, (message) => this.#returns.take(message))
  }

  /** A step that works in another process. Throws `address-refused` and `invalid-pipe`. */
  remote(
    pipe: Pipe,
    segment: Segment,
    found: Remote,
    trust: 'trusted' | 'foreign',
  ): SegmentFunction {
    const { now, pause, identify } = this.#options
    const { post, queue } = this.#routeTo(found, trust)
    const next = following(pipe, segment.header.segmentNumber)
    const limits = queue ? queueLimits(this.#limits) : limitsOf(this.#limits, segment)
    if (!next) return remoteStep({ pipe, segment, post, limits, now, pause })
    const { runId = '' } = pipe.header
    const permitted = { runId, segmentNumber: next.header.segmentNumber }
    const back = {
      endpoint: this.#returnEndpoint(permitted, queue),
      open: (place: ReturnPlace) => this.#returns.open(permitted, place),
      spool: this.#spool,
      wantsRdf: this.#isExporter(next),
      ...(identify && { identify }),
    }
    const ready: Post = async (message, signal) => {
      if (queue?.broker !== undefined) await this.#listenForReturns(queue.broker)
      await post(message, signal)
    }
    return remoteStep({ pipe, segment, post: ready, limits, now, pause, back })
  }

  /** Takes work from the queues that service discovery names for segments of this process. */
  async listen(): Promise<void> {
    for (const { name, broker } of workQueues(this.#options)) {
      if (broker === undefined) this.bus.listen(name, (message) => void this.#worker.take(message))
      else {
        await this.#brokers.listen({ name, broker }, (message, delivery) => {
          this.#worker.take(message, { via: broker, delivery })
        })
      }
    }
  }

  async stop(): Promise<void> {
    await this.#worker.stop()
    await this.#brokers.close()
  }

  /** Throws `Failure` `address-refused` for a broker that the operator has not named. `trusted`: a file of the operator. */
  #routeTo(found: Remote, trust: 'trusted' | 'foreign', from?: string): Route {
    const { allow, outbound, random, now, pause, eventbusUrl } = this.#options
    if (found.kind === 'http') {
      const { address, method, headers, by } = found
      const reach = { kind: 'configured', address, trust, allow } as const
      const target = { address, method, headers, ...(by === 'pipe' && { reach }) }
      return { post: httpPost(target, { outbound, limits: this.#limits, random, now, pause }) }
    }
    const queue = queueOf(found.address, { by: found.by, via: from ?? eventbusUrl })
    const { name, broker } = queue
    const post: Post = (message, signal) =>
      broker === undefined
        ? this.bus.send(name, message, signal)
        : this.#brokers.send({ name, broker }, message, signal)
    return { post, queue }
  }

  /** Where the output for the next segment is to go, by the way on which messages go out. */
  #returnEndpoint(
    permitted: { readonly runId: string; readonly segmentNumber: number },
    queue: Queue | undefined,
  ): Endpoint {
    const { returnAddress, returnQueue } = this.#options
    if (queue) return { protocol: 'eventbus', address: returnQueue }
    const address = `${returnAddress}${returnPath(this.#capability.of(permitted))}`
    return { protocol: 'http', address, method: 'POST' }
  }

  /** What comes back over a broker is listened for before the first message leaves. */
  async #listenForReturns(broker: string): Promise<void> {
    const listening =
      this.#listening.get(broker) ??
      this.#brokers.listen({ broker, name: this.#options.returnQueue }, (message, delivery) => {
        // A run that was interrupted may be on its way back: who is not there now may be there later.
        void this.#returns.take(message).then(delivery.done, delivery.failed)
      })
    this.#listening.set(broker, listening)
    try {
      await listening
    } catch (error) {
      this.#listening.delete(broker)
      throw error
    }
  }

  #isExporter(segment: Segment): boolean {
    const found = this.#options.resolve(segment)
    return found.kind === 'built-in' && found.segment.job === 'export'
  }
}

/** `nats://host:4222/queue`, or a plain name at `via`. Throws `invalid-pipe` and `address-refused`. */
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
  if (via !== undefined && URL.parse(via)?.host === url.host) return { name, broker: via }
  if (by === 'pipe') {
    throw new Failure('address-refused', `${shown(url.host)} is no broker that the operator named`)
  }
  return { name, broker: url.href }
}

/** Each queue once, of segments that this process can run. */
function workQueues({ serviceDiscovery, kinds, eventbusUrl }: TransportOptions): readonly Queue[] {
  const own = new Set(kinds.flatMap(({ names }) => names.map(normalName)))
  const queues = Object.entries(serviceDiscovery).flatMap(([name, { http, eventbus }]) =>
    eventbus && !http && own.has(normalName(name))
      ? [queueOf(eventbus.address, { by: 'operator', via: eventbusUrl })]
      : [],
  )
  return [...new Map(queues.map((one) => [`${one.broker ?? ''} ${one.name}`, one])).values()]
}
