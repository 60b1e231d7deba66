/** Messages of one run for one segment, joined into the stream that the segment reads. */

import { Channel } from '../../workers/channel.ts'
import { Failure } from '../../errors.ts'
import type { Completeness, Message } from '../message.ts'
import type { SegmentFunction } from '../segment.ts'
import type { TransportLimits } from './transport-limits.ts'
import { nameless, type Arrival, type ArrivedList } from './arrival.ts'

/** What a broker is told about a message. */
export type Delivery = {
  /** Everything that came of it was taken over. */
  readonly done: () => void
  /** It has to come again. */
  readonly failed: () => void
}

export type Stream = {
  /** Throws `queue-full`, or `too-large` when the run has more records than any may have. */
  offer(
    arrival: Exclude<Arrival, { readonly kind: 'start' }>,
    weight: number,
    delivery?: Delivery,
  ): Taken
  /** First step of the chain: gives what arrives. */
  readonly reading: SegmentFunction
  /** Last step of the chain: what comes out here is done. */
  readonly ending: SegmentFunction
  /** Whether a list came and all its records. */
  readonly isWhole: boolean
  /** When it is not waited any longer: ms of the clock. */
  readonly patience: number
  /** No more comes. */
  giveUp(): void
  /** All deliveries have ended like this. */
  settle(how: 'done' | 'failed'): void
}

type StreamOptions = {
  readonly limits: TransportLimits
  readonly now: () => number
  readonly completeness: (list: { complete: boolean; fingerprint?: string }) => Completeness
}

type List = ArrivedList
/** Whether a message was new. */
type Taken = 'taken' | 'repeat'

export const queueFull = (): Failure =>
  new Failure('queue-full', 'as many messages of the run are waiting as may', { retryAfter: 1 })

type Queued = { readonly message: Message; readonly number: number }
const mark = 'taken:'
const mostUnmarked = 100

type State = {
  readonly queue: Channel<Queued>
  readonly seen: Set<string>
  readonly deliveries: Map<number, Delivery>
  count: number
  sign: number
  list?: List
  over: boolean
}

export function stream(options: StreamOptions): Stream {
  const { limits, now } = options
  const state: State = {
    queue: new Channel<Queued>({ items: limits.queued, weight: limits.queuedBytes }),
    seen: new Set(),
    deliveries: new Map(),
    count: 0,
    sign: now(),
    over: false,
  }
  return {
    offer: (arrival, weight, delivery) => offered({ options, state }, arrival, weight, delivery),
    reading: () => marked(state.queue),
    ending: async function* (input) {
      for await (const message of input) {
        if (message.kind === 'page' && message.cursor?.startsWith(mark)) {
          confirm(state.deliveries, Number(message.cursor.slice(mark.length)))
        } else yield message
      }
    },
    get isWhole() {
      return isWhole(state)
    },
    get patience() {
      return state.over ? Infinity : state.sign + limits.waitMs
    },
    giveUp() {
      const { seen, list } = state
      const detail = list
        ? `${seen.size} of ${expected(list)} listed records came`
        : 'no list of identifiers came'
      const problem = new Failure('source-truncated', detail)
      if (!state.over) finish(state, { kind: 'incomplete', problem })
    },
    settle(how) {
      state.over = true
      state.queue.close()
      for (const delivery of state.deliveries.values()) delivery[how]()
      state.deliveries.clear()
    },
  }
}

const isWhole = ({ list, seen }: State): boolean =>
  list !== undefined && seen.size >= expected(list)

const expected = ({ records, ids }: List): number => records ?? ids.size

function finish(state: State, end: Completeness): void {
  state.over = true
  state.queue.put({ message: { kind: 'end', completeness: end }, number: state.count })
  state.queue.close()
}

type Place = { readonly options: StreamOptions; readonly state: State }

function offered(
  { options, state }: Place,
  arrival: Parameters<Stream['offer']>[0],
  weight: number,
  delivery: Delivery | undefined,
): Taken {
  const { limits, now, completeness } = options
  const { queue, seen, list } = state
  // It was given up and is about to go: what comes now begins a new one.
  if (state.over && !isWhole(state)) throw queueFull()
  if (state.over || (arrival.kind === 'list' ? list !== undefined : seen.has(arrival.key))) {
    // What it repeats may not be written yet: both are done together.
    if (state.over) delivery?.done()
    else if (delivery) state.deliveries.set((state.count += 1), delivery)
    return 'repeat'
  }
  if (!queue.hasRoom(weight)) throw queueFull()
  if (seen.size >= limits.records) {
    throw new Failure('too-large', `a run has at most ${limits.records} records`)
  }
  state.count += 1
  if (delivery) state.deliveries.set(state.count, delivery)
  if (arrival.kind === 'list' || !list) state.sign = now()
  if (arrival.kind === 'list') state.list = arrival
  else {
    seen.add(arrival.key)
    queue.put({ message: messageOf(arrival, seen.size), number: state.count }, weight)
  }
  if (state.list && isWhole(state)) finish(state, completeness(state.list))
  return 'taken'
}

/**
 * The messages, and among them pages that tell how far: a page comes out of the last segment only when everything before
 * it is written. Not after every message, because segments write in bulk.
 */
async function* marked(queue: Channel<Queued>): AsyncGenerator<Message> {
  let last = 0
  for await (const { message, number } of queue) {
    yield message
    if (message.kind !== 'end' && (queue.size === 0 || number - last >= mostUnmarked)) {
      last = number
      yield { kind: 'page', cursor: `${mark}${number}` }
    }
  }
}

function confirm(deliveries: Map<number, Delivery>, upTo: number): void {
  for (const [number, delivery] of deliveries) {
    if (number > upTo) return
    deliveries.delete(number)
    delivery.done()
  }
}

type Told = Exclude<Arrival, List | { readonly kind: 'start' }>

function messageOf(arrival: Told, place: number): Message {
  if (arrival.kind === 'deleted') return { kind: 'deleted', sourceId: arrival.id }
  if (arrival.kind === 'problem') {
    const { id, stage, problem } = arrival
    return { kind: 'refused', stage, problem, ...(id !== undefined && { sourceId: id }) }
  }
  const { id, counter = place, aliases, text, mediaType, extra } = arrival
  if (id === undefined) return messageOf(nameless(arrival), place)
  return { kind: 'record', sourceId: id, counter, aliases, text, mediaType, extra, findings: [] }
}
