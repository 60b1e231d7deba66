/** Pipes between processes: over HTTP, over queues of this process, and over a broker. */

import type { ClusterConfig } from '../../config/cluster.ts'
import type { App } from '../../http/app.ts'
import type { Pipe, Segment } from '../document.ts'
import { normalName } from '../naming.ts'
import type { SegmentFunction } from '../segment.ts'
import { segmentsApp, type SegmentsDeps } from './segments-app.ts'
import { capabilities, type ReturnPlace, returns, type Returns } from './returns.ts'
import { limitsOf, queueLimits, transportLimits, type TransportLimits } from './transport-limits.ts'
import { following, type ReturnQueue } from './envelope.ts'
import { Brokers } from './nats.ts'
import type { Post } from './remote-outbox.ts'
import { type Reading, remoteStep } from './remote-step.ts'
import { queueOf, type Remote, returnDoor, type ReturnDoor, type WayDeps, wayTo } from './ways.ts'
import { spools } from './spool.ts'
import { bus, type Bus, type Queue } from './bus.ts'
import { worker, type WorkerDeps } from './segment-worker.ts'

export type TransportOptions = Omit<WorkerDeps, 'limits' | 'wayTo'> &
  Pick<WayDeps, 'outbound' | 'random' | 'allow' | 'eventbusUrl'> &
  Pick<SegmentsDeps, 'keys' | 'bodyBytes' | 'http' | 'version'> & {
    readonly serviceDiscovery: ClusterConfig['serviceDiscovery']
    /** Where clients reach the segments of this process, without a slash at its end. */
    readonly address: string
    /** Where foreign segments reach them: plain http, with its port, without a slash at its end. */
    readonly returnAddress: string
    /** 32 random bytes: who has a token made of them may hand in what a run waits for. */
    readonly secret: Uint8Array
    /** Queue for what comes back over a broker; the same after a restart, and no other process's. Begins with `returns-`. */
    readonly returnQueue: ReturnQueue
    /** For what came back and waits. */
    readonly scratch: string
    readonly identify?: Reading['identify']
    readonly limits?: Partial<TransportLimits>
  }

export type Transport = {
  /** A step that works in another process; for the launcher. Throws `address-refused` and `invalid-pipe`. */
  readonly remote: (
    pipe: Pipe,
    segment: Segment,
    found: Remote,
    trust: 'trusted' | 'foreign',
  ) => SegmentFunction
  /** `/api/segments`. */
  readonly app: App
  /** Queues of this process. */
  readonly bus: Bus
  /** Takes work from the queues that service discovery names for segments of this process. */
  listen(): Promise<void>
  stop(): Promise<void>
}

export function openTransport(options: TransportOptions): Transport {
  const limits = { ...transportLimits, ...options.limits }
  const deps = { ...options, limits }
  const inner = bus({ ...deps, queued: limits.queued })
  const brokers = new Brokers(deps)
  const ways: WayDeps = { ...deps, bus: inner, brokers }
  const waiting = returns(options.now, limits.lateMs)
  const capability = capabilities(options.secret)
  const works = worker({ ...deps, wayTo: (found, wanted) => wayTo(found, wanted, ways) })
  const app = segmentsApp({ ...deps, worker: works, returns: waiting, capability })
  const door = returnDoor({ ...options, brokers, bus: inner, returns: waiting, capability })
  return {
    app,
    bus: inner,
    remote: remoteOf({ options, limits, ways, door, waiting }),
    async listen() {
      for (const { name, broker } of workQueues(options)) {
        if (broker === undefined) inner.listen(name, (message) => void works.take(message))
        else {
          await brokers.listen({ name, broker }, (message, delivery) => {
            works.take(message, { via: broker, delivery })
          })
        }
      }
    },
    async stop() {
      await works.stop()
      await brokers.close()
    },
  }
}

type RemoteGround = {
  readonly options: TransportOptions
  readonly limits: TransportLimits
  readonly ways: WayDeps
  readonly door: ReturnDoor
  readonly waiting: Returns
}

function remoteOf({ options, limits, ways, door, waiting }: RemoteGround): Transport['remote'] {
  const spool = spools({ directory: options.scratch, bytes: limits.spoolBytes })
  return (pipe, segment, found, trust) => {
    const { runId = '' } = pipe.header
    const { post, queue } = wayTo(found, { trust }, ways)
    const next = following(pipe, segment.header.segmentNumber)
    const ready: Post = async (message, signal) => {
      if (next) await door.ready(queue)
      await post(message, signal)
    }
    const back = next && {
      endpoint: door.endpoint(next, runId, queue),
      open: (place: ReturnPlace) =>
        waiting.open({ runId, segmentNumber: next.header.segmentNumber }, place),
      spool,
      wantsRdf: isExporter(options, next),
      ...(options.identify && { identify: options.identify }),
    }
    const bounds = queue ? queueLimits(limits) : limitsOf(limits, segment)
    return remoteStep(
      { pipe, segment, post: ready, ...(back && { back }) },
      { ...options, limits: bounds },
    )
  }
}

function isExporter({ resolve }: TransportOptions, segment: Segment): boolean {
  const found = resolve(segment)
  return found.kind === 'built-in' && found.segment.job === 'export'
}

/** Each queue once, of segments that this process can run. */
function workQueues(options: TransportOptions): readonly Queue[] {
  const { serviceDiscovery, kinds, eventbusUrl } = options
  const own = new Set(kinds.flatMap(({ names }) => names.map(normalName)))
  const queues = Object.entries(serviceDiscovery).flatMap(([name, { http, eventbus }]) =>
    eventbus && !http && own.has(normalName(name))
      ? [queueOf(eventbus.address, { by: 'operator', via: eventbusUrl })]
      : [],
  )
  return [...new Map(queues.map((one) => [`${one.broker ?? ''} ${one.name}`, one])).values()]
}
