/** Messages out of a durable queue: acknowledged when taken over, given again when not, put aside after too many tries. */

import type { ConsumerMessages, JsMsg } from 'nats'
import { Failure, type Kind } from '../../../errors.ts'
import { shapedPipe } from '../../documents/shape.ts'
import { readText } from '../../documents/text.ts'
import type { Pipe } from '../../document.ts'
import type { Consumer, Link } from './link.ts'
import type { QueueNames } from './queue-name.ts'

const durable = 'cartulary'
const ackWaitMs = 30_000
const beatMs = 10_000
const againMs = 1000
const mostHeld = 1000

/** Never better next time. */
const hopeless: ReadonlySet<Kind> = new Set([
  'invalid-pipe',
  'invalid-parameter',
  'unknown-segment',
  'malformed-json',
])

type Desk = {
  readonly link: Link
  readonly names: QueueNames
  readonly consumer: Consumer
  readonly held: Set<JsMsg>
  readonly working: Set<Promise<void>>
}

/** Starts to deliver; the function stops it and gives back what is held. */
export async function consumed(
  link: Link,
  queue: string,
  consumer: Consumer,
): Promise<() => Promise<void>> {
  const { AckPolicy, nanos } = await import('nats')
  const names = await link.names(queue)
  await link.manager.consumers.add(names.stream, {
    durable_name: durable,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ackWaitMs),
    max_ack_pending: mostHeld,
  })
  const source = await link.client.consumers.get(names.stream, durable)
  const messages = await source.consume({ max_messages: 64 })
  const desk: Desk = { link, names, consumer, held: new Set(), working: new Set() }
  const stopping = new AbortController()
  const { log, pause } = link.options
  const reading = read(desk, messages).catch((err: unknown) => {
    if (!stopping.signal.aborted) log.error({ err, queue }, 'queue.broken')
  })
  const beating = beat(desk, pause, stopping.signal)
  return async () => {
    stopping.abort()
    await messages.close()
    await Promise.all([reading, beating, ...desk.working])
    for (const message of desk.held) message.nak()
    desk.held.clear()
  }
}

async function read(desk: Desk, messages: ConsumerMessages): Promise<void> {
  for await (const message of messages) deliver(desk, message)
}

/** Work may take longer than the server waits; it is told that we are at it. */
async function beat(
  { held }: Desk,
  pause: (ms: number, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await pause(beatMs, signal).catch(() => undefined)
    for (const message of held) message.working()
  }
}

function deliver(desk: Desk, message: JsMsg): void {
  const { limits } = desk.link.options
  const settle = (how: () => void) => {
    if (desk.held.delete(message)) how()
  }
  const isLast = message.info.deliveryCount >= limits.deliveries
  const failed = (why: string) => {
    if (isLast) settle(() => putAside(desk, message, why))
    else settle(() => message.nak(againMs))
  }
  desk.held.add(message)
  // The process that had it each time may have died of it.
  if (message.info.deliveryCount > limits.deliveries) return failed('delivered too often')
  try {
    desk.consumer(pipeOf(message), {
      done: () => settle(() => message.ack()),
      failed: () => failed('the segment failed'),
    })
  } catch (error) {
    const kind = error instanceof Failure ? error.kind : 'internal'
    if (kind === 'queue-full') settle(() => waiting(desk, message, isLast))
    else if (hopeless.has(kind)) settle(() => putAside(desk, message, kind))
    else failed(kind)
  }
  return undefined
}

/** A full queue is no failure of the message: before its tries are used up it is put in anew, at the end. */
function waiting(desk: Desk, message: JsMsg, isLast: boolean): void {
  if (!isLast) return message.nak(againMs)
  moved(desk, message, desk.names.subject)
  return undefined
}

function putAside(desk: Desk, message: JsMsg, why: string): void {
  const { log } = desk.link.options
  log.error({ queue: desk.names.subject, why, sequence: message.seq }, 'message.dead')
  moved(desk, message, desk.names.deadSubject)
}

/** First there, then not here any more. */
function moved({ link, working }: Desk, message: JsMsg, subject: string): void {
  const moving = link.client.publish(subject, message.data).then(
    () => message.ack(),
    (err: unknown) => {
      link.options.log.warn({ err, queue: subject }, 'message.unmoved')
      message.nak(againMs)
    },
  )
  const done: Promise<void> = moving.finally(() => working.delete(done))
  working.add(done)
}

function pipeOf(message: JsMsg): Pipe {
  const read = readText(new TextDecoder().decode(message.data), 'message.json')
  if (!read.ok) throw new Failure('malformed-json', 'the message is no JSON')
  const shaped = shapedPipe(read.value)
  if ('pipe' in shaped) return shaped.pipe
  throw new Failure('invalid-pipe', 'the message is no pipe', { errors: shaped.problems })
}
