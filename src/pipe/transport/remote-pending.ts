/**
 * Records that a segment of another process has: which pages wait for them, how many more it may get, and when it counts as
 * finished. The segment says none of this; what it has given tells.
 */

import { Failure } from '../../errors.ts'
import type { Message, RecordMessage } from '../message.ts'
import type { ArrivedList } from './envelope.ts'
import type { SegmentTimes, TransportLimits } from './transport-limits.ts'

type Page = Extract<Message, { readonly kind: 'page' }>
/** A record without its text, which the other process has. */
export type SentRecord = Omit<RecordMessage, 'text'>

type Pending = {
  readonly record: SentRecord
  readonly number: number
  readonly sentAt: number
  /** When the segment had taken it over. */
  takenAt?: number
}

/** The id under which a segment gets a record. */
export const idOf = ({ originalId, sourceId }: Pick<RecordMessage, 'originalId' | 'sourceId'>) =>
  originalId ?? sourceId

/** By HTTP, a record that has been out for long is not waited for; a queue keeps it until somebody works on it. */
const isForgetful = ({ inFlight, held }: TransportLimits): boolean => inFlight < held

/** A slow segment is given five times the time that it has taken so far. */
const patienceFactor = 5
/** Parts of `listMs` that are waited at least for a record that a later one has overtaken, and for one that none has. */
const [overtaken, late] = [1 / 200, 1 / 50]
/** How much of a slow return still counts at the next one. */
const memory = 0.8

export class PendingRecords {
  readonly #limits: TransportLimits
  readonly #now: () => number
  readonly #records = new Map<number, Pending>()
  readonly #numbers = new Map<string, number>()
  /** Records that count against `inFlight`: a filter drops some without a word, and those leave when they are late. */
  readonly #slots = new Set<number>()
  readonly #pages: { readonly page: Page; readonly after: number }[] = []
  #last = 0
  #newestReturned = 0
  #slowestMs = 0
  #recentMs = 0

  constructor(limits: TransportLimits, now: () => number) {
    this.#limits = limits
    this.#now = now
  }

  get size(): number {
    return this.#records.size
  }

  /** Longest time from sending a record to its return so far, ms. */
  get slowestMs(): number {
    return this.#slowestMs
  }

  /** The number of the record here. */
  add({ text: _text, ...record }: RecordMessage): number {
    const number = (this.#last += 1)
    this.#records.set(number, { record, number, sentAt: this.#now() })
    this.#numbers.set(idOf(record), number)
    this.#slots.add(number)
    return number
  }

  /** The segment has the record. */
  taken(number: number): void {
    const pending = this.#records.get(number)
    if (pending) pending.takenAt = this.#now()
  }

  /** The record of that number, or of that id; it is pending no more. */
  settle(key: number | string, isReturned = false): SentRecord | undefined {
    const pending = this.#records.get(typeof key === 'number' ? key : (this.#numbers.get(key) ?? 0))
    if (!pending) return undefined
    const { record, number, sentAt } = pending
    this.#records.delete(number)
    this.#slots.delete(number)
    // A later record may have the same id; then the id means that one.
    if (this.#numbers.get(idOf(record)) === number) this.#numbers.delete(idOf(record))
    if (isReturned) {
      const tookMs = this.#now() - sentAt
      this.#newestReturned = Math.max(this.#newestReturned, number)
      this.#slowestMs = Math.max(this.#slowestMs, tookMs)
      this.#recentMs = Math.max(tookMs, memory * this.#recentMs)
    }
    return record
  }

  /** Settles the oldest ones until one more may be remembered. */
  forget(): readonly SentRecord[] {
    const most = isForgetful(this.#limits) ? this.#limits.held : Infinity
    return this.#settleWhile(() => this.size >= most)
  }

  /** Settles all of them, oldest first. */
  rest(): readonly SentRecord[] {
    return this.#settleWhile(() => this.size > 0)
  }

  /** When there is room for another one, ms of the clock: not after now when there is. */
  roomAt(): number {
    if (this.#slots.size < this.#limits.inFlight) return 0
    const ends = [...this.#slots].map((number) => ({ number, end: this.#lateAt(number) }))
    for (const { number, end } of ends) if (end <= this.#now()) this.#slots.delete(number)
    return this.#slots.size < this.#limits.inFlight ? 0 : Math.min(...ends.map(({ end }) => end))
  }

  /** A page is handed on when everything before it is settled. */
  page(page: Page): void {
    this.#pages.push({ page, after: this.#last })
  }

  /** The pages whose time has come; to be handed on after what was settled. */
  *pages(): Generator<Page> {
    const [oldest = Infinity] = this.#records.keys()
    for (let [first] = this.#pages; first && first.after < oldest; [first] = this.#pages) {
      this.#pages.shift()
      yield first.page
    }
  }

  #settleWhile(isNext: () => boolean): readonly SentRecord[] {
    const settled: SentRecord[] = []
    for (const number of this.#records.keys()) {
      if (!isNext()) break
      settled.push(...[this.settle(number)].filter((one) => one !== undefined))
    }
    return settled
  }

  #lateAt(number: number): number {
    const { takenAt } = this.#records.get(number) ?? {}
    if (takenAt === undefined || !isForgetful(this.#limits)) return Infinity
    const { listMs } = this.#limits
    if (this.#newestReturned === 0) return takenAt + listMs
    const least = listMs * (number < this.#newestReturned ? overtaken : late)
    return takenAt + Math.max(least, patienceFactor * this.#recentMs)
  }
}

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
  /** All lists together. */
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
export type Ending =
  | { readonly kind: 'wait'; readonly until: number }
  | { readonly kind: 'done' | 'listed' | 'endless' | 'dropped' }
  | { readonly kind: 'silent'; readonly problem: Failure }

/** Whether an importer is finished now. */
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

/** Whether a transformer is finished now. */
export function transformEnding(given: Transformed, times: SegmentTimes, now: number): Ending {
  const { last, sent, returned, out, wantsList, hasList, slowestMs } = given
  if (out === 0 && (hasList || !wantsList)) return { kind: 'done' }
  const waitMs = hasList ? times.returnedMs : Math.max(times.listMs, patienceFactor * slowestMs)
  // Where the list has come back somebody is there, and has wanted none of them.
  const isOutage = out > 0 && returned === 0 && !hasList
  const end = isOutage ? silent(`gave back none of ${sent} records`, waitMs) : dropped
  return after(last + waitMs, now, end)
}

const dropped: Ending = { kind: 'dropped' }

const silent = (what: string, ms: number): Ending => ({
  kind: 'silent',
  problem: new Failure('segment-silent', `the segment ${what} within ${Math.round(ms / 1000)} s`),
})

const after = (until: number, now: number, then: Ending): Ending =>
  now >= until ? then : { kind: 'wait', until }
