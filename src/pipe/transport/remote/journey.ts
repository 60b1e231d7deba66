/** One run's records at a foreign segment: what is out, what has come back, and when that is all. */

import { Failure } from '../../../errors.ts'
import type { Completeness, Message, RecordMessage, Stage } from '../../message.ts'
import type { SegmentContext } from '../../segment.ts'
import type { Arrival, ArrivedRecord } from '../messages/arrival.ts'
import { bell } from '../flow/bell.ts'
import { channel, type Channel } from '../flow/channel.ts'
import type { TransportLimits } from '../limits.ts'
import { held, type Held } from './held.ts'

export type JourneyOptions = {
  /** The segment imports by itself: its list says how much comes. */
  readonly imports: boolean
  /** What the segment gives comes back to this process. */
  readonly returns: boolean
  readonly stage: Stage
  /** End of an import whose list has arrived with all its records. */
  readonly completeness: (list: { complete: boolean; fingerprint?: string }) => Completeness
  readonly context: SegmentContext
  readonly limits: TransportLimits
  readonly now: () => number
}

/** Whether a message was new. */
export type Taken = 'taken' | 'repeat'
/** Throws `Failure` `queue-full`. */
export type Accept = (arrival: Arrival, weight: number) => Taken

export type Journey = {
  /** What goes to the next segment. */
  readonly out: Channel<Message>
  readonly held: Held
  /** Takes what comes back. */
  readonly accept: Accept
  /** The record goes no further. */
  refuse(place: number, problem: Failure): void
  /** Nothing more is sent; when what is out has come back, the journey ends like this. */
  over(end: Completeness | undefined, wantsList: boolean): void
  /** Resolves when there is room for one more record. */
  room(signal: AbortSignal): Promise<void>
  /** When waiting is over, once nothing more is sent. */
  readonly patience: number | undefined
  /** Ends it with what is there. */
  giveUp(): void
}

type State = {
  readonly seen: Set<string>
  received: number
  sign: number
  list?: Extract<Arrival, { readonly kind: 'list' }>
  ending?: { readonly end: Completeness | undefined; readonly wantsList: boolean }
  done: boolean
}

export function journey(options: JourneyOptions): Journey {
  const { limits, now, context } = options
  const out = channel<Message>({ messages: limits.queued, weight: limits.queuedBytes })
  const settled = bell()
  const pages = held((page) => out.put(page))
  const state: State = { seen: new Set(), received: 0, sign: now(), done: false }
  const place: Place = { options, state, out, pages }
  const check = () => {
    pages.release()
    settled.ring()
    const end = endOf(place)
    if (end) finish(place, end)
  }
  return {
    out,
    held: pages,
    accept(arrival, weight) {
      context.sink.alive()
      const taken = accepted(place, arrival, weight)
      if (taken === 'taken') check()
      return taken
    },
    refuse(number, problem) {
      const record = pages.settle(number)
      if (record) out.put(refusal(record, options.stage, problem))
      check()
    },
    over(end, wantsList) {
      state.sign = now()
      state.ending = { end, wantsList }
      check()
    },
    async room(signal) {
      while (pages.size >= limits.held) await settled.next(signal)
      await out.room(signal)
    },
    get patience() {
      return state.ending && !state.done ? state.sign + limits.waitMs : undefined
    },
    giveUp() {
      if (!state.done) giveUp(place)
    },
  }
}

type Place = {
  readonly options: JourneyOptions
  readonly state: State
  readonly out: Channel<Message>
  readonly pages: Held
}

/** How the journey ends, if it does now. */
function endOf({ options, state, pages }: Place): Completeness | undefined {
  const { ending, list } = state
  if (!ending || state.done) return undefined
  if (options.imports) {
    return list && state.received >= list.records ? options.completeness(list) : undefined
  }
  const isBack = pages.size === 0 && (list !== undefined || !ending.wantsList)
  return isBack ? (ending.end ?? { kind: 'incomplete' }) : undefined
}

function finish({ state, out, pages }: Place, completeness: Completeness): void {
  state.done = true
  pages.release()
  out.put({ kind: 'end', completeness })
  out.close()
}

function giveUp(place: Place): void {
  const { options, state, out, pages } = place
  const problem = lateness(options, state, pages.size)
  for (const record of pages.rest()) out.put(refusal(record, options.stage, problem))
  const end = state.ending?.end
  finish(place, end?.kind === 'incomplete' ? end : { kind: 'incomplete', problem })
}

function accepted(place: Place, arrival: Arrival, weight: number): Taken {
  const { options, state, out, pages } = place
  if (arrival.kind === 'start')
    throw new Failure('invalid-parameter', 'the message carries nothing')
  if (arrival.kind === 'list') {
    if (state.list) return 'repeat'
    state.list = arrival
    state.sign = options.now()
    return 'taken'
  }
  if (state.done || state.seen.has(arrival.key)) return 'repeat'
  if (!out.hasRoom(weight)) throw queueFull()
  if (state.seen.size >= options.limits.records) {
    throw new Failure('too-large', `a run has at most ${options.limits.records} records`)
  }
  state.seen.add(arrival.key)
  state.received += 1
  // A list that has come does not wait any longer because of a straggler.
  if (!state.list) state.sign = options.now()
  if (arrival.kind === 'deleted') out.put({ kind: 'deleted', sourceId: arrival.id })
  else if (arrival.kind === 'problem') {
    const record = arrival.id === undefined ? undefined : pages.settle(arrival.id)
    const { stage, problem } = arrival
    const sourceId = record?.sourceId ?? arrival.id
    out.put({ kind: 'refused', stage, problem, ...(sourceId !== undefined && { sourceId }) })
  } else returned(place, arrival, weight)
  return 'taken'
}

/** What was known of the record is still true; the other process says what it is now. */
function returned({ options, state, out, pages }: Place, arrival: ArrivedRecord, weight: number) {
  const { id, text, mediaType, extra, aliases, total } = arrival
  const before = pages.settle(id)
  if (before) return out.put({ ...before, text, mediaType, extra }, weight)
  const { sink, only } = options.context
  if (options.imports) {
    sink.offered()
    if (total !== undefined && state.received === 1) sink.total(total)
  }
  if (only && !only.has(id)) return undefined
  const fresh = { kind: 'record', counter: state.received, sourceId: id, findings: [] } as const
  return out.put({ ...fresh, aliases, text, mediaType, extra }, weight)
}

function lateness({ imports, limits }: JourneyOptions, state: State, size: number): Failure {
  const patience = `within ${Math.round(limits.waitMs / 1000)} s`
  if (!imports && size > 0) {
    return new Failure('transform-timeout', `${size} records did not come back ${patience}`)
  }
  const { list, received } = state
  const detail = list
    ? `${received} of ${list.records} listed records came ${patience}`
    : `no list of identifiers came ${patience}`
  return new Failure('source-truncated', detail)
}

const refusal = (
  { sourceId, sourceUrl }: Omit<RecordMessage, 'text'>,
  stage: Stage,
  problem: Failure,
): Message => ({
  kind: 'refused',
  sourceId,
  stage,
  problem,
  ...(sourceUrl !== undefined && { sourceUrl }),
})

export const queueFull = (): Failure =>
  new Failure('queue-full', 'as many messages of the run are waiting as may', { retryAfter: 1 })
