/**
 * Durable queues between segments on a NATS server (JetStream). A queue is a stream with one consumer. A message is
 * acknowledged when its results were delivered, redelivered if not, and moved to a dead-letter stream after too many
 * deliveries or a permanent failure.
 */

import type { ConsumerMessages, JetStreamManager, JsMsg } from '@nats-io/jetstream'
import type { MsgHdrs, NatsConnection } from '@nats-io/transport-node'
import { Failure, type Kind, shown } from '../../errors.ts'
import { inTrace, traceHeaders } from '../../trace.ts'
import { type BackgroundLoop, backgroundLoop } from '../../workers/background-loop.ts'
import { retry } from '../../workers/retry.ts'
import { SingleFlight } from '../../workers/single-flight.ts'
import type { Pipe } from '../document.ts'
import { parseJson } from '../pipe-text.ts'
import { parseMessage } from './envelope.ts'
import type { TransportContext } from './transport-limits.ts'
import { dayMs } from '../../text/duration.ts'

/** Queue name and the address of its broker. */
export type Queue = { readonly name: string; readonly broker: string }

/** Acknowledgement of a delivered message. */
export type Delivery = {
  /** Acknowledges the message: all its results were delivered. */
  readonly done: () => void
  /** Requests redelivery. */
  readonly failed: () => void
}

/** Processes a message and reports the result to `delivery`. Throws `Failure` for a message that it cannot accept. */
type Listener = (message: Pipe, delivery: Delivery) => Promise<void> | void

type BrokerContext = Pick<TransportContext, 'limits' | 'pause' | 'log'>

/** Kinds of failures of a full queue; at its last delivery the message is appended to the queue again. */
const fullQueue: ReadonlySet<Kind> = new Set(['queue-full', 'spool-full'])
/** Kinds of permanent failures; the message goes to the dead-letter stream. */
const permanentKinds: ReadonlySet<Kind> = new Set([
  'invalid-pipe',
  'invalid-parameter',
  'unknown-segment',
  'malformed-json',
])

const kindOf = (error: unknown): Kind => (error instanceof Failure ? error.kind : 'internal')

/** Time-out of a request to the server in ms. */
const timeoutMs = 10_000
/** Name of the one consumer of each queue. */
const durableName = 'cartulary'
/** Time in ms after which the server redelivers a message, unless a heartbeat extends it, and interval of heartbeats. */
const [ackWaitMs, heartbeatMs] = [30_000, 10_000]
/** Delay in ms before the redelivery of a failed message. */
const redeliveryMs = 1000
/** Maximum number of delivered, unacknowledged messages of a queue. */
const mostInProgress = 1000

const nanos = (ms: number): number => ms * 1_000_000

/** Headers of a message: those of the trace of the work that sends it, if any. */
async function messageHeaders(): Promise<{ readonly headers?: MsgHdrs }> {
  const { traceparent } = traceHeaders()
  if (traceparent === undefined) return {}
  const { headers } = await import('@nats-io/transport-node')
  const made = headers()
  made.set('traceparent', traceparent)
  return { headers: made }
}

/** Connection to one server; reconnects by itself. */
export class Broker {
  readonly #context: BrokerContext
  readonly #connection: NatsConnection
  readonly #manager: JetStreamManager
  readonly #queues = new SingleFlight<string, QueueNames>({ keepMs: Infinity })
  readonly #consumed: ConsumerMessages[] = []
  /** Messages that were delivered and neither acknowledged nor returned. */
  readonly #inProgress = new Set<JsMsg>()
  /** Moves of messages to another subject that are under way. */
  readonly #moving = new Set<Promise<void>>()
  readonly #heartbeat: BackgroundLoop
  readonly #reading: Promise<void>[] = []
  readonly #following: Promise<void>
  #isConnected = true

  private constructor(
    connection: NatsConnection,
    manager: JetStreamManager,
    context: BrokerContext,
  ) {
    this.#connection = connection
    this.#manager = manager
    this.#context = context
    // Extends the acknowledgement deadline of messages in progress. After the connection has closed there are none: the
    // server redelivers them.
    const extend = () => {
      for (const message of this.#inProgress) message.working()
    }
    this.#heartbeat = backgroundLoop('queue.beat-failed', heartbeatMs, extend, context)
    this.#following = this.#follow()
  }

  /** Connects to `nats://user:password@host:4222` or `tls://…`. */
  static async connect(url: string, context: BrokerContext): Promise<Broker> {
    const { jetstreamManager } = await import('@nats-io/jetstream')
    const connection = await connectTo(url)
    const options = { timeout: timeoutMs }
    const manager = await jetstreamManager(connection, options).catch((cause: unknown) => {
      throw new Failure('source-unreachable', 'the broker does not offer JetStream', { cause })
    })
    return new Broker(connection, manager, context)
  }

  /**
   * Sends a message; resolves when it is durable. Throws `source-unreachable` if the server cannot be reached or refuses the
   * message, `item-too-large` if it is larger than the server permits, `invalid-pipe` if the queue cannot have that name.
   */
  async send(queue: string, message: Pipe, signal: AbortSignal): Promise<void> {
    const { limits, pause } = this.#context
    const body = new TextEncoder().encode(JSON.stringify(message))
    const mostBytes = this.#connection.info?.max_payload ?? Infinity
    if (body.byteLength > mostBytes) {
      const detail = `the message of ${body.byteLength} bytes is larger than the broker allows (max_payload)`
      throw new Failure('item-too-large', detail)
    }
    const attempt = async () => {
      try {
        const { subject } = await this.#names(queue)
        const options = { timeout: timeoutMs, ...(await messageHeaders()) }
        await this.#manager.jetstream().publish(subject, body, options)
      } catch (cause) {
        if (cause instanceof Failure) throw cause
        throw new Failure('source-unreachable', 'the broker did not take the message', { cause })
      }
    }
    await retry(attempt, {
      signal,
      pause: (ms) => pause(ms, signal),
      delayMs: (outcome, number) => {
        const isDown = 'error' in outcome && kindOf(outcome.error) === 'source-unreachable'
        return isDown && number < limits.attempts ? 1000 * 2 ** (number - 1) : undefined
      },
    })
  }

  /** Consumes a queue until `close`. */
  async listen(queue: string, listener: Listener): Promise<void> {
    const { AckPolicy } = await import('@nats-io/jetstream')
    const names = await this.#names(queue)
    await this.#manager.consumers.add(names.stream, {
      durable_name: durableName,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ackWaitMs),
      max_ack_pending: mostInProgress,
    })
    const consumer = await this.#manager.jetstream().consumers.get(names.stream, durableName)
    const messages = await consumer.consume({ max_messages: 64 })
    this.#consumed.push(messages)
    this.#reading.push(this.#read(messages, names, listener))
  }

  /** Stops consuming and returns the messages in progress to the queue. */
  async close(): Promise<void> {
    await this.#heartbeat.stop()
    await Promise.all(this.#consumed.map((messages) => messages.close()))
    await Promise.all(this.#reading)
    await Promise.all(this.#moving)
    for (const message of this.#inProgress) message.nak()
    this.#inProgress.clear()
    await this.#connection.close()
    await this.#following
  }

  /** Whether the server is connected, as far as is known. */
  isConnected(): boolean {
    return this.#isConnected
  }

  /** Follows the state of the connection until it is closed. */
  async #follow(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type === 'disconnect') this.#isConnected = false
      if (type === 'reconnect') this.#isConnected = true
    }
  }

  async #read(messages: ConsumerMessages, names: QueueNames, listener: Listener): Promise<void> {
    const logBroken = (err: unknown) =>
      this.#context.log.error({ err, queue: names.subject }, 'queue.broken')
    try {
      for await (const message of messages) {
        const deliver = () => this.#deliver(message, names, listener)
        inTrace(message.headers?.get('traceparent'), deliver).catch(logBroken)
      }
    } catch (err) {
      logBroken(err)
    }
  }

  async #deliver(message: JsMsg, names: QueueNames, listener: Listener): Promise<void> {
    const { limits, log } = this.#context
    const { deliveryCount } = message.info
    const isLast = deliveryCount >= limits.deliveries
    const endDelivery = (acknowledge: () => void) => {
      if (this.#inProgress.delete(message)) acknowledge()
    }
    const moveToDeadLetters = (reason: string) => {
      log.error({ queue: names.subject, why: reason, sequence: message.seq }, 'message.dead')
      endDelivery(() => this.#move(message, names.deadSubject))
    }
    const retryOrDrop = (reason: string) =>
      isLast ? moveToDeadLetters(reason) : endDelivery(() => message.nak(redeliveryMs))
    this.#inProgress.add(message)
    // Each process that received the message may have crashed because of it.
    if (deliveryCount > limits.deliveries) return retryOrDrop('delivered too often')
    try {
      await listener(parseMessage(parseJson(message.string())), {
        done: () => endDelivery(() => message.ack()),
        failed: () => retryOrDrop('the segment failed'),
      })
    } catch (error) {
      const kind = kindOf(error)
      // A full queue is not a fault of the message: at its last delivery it is appended again.
      if (isLast && fullQueue.has(kind)) endDelivery(() => this.#move(message, names.subject))
      else if (permanentKinds.has(kind)) moveToDeadLetters(kind)
      else retryOrDrop(kind)
    }
    return undefined
  }

  /** Publishes the message to another subject, then acknowledges it. */
  #move(message: JsMsg, subject: string): void {
    const move = async () => {
      try {
        await this.#manager.jetstream().publish(subject, message.data)
        message.ack()
      } catch (err) {
        this.#context.log.warn({ err, queue: subject }, 'message.move-failed')
        message.nak(redeliveryMs)
      }
    }
    const moving: Promise<void> = move().finally(() => this.#moving.delete(moving))
    this.#moving.add(moving)
  }

  /** Creates missing streams of a queue. Existing ones stay unchanged, because the operator may have configured them. */
  #names(queue: string): Promise<QueueNames> {
    return this.#queues.get(queue, async () => {
      const { RetentionPolicy, DiscardPolicy } = await import('@nats-io/jetstream')
      const names = queueNames(queue)
      const workStream = {
        name: names.stream,
        subjects: [names.subject],
        retention: RetentionPolicy.Workqueue,
        discard: DiscardPolicy.New,
        max_msgs: this.#context.limits.brokered,
      }
      const deadStream = {
        name: names.deadStream,
        subjects: [names.deadSubject],
        retention: RetentionPolicy.Limits,
        discard: DiscardPolicy.Old,
        max_msgs: 10_000,
        max_age: nanos(30 * dayMs),
      }
      const { streams } = this.#manager
      for (const config of [workStream, deadStream]) {
        await streams.info(config.name).catch(() => streams.add(config))
      }
      return names
    })
  }
}

async function connectTo(url: string): Promise<NatsConnection> {
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

/** Names of a queue on the server: stream, subject, and their dead-letter counterparts. */
type QueueNames = Readonly<Record<'subject' | 'stream' | 'deadSubject' | 'deadStream', string>>

/** Derives the names from a queue name; dots become `_` in stream names, which cannot contain them. Throws `invalid-pipe`. */
function queueNames(queue: string): QueueNames {
  const isName =
    // oxlint-disable-next-line no-control-regex -- they are what must not be there
    /^[^\u0000-\u0020\u007f*>/\\]{1,200}$/.test(queue) &&
    !queue.startsWith('$') &&
    queue.split('.').every((part) => part !== '')
  if (!isName) throw new Failure('invalid-pipe', `${shown(queue)} cannot be the name of a queue`)
  const stream = queue.replaceAll('.', '_')
  const deadStream = `${stream}_dead-letter`
  return { subject: queue, stream, deadSubject: `${queue}.dead-letter`, deadStream }
}
