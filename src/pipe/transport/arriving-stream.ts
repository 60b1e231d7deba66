/** Messages of one run for one segment, joined into the stream that the segment reads. */

import { Failure } from '../../errors.ts'
import { Channel } from '../../workers/channel.ts'
import { defined } from '../defined.ts'
import type { Completeness, Message } from '../message.ts'
import type { SegmentFunction } from '../segment.ts'
import { type Arrival, type ArrivedList, nameless } from './envelope.ts'
import type { Delivery } from './queues.ts'
import type { TransportLimits } from './transport-limits.ts'

type StreamContext = {
  readonly limits: TransportLimits
  readonly now: () => number
  readonly completeness: (list: { complete: boolean; fingerprint?: string }) => Completeness
}

type Arrived = Exclude<Arrival, { readonly kind: 'start' }>

/** Too many messages of the run wait. */
export const queueFull = (): Failure =>
  new Failure('queue-full', 'as many messages of the run are waiting as may', { retryAfter: 1 })

/** Marks a page of ours: everything up to that message was handed on. */
const mark = 'taken:'
const mostUnmarked = 100

export class ArrivingStream {
  readonly #context: StreamContext
  readonly #queue: Channel<{ readonly message: Message; readonly number: number }>
  readonly #seen = new Set<string>()
  /** By number of their message, in order. */
  readonly #deliveries = new Map<number, Delivery>()
  #list: ArrivedList | undefined
  #count = 0
  #lastChange: number
  #isOver = false

  constructor(context: StreamContext) {
    const { limits, now } = context
    this.#context = context
    this.#queue = new Channel({ items: limits.queued, weight: limits.queuedBytes })
    this.#lastChange = now()
  }

  /** Whether a list came and all its records. */
  get isWhole(): boolean {
    return this.#list !== undefined && this.#seen.size >= this.#expected(this.#list)
  }

  /** When it is not waited any longer: ms of the clock. */
  get deadline(): number {
    return this.#isOver ? Infinity : this.#lastChange + this.#context.limits.waitMs
  }

  /** Whether a message was new. Throws `queue-full`, or `too-large` when the run has more records than any may have. */
  offer(arrival: Arrived, weight: number, delivery?: Delivery): 'taken' | 'repeat' {
    const { limits, now, completeness } = this.#context
    // It was given up and is about to go: what comes now begins a new one.
    if (this.#isOver && !this.isWhole) throw queueFull()
    if (this.#isOver || this.#isRepeat(arrival)) {
      // What it repeats may not be written yet: both are done together.
      if (this.#isOver) delivery?.done()
      else this.#numbered(delivery)
      return 'repeat'
    }
    if (!this.#queue.hasRoom(weight)) throw queueFull()
    if (this.#seen.size >= limits.records) {
      throw new Failure('too-large', `a run has at most ${limits.records} records`)
    }
    const number = this.#numbered(delivery)
    if (arrival.kind === 'list' || !this.#list) this.#lastChange = now()
    if (arrival.kind === 'list') this.#list = arrival
    else {
      this.#seen.add(arrival.key)
      this.#queue.put({ message: messageOf(arrival, this.#seen.size), number }, weight)
    }
    if (this.#list && this.isWhole) this.#finish(completeness(this.#list))
    return 'taken'
  }

  /**
   * First step of the chain: gives what arrives, and among it pages that say how far. A page comes out of the last segment
   * only when everything before it is written. Not after every message, because segments write in bulk.
   */
  readonly reading: SegmentFunction = () => this.#marked()

  /** Last step of the chain: what comes out here is done. */
  readonly ending: SegmentFunction = (input) => this.#confirmed(input)

  /** No more comes. */
  giveUp(): void {
    const detail = this.#list
      ? `${this.#seen.size} of ${this.#expected(this.#list)} listed records came`
      : 'no list of identifiers came'
    const problem = new Failure('source-truncated', detail)
    if (!this.#isOver) this.#finish({ kind: 'incomplete', problem })
  }

  /** All deliveries have ended like this. */
  settle(how: keyof Delivery): void {
    this.#isOver = true
    this.#queue.close()
    for (const delivery of this.#deliveries.values()) delivery[how]()
    this.#deliveries.clear()
  }

  #expected({ records, ids }: ArrivedList): number {
    return records ?? ids.size
  }

  #isRepeat(arrival: Arrived): boolean {
    return arrival.kind === 'list' ? this.#list !== undefined : this.#seen.has(arrival.key)
  }

  #numbered(delivery: Delivery | undefined): number {
    this.#count += 1
    if (delivery) this.#deliveries.set(this.#count, delivery)
    return this.#count
  }

  #finish(completeness: Completeness): void {
    this.#isOver = true
    this.#queue.put({ message: { kind: 'end', completeness }, number: this.#count })
    this.#queue.close()
  }

  async *#marked(): AsyncGenerator<Message> {
    let last = 0
    for await (const { message, number } of this.#queue) {
      yield message
      if (message.kind !== 'end' && (this.#queue.size === 0 || number - last >= mostUnmarked)) {
        last = number
        yield { kind: 'page', cursor: `${mark}${number}` }
      }
    }
  }

  async *#confirmed(input: AsyncIterable<Message>): AsyncGenerator<Message> {
    for await (const message of input) {
      if (message.kind !== 'page' || !message.cursor?.startsWith(mark)) {
        yield message
        continue
      }
      for (const [number, delivery] of this.#deliveries) {
        if (number > Number(message.cursor.slice(mark.length))) break
        this.#deliveries.delete(number)
        delivery.done()
      }
    }
  }
}

function messageOf(arrival: Exclude<Arrived, ArrivedList>, place: number): Message {
  if (arrival.kind === 'deleted') return { kind: 'deleted', sourceId: arrival.id }
  if (arrival.kind === 'problem') {
    const { id, stage, problem } = arrival
    return defined({ kind: 'refused', stage, problem, sourceId: id })
  }
  const { id: sourceId, counter = place, aliases, text, mediaType, extra } = arrival
  if (sourceId === undefined) return messageOf(nameless(arrival), place)
  return { kind: 'record', sourceId, counter, aliases, text, mediaType, extra, findings: [] }
}
