/** One run's records at a foreign segment: what is out, what has come back, and when that is all. */

import { conditionVariable, type ConditionVariable } from '../../workers/condition.ts'
import { Channel } from '../../workers/channel.ts'
import { hash } from 'node:crypto'
import { Failure } from '../../errors.ts'
import { type Completeness, droppedBySegment, type Message, type Stage } from '../message.ts'
import { tellFindings } from '../runs/run-sink.ts'
import type { SegmentContext } from '../segment.ts'
import type { Arrival, ArrivedList, ArrivedRecord } from './arrival.ts'
import { held, type Held, type HeldRecord, slots, type Slots } from './remote-slots.ts'
import type { SegmentTimes, TransportLimits } from './transport-limits.ts'

type JourneyOptions = {
  /** The segment imports by itself: what it gives says how much comes. */
  readonly imports: boolean
  readonly stage: Stage
  /** End of an import whose list has arrived with all its records. */
  readonly completeness: (list: { complete: boolean; fingerprint?: string }) => Completeness
  readonly context: SegmentContext
  readonly limits: TransportLimits
  readonly now: () => number
}

export type Journey = {
  /** What goes to the next segment. */
  readonly out: Channel<Message>
  readonly held: Held
  readonly slots: Slots
  /** Rings whenever something has come or is settled. */
  readonly changed: ConditionVariable
  /** A message is at the door. */
  arrived(): void
  /** Takes what came back; a repeat means nothing. */
  accept(arrival: Exclude<Arrival, { readonly kind: 'start' }>, weight: number): void
  /** The segment has the record. */
  taken(place: number): void
  /** The record goes no further. */
  refuse(place: number, problem: Failure): void
  /** Records that would be remembered for ever, because nobody gave them back: the oldest goes. */
  forget(): void
  /** Nothing more is sent; when what is out has come back, the journey ends like this. */
  over(end: Completeness | undefined, wantsList: boolean): void
  /** Whether it ends, and else until when nothing changes unless something comes; ends it when it is time. */
  check(): Extract<Ending, { readonly kind: 'wait' }> | undefined
  /** Ms of the clock since which nothing has come. */
  readonly quietSince: number
}

type State = {
  readonly seen: Set<string>
  /** Short digests of the ids that came. */
  readonly ids: Set<string>
  readonly began: number
  records: number
  returned: number
  sent: number
  last: number
  total?: number
  list?: ArrivedList
  /** Ids of the list that have not come. */
  missing: Set<string>
  ending?: { readonly end: Completeness | undefined; readonly wantsList: boolean }
  done: boolean
}

export function journey(options: JourneyOptions): Journey {
  const { limits, now } = options
  const out = new Channel<Message>({ items: limits.queued, weight: limits.queuedBytes })
  const changed = conditionVariable()
  const pages = held((page) => out.put(page))
  const places = slotsOf(options)
  const state = newState(now())
  const place: Place = { options, state, out, pages, places }
  const come = () => {
    state.last = now()
    changed.notify()
  }
  return {
    out,
    held: pages,
    slots: places,
    changed,
    arrived() {
      options.context.sink.alive()
      come()
    },
    accept(arrival, weight) {
      accepted(place, arrival, weight)
      pages.release()
      changed.notify()
    },
    taken(number) {
      state.sent += 1
      places.taken(number)
      come()
    },
    refuse(number, problem) {
      refused(place, number, problem)
      changed.notify()
    },
    forget: () => forget(place),
    over(end, wantsList) {
      state.ending = { end, wantsList }
      come()
    },
    check: () => checked(place),
    get quietSince() {
      return state.last
    },
  }
}

/** By HTTP what has been out for long is not waited for; a queue keeps it until somebody works on it. */
const isForgetful = ({ inFlight, held: most }: TransportLimits): boolean => inFlight < most

const slotsOf = ({ limits, now }: JourneyOptions): Slots =>
  slots({
    most: limits.inFlight,
    now,
    ...(isForgetful(limits) && { firstMs: limits.listMs }),
  })

const newState = (began: number): State => ({
  seen: new Set(),
  ids: new Set(),
  missing: new Set(),
  began,
  last: began,
  records: 0,
  returned: 0,
  sent: 0,
  done: false,
})

type Place = {
  readonly options: JourneyOptions
  readonly state: State
  readonly out: Channel<Message>
  readonly pages: Held
  readonly places: Slots
}

function checked(place: Place): ReturnType<Journey['check']> {
  const ending = endingOf(place)
  if (ending?.kind === 'wait') return ending
  if (ending) finish(place, ending)
  return undefined
}

/** `undefined` once it is over. */
function endingOf({ options, state, pages, places }: Place): Ending | undefined {
  const { limits, now, imports } = options
  const { list, ending, began, last, records, total, sent, returned, done } = state
  if (done) return undefined
  if (!ending) return { kind: 'wait', until: Infinity }
  if (imports) {
    const missing = state.missing.size
    return importEnding({ began, last, records, total, list, missing }, limits, now())
  }
  const given = {
    last,
    sent,
    returned,
    out: pages.size,
    wantsList: ending.wantsList,
    hasList: list !== undefined,
    slowestMs: places.slowestMs,
  }
  return transformEnding(given, limits, now())
}

const digest = (id: string): string => hash('sha256', id, 'base64').slice(0, 16)

function finish(place: Place, ending: Exclude<Ending, { readonly kind: 'wait' }>): void {
  const { options, state, out, pages } = place
  state.done = true
  if (ending.kind === 'silent') {
    out.close(ending.problem)
    return
  }
  if (!options.imports) for (const record of pages.rest()) out.put(skipped(options, record))
  const completeness = options.imports
    ? imported(place, ending.kind)
    : (state.ending?.end ?? ({ kind: 'incomplete' } as const))
  pages.release()
  out.put({ kind: 'end', completeness })
  out.close()
}

/** What an importer has brought is complete when everything is there that it has named. */
function imported({ options, state, out }: Place, kind: Ending['kind']): Completeness {
  const { list, records } = state
  if (kind === 'done') return options.completeness(list ?? { complete: true })
  if (!list) {
    const detail = `${records} records came and no list of identifiers: this segment tells no end`
    return { kind: 'incomplete', problem: new Failure('source-truncated', detail) }
  }
  const { missing } = state
  const detail = `${missing.size} of ${list.ids.size} listed records did not come`
  const problem = new Failure('segment-record-missing', detail)
  // A platform lists what it did not send because it is unchanged: nobody can say which ones are missing.
  const known = list.records === undefined || list.records >= list.ids.size ? missing : []
  for (const sourceId of known) {
    const lost = new Failure('segment-record-missing', 'the segment listed it and did not send it')
    out.put({ kind: 'refused', sourceId, stage: 'import', problem: lost })
  }
  return { kind: 'incomplete', problem }
}

function accepted(place: Place, arrival: Parameters<Journey['accept']>[0], weight: number): void {
  const { options, state, out, pages, places } = place
  if (state.done) return options.context.sink.finding(late(arrival))
  if (arrival.kind === 'list') {
    const list = state.list ? bothOf(state.list, arrival) : arrival
    state.list = list
    if (options.imports)
      state.missing = new Set([...list.ids].filter((one) => !state.ids.has(digest(one))))
    return undefined
  }
  if (state.seen.has(arrival.key)) return undefined
  if (state.seen.size >= options.limits.records) {
    throw new Failure('too-large', `a run has at most ${options.limits.records} records`)
  }
  state.seen.add(arrival.key)
  state.returned += 1
  const { id } = arrival
  count(state, id)
  const before = id === undefined ? undefined : pages.settle(id)
  if (before) places.free(before.place, true)
  if (arrival.kind === 'deleted') out.put({ kind: 'deleted', sourceId: arrival.id })
  else if (arrival.kind === 'problem') {
    const { stage, problem } = arrival
    const sourceId = before?.sourceId ?? id
    if (options.imports) options.context.sink.offered()
    if (before) tellFindings(options.context.sink, before)
    out.put({ kind: 'refused', stage, problem, ...(sourceId !== undefined && { sourceId }) })
  } else returned(place, arrival, { before, weight })
  return undefined
}

/** Distinct ones: what comes twice with other words is one record. */
function count(state: State, id: string | undefined): void {
  const known = id === undefined ? undefined : digest(id)
  if (known === undefined || !state.ids.has(known)) state.records += 1
  if (id === undefined || known === undefined) return
  state.ids.add(known)
  state.missing.delete(id)
}

const late = (arrival: Parameters<Journey['accept']>[0]) => {
  const named = 'id' in arrival && arrival.id !== undefined ? arrival.id : arrival.kind
  return { slug: 'segment-return-late', detail: named } as const
}

/** One list per page occurs: what a later one does not hold is not gone. */
const bothOf = (one: ArrivedList, other: ArrivedList): ArrivedList => ({
  ...other,
  ids: new Set([...one.ids, ...other.ids]),
  complete: one.complete && other.complete,
})

type Before = { readonly before: HeldRecord | undefined; readonly weight: number }

/** What was known of the record is still true; the other process says what it is now. */
function returned(
  { options, state, out }: Place,
  arrival: ArrivedRecord,
  { before, weight }: Before,
): void {
  const { id = '', text, mediaType, extra, aliases, total } = arrival
  if (before) {
    const { place: _, ...record } = before
    return out.put({ ...record, text, mediaType, extra }, weight)
  }
  const { sink, only } = options.context
  if (options.imports) {
    sink.offered()
    if (total !== undefined && total > (state.total ?? -1)) {
      state.total = total
      sink.total(total)
    }
  }
  if (only && !only.has(id)) return undefined
  const fresh = { kind: 'record', counter: state.records, sourceId: id, findings: [] } as const
  return out.put({ ...fresh, aliases, text, mediaType, extra }, weight)
}

function refused({ options, out, pages, places }: Place, number: number, problem: Failure): void {
  const record = pages.settle(number)
  places.free(number, false)
  if (record) out.put(refusal(options, record, problem))
  pages.release()
}

/** The oldest ones were not given back. */
function forget({ options, out, pages, places }: Place): void {
  const most = isForgetful(options.limits) ? options.limits.held : Infinity
  for (let record = pages.oldest(); record && pages.size >= most; record = pages.oldest()) {
    pages.settle(record.place)
    places.free(record.place, false)
    out.put(skipped(options, record))
  }
  pages.release()
}

type Losing = Pick<JourneyOptions, 'context' | 'stage'>

function skipped({ context }: Losing, record: HeldRecord): Message {
  tellFindings(context.sink, record)
  return { kind: 'skipped', sourceId: record.sourceId, reason: droppedBySegment }
}

function refusal({ context, stage }: Losing, record: HeldRecord, problem: Failure): Message {
  tellFindings(context.sink, record)
  const { sourceId, sourceUrl } = record
  const named = { sourceId, ...(sourceUrl !== undefined && { sourceUrl }) }
  return { kind: 'refused', stage, problem, ...named }
}

// When a foreign segment is finished: it never says so, and what it has given tells.

/** What an importer has given; times are ms of the clock. */
export type Imported = {
  /** When it was told to begin. */
  readonly began: number
  /** When the last message came. */
  readonly last: number
  /** Distinct records, refused ones too. */
  readonly records: number
  /** The largest total that a record announced. */
  readonly total: number | undefined
  /** All lists together: a later one of the same import holds the former, or is that of another page. */
  readonly list: ArrivedList | undefined
  /** Ids of the list that have not come. */
  readonly missing: number
}

/** What a transformer has given for what it got; `last` is when the last message went or came. */
export type Transformed = {
  readonly last: number
  /** Records that it took. */
  readonly sent: number
  /** Messages that came back, the list not counted. */
  readonly returned: number
  /** Records that have not come back. */
  readonly out: number
  /** Whether the list was sent. */
  readonly wantsList: boolean
  readonly hasList: boolean
  /** Longest time from sending a record to its return, ms. */
  readonly slowestMs: number
}

/**
 * `wait`: nothing is decided before that time, unless a message comes. `done`: nothing is missing. `listed`: the list is
 * not whole. `endless`: nobody knows whether there is more. `dropped`: what is out will not come back. `silent`: nothing came.
 */
type Ending =
  | { readonly kind: 'wait'; readonly until: number }
  | { readonly kind: 'done' | 'listed' | 'endless' | 'dropped' }
  | { readonly kind: 'silent'; readonly problem: Failure }

export function importEnding(given: Imported, times: SegmentTimes, now: number): Ending {
  const { list, records, total = 0, missing, began, last } = given
  if (list) {
    const isWhole = list.records === undefined ? missing === 0 : records >= list.records
    return isWhole ? { kind: 'done' } : after(last + times.listMs, now, { kind: 'listed' })
  }
  if (records === 0) {
    return after(began + times.firstMs, now, silent('gave no record', times.firstMs))
  }
  if (total > 0 && records >= total) return after(last + times.totalMs, now, { kind: 'done' })
  return after(last + times.quietMs, now, { kind: 'endless' })
}

/** A slow segment is given five times the longest that it has taken so far. */
const patienceTimes = 5

export function transformEnding(given: Transformed, times: SegmentTimes, now: number): Ending {
  const { last, sent, returned, out, wantsList, hasList, slowestMs } = given
  if (out === 0 && (hasList || !wantsList)) return { kind: 'done' }
  const patience = hasList ? times.returnedMs : Math.max(times.listMs, patienceTimes * slowestMs)
  // Where the list has come back somebody is there, and has wanted none of them.
  const isOutage = out > 0 && returned === 0 && !hasList
  const end = isOutage ? silent(`gave back none of ${sent} records`, patience) : dropped
  return after(last + patience, now, end)
}

const dropped: Ending = { kind: 'dropped' }

const silent = (what: string, ms: number): Ending => ({
  kind: 'silent',
  problem: new Failure('segment-silent', `the segment ${what} within ${Math.round(ms / 1000)} s`),
})

const after = (until: number, now: number, then: Ending): Ending =>
  now >= until ? then : { kind: 'wait', until }
