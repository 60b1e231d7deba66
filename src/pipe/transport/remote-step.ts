/**
 * A segment of another process as a step of this one: records go out one by one with the address where the output is given
 * back, what comes back is written to the spool at once, and is read from there in its order.
 */

import { hash } from 'node:crypto'
import { Failure } from '../../errors.ts'
import { problems } from '../../http/problem.ts'
import { untilAborted } from '../chain.ts'
import { defined } from '../defined.ts'
import type { Endpoint, Payload, Pipe, Segment } from '../document.ts'
import {
  type Completeness,
  droppedBySegment,
  type Message,
  type RecordMessage,
} from '../message.ts'
import { catalogueOf } from '../pipe-check.ts'
import { storedProblem, tellFindings } from '../runs/run.ts'
import type { SegmentContext, SegmentFunction } from '../segment.ts'
import {
  type Arrival,
  arrivalOf,
  deletedPayload,
  following,
  type Identify,
  listPayload,
  nameless,
  outgoing,
  problemPayload,
  recordPayload,
  understandsProblems,
} from './envelope.ts'
import { Outbox, type Post } from './http-sender.ts'
import { idOf, RemoteOutput, type RemoteOutputContext } from './remote-output.ts'
import type { ReturnPlace, ReturnSpool } from './returns.ts'
import type { TransportContext } from './transport-limits.ts'

type RemoteStepContext = Pick<TransportContext, 'limits' | 'now' | 'pause'> & {
  /** With run id and start in its header. */
  readonly pipe: Pipe
  readonly segment: Segment
  readonly post: Post
  /** Absent: what the segment gives goes elsewhere, or nowhere. */
  readonly back?: ReturnTarget
}

/** Where what the segment gives comes back to, and how it is read. */
export type ReturnTarget = {
  readonly endpoint: Endpoint
  /** Opens the place; the function closes it. */
  readonly open: (place: ReturnPlace) => () => void
  readonly spool: () => ReturnSpool
  readonly identify?: Identify
  /** What comes next writes it: a record as its source has it is of no use there. */
  readonly wantsRdf?: boolean
}

const beatMs = 30_000
/** Silence after which a run that only listens makes room for another one. */
const restMs = 1000

/**
 * Gives what comes back, in the order in which it does; `page` and `end` only after everything before them has come back or
 * was given up. Without `back` it gives `page` and `end` alone, when everything was taken over.
 */
export const remoteStep =
  (options: RemoteStepContext): SegmentFunction =>
  (input, context, signal) => {
    const over = new AbortController()
    return new RemoteStep(options, context, AbortSignal.any([signal, over.signal])).run(input, over)
  }

class RemoteStep {
  readonly #options: RemoteStepContext
  readonly #context: SegmentContext
  readonly #signal: AbortSignal
  readonly #output: RemoteOutput
  readonly #spool: ReturnSpool | undefined
  readonly #outbox: Outbox
  readonly #isFirst: boolean
  /** Every id that the source offers. */
  readonly #ids = new Set<string>()
  readonly #catalogue: string | undefined
  #sent = 0
  #total: number | undefined

  constructor(options: RemoteStepContext, context: SegmentContext, signal: AbortSignal) {
    const { pipe, segment, back, limits, post, now } = options
    const { segmentNumber } = segment.header
    this.#options = options
    this.#context = context
    this.#signal = signal
    this.#isFirst = pipe.body.segments[0]?.header.segmentNumber === segmentNumber
    this.#catalogue = catalogueOf(pipe.body.segments)
    this.#spool = back?.spool()
    this.#outbox = new Outbox(post, limits.sending, signal)
    const isLast = following(pipe, segmentNumber) === undefined
    this.#output = new RemoteOutput({
      imports: this.#isFirst && back !== undefined,
      stage: this.#isFirst ? 'import' : isLast ? 'export' : 'transform',
      completeness: listCompleteness(pipe, segment),
      context,
      limits,
      now,
    })
  }

  /** The messages for the next segment; `over` ends the sending and the reading. */
  async *run(input: AsyncIterable<Message>, over: AbortController): AsyncGenerator<Message> {
    const { out } = this.#output
    const close = this.#spool && this.#options.back?.open(this.#place(this.#spool))
    const work = [this.#work(input), this.#read()]
    const ended = work.map((one) => one.catch((error: unknown) => out.close(error)))
    try {
      yield* out
    } finally {
      over.abort(new Failure('run-cancelled', 'the step has ended'))
      close?.()
      this.#context.rest?.(false)
      await this.#spool?.close()
      await Promise.all(ended)
    }
  }

  /** What comes is written down at once; whoever brings it is never asked to wait. */
  #place(spool: ReturnSpool): ReturnPlace {
    const { sink } = this.#context
    return {
      take: async (payload) => {
        // A list that is none is refused while somebody hears it.
        arrivalOf(payload)
        await spool.put(JSON.stringify(payload))
        sink.alive()
        this.#output.touch()
      },
      refused: ({ kind, detail }) => {
        const status = `${problems[kind].status}: ${detail}`
        sink.finding({ slug: 'segment-return-refused', detail: status })
      },
      late: () => sink.finding({ slug: 'segment-return-late', detail: 'after the end' }),
    }
  }

  async #read(): Promise<void> {
    const { back } = this.#options
    const { out } = this.#output
    if (!this.#spool || !back) return
    for await (const text of untilAborted(this.#spool[Symbol.asyncIterator](), this.#signal)) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what was written by ourselves a moment ago
      const arrival = await readable(arrivalOf(JSON.parse(text) as Payload), back)
      while (!out.hasRoom(text.length)) await out.room(this.#signal)
      this.#output.accept(arrival, text.length)
    }
  }

  async #work(input: AsyncIterable<Message>): Promise<void> {
    let end: Completeness | undefined
    let isListed: boolean | undefined
    if (this.#isFirst) {
      const failure = await this.#handedOver(undefined)
      if (failure) throw failure
    } else {
      for await (const message of untilAborted(input[Symbol.asyncIterator](), this.#signal)) {
        if (message.kind === 'end') end = message.completeness
        else await this.#send(message)
      }
      await this.#outbox.drained()
      isListed = await this.#list(end)
    }
    const wantsList = isListed === true && this.#options.back !== undefined
    this.#output.inputEnded(isListed === false ? unlisted : end, wantsList)
    await this.#watch()
  }

  async #send(message: Message): Promise<void> {
    const { out } = this.#output
    if (message.kind === 'record') return this.#sendRecord(message)
    if (message.kind === 'page') return this.#output.page(message)
    if (message.kind === 'total') this.#total = message.total
    this.#note(offeredId(message))
    if (!this.#options.back) return this.#pass(message)
    await out.room(this.#signal)
    return out.put(message)
  }

  async #sendRecord(record: RecordMessage): Promise<void> {
    const { back } = this.#options
    const { sink, dryRun } = this.#context
    const output = this.#output
    this.#note(idOf(record))
    // No exporter of this run will tell them.
    if (!back) tellFindings(sink, record)
    if (dryRun && !back) return
    await this.#room()
    const id = idOf(record)
    output.add(record)
    this.#sent += 1
    await this.#post(recordPayload(record, this.#standing(record.counter)), (failure) => {
      if (failure) this.#lost(record, failure)
      else if (back) output.taken(id)
      else {
        output.settle(id)
        output.release()
      }
    })
  }

  #note(id: string | undefined): void {
    const { records } = this.#options.limits
    if (id !== undefined) this.#ids.add(id)
    if (this.#ids.size > records) {
      throw new Failure('too-large', `a run has at most ${records} records`)
    }
  }

  /** Waits until the segment may have one more. */
  async #room(): Promise<void> {
    const { back, now, limits } = this.#options
    for (;;) {
      const ms = back ? this.#output.roomAt() - now() : 0
      if (ms <= 0) break
      this.#context.sink.alive()
      await this.#change(Math.min(ms, beatMs))
    }
    // By HTTP, a record that has been out for long is not waited for; a queue keeps it until somebody works on it.
    if (limits.inFlight < limits.held) this.#output.skip(limits.held)
    await this.#output.out.room(this.#signal)
  }

  #standing(counter: number) {
    return defined({ counter, total: this.#total, catalogue: this.#catalogue })
  }

  #post(payload: Payload | undefined, done: (failure?: Failure) => void): Promise<void> {
    const { pipe, segment, back } = this.#options
    const load = defined({ payload, back: back?.endpoint })
    return this.#outbox.send(outgoing(pipe, segment.header.segmentNumber, load), done)
  }

  /** The same, when it has arrived: why it did not. */
  async #handedOver(payload: Payload | undefined): Promise<Failure | undefined> {
    let why: Failure | undefined
    await this.#post(payload, (failure) => void (why = failure))
    await this.#outbox.drained()
    return why
  }

  /** Nobody took the record over. Where nothing comes back, nobody else will tell the run. */
  #lost(record: RecordMessage, failure: Failure): void {
    const { back, segment } = this.#options
    const { sourceId } = record
    const originalId = idOf(record)
    if (back) return this.#output.refuse(originalId, failure)
    this.#output.settle(originalId)
    this.#output.release()
    const about = { err: failure, segment: segment.header.name, id: originalId }
    this.#context.log.warn(about, 'message.lost')
    const problem = storedProblem(failure)
    return this.#context.sink.item({
      sourceId,
      originalId,
      stage: 'export',
      state: 'failed',
      problem,
    })
  }

  /** What is no record, where nothing comes back: told to the next segment, or to the run. */
  async #pass(message: Exclude<Message, { kind: 'record' | 'page' }>): Promise<void> {
    const { sink, dryRun } = this.#context
    const standing = this.#standing(this.#sent)
    const ignore = () => undefined
    if (message.kind === 'deleted' && !dryRun) {
      await this.#post(deletedPayload(message.sourceId, standing), ignore)
    } else if (message.kind === 'unchanged' || message.kind === 'skipped') {
      const { sourceId, kind: state } = message
      const note = message.kind === 'skipped' ? message.reason : undefined
      sink.item(defined({ sourceId, stage: 'import', state, note }))
    } else if (message.kind === 'refused') {
      const { sourceId, stage, problem } = message
      if (understandsProblems(this.#options.segment.body.endpoint)) {
        await this.#post(problemPayload(message, sourceId, standing), ignore)
      } else {
        const why = storedProblem(problem)
        sink.item(defined({ sourceId, stage, state: 'failed', problem: why }))
      }
    }
  }

  /**
   * Whether the list was handed over; `undefined` when there is none to be. Others than our own would remove what an
   * incomplete one does not hold.
   */
  async #list(end: Completeness | undefined): Promise<boolean | undefined> {
    const { segment, back } = this.#options
    if (!end || (this.#context.dryRun && !back)) return undefined
    const isUnderstood = !back && understandsProblems(segment.body.endpoint)
    if (end.kind !== 'complete' && !isUnderstood) return undefined
    const about = defined({ completeness: end, catalogue: this.#catalogue })
    return !(await this.#handedOver(listPayload([...this.#ids], this.#sent, about)))
  }

  /** Until nothing more can come. Until then the run is alive; one that only listens rests. */
  async #watch(): Promise<void> {
    const { now } = this.#options
    for (;;) {
      // What has arrived and is not read yet belongs to it.
      const isRead = this.#spool?.isEmpty ?? true
      const until = isRead ? this.#output.check() : Infinity
      if (until === undefined) return
      const isQuiet = now() - this.#output.quietSince >= restMs
      if (this.#isFirst) this.#context.rest?.(isQuiet)
      this.#context.sink.alive()
      const most = this.#isFirst && !isQuiet ? restMs : beatMs
      await this.#change(Math.min(Math.max(until - now(), 1), most))
    }
  }

  /** Waits for the next change of the output or for so many ms; rejects with the signal's reason. */
  async #change(ms: number): Promise<void> {
    const over = new AbortController()
    const paused = this.#options.pause(ms, AbortSignal.any([this.#signal, over.signal]))
    try {
      const changed = this.#output.changed.next(this.#signal)
      await Promise.race([changed, paused.catch(() => undefined)])
      this.#signal.throwIfAborted()
    } finally {
      over.abort()
    }
  }
}

const unlisted: Completeness = {
  kind: 'incomplete',
  problem: new Failure('export-failed', 'the list of identifiers could not be handed over'),
}

/** What the list of an importer vouches for: one of changes only, or one that says so itself, is no list of everything. */
export function listCompleteness(
  { header }: Pipe,
  importer: Segment,
): RemoteOutputContext['completeness'] {
  const { config } = importer.body
  const said = JSON.stringify([header.name, importer.header.name, config])
  return ({ complete, fingerprint = `foreign ${hash('sha256', said)}` }) =>
    complete && config['incremental'] !== true
      ? { kind: 'complete', fingerprint }
      : { kind: 'incomplete' }
}

/** The id of what is not sent and still offered: its absence must not look like a removal. */
function offeredId(message: Message): string | undefined {
  if (message.kind === 'unchanged') return message.originalId
  if (message.kind === 'refused') return message.sourceId
  return message.kind === 'skipped' && message.reason === droppedBySegment
    ? message.sourceId
    : undefined
}

/** With an identifier, and as what comes next can read it; else as a problem. */
async function readable(arrival: Arrival, { identify, wantsRdf }: ReturnTarget): Promise<Arrival> {
  if (arrival.kind !== 'record') return arrival
  const id = arrival.id ?? (await identify?.(arrival))
  if (id === undefined) return nameless(arrival)
  const { key, mediaType, extra } = arrival
  const isSourceJson =
    /^application\/json\s*(;|$)/i.test(mediaType) && extra['content'] === undefined
  if (wantsRdf !== true || !isSourceJson) return { ...arrival, id }
  const detail =
    'it is JSON as its source has it: a transformer has to make RDF of it before it is written'
  const problem = new Failure('item-malformed', detail)
  return { kind: 'problem', key, id, stage: 'export', problem }
}
