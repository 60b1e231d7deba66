/**
 * Messages that arrive for one segment of one run, as the stream that the segment reads: output of the foreign segment before
 * it, or input from other processes for a built-in one. Foreign segments send no end; `endings.ts` infers it.
 *
 *     a record sent to a transformer, which has a slot until it is settled or late:
 *
 *     add ──▶ pending ──▶ accepted (`markAccepted`)
 *                │           │
 *                ├───────────┼────▶ returned     (accept: passed on)
 *                ├───────────┼────▶ dropped      (accept: the segment says so; skip: `held` records are out, or the stream ends)
 *                └───────────┴────▶ refused      (refuse: the segment did not accept it; accept: it returned a problem)
 *
 *     the stream:
 *
 *     open ──▶ input ended ──▶ ended: done, listed, endless, dropped or silent (`Ending`)
 */

import { Failure } from '../../errors.ts'
import { Channel } from '../../workers/channel.ts'
import { conditionVariable } from '../../workers/condition.ts'
import {
  type Completeness,
  droppedBySegment,
  type Message,
  type RecordHeader,
  type RecordMessage,
  type Stage,
} from '../message.ts'
import { reportFindings } from '../runs/run.ts'
import type { SegmentContext } from '../segment.ts'
import {
  importEnding,
  slownessFactor,
  transformEnding,
  type Ending,
  type SegmentProgress,
} from './endings.ts'
import {
  type Arrival,
  type ArrivedList,
  type ArrivedRecord,
  withoutIdentifier,
} from './envelope.ts'
import type { TransportContext } from './transport-limits.ts'

export type InboxContext = Pick<TransportContext, 'limits' | 'now' | 'pause'> & {
  /**
   * Source of the messages: a foreign importer, which starts by itself; a foreign transformer or exporter, which gets records
   * sent; or other processes that send work for a built-in segment and end with a list.
   */
  readonly role: 'importer' | 'transformer' | 'sender'
  readonly stage: Stage
  /** Completeness of an import whose end is `done`; `complete` is also true if it ended without a list. */
  readonly completeness: (list: { complete: boolean; fingerprint?: string }) => Completeness
  readonly context: Pick<SegmentContext, 'sink' | 'only'>
}

/** Id under which a record is sent to a segment. */
export const idOf = ({ originalId, sourceId }: Pick<RecordMessage, 'originalId' | 'sourceId'>) =>
  originalId ?? sourceId

/** Fraction of `listMs` after which a record counts as late at the earliest, once others have returned. */
const lateFraction = 1 / 200
/** Weight of earlier return times in the moving maximum. */
const decay = 0.8
/** Interval of signs of life while waiting, and silence after which the run counts as only waiting, in ms. */
const [heartbeatMs, silenceMs] = [30_000, 1000]

export class Inbox {
  /** Stream that the segment reads. */
  readonly out: Channel<Message>
  readonly #changed = conditionVariable()
  readonly #context: InboxContext
  readonly #state: SegmentProgress
  /** Ids that count against `inFlight`. Over HTTP, late records lose their slot, because filters drop records silently. */
  readonly #slots = new Set<string>()
  /** Pages, each passed on when the records up to the number `after` are settled. */
  readonly #pages: { readonly page: Message; readonly after: number }[] = []
  /** Distinct ids of arrived messages, without lists. */
  readonly #arrivedIds = new Set<string>()
  /** Number of the last sent record. */
  #number = 0
  /** Moving maximum of the times from sending a record to its return, in ms. */
  #returnMs = 0
  /** Parameters of `inputEnded`; absent before it. */
  #input: { readonly end: Completeness | undefined; readonly wantsList: boolean } | undefined
  #ending: Ending['kind'] | undefined

  constructor(context: InboxContext) {
    const { limits, now } = context
    const counts = { accepted: 0, returned: 0, slowestMs: 0 }
    const ids = {
      pending: new Map(),
      messageKeys: new Set<string>(),
      missingIds: new Set<string>(),
    }
    this.#context = context
    this.out = new Channel({ items: limits.queued, weight: limits.queuedBytes })
    this.#state = { startedAt: now(), lastActivity: now(), ...counts, ...ids }
  }

  /** Kind of the end of the stream, `done` when nothing was missing; absent before the end. */
  get ending(): Ending['kind'] | undefined {
    return this.#ending
  }

  // Outgoing records.

  /** Adds a record that is about to be sent. A pending record with the same id is replaced and not reported. */
  add({ text: _text, ...record }: RecordMessage): void {
    const id = idOf(record)
    this.settle(id)
    const number = (this.#number += 1)
    this.#state.pending.set(id, { record, number, sentAt: this.#context.now() })
    this.#slots.add(id)
  }

  /** Records that the segment has accepted the record. */
  markAccepted(id: string): void {
    const pending = this.#state.pending.get(id)
    if (pending) pending.acceptedAt = this.#context.now()
    this.#state.accepted += 1
    this.noteActivity()
  }

  /** Removes a record from the pending ones and returns it. */
  settle(id: string): RecordHeader | undefined {
    const record = this.#state.pending.get(id)?.record
    this.#state.pending.delete(id)
    this.#slots.delete(id)
    return record
  }

  /** Reports a record as refused, unless it was settled meanwhile. */
  refuse(id: string, problem: Failure): void {
    const { stage, context } = this.#context
    const record = this.settle(id)
    if (record) {
      const { sourceId, sourceUrl } = record
      reportFindings(context.sink, record)
      this.out.put({ kind: 'refused', stage, problem, sourceId, sourceUrl })
    }
    this.passPages()
  }

  /** Passes a page on when all records before it are settled. */
  page(page: Message): void {
    this.#pages.push({ page, after: this.#number })
    this.passPages()
  }

  /** Passes on the pages whose records are settled. */
  passPages(): void {
    const [first] = this.#state.pending.values()
    const oldest = first?.number ?? Infinity
    for (let [next] = this.#pages; next && next.after < oldest; [next] = this.#pages) {
      this.out.put(next.page)
      this.#pages.shift()
    }
    this.#changed.notify()
  }

  /** Resolves when another record may be sent; calls `onWait` before each wait for a slot, at least every 30 s. */
  async waitForSlot(signal: AbortSignal, onWait: () => void): Promise<void> {
    const { now, limits } = this.#context
    for (let ms = this.#slotFreeAt() - now(); ms > 0; ms = this.#slotFreeAt() - now()) {
      onWait()
      await this.#change(Math.min(ms, heartbeatMs), signal)
    }
    // Over HTTP, old records are given up; a queue keeps records until a consumer processes them.
    if (limits.inFlight < limits.held) this.#skip(limits.held)
    await this.out.room(signal)
  }

  /** Time at which another record may be sent, in ms: in the past if now, `Infinity` if not before one is settled. */
  #slotFreeAt(): number {
    const { limits, now } = this.#context
    if (this.#slots.size < limits.inFlight) return 0
    // With a queue, only returned records free a slot.
    if (limits.inFlight >= limits.held) return Infinity
    const hasReturned = this.#state.messageKeys.size > 0
    const leastMs = hasReturned ? limits.listMs * lateFraction : limits.listMs
    const waitMs = Math.max(leastMs, slownessFactor * this.#returnMs)
    const lateTimes = [...this.#slots].map((id) => {
      const lateTime = (this.#state.pending.get(id)?.acceptedAt ?? Infinity) + waitMs
      if (lateTime <= now()) this.#slots.delete(id)
      return lateTime
    })
    return this.#slots.size < limits.inFlight ? 0 : Math.min(...lateTimes)
  }

  /** Gives up the oldest pending records until fewer than `most` are left; with 0 all of them. */
  #skip(most: number): void {
    for (const [id, { record }] of this.#state.pending) {
      if (this.#state.pending.size < most) break
      this.settle(id)
      reportFindings(this.#context.context.sink, record)
      this.out.put({ kind: 'skipped', sourceId: record.sourceId, reason: droppedBySegment })
    }
    this.passPages()
  }

  // Incoming messages.

  /** Records the time of a message in either direction. */
  noteActivity(): void {
    this.#state.lastActivity = this.#context.now()
    this.#changed.notify()
  }

  /**
   * Whether a message came before; for a list, whether any list came, which makes it a repeat only for senders, because
   * importers may send several.
   */
  isRepeat(arrival: Arrival): boolean {
    return arrival.kind === 'list'
      ? this.#state.list !== undefined
      : this.#state.messageKeys.has(arrival.key)
  }

  /**
   * Processes an arrived message; repeated messages are ignored, further lists are merged. Throws `too-large` for more records
   * than a run may have.
   */
  accept(arrival: Arrival, weight: number): void {
    if (arrival.kind === 'list') this.#acceptList(arrival)
    else if (!this.isRepeat(arrival)) this.#acceptMessage(arrival, weight)
    this.passPages()
  }

  /** Merges a list. There can be one per page, so ids missing from a later list are not removed. */
  #acceptList(list: ArrivedList): void {
    const { role } = this.#context
    const { ids, complete } = this.#state.list ?? { ids: new Set<string>(), complete: true }
    const merged = { ...list, ids: ids.union(list.ids), complete: complete && list.complete }
    // For a built-in segment the number of records counts, because senders may use other ids in the list.
    this.#state.list =
      role === 'sender' ? { ...merged, records: list.records ?? merged.ids.size } : merged
    if (role !== 'transformer') this.#state.missingIds = merged.ids.difference(this.#arrivedIds)
  }

  #acceptMessage(arrival: Exclude<Arrival, ArrivedList>, weight: number): void {
    const { limits, role, context } = this.#context
    const { key, id } = arrival
    if (this.#state.messageKeys.size >= limits.records) {
      throw new Failure('too-large', `a run has at most ${limits.records} records`)
    }
    this.#state.messageKeys.add(key)
    // Several messages with the same id count as one record.
    if (id === undefined || !this.#arrivedIds.has(id)) this.#state.returned += 1
    if (id !== undefined) this.#arrivedIds.add(id)
    if (id !== undefined) this.#state.missingIds.delete(id)
    const sent = id === undefined ? undefined : this.#settleReturned(id)
    if (arrival.kind === 'dropped') {
      const sourceId = sent?.sourceId ?? arrival.id
      return this.out.put({ kind: 'skipped', sourceId, reason: droppedBySegment })
    }
    if (arrival.kind === 'deleted') return this.out.put({ kind: 'deleted', sourceId: arrival.id })
    if (arrival.kind === 'record' && id !== undefined) {
      return this.#passOn({ ...arrival, id }, sent, weight)
    }
    const { stage, problem } = arrival.kind === 'record' ? withoutIdentifier(arrival) : arrival
    if (role !== 'transformer') context.sink.offered()
    if (sent) reportFindings(context.sink, sent)
    return this.out.put({ kind: 'refused', stage, problem, sourceId: sent?.sourceId ?? id })
  }

  /** Settles the pending record with that id and updates the expected return time. */
  #settleReturned(id: string): RecordHeader | undefined {
    const pending = this.#state.pending.get(id)
    if (!pending) return undefined
    const tookMs = this.#context.now() - pending.sentAt
    this.#state.slowestMs = Math.max(this.#state.slowestMs, tookMs)
    this.#returnMs = Math.max(tookMs, decay * this.#returnMs)
    return this.settle(id)
  }

  /**
   * Passes a record on. One that was sent keeps its metadata and gets the returned text, media type and unknown members; one
   * that was not sent and is not in `only` is ignored.
   */
  #passOn(
    { id: sourceId, counter = this.#state.returned, total = -1, ...arrival }: IdentifiedRecord,
    sent: RecordHeader | undefined,
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
    const message = { aliases, text, mediaType, extra, findings: [] }
    return this.out.put({ kind: 'record', counter, sourceId, ...message }, weight)
  }

  // End of the stream.

  /**
   * Declares that no more records will be sent. `end`: completeness with which the stream of a transformer ends. `wantsList`:
   * the transformer was sent a list, and its stream ends only when it has returned one or is too late.
   */
  inputEnded(end: Completeness | undefined, wantsList: boolean): void {
    this.#input = { end, wantsList }
    this.noteActivity()
  }

  /**
   * Resolves when the stream has ended. `isRead`: whether everything that arrived was processed. `onRound` is called at least
   * every 30 s, with `true` after a second without messages.
   */
  async watch(
    signal: AbortSignal,
    isRead: () => boolean,
    onRound: (isQuiet: boolean) => void,
  ): Promise<void> {
    const { now, role } = this.#context
    for (;;) {
      const until = isRead() ? this.#check() : Infinity
      if (until === undefined) return
      const isQuiet = now() - this.#state.lastActivity >= silenceMs
      onRound(isQuiet)
      const mostMs = role === 'importer' && !isQuiet ? silenceMs : heartbeatMs
      await this.#change(Math.min(Math.max(until - now(), 1), mostMs), signal)
    }
  }

  /** Waits for the next change, at most `ms`; rejects with the signal's reason. */
  async #change(ms: number, signal: AbortSignal): Promise<void> {
    const changeOrPause = new AbortController()
    const paused = this.#context.pause(ms, AbortSignal.any([signal, changeOrPause.signal]))
    try {
      await Promise.race([this.#changed.next(signal), paused.catch(() => undefined)])
      signal.throwIfAborted()
    } finally {
      changeOrPause.abort()
    }
  }

  /** Ends the stream if it is time and returns `undefined`; else returns the time of the next check. */
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
    const completeness = isTransformed ? this.#input?.end : this.#importCompleteness(kind)
    this.passPages()
    this.out.put({ kind: 'end', completeness: completeness ?? { kind: 'incomplete' } })
    this.out.close()
  }

  /**
   * Completeness of an import that has ended. Passes on the listed records that did not come: as kept if the sender counted them
   * as not sent (unchanged, refused or dropped there), else as refused if they can be named.
   */
  #importCompleteness(kind: Ending['kind']): Completeness {
    const list = this.#state.list
    if (kind === 'done') {
      for (const sourceId of this.#state.missingIds)
        this.out.put({ kind: 'skipped', sourceId, reason: 'listed and not sent', isKept: true })
      return this.#context.completeness(list ?? { complete: true })
    }
    if (!list) {
      const detail = `${this.#state.returned} records came, but no list of identifiers: nothing says that these were all`
      return { kind: 'incomplete', problem: new Failure('source-truncated', detail) }
    }
    const missing = this.#state.missingIds
    const detail = `${missing.size} of ${list.ids.size} listed records did not come`
    // If the list counts fewer records than ids, unchanged ones were not sent, and the missing ones cannot be named.
    const isNamed = list.records === undefined || list.records >= list.ids.size
    const unsent = 'the segment listed the record but did not send it'
    for (const sourceId of isNamed ? missing : []) {
      const problem = new Failure('segment-record-missing', unsent)
      this.out.put({ kind: 'refused', sourceId, stage: 'import', problem })
    }
    return { kind: 'incomplete', problem: new Failure('segment-record-missing', detail) }
  }
}

type IdentifiedRecord = ArrivedRecord & { readonly id: string }
