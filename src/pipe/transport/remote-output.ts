/**
 * What a segment of another process gives back in one run: the messages for the next segment, the records that it still has,
 * and when there are no more. The segment says none of this by itself; what it has given, and how fast, shows it.
 */

import { Failure } from '../../errors.ts'
import { Channel } from '../../workers/channel.ts'
import { conditionVariable } from '../../workers/condition.ts'
import { defined } from '../defined.ts'
import {
  type Completeness,
  droppedBySegment,
  type Message,
  type RecordMessage,
  type Stage,
} from '../message.ts'
import { tellFindings } from '../runs/run.ts'
import type { SegmentContext } from '../segment.ts'
import type { Arrival, ArrivedList, ArrivedRecord } from './envelope.ts'
import type { SegmentTimes, TransportContext } from './transport-limits.ts'

export type RemoteOutputContext = Pick<TransportContext, 'limits' | 'now'> & {
  /** The segment imports by itself: what it gives says how much comes. */
  readonly imports: boolean
  readonly stage: Stage
  /** End of an import whose list has arrived with all its records. */
  readonly completeness: (list: { complete: boolean; fingerprint?: string }) => Completeness
  readonly context: SegmentContext
}

/** A record without its text, which the other process has. */
type SentRecord = Omit<RecordMessage, 'text'>

type Pending = {
  readonly record: SentRecord
  /** Running number in order of sending. */
  readonly number: number
  readonly sentAt: number
  /** When the segment had taken it over. */
  takenAt?: number
}

/** The id under which a segment gets a record. */
export const idOf = ({ originalId, sourceId }: Pick<RecordMessage, 'originalId' | 'sourceId'>) =>
  originalId ?? sourceId

/** A slow segment is given five times the time that it has taken so far. */
const slownessFactor = 5
/** Parts of `listMs` that are waited at least for a record that a later one has overtaken, and for one that none has. */
const [overtaken, late] = [1 / 200, 1 / 50]
/** How much of a slow return still counts at the next one. */
const memory = 0.8

export class RemoteOutput {
  /** What goes to the next segment. */
  readonly out: Channel<Message>
  /** Notifies whenever something has come or is settled. */
  readonly changed = conditionVariable()
  readonly #context: RemoteOutputContext
  readonly #state: Exchange
  /** Ids that count against `inFlight`: a filter drops some records without a word, and those leave when they are late. */
  readonly #slots = new Set<string>()
  /** Pages, each to be handed on when the record of that number and all before it are settled. */
  readonly #pages: { readonly page: Message; readonly after: number }[] = []
  /** Of the last record that went out, and of the newest one that came back. */
  #number = 0
  #newest = 0
  #recentMs = 0
  /** Distinct ids that came. */
  readonly #ids = new Set<string>()
  #input: { readonly end: Completeness | undefined; readonly wantsList: boolean } | undefined

  constructor(context: RemoteOutputContext) {
    const { limits, now } = context
    const counts = { taken: 0, records: 0, slowestMs: 0 }
    const sets = { pending: new Map(), seen: new Set<string>(), missing: new Set<string>() }
    this.#context = context
    this.out = new Channel({ items: limits.queued, weight: limits.queuedBytes })
    this.#state = { began: now(), last: now(), ...counts, ...sets }
  }

  /** Ms of the clock since which nothing has come. */
  get quietSince(): number {
    return this.#state.last
  }

  /** A message went out or is coming in. */
  touch(): void {
    this.#state.last = this.#context.now()
    this.changed.notify()
  }

  /** The record is about to go out. */
  add({ text: _text, ...record }: RecordMessage): void {
    const id = idOf(record)
    this.settle(id)
    const number = (this.#number += 1)
    this.#state.pending.set(id, { record, number, sentAt: this.#context.now() })
    this.#slots.add(id)
  }

  /** The segment has the record. */
  taken(id: string): void {
    const pending = this.#state.pending.get(id)
    if (pending) pending.takenAt = this.#context.now()
    this.#state.taken += 1
    this.touch()
  }

  /** Nothing more is awaited of the record. */
  settle(id: string): SentRecord | undefined {
    const record = this.#state.pending.get(id)?.record
    this.#state.pending.delete(id)
    this.#slots.delete(id)
    return record
  }

  /** The record goes no further, unless it has come back all the same. */
  refuse(id: string, problem: Failure): void {
    const { stage, context } = this.#context
    const record = this.settle(id)
    if (record) {
      const { sourceId, sourceUrl } = record
      tellFindings(context.sink, record)
      this.out.put(defined({ kind: 'refused', stage, problem, sourceId, sourceUrl }))
    }
    this.release()
  }

  /** A page is handed on when everything before it is settled. */
  page(page: Message): void {
    this.#pages.push({ page, after: this.#number })
    this.release()
  }

  /** Hands on the pages whose time has come. */
  release(): void {
    const [first] = this.#state.pending.values()
    const oldest = first?.number ?? Infinity
    for (let [first] = this.#pages; first && first.after < oldest; [first] = this.#pages) {
      this.out.put(first.page)
      this.#pages.shift()
    }
    this.changed.notify()
  }

  /** When there is room for another record, ms of the clock: not after now when there is. */
  roomAt(): number {
    const { limits, now } = this.#context
    if (this.#slots.size < limits.inFlight) return 0
    // A queue keeps what nobody works on, so that only what has come back makes room there.
    if (limits.inFlight >= limits.held) return Infinity
    const ends = [...this.#slots].map((id) => ({ id, end: this.#lateAt(id) }))
    for (const { id, end } of ends) if (end <= now()) this.#slots.delete(id)
    return this.#slots.size < limits.inFlight ? 0 : Math.min(...ends.map(({ end }) => end))
  }

  #lateAt(id: string): number {
    const { takenAt = Infinity, number = 0 } = this.#state.pending.get(id) ?? {}
    const { listMs } = this.#context.limits
    if (this.#newest === 0) return takenAt + listMs
    const least = listMs * (number < this.#newest ? overtaken : late)
    return takenAt + Math.max(least, slownessFactor * this.#recentMs)
  }

  /** Gives up the oldest records that have not come back until fewer than so many are left. */
  skip(most: number): void {
    for (const [id, { record }] of this.#state.pending) {
      if (this.#state.pending.size < most) break
      this.settle(id)
      tellFindings(this.#context.context.sink, record)
      this.out.put({ kind: 'skipped', sourceId: record.sourceId, reason: droppedBySegment })
    }
    this.release()
  }

  /** Takes what came back; a repeat means nothing. */
  accept(arrival: Arrival, weight: number): void {
    if (arrival.kind === 'list') this.#listed(arrival)
    else if (!this.#state.seen.has(arrival.key)) this.#returned(arrival, weight)
    this.release()
  }

  /** One list per page occurs: what a later one does not hold is not gone. */
  #listed(list: ArrivedList): void {
    const { ids, complete } = this.#state.list ?? { ids: new Set<string>(), complete: true }
    this.#state.list = { ...list, ids: ids.union(list.ids), complete: complete && list.complete }
    if (this.#context.imports) this.#state.missing = this.#state.list.ids.difference(this.#ids)
  }

  #returned(arrival: Exclude<Arrival, ArrivedList>, weight: number): void {
    const { limits, imports, context } = this.#context
    const { key, id } = arrival
    if (this.#state.seen.size >= limits.records) {
      throw new Failure('too-large', `a run has at most ${limits.records} records`)
    }
    this.#state.seen.add(key)
    // What comes twice with other words is one record.
    if (id === undefined || !this.#ids.has(id)) this.#state.records += 1
    if (id !== undefined) this.#ids.add(id)
    if (id !== undefined) this.#state.missing.delete(id)
    const sent = id === undefined ? undefined : this.#back(id)
    if (arrival.kind === 'deleted') this.out.put({ kind: 'deleted', sourceId: arrival.id })
    else if (arrival.kind === 'record') this.#record(arrival, sent, weight)
    else {
      const { stage, problem } = arrival
      const sourceId = sent?.sourceId ?? id
      if (imports) context.sink.offered()
      if (sent) tellFindings(context.sink, sent)
      this.out.put(defined({ kind: 'refused', stage, problem, sourceId }))
    }
  }

  /** The pending record of that id, settled; how long it took says what may be expected of the others. */
  #back(id: string): SentRecord | undefined {
    const pending = this.#state.pending.get(id)
    if (!pending) return undefined
    const tookMs = this.#context.now() - pending.sentAt
    this.#newest = Math.max(this.#newest, pending.number)
    this.#state.slowestMs = Math.max(this.#state.slowestMs, tookMs)
    this.#recentMs = Math.max(tookMs, memory * this.#recentMs)
    return this.settle(id)
  }

  /** What was known of the record is still true; the other process says what it is now. */
  #record(arrival: ArrivedRecord, sent: SentRecord | undefined, weight: number): void {
    const { id: sourceId = '', text, mediaType, extra, aliases, total = -1 } = arrival
    const { imports, context } = this.#context
    if (sent) return this.out.put({ ...sent, text, mediaType, extra }, weight)
    if (imports) {
      context.sink.offered()
      if (total > (this.#state.total ?? -1)) context.sink.total((this.#state.total = total))
    }
    if (context.only && !context.only.has(sourceId)) return undefined
    const known = { aliases, text, mediaType, extra, findings: [] }
    return this.out.put(
      { kind: 'record', counter: this.#state.records, sourceId, ...known },
      weight,
    )
  }

  /** Nothing more is sent; when what is out has come back, the output ends like this. */
  inputEnded(end: Completeness | undefined, wantsList: boolean): void {
    this.#input = { end, wantsList }
    this.touch()
  }

  /** Ends the output when it is time (`undefined`); else until when nothing changes unless something comes. */
  check(): number | undefined {
    if (!this.#input) return Infinity
    const { limits, imports } = this.#context
    const ending = imports
      ? importEnding(this.#state, limits)
      : transformEnding(this.#state, this.#input.wantsList, limits)
    if (ending.at > this.#context.now()) return ending.at
    if (ending.problem) this.out.close(ending.problem)
    else this.#finish(ending.kind)
    return undefined
  }

  #finish(kind: Ending['kind']): void {
    const { imports } = this.#context
    if (!imports) this.skip(0)
    const completeness = imports ? this.#imported(kind) : this.#input?.end
    this.release()
    this.out.put({ kind: 'end', completeness: completeness ?? { kind: 'incomplete' } })
    this.out.close()
  }

  /** What an importer has brought is complete when everything is there that it has named. */
  #imported(kind: Ending['kind']): Completeness {
    const list = this.#state.list
    if (kind === 'done') return this.#context.completeness(list ?? { complete: true })
    if (!list) {
      const detail = `${this.#state.records} records came and no list of identifiers: this segment tells no end`
      return { kind: 'incomplete', problem: new Failure('source-truncated', detail) }
    }
    const missing = this.#state.missing
    const detail = `${missing.size} of ${list.ids.size} listed records did not come`
    // A platform lists what it did not send because it is unchanged: nobody can say which ones are missing.
    const isNamed = list.records === undefined || list.records >= list.ids.size
    const unsent = 'the segment listed it and did not send it'
    for (const sourceId of isNamed ? missing : []) {
      const problem = new Failure('segment-record-missing', unsent)
      this.out.put({ kind: 'refused', sourceId, stage: 'import', problem })
    }
    return { kind: 'incomplete', problem: new Failure('segment-record-missing', detail) }
  }
}

// When a segment counts as finished.

/** What a segment has got and given so far; times are ms of the clock. */
export type Exchange = {
  /** When it was told to begin, and when the last message went or came. */
  readonly began: number
  last: number
  /** Records that it took, and distinct ones that came, refused ones too. */
  taken: number
  records: number
  /** The largest total that a record announced. */
  total?: number
  /** All lists together, and those of their ids that have not come. */
  list?: ArrivedList
  missing: Set<string>
  /** Records that the segment has, by id, oldest first; of two with the same id the later one. */
  readonly pending: Map<string, Pending>
  /** Keys of the messages that came, lists not counted. */
  readonly seen: Set<string>
  /** Longest time from sending a record to its return, ms. */
  slowestMs: number
}

/**
 * What is decided at the time `at` unless a message comes before. `done`: nothing is missing. `listed`: the list is not
 * whole. `endless`: nobody knows whether there is more. `dropped`: what is out will not come back. `silent`: nothing came.
 */
type Ending = {
  readonly kind: 'done' | 'listed' | 'endless' | 'dropped' | 'silent'
  readonly at: number
  readonly problem?: Failure
}

/** When an importer is finished, and how. */
export function importEnding(state: Exchange, times: SegmentTimes): Ending {
  const { list, records, total = 0, missing, began, last } = state
  if (list) {
    const isWhole = list.records === undefined ? missing.size === 0 : records >= list.records
    return isWhole ? { kind: 'done', at: 0 } : { kind: 'listed', at: last + times.listMs }
  }
  if (records === 0) return silent('gave no record', began, times.firstMs)
  return total > 0 && records >= total
    ? { kind: 'done', at: last + times.totalMs }
    : { kind: 'endless', at: last + times.quietMs }
}

/** When a transformer is finished, and how. */
export function transformEnding(
  { last, taken, seen, pending, list, slowestMs }: Exchange,
  wantsList: boolean,
  times: SegmentTimes,
): Ending {
  if (pending.size === 0 && (list || !wantsList)) return { kind: 'done', at: 0 }
  const waitMs = list ? times.returnedMs : Math.max(times.listMs, slownessFactor * slowestMs)
  // Where the list has come back somebody is there, and has wanted none of them.
  const isOutage = pending.size > 0 && seen.size === 0 && !list
  return isOutage
    ? silent(`gave back none of ${taken} records`, last, waitMs)
    : { kind: 'dropped', at: last + waitMs }
}

function silent(what: string, since: number, ms: number): Ending {
  const detail = `the segment ${what} within ${Math.round(ms / 1000)} s`
  return { kind: 'silent', at: since + ms, problem: new Failure('segment-silent', detail) }
}
