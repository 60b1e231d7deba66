/** What a segment of another process gives in one run: the messages for the next segment, and when there are no more. */

import { Failure } from '../../errors.ts'
import { Channel } from '../../workers/channel.ts'
import { conditionVariable } from '../../workers/condition.ts'
import { type Completeness, droppedBySegment, type Message, type Stage } from '../message.ts'
import { tellFindings } from '../runs/run.ts'
import type { SegmentContext } from '../segment.ts'
import type { Arrival, ArrivedList, ArrivedRecord } from './envelope.ts'
import {
  type Ending,
  importEnding,
  PendingRecords,
  type SentRecord,
  transformEnding,
} from './remote-pending.ts'
import type { TransportLimits } from './transport-limits.ts'

export type RemoteOutputContext = {
  /** The segment imports by itself: what it gives says how much comes. */
  readonly imports: boolean
  readonly stage: Stage
  /** End of an import whose list has arrived with all its records. */
  readonly completeness: (list: { complete: boolean; fingerprint?: string }) => Completeness
  readonly context: SegmentContext
  readonly limits: TransportLimits
  readonly now: () => number
}

type Returned = Exclude<Arrival, { readonly kind: 'start' }>

export class RemoteOutput {
  /** What goes to the next segment. */
  readonly out: Channel<Message>
  readonly pending: PendingRecords
  /** Notifies whenever something has come or is settled. */
  readonly changed = conditionVariable()
  readonly #context: RemoteOutputContext
  readonly #began: number
  /** Keys of the messages that came. */
  readonly #seen = new Set<string>()
  /** Distinct ids that came. */
  readonly #ids = new Set<string>()
  #records = 0
  #sent = 0
  #last: number
  #total: number | undefined
  #list: ArrivedList | undefined
  /** Ids of the list that have not come. */
  #missing = new Set<string>()
  #input: { readonly end: Completeness | undefined; readonly wantsList: boolean } | undefined
  #isDone = false

  constructor(context: RemoteOutputContext) {
    const { limits, now } = context
    this.#context = context
    this.out = new Channel({ items: limits.queued, weight: limits.queuedBytes })
    this.pending = new PendingRecords(limits, now)
    this.#began = now()
    this.#last = this.#began
  }

  /** Ms of the clock since which nothing has come. */
  get quietSince(): number {
    return this.#last
  }

  /** A message is being written down. */
  arrived(): void {
    this.#context.context.sink.alive()
    this.#touch()
  }

  /** The segment has the record. */
  taken(number: number): void {
    this.#sent += 1
    this.pending.taken(number)
    this.#touch()
  }

  /** Takes what came back; a repeat means nothing. */
  accept(arrival: Returned, weight: number): void {
    if (this.#isDone) this.#late(arrival)
    else if (arrival.kind === 'list') this.#listed(arrival)
    else this.#returned(arrival, weight)
    this.release()
  }

  /** The record goes no further. */
  refuse(number: number, problem: Failure): void {
    const record = this.pending.settle(number)
    if (record) {
      const { stage, context } = this.#context
      tellFindings(context.sink, record)
      const { sourceId, sourceUrl } = record
      const named = { sourceId, ...(sourceUrl !== undefined && { sourceUrl }) }
      this.out.put({ kind: 'refused', stage, problem, ...named })
    }
    this.release()
  }

  /** The oldest records that nobody gave back make room for another one. */
  forget(): void {
    for (const record of this.pending.forget()) this.#skip(record)
    this.release()
  }

  /** Hands on the pages whose records have come back. */
  release(): void {
    for (const page of this.pending.pages()) this.out.put(page)
    this.changed.notify()
  }

  /** Nothing more is sent; when what is out has come back, the output ends like this. */
  inputEnded(end: Completeness | undefined, wantsList: boolean): void {
    this.#input = { end, wantsList }
    this.#touch()
  }

  /** Ends the output when it is time; else until when nothing changes unless something comes. */
  check(): number | undefined {
    const ending = this.#ending()
    if (ending?.kind === 'wait') return ending.until
    if (ending) this.#finish(ending)
    return undefined
  }

  #touch(): void {
    this.#last = this.#context.now()
    this.changed.notify()
  }

  /** `undefined` once it is over. */
  #ending(): Ending | undefined {
    const { limits, now, imports } = this.#context
    if (this.#isDone) return undefined
    if (!this.#input) return { kind: 'wait', until: Infinity }
    const common = { last: this.#last, records: this.#records, list: this.#list }
    if (imports) {
      const missing = this.#missing.size
      const given = { ...common, began: this.#began, total: this.#total, missing }
      return importEnding(given, limits, now())
    }
    const given = {
      last: this.#last,
      sent: this.#sent,
      returned: this.#seen.size,
      out: this.pending.size,
      wantsList: this.#input.wantsList,
      hasList: this.#list !== undefined,
      slowestMs: this.pending.slowestMs,
    }
    return transformEnding(given, limits, now())
  }

  #finish(ending: Exclude<Ending, { readonly kind: 'wait' }>): void {
    this.#isDone = true
    if (ending.kind === 'silent') return this.out.close(ending.problem)
    const { imports } = this.#context
    if (!imports) for (const record of this.pending.rest()) this.#skip(record)
    const completeness = imports ? this.#imported(ending.kind) : this.#input?.end
    this.release()
    this.out.put({ kind: 'end', completeness: completeness ?? { kind: 'incomplete' } })
    this.out.close()
    return undefined
  }

  /** What an importer has brought is complete when everything is there that it has named. */
  #imported(kind: Ending['kind']): Completeness {
    const list = this.#list
    if (kind === 'done') return this.#context.completeness(list ?? { complete: true })
    if (!list) {
      const detail = `${this.#records} records came and no list of identifiers: this segment tells no end`
      return { kind: 'incomplete', problem: new Failure('source-truncated', detail) }
    }
    const missing = this.#missing
    const detail = `${missing.size} of ${list.ids.size} listed records did not come`
    // A platform lists what it did not send because it is unchanged: nobody can say which ones are missing.
    const isNamed = list.records === undefined || list.records >= list.ids.size
    for (const sourceId of isNamed ? missing : []) {
      const problem = new Failure(
        'segment-record-missing',
        'the segment listed it and did not send it',
      )
      this.out.put({ kind: 'refused', sourceId, stage: 'import', problem })
    }
    return { kind: 'incomplete', problem: new Failure('segment-record-missing', detail) }
  }

  #late(arrival: Returned): void {
    const detail = ('id' in arrival ? arrival.id : undefined) ?? arrival.kind
    this.#context.context.sink.finding({ slug: 'segment-return-late', detail })
  }

  /** One list per page occurs: what a later one does not hold is not gone. */
  #listed(list: ArrivedList): void {
    const { ids, complete } = this.#list ?? { ids: new Set<string>(), complete: true }
    this.#list = { ...list, ids: ids.union(list.ids), complete: complete && list.complete }
    if (this.#context.imports) this.#missing = this.#list.ids.difference(this.#ids)
  }

  #returned(arrival: Exclude<Returned, ArrivedList>, weight: number): void {
    const { limits, imports, context } = this.#context
    if (this.#seen.has(arrival.key)) return
    if (this.#seen.size >= limits.records) {
      throw new Failure('too-large', `a run has at most ${limits.records} records`)
    }
    this.#seen.add(arrival.key)
    const { id } = arrival
    // What comes twice with other words is one record.
    if (id === undefined || !this.#ids.has(id)) this.#records += 1
    if (id !== undefined) this.#ids.add(id)
    if (id !== undefined) this.#missing.delete(id)
    const sent = id === undefined ? undefined : this.pending.settle(id, true)
    if (arrival.kind === 'deleted') this.out.put({ kind: 'deleted', sourceId: arrival.id })
    else if (arrival.kind === 'problem') {
      const { stage, problem } = arrival
      const sourceId = sent?.sourceId ?? id
      if (imports) context.sink.offered()
      if (sent) tellFindings(context.sink, sent)
      this.out.put({ kind: 'refused', stage, problem, ...(sourceId !== undefined && { sourceId }) })
    } else this.#record(arrival, sent, weight)
  }

  /** What was known of the record is still true; the other process says what it is now. */
  #record(arrival: ArrivedRecord, sent: SentRecord | undefined, weight: number): void {
    const { id: sourceId = '', text, mediaType, extra, aliases, total = -1 } = arrival
    const { imports, context } = this.#context
    if (sent) return this.out.put({ ...sent, text, mediaType, extra }, weight)
    if (imports) {
      context.sink.offered()
      if (total > (this.#total ?? -1)) {
        this.#total = total
        context.sink.total(total)
      }
    }
    if (context.only && !context.only.has(sourceId)) return undefined
    const known = { aliases, text, mediaType, extra, findings: [] }
    return this.out.put({ kind: 'record', counter: this.#records, sourceId, ...known }, weight)
  }

  #skip(record: SentRecord): void {
    tellFindings(this.#context.context.sink, record)
    this.out.put({ kind: 'skipped', sourceId: record.sourceId, reason: droppedBySegment })
  }
}
