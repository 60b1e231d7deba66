/**
 * NATS JetStream: durable queues between processes. A queue is a stream with one consumer; a message is acknowledged when what
 * became of it was taken over, given again when not, and put aside into a dead-letter stream after too many tries.
 */

import type {
  Consumer,
  ConsumerMessages,
  JetStreamClient,
  JetStreamManager,
  JsMsg,
} from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { Failure, type Kind, shown } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { retry, type Pause } from '../../workers/retry.ts'
import type { Pipe } from '../document.ts'
import { shapedPipe } from '../pipe-schema.ts'
import { readText } from '../pipe-text.ts'
import type { Delivery } from './arriving-stream.ts'
import type { TransportLimits } from './transport-limits.ts'
import type { Queue } from './bus.ts'

/** Takes a message; what becomes of it is reported to the delivery. Throws `Failure` for what it cannot take. */
type QueueListener = (message: Pipe, delivery: Delivery) => void

type BrokerContext = {
  readonly limits: TransportLimits
  readonly pause: Pause
  readonly log: Log
}

const dayMs = 86_400_000
const timeoutMs = 10_000
const durableName = 'cartulary'
const ackWaitMs = 30_000
const beatMs = 10_000
const againMs = 1000
const mostHeld = 1000

/** The brokers that this process speaks to, each connected when it is first needed; later it comes back by itself. */
export class Brokers {
  readonly #context: BrokerContext
  readonly #open = new Map<string, Promise<Broker>>()

  constructor(context: BrokerContext) {
    this.#context = context
  }

  /** Resolves when the queue has the message for good. Throws `source-unreachable` when there is no server. */
  async send({ broker, name }: Required<Queue>, message: Pipe, signal: AbortSignal): Promise<void> {
    await (await this.#at(broker)).send(name, message, signal)
  }

  /** Delivers what is in the queue; the function ends that when what it holds is settled. */
  async listen({ broker, name }: Required<Queue>, to: QueueListener): Promise<() => Promise<void>> {
    return (await this.#at(broker)).listen(name, to)
  }

  async close(): Promise<void> {
    const brokers = await Promise.allSettled(this.#open.values())
    this.#open.clear()
    const connected = brokers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    await Promise.all(connected.map((broker) => broker.close()))
  }

  #at(url: string): Promise<Broker> {
    return remembered(this.#open, url, () => Broker.connect(url, this.#context))
  }
}

/** The promise under the key, made when it is missing; a failed one is forgotten. */
function remembered<Value>(
  all: Map<string, Promise<Value>>,
  key: string,
  make: () => Promise<Value>,
): Promise<Value> {
  const known = all.get(key)
  if (known) return known
  const making = make().catch((error: unknown) => {
    all.delete(key)
    throw error
  })
  all.set(key, making)
  return making
}

class Broker {
  readonly #context: BrokerContext
  readonly #connection: NatsConnection
  readonly #manager: JetStreamManager
  readonly #client: JetStreamClient
  readonly #queues = new Map<string, Promise<QueueNames>>()
  readonly #listening = new Set<() => Promise<void>>()

  private constructor(
    connection: NatsConnection,
    manager: JetStreamManager,
    context: BrokerContext,
  ) {
    this.#connection = connection
    this.#manager = manager
    this.#client = manager.jetstream()
    this.#context = context
  }

  /** `nats://user:password@host:4222` or `tls://…`. */
  static async connect(url: string, context: BrokerContext): Promise<Broker> {
    const { jetstreamManager } = await import('@nats-io/jetstream')
    const connection = await connected(url)
    const options = { timeout: timeoutMs }
    const manager = await jetstreamManager(connection, options).catch((cause: unknown) => {
      throw new Failure('source-unreachable', 'the broker has no JetStream', { cause })
    })
    return new Broker(connection, manager, context)
  }

  async send(queue: string, message: Pipe, signal: AbortSignal): Promise<void> {
    const { limits, pause } = this.#context
    const body = new TextEncoder().encode(JSON.stringify(message))
    const most = this.#connection.info?.max_payload ?? Infinity
    if (body.byteLength > most) {
      const detail = `the message of ${body.byteLength} bytes is larger than the broker allows (max_payload)`
      throw new Failure('item-too-large', detail)
    }
    const sent = async () => {
      const { subject } = await this.#names(queue)
      await this.#client.publish(subject, body, { timeout: timeoutMs })
    }
    const attempt = () =>
      sent().catch((cause: unknown) => {
        if (cause instanceof Failure) throw cause
        const detail = 'the broker did not take the message'
        throw new Failure('source-unreachable', detail, { cause })
      })
    await retry(attempt, {
      signal,
      pause: (ms) => pause(ms, signal),
      delayMs: (outcome, number) => {
        const isDown = 'error' in outcome && outcome.error instanceof Failure
        const mayPass = isDown && outcome.error.kind === 'source-unreachable'
        return mayPass && number < limits.attempts ? 1000 * 2 ** (number - 1) : undefined
      },
    })
  }

  async listen(queue: string, listener: QueueListener): Promise<() => Promise<void>> {
    const names = await this.#names(queue)
    const source = await this.#consumer(names)
    const messages = await source.consume({ max_messages: 64 })
    const client = this.#client
    const delivering = new Deliveries({ ...this.#context, names, listener, client }, messages)
    const stop = () => delivering.stop()
    this.#listening.add(stop)
    return async () => {
      this.#listening.delete(stop)
      await stop()
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#listening].map((stop) => stop()))
    await this.#connection.close()
  }

  async #consumer({ stream }: QueueNames): Promise<Consumer> {
    const { AckPolicy } = await import('@nats-io/jetstream')
    await this.#manager.consumers.add(stream, {
      durable_name: durableName,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ackWaitMs),
      max_ack_pending: mostHeld,
    })
    return this.#client.consumers.get(stream, durableName)
  }

  #names(queue: string): Promise<QueueNames> {
    return remembered(this.#queues, queue, () => this.#made(queueNames(queue)))
  }

  /** Makes the streams of a queue where they are missing. One that is there stays as it is: its operator may have made it. */
  async #made(names: QueueNames): Promise<QueueNames> {
    const { RetentionPolicy, DiscardPolicy } = await import('@nats-io/jetstream')
    const queue = {
      name: names.stream,
      subjects: [names.subject],
      retention: RetentionPolicy.Workqueue,
      discard: DiscardPolicy.New,
      max_msgs: this.#context.limits.brokered,
    }
    const dead = {
      name: names.deadStream,
      subjects: [names.deadSubject],
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.Old,
      max_msgs: 10_000,
      max_age: nanos(30 * dayMs),
    }
    const { streams } = this.#manager
    for (const config of [queue, dead]) {
      const found = await streams.info(config.name).catch(() => undefined)
      if (!found) await streams.add(config)
    }
    return names
  }
}

const nanos = (ms: number): number => ms * 1_000_000

async function connected(url: string): Promise<NatsConnection> {
  const { connect } = await import('@nats-io/transport-node')
  const { protocol, host, username, password } = new URL(url)
  const user = decodeURIComponent(username)
  const secret = decodeURIComponent(password)
  try {
    return await connect({
      servers: `${protocol}//${host}`,
      name: 'cartulary',
      maxReconnectAttempts: -1,
      ...(protocol === 'tls:' && { tls: {} }),
      ...(user !== '' && (secret === '' ? { token: user } : { user, pass: secret })),
    })
  } catch (cause) {
    throw new Failure('source-unreachable', 'the broker cannot be reached', { cause })
  }
}

/** Names of a queue on a NATS server: a stream, its subject, and where messages go that nobody could take. */
type QueueNames = {
  readonly subject: string
  readonly stream: string
  readonly deadSubject: string
  readonly deadStream: string
}

/** The subject is the queue's name; dots, which streams may not have, become `_` there. Throws `invalid-pipe`. */
function queueNames(queue: string): QueueNames {
  if (!isQueueName(queue)) {
    throw new Failure('invalid-pipe', `${shown(queue)} cannot be the name of a queue`)
  }
  const stream = queue.replaceAll('.', '_')
  const deadStream = `${stream}_dead-letter`
  return { subject: queue, stream, deadSubject: `${queue}.dead-letter`, deadStream }
}

const isQueueName = (queue: string): boolean =>
  // oxlint-disable-next-line no-control-regex -- they are what must not be there
  /^[^\u0000-\u0020\u007f*>/\\]{1,200}$/.test(queue) &&
  !queue.startsWith('$') &&
  queue.split('.').every((part) => part !== '')

/** Never better next time. */
const hopeless: ReadonlySet<Kind> = new Set([
  'invalid-pipe',
  'invalid-parameter',
  'unknown-segment',
  'malformed-json',
])

type DeliveryContext = BrokerContext & {
  readonly names: QueueNames
  readonly listener: QueueListener
  readonly client: JetStreamClient
}

/** Messages out of one queue, on their way to its listener. */
class Deliveries {
  readonly #context: DeliveryContext
  readonly #messages: ConsumerMessages
  readonly #held = new Set<JsMsg>()
  readonly #moving = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  readonly #loops: Promise<unknown>

  constructor(context: DeliveryContext, messages: ConsumerMessages) {
    this.#context = context
    this.#messages = messages
    this.#loops = Promise.all([this.#read(), this.#beat()])
  }

  /** Ends the reading and gives back what is held. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#messages.close()
    await this.#loops
    await Promise.all(this.#moving)
    for (const message of this.#held) message.nak()
    this.#held.clear()
  }

  async #read(): Promise<void> {
    const { log, names } = this.#context
    try {
      for await (const message of this.#messages) this.#deliver(message)
    } catch (err) {
      if (!this.#stopping.signal.aborted) log.error({ err, queue: names.subject }, 'queue.broken')
    }
  }

  /** Work may take longer than the server waits; it is told that the message is being worked on. */
  async #beat(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      await this.#context.pause(beatMs, signal).catch(() => undefined)
      for (const message of this.#held) message.working()
    }
  }

  #deliver(message: JsMsg): void {
    const { limits, listener } = this.#context
    const { deliveryCount } = message.info
    const isLast = deliveryCount >= limits.deliveries
    const settle = (how: () => void) => {
      if (this.#held.delete(message)) how()
    }
    const failed = (why: string) => {
      settle(() => (isLast ? this.#putAside(message, why) : message.nak(againMs)))
    }
    this.#held.add(message)
    // The process that had it each time may have died of it.
    if (deliveryCount > limits.deliveries) return failed('delivered too often')
    try {
      listener(pipeIn(message), {
        done: () => settle(() => message.ack()),
        failed: () => failed('the segment failed'),
      })
    } catch (error) {
      const kind = error instanceof Failure ? error.kind : 'internal'
      if (kind === 'queue-full') settle(() => this.#postpone(message, isLast))
      else if (hopeless.has(kind)) settle(() => this.#putAside(message, kind))
      else failed(kind)
    }
    return undefined
  }

  /** A full queue is no failure of the message: before its tries are used up it is put in anew, at the end. */
  #postpone(message: JsMsg, isLast: boolean): void {
    if (isLast) this.#move(message, this.#context.names.subject)
    else message.nak(againMs)
  }

  #putAside(message: JsMsg, why: string): void {
    const { log, names } = this.#context
    log.error({ queue: names.subject, why, sequence: message.seq }, 'message.dead')
    this.#move(message, names.deadSubject)
  }

  /** First there, then not here any more. */
  #move(message: JsMsg, subject: string): void {
    const { client, log } = this.#context
    const moving = client.publish(subject, message.data).then(
      () => message.ack(),
      (err: unknown) => {
        log.warn({ err, queue: subject }, 'message.unmoved')
        message.nak(againMs)
      },
    )
    const done: Promise<void> = moving.finally(() => this.#moving.delete(done))
    this.#moving.add(done)
  }
}

function pipeIn(message: JsMsg): Pipe {
  const read = readText(new TextDecoder().decode(message.data), 'message.json')
  if (!read.ok) throw new Failure('malformed-json', 'the message is no JSON')
  const shaped = shapedPipe(read.value)
  if ('pipe' in shaped) return shaped.pipe
  throw new Failure('invalid-pipe', 'the message is no pipe', { errors: shaped.problems })
}
