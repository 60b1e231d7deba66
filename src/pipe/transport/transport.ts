/**
 * Connects pipes across processes, over HTTP and the queues of a message broker: creates steps for segments elsewhere, and
 * receives messages for segments and runs here.
 */

import { Failure, shown } from '../../errors.ts'
import type { App } from '../../http/app.ts'
import { SingleFlight } from '../../workers/single-flight.ts'
import { isBrokerAddress, normalName, type Placement } from '../segment-resolver.ts'
import type { Endpoint, Pipe, Segment } from '../document.ts'
import type { SegmentFunction } from '../segment.ts'
import { segmentAfter, returnPath } from './envelope.ts'
import { httpSender, type SendMessage } from './http-sender.ts'
import { Broker, type Queue } from './broker.ts'
import { remoteStep } from './remote-step.ts'
import { type ReturnPlace, ReturnPlaces, returnToken, spoolFactory } from './return-places.ts'
import { SegmentWorker } from './segment-worker.ts'
import { segmentsApp } from './segments-app.ts'
import {
  segmentLimits,
  queueLimits,
  type TransportContext,
  transportLimits,
  type TransportLimits,
} from './transport-limits.ts'
import { withDefaults } from '../../text/defaults.ts'

export type TransportOptions = Omit<TransportContext, 'limits'> & {
  readonly limits?: Partial<TransportLimits>
}

/** Placement in another process. */
type Remote = Extract<Placement, { readonly kind: 'http' | 'bus' }>

/** The transport of a process, created once at its start. */
export class Transport {
  /** App for `/api/segments`. */
  readonly app: App
  readonly #context: TransportContext
  readonly #returnPlaces: ReturnPlaces
  readonly #worker: SegmentWorker
  readonly #spool: ReturnType<typeof spoolFactory>
  /** Connected brokers, bounded by the configuration. */
  readonly #brokers = new SingleFlight<string, Broker>({ keepMs: Infinity, most: Infinity })
  /** Queues that are consumed. */
  readonly #listening = new SingleFlight<string, void>({ keepMs: Infinity, most: Infinity })

  constructor(options: TransportOptions) {
    const context = { ...options, limits: withDefaults(transportLimits, options.limits) }
    const { now, limits, scratch, eventbusUrl } = context
    const postTo = (placement: Remote, via = eventbusUrl) =>
      this.#routeTo(placement, 'foreign', via).post
    this.#context = context
    this.#returnPlaces = new ReturnPlaces(now, limits.lateMs)
    this.#worker = new SegmentWorker(context, postTo)
    this.#spool = spoolFactory({ directory: scratch, bytes: limits.spoolBytes })
    this.app = segmentsApp(context, this.#worker, this.#returnPlaces)
  }

  /** Creates a step for a segment in another process. Throws the failures of `queueOf`. */
  remote(
    pipe: Pipe,
    segment: Segment,
    placement: Remote,
    trust: 'trusted' | 'foreign',
  ): SegmentFunction {
    const { now, pause, identify, resolve } = this.#context
    const { post, queue } = this.#routeTo(placement, trust, this.#context.eventbusUrl)
    const next = segmentAfter(pipe, segment.header.segmentNumber)
    const limits = queue
      ? queueLimits(this.#context.limits)
      : segmentLimits(this.#context.limits, segment)
    if (!next) return remoteStep({ pipe, segment, post, limits, now, pause })
    const token = returnToken()
    const { segmentNumber } = next.header
    const entry = { token, runId: pipe.header.runId ?? '', segmentNumber }
    const nextPlacement = resolve(next)
    const returns = {
      endpoint: this.#returnEndpoint(token, queue),
      open: (place: ReturnPlace) => this.#returnPlaces.open({ ...entry, place }),
      spool: this.#spool,
      wantsRdf: nextPlacement.kind === 'built-in' && nextPlacement.segment.job === 'export',
      identify,
    }
    const postAndListen: SendMessage = async (message, signal) => {
      if (queue) await this.#listenForReturns(queue.broker)
      await post(message, signal)
    }
    return remoteStep({ pipe, segment, post: postAndListen, limits, now, pause, returns })
  }

  /** Consumes the queues that service discovery names for segments of this process. */
  async listen(): Promise<void> {
    const { serviceDiscovery, kinds, eventbusUrl: via } = this.#context
    const localNames = new Set(kinds.flatMap(({ names }) => names.map(normalName)))
    for (const [name, { http, eventbus }] of Object.entries(serviceDiscovery)) {
      if (!eventbus || http || !localNames.has(normalName(name))) continue
      // Without a broker the segment is only used by pipes of this process.
      if (via === undefined && !isBrokerAddress(eventbus.address)) continue
      const queue = queueOf(eventbus.address, { by: 'operator', via })
      await this.#listenTo(queue, (message, delivery) => {
        this.#worker.take(message, { via: queue.broker, delivery })
      })
    }
  }

  /** Whether all brokers that were connected once still are; `undefined` where none was. */
  isConnected(): boolean | undefined {
    const brokers = this.#brokers.values()
    return brokers.length === 0 ? undefined : brokers.every((broker) => broker.isConnected())
  }

  async stop(): Promise<void> {
    await this.#worker.stop()
    await this.#brokers.stop(new Failure('run-interrupted', 'the process is stopping'))
    const connected = this.#brokers.values()
    this.#brokers.clear()
    await Promise.all(connected.map((broker) => broker.close()))
  }

  #brokerAt(url: string): Promise<Broker> {
    return this.#brokers.get(url, () => Broker.connect(url, this.#context))
  }

  #listenTo({ name, broker }: Queue, listener: Parameters<Broker['listen']>[1]): Promise<void> {
    return this.#listening.get(JSON.stringify([broker, name]), async () =>
      (await this.#brokerAt(broker)).listen(name, listener),
    )
  }

  /**
   * Sender to a placement and its queue, if any; `via` is the broker of names without a scheme. `trusted`: the address comes
   * from a file of the operator. Throws the failures of `queueOf`.
   */
  #routeTo(
    placement: Remote,
    trust: 'trusted' | 'foreign',
    via: string | undefined,
  ): { readonly post: SendMessage; readonly queue?: Queue } {
    if (placement.kind === 'http') {
      const { address, method, headers, by } = placement
      const reach = { kind: 'configured', address, trust, allow: this.#context.allow } as const
      const target = { address, method, headers, ...(by === 'pipe' && { reach }) }
      return { post: httpSender(target, this.#context) }
    }
    const queue = queueOf(placement.address, { by: placement.by, via })
    const post: SendMessage = async (message, signal) =>
      (await this.#brokerAt(queue.broker)).send(queue.name, message, signal)
    return { post, queue }
  }

  /** Endpoint for the output of a segment, over the same transport as the input. */
  #returnEndpoint(token: string, queue: Queue | undefined): Endpoint {
    const { returnAddress, returnQueue } = this.#context
    if (queue) return { protocol: 'eventbus', address: returnQueue }
    return { protocol: 'http', address: `${returnAddress}${returnPath(token)}`, method: 'POST' }
  }

  /** Consumes the return queue before the first message is sent. */
  #listenForReturns(broker: string): Promise<void> {
    return this.#listenTo(
      { name: this.#context.returnQueue, broker },
      async (message, delivery) => {
        // An interrupted run may be resuming; a failure leads to redelivery.
        await this.#returnPlaces.take(message)
        delivery.done()
      },
    )
  }
}

/**
 * Parses `nats://host:4222/queue`, or a plain name on the broker `via`. Throws `invalid-pipe` without a queue, `address-refused`
 * for a broker that only a pipe names, `unknown-segment` for a plain name without `via`.
 */
export function queueOf(
  address: string,
  { by, via }: { readonly by: 'operator' | 'pipe'; readonly via: string | undefined },
): Queue {
  const url = isBrokerAddress(address) ? URL.parse(address) : null
  if (!url && via !== undefined) return { name: address, broker: via }
  if (!url)
    throw new Failure('unknown-segment', `no segment listens to the queue ${shown(address)}`)
  const name = decodeURIComponent(url.pathname.slice(1))
  url.pathname = ''
  if (name === '') {
    throw new Failure(
      'invalid-pipe',
      `${shown(url.host)} is a broker: its address must end with / and the name of a queue`,
    )
  }
  if (via !== undefined && URL.parse(via)?.host === url.host) return { name, broker: via }
  if (by === 'pipe') {
    throw new Failure(
      'address-refused',
      `${shown(url.host)} is not a broker of the configuration (serviceDiscovery, PLATFORM_EVENTBUS_URL)`,
    )
  }
  return { name, broker: url.href }
}
