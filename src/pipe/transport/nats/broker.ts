/** NATS JetStream: durable queues between processes; a message stays there until what became of it was taken over. */

import type { JetStreamManager, NatsConnection } from 'nats'
import { Failure } from '../../../errors.ts'
import type { Pipe } from '../../document.ts'
import { consumed } from './consuming.ts'
import type { BrokerOptions, Consumer, Link } from './link.ts'
import { queueNames, type QueueNames } from './queue-name.ts'

export type Broker = {
  /** Resolves when the queue has the message for good. */
  send(queue: string, message: Pipe, signal: AbortSignal): Promise<void>
  /** Delivers what is in the queue; the function ends that when what it holds is settled. */
  listen(queue: string, consumer: Consumer): Promise<() => Promise<void>>
  close(): Promise<void>
}

const day = 86_400_000

/** Throws `source-unreachable` when there is no server; later it comes back by itself. */
export async function openBroker(options: BrokerOptions): Promise<Broker> {
  const connection = await connected(options)
  const link = await linked(connection, options)
  const listening = new Set<() => Promise<void>>()
  return {
    send: (queue, message, signal) => sent(link, queue, message, signal),
    async listen(queue, consumer) {
      const stop = await consumed(link, queue, consumer)
      listening.add(stop)
      return async () => {
        listening.delete(stop)
        await stop()
      }
    },
    async close() {
      await Promise.all([...listening].map((stop) => stop()))
      await connection.close()
    },
  }
}

async function connected({ url }: BrokerOptions): Promise<NatsConnection> {
  const { connect } = await import('nats')
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

async function linked(connection: NatsConnection, options: BrokerOptions): Promise<Link> {
  const manager = await connection.jetstreamManager({ timeout: 10_000 }).catch((cause: unknown) => {
    throw new Failure('source-unreachable', 'the broker has no JetStream', { cause })
  })
  const made = new Map<string, Promise<QueueNames>>()
  const names = (queue: string): Promise<QueueNames> => {
    const known = made.get(queue)
    if (known) return known
    const making = queueMade(manager, queue, options).catch((error: unknown) => {
      made.delete(queue)
      throw error
    })
    made.set(queue, making)
    return making
  }
  return { options, manager, client: connection.jetstream(), names }
}

async function queueMade(
  manager: JetStreamManager,
  queue: string,
  { limits }: BrokerOptions,
): Promise<QueueNames> {
  const { RetentionPolicy, DiscardPolicy, nanos } = await import('nats')
  const names = queueNames(queue)
  await added(manager, {
    name: names.stream,
    subjects: [names.subject],
    retention: RetentionPolicy.Workqueue,
    discard: DiscardPolicy.New,
    max_msgs: limits.brokered,
  })
  await added(manager, {
    name: names.deadStream,
    subjects: [names.deadSubject],
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_msgs: 10_000,
    max_age: nanos(30 * day),
  })
  return names
}

/** A stream that is there already stays as it is: its operator may have made it. */
async function added(
  manager: JetStreamManager,
  config: Parameters<JetStreamManager['streams']['add']>[0] & { readonly name: string },
): Promise<void> {
  const isThere = await manager.streams.info(config.name).then(
    () => true,
    () => false,
  )
  if (!isThere) await manager.streams.add(config)
}

async function sent(link: Link, queue: string, message: Pipe, signal: AbortSignal): Promise<void> {
  const { limits, pause } = link.options
  const body = new TextEncoder().encode(JSON.stringify(message))
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { subject } = await link.names(queue)
      await link.client.publish(subject, body, { timeout: 10_000 })
      return
    } catch (cause) {
      signal.throwIfAborted()
      if (cause instanceof Failure) throw cause
      const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
      if (code === 'MAX_PAYLOAD_EXCEEDED') {
        const detail = `the message of ${body.byteLength} bytes is larger than the broker allows (max_payload)`
        throw new Failure('item-too-large', detail, { cause })
      }
      if (attempt >= limits.attempts) {
        throw new Failure('source-unreachable', 'the broker did not take the message', { cause })
      }
      await pause(1000 * 2 ** (attempt - 1), signal)
      signal.throwIfAborted()
    }
  }
}
