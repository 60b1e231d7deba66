/**
 * What arrives for one segment of one run, as the stream that the segment reads: what a segment elsewhere gives back, or what
 * other processes send to one of ours. Nobody says in so many words that this is all; what has come, and how fast, shows it.
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
import {
  importEnding,
  slownessFactor,
  transformEnding,
  type Ending,
  type SegmentProgress,
  type SentRecord,
} from './endings.ts'
import { type Arrival, type ArrivedList, type ArrivedRecord, nameless } from './envelope.ts'
import type { TransportContext } from './transport-limits.ts'

export type InboxContext = Pick<TransportContext, 'limits' | 'now' | 'pause'> & {
  /**
   * Who fills it: an importer elsewhere, which begins by itself; a transformer elsewhere, with the records that it was sent;
   * or other processes that have work for a segment of ours, and always end with a list.
   */
  readonly role: 'importer' | 'transformer' | 'sender'
  readonly stage: Stage
  /** End of an import whose list has arrived with all its records. */
  readonly completeness: (list: { complete: boolean; fingerprint?: string }) => Completeness
  readonly context: Pick<SegmentContext, 'sink' | 'only'>
}

/** The id under which a segment gets a record. */
export const idOf = ({ originalId, sourceId }: Pick<RecordMessage, 'originalId' | 'sourceId'>) =>
  originalId ?? sourceId

/** Part of `listMs` after which a record is late at least, once others have come back. */
const lateShare = 1 / 200
/** How much of a slow return still counts at the next one. */
const memory = 0.8
/** How often a run that waits is said to be alive, and after how much silence it only listens. */
const [beatMs, restMs] = [30_000, 1000]

export class Inbox {
  /** What the segment reads. */
  readonly out: Channel<Message>
  readonly #changed = conditionVariable()
  readonly #context: InboxContext
  readonly #state: SegmentProgress
  /** Ids that count against `inFlight`: a filter drops some records without a word, and those leave when they are late. */
  readonly #slots = new Set<string>()
  /** Pages, each to be handed on when the record of that number and all before it are settled. */
  readonly #pages: { readonly page: Message; readonly after: number }[] = []
  /** Distinct ids that came. */
  readonly #ids = new Set<string>()
  /** Number of the last record that went out. */
  #number = 0
  #recentMs = 0
  #input: { readonly end: Completeness | undefined; readonly wantsList: boolean } | undefined
  #ending: Ending['kind'] | undefined

  constructor(context: InboxContext) {
    const { limits, now } = context
    const counts = { taken: 0, records: 0, slowestMs: 0 }
    const sets = { pending: new Map(), seen: new Set<string>(), missing: new Set<string>() }
    this.#context = context
    this.out = new Channel({ items: limits.queued, weight: limits.queuedBytes })
    this.#state = { began: now(), last: now(), ...counts, ...sets }
  }

  /** How the stream has ended; `done` when nothing was missing. */
  get ending(): Ending['kind'] | undefined {
    return this.#ending
  }

  // What goes out.

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
    for (let [next] = this.#pages; next && next.after < oldest; [next] = this.#pages) {
      this.out.put(next.page)
      this.#pages.shift()
    }
    this.#changed.notify()
  }

  /** Resolves when the segment may have one more record; calls `waiting` as long as it has to wait. */
  async room(signal: AbortSignal, waiting: () => void): Promise<void> {
    const { now, limits } = this.#context
    for (let ms = this.#roomAt() - now(); ms > 0; ms = this.#roomAt() - now()) {
      waiting()
      await this.#change(Math.min(ms, beatMs), signal)
    }
    // By HTTP, a record that has been out for long is not waited for; a queue keeps it until somebody works on it.
    if (limits.inFlight < limits.held) this.#skip(limits.held)
    await this.out.room(signal)
  }

  /** When there is room for another record, ms of the clock: not after now when there is. */
  #roomAt(): number {
    const { limits, now } = this.#context
    if (this.#slots.size < limits.inFlight) return 0
    // A queue keeps what nobody works on, so that only what has come back makes room there.
    if (limits.inFlight >= limits.held) return Infinity
    const hasCome = this.#state.seen.size > 0
    const least = hasCome ? limits.listMs * lateShare : limits.listMs
    const waitMs = Math.max(least, slownessFactor * this.#recentMs)
    const ends = [...this.#slots].map((id) => {
      const end = (this.#state.pending.get(id)?.takenAt ?? Infinity) + waitMs
      if (end <= now()) this.#slots.delete(id)
      return end
    })
    return this.#slots.size < limits.inFlight ? 0 : Math.min(...ends)
  }

  /** Gives up the oldest records that have not come back until fewer than so many are left. */
  #skip(most: number): void {
    for (const [id, { record }] of this.#state.pending) {
      if (this.#state.pending.size < most) break
      this.settle(id)
      tellFindings(this.#context.context.sink, record)
      this.out.put({ kind: 'skipped', sourceId: record.sourceId, reason: droppedBySegment })
    }
    this.release()
  }

  // What comes in.

  /** A message went out or is coming in. */
  touch(): void {
    this.#state.last = this.#context.now()
    this.#changed.notify()
  }

  isRepeat(arrival: Arrival): boolean {
    return arrival.kind === 'list'
      ? this.#state.list !== undefined
      : this.#state.seen.has(arrival.key)
  }

  /** Takes what came; a repeat of a record means nothing. Throws `too-large` for more records than a run may have. */
  accept(arrival: Arrival, weight: number): void {
    if (arrival.kind === 'list') this.#listed(arrival)
    else if (!this.isRepeat(arrival)) this.#came(arrival, weight)
    this.release()
  }

  /** One list per page occurs: what a later one does not hold is not gone. */
  #listed(list: ArrivedList): void {
    const { role } = this.#context
    const { ids, complete } = this.#state.list ?? { ids: new Set<string>(), complete: true }
    const all = { ...list, ids: ids.union(list.ids), complete: complete && list.complete }
    // For a segment of ours as many records have to come as the list has ids: senders may name them in other ways.
    this.#state.list = role === 'sender' ? { ...all, records: list.records ?? all.ids.size } : all
    if (role !== 'transformer') this.#state.missing = all.ids.difference(this.#ids)
  }

  #came(arrival: Exclude<Arrival, ArrivedList>, weight: number): void {
    const { limits, role, context } = this.#context
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
    if (arrival.kind === 'dropped') {
      const sourceId = sent?.sourceId ?? arrival.id
      return this.out.put({ kind: 'skipped', sourceId, reason: droppedBySegment })
    }
    if (arrival.kind === 'deleted') return this.out.put({ kind: 'deleted', sourceId: arrival.id })
    if (arrival.kind === 'record' && id !== undefined) {
      return this.#record({ ...arrival, id }, sent, weight)
    }
    const { stage, problem } = arrival.kind === 'record' ? nameless(arrival) : arrival
    if (role !== 'transformer') context.sink.offered()
    if (sent) tellFindings(context.sink, sent)
    return this.out.put(
      defined({ kind: 'refused', stage, problem, sourceId: sent?.sourceId ?? id }),
    )
  }

  /** The pending record of that id, settled; how long it took says what may be expected of the others. */
  #back(id: string): SentRecord | undefined {
    const pending = this.#state.pending.get(id)
    if (!pending) return undefined
    const tookMs = this.#context.now() - pending.sentAt
    this.#state.slowestMs = Math.max(this.#state.slowestMs, tookMs)
    this.#recentMs = Math.max(tookMs, memory * this.#recentMs)
    return this.settle(id)
  }

  /** What was known of the record is still true; the other process says what it is now. */
  #record(
    { id: sourceId, counter = this.#state.records, total = -1, ...arrival }: Named,
    sent: SentRecord | undefined,
    weight: number,
  ): void {
    const { role, context } = this.#context
    const { text, mediaType, extra, aliases } = arrival
    if (sent) return this.out.put({ ...sent, text, mediaType, extra }, weight)
    if (role !== 'transformer') context.sink.offered()
    if (role === 'importer' && total > (this.#state.total ?? -1)) {
      context.sink.total((this.#state.total = total))
    }
    if (context.only && !context.only.has(sourceId)) return undefined
    const known = { aliases, text, mediaType, extra, findings: [] }
    return this.out.put({ kind: 'record', counter, sourceId, ...known }, weight)
  }

  // The end.

  /** Nothing more is sent; when what is out has come back, the stream ends like this. */
  inputEnded(end: Completeness | undefined, wantsList: boolean): void {
    this.#input = { end, wantsList }
    this.touch()
  }

  /**
   * Resolves when the stream has ended. `isRead`: whether everything that has arrived was accepted. `alive` is called at least
   * every 30 s, with whether nothing has come for a while: then the run only listens.
   */
  async watch(
    signal: AbortSignal,
    isRead: () => boolean,
    alive: (isQuiet: boolean) => void,
  ): Promise<void> {
    const { now, role } = this.#context
    for (;;) {
      const until = isRead() ? this.#check() : Infinity
      if (until === undefined) return
      const isQuiet = now() - this.#state.last >= restMs
      alive(isQuiet)
      const most = role === 'importer' && !isQuiet ? restMs : beatMs
      await this.#change(Math.min(Math.max(until - now(), 1), most), signal)
    }
  }

  /** Waits for the next change or for so many ms; rejects with the signal's reason. */
  async #change(ms: number, signal: AbortSignal): Promise<void> {
    const over = new AbortController()
    const paused = this.#context.pause(ms, AbortSignal.any([signal, over.signal]))
    try {
      await Promise.race([this.#changed.next(signal), paused.catch(() => undefined)])
      signal.throwIfAborted()
    } finally {
      over.abort()
    }
  }

  /** Ends the stream when it is time (`undefined`); else until when nothing changes unless something comes. */
  #check(): number | undefined {
    if (!this.#input) return Infinity
    const { limits, role } = this.#context
    const ending =
      role === 'transformer'
        ? transformEnding(this.#state, this.#input.wantsList, limits)
        : importEnding(this.#state, limits)
    if (ending.at > this.#context.now()) return ending.at
    this.#ending = ending.kind
    if (ending.problem) this.out.close(ending.problem)
    else this.#finish(ending.kind)
    return undefined
  }

  #finish(kind: Ending['kind']): void {
    const isTransformed = this.#context.role === 'transformer'
    if (isTransformed) this.#skip(0)
    const completeness = isTransformed ? this.#input?.end : this.#imported(kind)
    this.release()
    this.out.put({ kind: 'end', completeness: completeness ?? { kind: 'incomplete' } })
    this.out.close()
  }

  /** What an importer has brought is complete when everything is there that it has named. */
  #imported(kind: Ending['kind']): Completeness {
    const list = this.#state.list
    if (kind === 'done') return this.#context.completeness(list ?? { complete: true })
    if (!list) {
      const detail = `${this.#state.records} records came, but no list of identifiers: nothing says that these were all`
      return { kind: 'incomplete', problem: new Failure('source-truncated', detail) }
    }
    const missing = this.#state.missing
    const detail = `${missing.size} of ${list.ids.size} listed records did not come`
    // A platform lists what it did not send because it is unchanged: nobody can say which ones are missing.
    const isNamed = list.records === undefined || list.records >= list.ids.size
    const unsent = 'the segment listed the record but did not send it'
    for (const sourceId of isNamed ? missing : []) {
      const problem = new Failure('segment-record-missing', unsent)
      this.out.put({ kind: 'refused', sourceId, stage: 'import', problem })
    }
    return { kind: 'incomplete', problem: new Failure('segment-record-missing', detail) }
  }
}

type Named = ArrivedRecord & { readonly id: string }
