/**
 * Runs a segment of another process as a step of a run: sends it records one by one. With a return address (`ReturnTarget`),
 * writes the messages that it returns to a spool on disk, and reads them from there in order.
 */

import { hash } from 'node:crypto'
import { Failure } from '../../errors.ts'
import { problems } from '../../http/problem.ts'
import { untilAborted } from '../chain.ts'
import type { Endpoint, Payload, Pipe, Segment } from '../document.ts'
import {
  type Completeness,
  droppedBySegment,
  type Message,
  type RecordMessage,
} from '../message.ts'
import { catalogueOf } from '../pipe-check.ts'
import { storedProblem, reportFindings } from '../runs/run.ts'
import type { SegmentContext, SegmentFunction } from '../segment.ts'
import {
  type Arrival,
  parseArrival,
  deletedPayload,
  segmentAfter,
  type Identify,
  listPayload,
  withoutIdentifier,
  outgoingPipe,
  problemPayload,
  recordPayload,
  type RecordPosition,
  understandsProblems,
} from './envelope.ts'
import { Outbox, type SendMessage } from './http-sender.ts'
import { idOf, Inbox, type InboxContext } from './inbox.ts'
import type { ReturnPlace, ReturnSpool } from './return-places.ts'
import type { TransportContext } from './transport-limits.ts'

type RemoteStepContext = Pick<TransportContext, 'limits' | 'now' | 'pause'> & {
  /** Contains run id and start in its header. */
  readonly pipe: Pipe
  readonly segment: Segment
  readonly post: SendMessage
  /** Destination of the output; absent if it is not returned to this process. */
  readonly returns?: ReturnTarget
}

/** Destination of a segment's output in this process, and how to read it. */
export type ReturnTarget = {
  readonly endpoint: Endpoint
  /** Starts to receive; the returned function stops it. */
  readonly open: (place: ReturnPlace) => () => void
  readonly spool: () => ReturnSpool
  readonly identify?: Identify
  /** The next segment is an exporter, which needs RDF. */
  readonly wantsRdf?: boolean
}

/**
 * Creates the step. It yields returned records in order of arrival, `page` and `end` when all records before them were
 * returned, refused or given up, and other messages at once. Without `returns` it yields only `page` and `end`, when all
 * records before them were accepted or have failed.
 */
export const remoteStep =
  (options: RemoteStepContext): SegmentFunction =>
  (input, context, signal) => {
    const ended = new AbortController()
    return new RemoteStep(options, context, AbortSignal.any([signal, ended.signal])).run(
      input,
      ended,
    )
  }

class RemoteStep {
  readonly #options: RemoteStepContext
  readonly #context: SegmentContext
  readonly #signal: AbortSignal
  readonly #inbox: Inbox
  readonly #spool: ReturnSpool | undefined
  readonly #outbox: Outbox
  /** The segment is the first of the pipe: it is sent one message without a payload, which starts it. */
  readonly #isFirst: boolean
  /** Ids that the source offers, for the final list. */
  readonly #ids = new Set<string>()
  readonly #catalogue: string | undefined
  /** Number of sent records, deletions and problems. */
  #sent = 0
  /** Number of records that the source declares. */
  #total: number | undefined

  constructor(options: RemoteStepContext, context: SegmentContext, signal: AbortSignal) {
    const { pipe, segment, returns, limits, post, now, pause } = options
    const { segmentNumber } = segment.header
    this.#options = options
    this.#context = context
    this.#signal = signal
    this.#isFirst = pipe.body.segments[0]?.header.segmentNumber === segmentNumber
    this.#catalogue = catalogueOf(pipe.body.segments)
    this.#spool = returns?.spool()
    this.#outbox = new Outbox(post, limits.sending, signal)
    const isLast = segmentAfter(pipe, segmentNumber) === undefined
    this.#inbox = new Inbox({
      role: this.#isFirst && returns ? 'importer' : 'transformer',
      stage: this.#isFirst ? 'import' : isLast ? 'export' : 'transform',
      completeness: listCompleteness(pipe, segment),
      context,
      limits,
      now,
      pause,
    })
  }

  /** Yields messages for the next segment; aborts `ended` at its end, which stops sending and receiving. */
  async *run(input: AsyncIterable<Message>, ended: AbortController): AsyncGenerator<Message> {
    const { out } = this.#inbox
    const close = this.#spool && this.#options.returns?.open(this.#place(this.#spool))
    const tasks = [this.#work(input), this.#read()]
    const closed = tasks.map((task) => task.catch((error: unknown) => out.close(error)))
    try {
      yield* out
    } finally {
      ended.abort(new Failure('run-cancelled', 'the step has ended'))
      close?.()
      this.#context.setIdle?.(false)
      await this.#spool?.close()
      await Promise.all(closed)
    }
  }

  /** Receives messages and writes them to the spool at once, so that senders do not wait for the next segment. */
  #place(spool: ReturnSpool): ReturnPlace {
    const { sink } = this.#context
    return {
      take: async (payload) => {
        // Refuses a malformed list while the sender can still be answered.
        parseArrival(payload)
        await spool.put(JSON.stringify(payload))
        sink.alive()
        this.#inbox.noteActivity()
      },
      onRefused: ({ kind, detail }) => {
        const status = `${problems[kind].status}: ${detail}`
        sink.finding({ slug: 'segment-return-refused', detail: status })
      },
      onLate: ({ body }) => {
        // Some importers send their list a fixed time after the last record, so a late list is no loss.
        if (body.dataInfo?.['content'] === 'identifierList') return
        const detail = 'the message came after the end of the run'
        sink.finding({ slug: 'segment-return-late', detail })
      },
    }
  }

  async #read(): Promise<void> {
    const { returns } = this.#options
    const { out } = this.#inbox
    if (!this.#spool || !returns) return
    for await (const text of untilAborted(this.#spool[Symbol.asyncIterator](), this.#signal)) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what was written by ourselves a moment ago
      const arrival = await prepareArrival(parseArrival(JSON.parse(text) as Payload), returns)
      while (!out.hasRoom(text.length)) await out.room(this.#signal)
      this.#inbox.accept(arrival, text.length)
    }
  }

  async #work(input: AsyncIterable<Message>): Promise<void> {
    const { returns } = this.#options
    let end: Completeness | undefined
    let isListed: boolean | undefined
    if (this.#isFirst) {
      const failure = await this.#sendAndWait(undefined)
      if (failure) throw failure
    } else {
      for await (const message of untilAborted(input[Symbol.asyncIterator](), this.#signal)) {
        if (message.kind === 'end') end = message.completeness
        else await this.#sendMessage(message)
      }
      await this.#outbox.waitUntilSent()
      isListed = await this.#list(end)
    }
    this.#inbox.inputEnded(isListed === false ? listNotSent : end, isListed === true && !!returns)
    const { sink, setIdle } = this.#context
    // The end is decided only when everything that arrived was read.
    const isRead = () => this.#spool?.isEmpty ?? true
    await this.#inbox.watch(this.#signal, isRead, (isQuiet) => {
      if (this.#isFirst) setIdle?.(isQuiet)
      sink.alive()
    })
  }

  async #sendMessage(message: Message): Promise<void> {
    const { out } = this.#inbox
    if (message.kind === 'record') return this.#sendRecord(message)
    if (message.kind === 'page') return this.#inbox.page(message)
    if (message.kind === 'total') this.#total = message.total
    this.#registerId(offeredId(message))
    if (!this.#options.returns) return this.#forward(message)
    await out.room(this.#signal)
    return out.put(message)
  }

  async #sendRecord(record: RecordMessage): Promise<void> {
    const { returns } = this.#options
    const { sink, dryRun } = this.#context
    const inbox = this.#inbox
    const id = idOf(record)
    this.#registerId(id)
    // This process has no exporter that would report them.
    if (!returns) reportFindings(sink, record)
    if (dryRun && !returns) return
    if (returns) await inbox.waitForSlot(this.#signal, () => sink.alive())
    inbox.add(record)
    await this.#post(
      (position) => recordPayload(record, position),
      (failure) => {
        if (failure && !returns) this.#reportLost(record, failure)
        else if (failure) inbox.refuse(id, failure)
        else if (returns) inbox.markAccepted(id)
        if (returns) return
        inbox.settle(id)
        inbox.passPages()
      },
      record.counter,
    )
  }

  #registerId(id: string | undefined): void {
    const { records } = this.#options.limits
    if (id !== undefined) this.#ids.add(id)
    if (this.#ids.size > records) {
      throw new Failure('too-large', `a run has at most ${records} records`)
    }
  }

  /** Sends the payload of one record, deletion or problem, and counts it for the final list. */
  #post(
    payload: (position: RecordPosition) => Payload,
    onSent: (failure?: Failure) => void,
    counter = this.#sent + 1,
  ): Promise<void> {
    this.#sent += 1
    const position = { counter, total: this.#total, catalogue: this.#catalogue }
    return this.#send(payload(position), onSent)
  }

  #send(payload: Payload | undefined, onSent: (failure?: Failure) => void): Promise<void> {
    const { pipe, segment, returns } = this.#options
    const output = { payload, returnTo: returns?.endpoint }
    return this.#outbox.send(outgoingPipe(pipe, segment.header.segmentNumber, output), onSent)
  }

  /** Sends a payload and waits; resolves with the failure, if any. */
  async #sendAndWait(payload: Payload | undefined): Promise<Failure | undefined> {
    let sendFailure: Failure | undefined
    await this.#send(payload, (failure) => void (sendFailure = failure))
    await this.#outbox.waitUntilSent()
    return sendFailure
  }

  /** Reports a record that was not accepted to the run; used only if nothing is returned. */
  #reportLost(record: RecordMessage, failure: Failure): void {
    const { sourceId } = record
    const originalId = idOf(record)
    const { log, sink } = this.#context
    log.warn(
      { err: failure, segment: this.#options.segment.header.name, id: originalId },
      'message.lost',
    )
    const problem = storedProblem(failure)
    sink.item({ sourceId, originalId, stage: 'export', state: 'failed', problem })
  }

  /**
   * Forwards messages other than records when nothing is returned: deletions, and problems if the receiver understands them, to
   * the segment; `unchanged`, `skipped` and other problems to the run.
   */
  async #forward(message: Exclude<Message, { kind: 'record' | 'page' }>): Promise<void> {
    const { sink, dryRun } = this.#context
    const ignore = () => undefined
    if (message.kind === 'deleted' && !dryRun) {
      await this.#post((position) => deletedPayload(message.sourceId, position), ignore)
    } else if (message.kind === 'unchanged' || message.kind === 'skipped') {
      const { sourceId, kind: state } = message
      const note = message.kind === 'skipped' ? message.reason : undefined
      sink.item({ sourceId, stage: 'import', state, note })
    } else if (message.kind === 'refused') {
      const { sourceId, stage, problem } = message
      if (understandsProblems(this.#options.segment.body.endpoint)) {
        await this.#post((position) => problemPayload(message, sourceId, position), ignore)
      } else {
        const why = storedProblem(problem)
        sink.item({ sourceId, stage, state: 'failed', problem: why })
      }
    }
  }

  /**
   * Sends the list of ids; resolves with whether it was accepted, `undefined` if there is none to send. Lists that are not
   * complete go only to platforms of this kind: others would remove what they do not contain.
   */
  async #list(end: Completeness | undefined): Promise<boolean | undefined> {
    const { segment, returns } = this.#options
    if (!end || (this.#context.dryRun && !returns)) return undefined
    const isUnderstood = !returns && understandsProblems(segment.body.endpoint)
    if (end.kind !== 'complete' && !isUnderstood) return undefined
    const listInfo = { completeness: end, catalogue: this.#catalogue }
    return !(await this.#sendAndWait(listPayload([...this.#ids], this.#sent, listInfo)))
  }
}

/** End of a transformer's stream whose list could not be sent. */
const listNotSent: Completeness = {
  kind: 'incomplete',
  problem: new Failure('export-failed', 'the list of identifiers could not be handed over'),
}

/**
 * Returns a function from the list of an importer to the completeness of the import: incomplete if the list is marked so, or
 * if the importer sends changes only.
 */
export function listCompleteness(
  { header }: Pipe,
  importer: Segment,
): InboxContext['completeness'] {
  const { config } = importer.body
  const identity = JSON.stringify([header.name, importer.header.name, config])
  return ({ complete, fingerprint = `foreign ${hash('sha256', identity)}` }) =>
    complete && config['incremental'] !== true
      ? { kind: 'complete', fingerprint }
      : { kind: 'incomplete' }
}

/** Id of a record that is not sent as such and must not be removed; it belongs into the list. */
function offeredId(message: Message): string | undefined {
  if (message.kind === 'unchanged') return message.originalId
  if (message.kind === 'refused') return message.sourceId
  const isOffered =
    message.kind === 'skipped' && (message.isKept || message.reason === droppedBySegment)
  return isOffered ? message.sourceId : undefined
}

/**
 * Adds a missing identifier. Returns a problem if none is found, or if the next segment needs RDF and the record is JSON as its
 * source has it.
 */
async function prepareArrival(
  arrival: Arrival,
  { identify, wantsRdf }: ReturnTarget,
): Promise<Arrival> {
  if (arrival.kind !== 'record') return arrival
  const id = arrival.id ?? (await identify?.(arrival))
  if (id === undefined) return withoutIdentifier(arrival)
  const { key, mediaType, extra } = arrival
  const isSourceJson =
    /^application\/json\s*(;|$)/i.test(mediaType) && extra['content'] === undefined
  if (wantsRdf !== true || !isSourceJson) return { ...arrival, id }
  const detail =
    'it is JSON as its source has it: add a transformer to the pipe that makes RDF of it'
  const problem = new Failure('item-malformed', detail)
  return { kind: 'problem', key, id, stage: 'export', problem }
}
