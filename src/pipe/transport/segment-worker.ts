/**
 * Runs segments of this process for runs of other processes. Messages arrive over HTTP (`segments-app.ts`) or from a broker;
 * each goes to the stream of its run and segment.
 */

import { Failure, shown } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { chain } from '../chain.ts'
import { normalName, type Placement, plainQueuesFor, segmentResolver } from '../segment-resolver.ts'
import type { Pipe, Segment } from '../document.ts'
import type { Message } from '../message.ts'
import { configComplaints, segmentPlaces } from '../pipe-check.ts'
import { type RunSink, slugOf } from '../runs/run.ts'
import type { SegmentFunction, SegmentKind } from '../segment.ts'
import { type Arrival, parseArrival, targetSegment } from './envelope.ts'
import type { SendMessage } from './http-sender.ts'
import { Inbox, type InboxContext } from './inbox.ts'
import type { Delivery } from './broker.ts'
import { listCompleteness, remoteStep } from './remote-step.ts'
import { queueLimits, type TransportContext } from './transport-limits.ts'

/** Creates the sender to another segment; `via` is the broker that delivered the message. */
type PostTo = (
  placement: Extract<Placement, { readonly kind: 'http' | 'bus' }>,
  via: string | undefined,
) => SendMessage

/** Origin of a message: over a broker its address and the acknowledgement, over HTTP neither. */
type Source = { readonly via?: string; readonly delivery?: Delivery }

type OpenStream = {
  /** Absent for a segment that starts by itself. */
  readonly stream: ArrivingStream | undefined
  /** Resolves with whether all steps have ended without an error. */
  readonly done: Promise<boolean>
}

type StreamWork = {
  readonly stream: ArrivingStream | undefined
  readonly sink: ReturnType<typeof logSink>
  readonly log: Log
}

/** A message with run id and start in its header, and its target segment. */
type Task = Source & { readonly message: Pipe; readonly target: Segment; readonly runId: string }

/** Time in ms that steps get to end after an abort. */
const graceMs = 10_000
/** Maximum number of remembered complete streams. */
const mostRemembered = 1000

export class SegmentWorker {
  readonly #context: TransportContext
  readonly #postTo: PostTo
  readonly #entries = new Map<string, OpenStream>()
  /** Keys of complete streams, the oldest first; their further messages are repeats. */
  readonly #complete = new Set<string>()
  readonly #stopping = new AbortController()

  constructor(context: TransportContext, postTo: PostTo) {
    this.#context = context
    this.#postTo = postTo
  }

  /**
   * Accepts a message; returns the id of its run. Throws `unknown-segment`, `invalid-pipe`, `invalid-parameter` (no payload,
   * a malformed list, or all segments processed), `address-refused`, `queue-full`, `too-large`, and `run-interrupted` after
   * `stop`.
   */
  take(message: Pipe, { via, delivery }: Source = {}): string {
    const { kinds, makeId } = this.#context
    this.#stopping.signal.throwIfAborted()
    const target = targetSegment(message)
    if (!target)
      throw new Failure('invalid-parameter', 'all segments of the pipe are marked as processed')
    const runId = message.header.runId ?? makeId()
    const key = `${target.header.segmentNumber} ${runId}`
    const isImport = builtInKind(kinds, target.header.name).job === 'import'
    const { payload } = target.body
    const arrival = isImport || !payload ? undefined : parseArrival(payload)
    // Only an importer starts without a payload.
    if (!isImport && !payload) {
      throw new Failure('invalid-parameter', 'the message has no payload for the segment')
    }
    const entry = this.#entries.get(key)
    if (this.#complete.has(key) || (isImport && entry)) delivery?.done()
    else {
      const task = { message, target, runId, via, delivery }
      const { stream } = entry ?? this.#open(key, task, isImport)
      if (arrival) stream?.offer(arrival, payload?.body.data.length ?? 0, delivery)
    }
    return runId
  }

  /** Ends all streams; a broker redelivers unfinished messages. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Failure('run-interrupted', 'the process is stopping'))
    await Promise.all([...this.#entries.values()].map(({ done }) => done))
  }

  /** Opens the steps (may throw) and starts the chain. */
  #open(key: string, task: Task, isImport: boolean): OpenStream {
    const { limits, now, pause, log } = this.#context
    const { message, target, runId } = task
    if (this.#entries.size >= limits.streams) throw queueFull()
    const startTime = message.header.startTime ?? new Date(now()).toISOString()
    const started = { ...message, header: { ...message.header, runId, startTime } }
    const steps = this.#stepsFor({ ...task, message: started })
    const completeness = listCompleteness(message, message.body.segments[0] ?? target)
    const labels = { run: runId, pipe: message.header.name, segment: target.header.name }
    const sink = logSink(log.child(labels))
    const inbox = { limits: queueLimits(limits), now, pause, completeness, context: { sink } }
    const stream = isImport ? undefined : new ArrivingStream(inbox)
    const done = this.#run(task, steps, { stream, sink, log: log.child(labels) })
    done.then(
      (isDone) => this.#ended(key, isDone && stream?.isComplete !== false),
      (err: unknown) => {
        log.error({ err, ...labels }, 'stream.broken')
        this.#ended(key, false)
      },
    )
    const entry = { stream, done }
    this.#entries.set(key, entry)
    return entry
  }

  #ended(key: string, isComplete: boolean): void {
    this.#entries.delete(key)
    if (isComplete) this.#complete.add(key)
    const [oldest = ''] = this.#complete
    if (this.#complete.size > mostRemembered) this.#complete.delete(oldest)
  }

  async #run(
    { message, target, runId, delivery }: Task,
    steps: readonly SegmentFunction[],
    { stream, sink, log }: StreamWork,
  ): Promise<boolean> {
    const ended = new AbortController()
    const settle = (outcome: keyof Delivery) =>
      stream ? stream.settle(outcome) : delivery?.[outcome]()
    log.info({ segmentNumber: target.header.segmentNumber }, 'stream.opened')
    const watching = stream?.watch(ended.signal)
    try {
      const allSteps = stream ? [stream.reading, ...steps, stream.ending] : steps
      const grace = () => this.#context.pause(graceMs, ended.signal).catch(() => undefined)
      const context = { runId, pipe: message.header.name, sink, log, dryRun: false }
      await chain(allSteps, context, this.#stopping.signal, grace)
      settle('done')
      log.info({ counts: sink.counts }, 'stream.finished')
      return true
    } catch (err) {
      settle('failed')
      log.warn({ err }, 'stream.broken')
      return false
    } finally {
      ended.abort()
      await watching
    }
  }

  /**
   * Steps from the target segment on: those of this process, then one that sends the output to the first segment elsewhere.
   * Throws `invalid-pipe`, `unknown-segment` and `address-refused`.
   */
  #stepsFor({ message: pipe, target, via }: Task): readonly SegmentFunction[] {
    const { afterImport, limits, now, pause } = this.#context
    const places = segmentPlaces(pipe, { trust: 'foreign', directory: '' })
    const steps: SegmentFunction[] = []
    let isIdentified = afterImport === undefined
    for (const [index, segment] of pipe.body.segments.entries()) {
      if (segment.header.segmentNumber < target.header.segmentNumber) continue
      const placement = this.#placementOf(segment, target, via)
      if (placement.kind === 'unknown') {
        throw new Failure('unknown-segment', `${shown(segment.header.name)} is not a known segment`)
      }
      if (placement.kind !== 'built-in') {
        const post = this.#postTo(placement, via)
        return [...steps, remoteStep({ pipe, segment, post, limits, now, pause })]
      }
      const { directory: _, ...place } = places[index] ?? { trust: 'foreign' as const }
      const opened = placement.segment.open(segment.body.config, place)
      if (!opened.ok) {
        const detail = `the config of ${shown(segment.header.name)} is not valid`
        const errors = configComplaints(index, opened.problems)
        throw new Failure('invalid-pipe', detail, { errors })
      }
      const { job } = placement.segment
      if (job === 'export' && !isIdentified && afterImport) steps.push(afterImport)
      steps.push(opened.run)
      if (job !== 'import') continue
      if (afterImport) steps.push(afterImport)
      isIdentified = true
    }
    return steps
  }

  /**
   * Location of a segment; the target is in this process. Endpoints in the message take precedence, because they come from the
   * process that runs the pipe.
   */
  #placementOf(segment: Segment, target: Segment, via: string | undefined): Placement {
    const { kinds, resolve, eventbusUrl } = this.#context
    if (segment === target)
      return { kind: 'built-in', segment: builtInKind(kinds, segment.header.name) }
    const byEndpoint = segmentResolver({}, [], plainQueuesFor(via ?? eventbusUrl))(segment)
    return byEndpoint.kind === 'unknown' ? resolve(segment) : byEndpoint
  }
}

/** Built-in segment with that name. Throws `unknown-segment`. */
export function builtInKind(kinds: readonly SegmentKind[], name: string): SegmentKind {
  const normal = normalName(name)
  const kind = kinds.find((kind) => kind.names.some((name) => normalName(name) === normal))
  if (kind) return kind
  throw new Failure('unknown-segment', `there is no segment ${shown(name)} here`)
}

/**
 * Sink that logs the events of a run of another process, which keeps the history. Items are counted by state; failed ones and
 * findings are logged one by one.
 */
export function logSink(log: Log): RunSink & { readonly counts: Readonly<Record<string, number>> } {
  const counts: Record<string, number> = {}
  const count = (name: string, number = 1) => void (counts[name] = (counts[name] ?? 0) + number)
  const ignore = () => undefined
  return {
    counts,
    item({ state, problem, originalId, sourceId, stage }) {
      count(state)
      if (!problem) return
      const about = { id: originalId ?? sourceId, stage, problem: slugOf(problem) }
      log.warn({ ...about, detail: problem.detail }, 'item.failed')
    },
    finding({ slug, detail }, about = {}) {
      log.warn({ id: about.originalId ?? about.sourceId, finding: slug, detail }, 'run.finding')
    },
    offered: (more = 1) => count('offered', more),
    total: ignore,
    adopted: ignore,
    page: ignore,
    request: ignore,
    alive: ignore,
    processed: ignore,
    outcome: ignore,
  }
}

// Stream of the messages of one run for one segment.

/** Failure for too many queued messages of a run. */
const queueFull = (): Failure =>
  new Failure('queue-full', 'too many messages of the run are waiting: send it again later', {
    retryAfter: 1,
  })

/** Prefix of cursors of inserted pages, followed by the number of messages before the page. */
const pagePrefix = 'taken:'
/** Maximum number of messages between two inserted pages. */
const mostUnmarked = 100

/** Messages of one run for one segment, as a stream for its steps, and their acknowledgements. */
export class ArrivingStream {
  readonly #inbox: Inbox
  /** Deliveries to acknowledge when `after` messages were written, in order. */
  readonly #deliveries = new Set<{ readonly delivery: Delivery; readonly after: number }>()
  /** Number of messages in the stream, without lists. */
  #count = 0
  /** Outcome of the whole stream; absent while it is processed. */
  #outcome: keyof Delivery | undefined

  constructor(context: Omit<InboxContext, 'role' | 'stage'>) {
    this.#inbox = new Inbox({ ...context, role: 'sender', stage: 'import' })
    this.#inbox.inputEnded(undefined, true)
  }

  /** Whether the list and all its records have arrived, or, without a list, as many records as were announced. */
  get isComplete(): boolean {
    return this.#inbox.ending === 'done'
  }

  /** Adds a message; returns whether it was new. Throws `queue-full`, or `too-large` for more records than a run may have. */
  offer(arrival: Arrival, weight: number, delivery?: Delivery): 'taken' | 'repeat' {
    const inbox = this.#inbox
    const isRepeat = this.isComplete || inbox.isRepeat(arrival)
    // A stream that has ended incompletely is about to be removed; the message begins a new one.
    const hasEnded = inbox.ending !== undefined && !this.isComplete
    if (hasEnded || (!isRepeat && !inbox.out.hasRoom(weight))) throw queueFull()
    if (!isRepeat) {
      inbox.accept(arrival, weight)
      inbox.noteActivity()
      if (arrival.kind !== 'list') this.#count += 1
    }
    // A repeat is acknowledged with the newest message, because its original may not be written yet; a list with the stream.
    const after = arrival.kind === 'list' ? Infinity : this.#count
    if (delivery && this.#outcome) delivery[this.#outcome]()
    else if (delivery) this.#deliveries.add({ delivery, after })
    return isRepeat ? 'repeat' : 'taken'
  }

  /** Resolves when the stream has ended; time-outs bound the wait for records and the list. */
  async watch(signal: AbortSignal): Promise<void> {
    const isRead = () => true
    await this.#inbox.watch(signal, isRead, () => undefined).catch(() => undefined)
  }

  /**
   * First step of the chain: yields arrived messages and inserts pages as progress markers. A page leaves the last segment
   * only after everything before it was written. Pages are inserted between batches, because segments write in bulk.
   */
  readonly reading: SegmentFunction = () => this.#withPages()

  /** Last step of the chain: acknowledges the deliveries up to each page. */
  readonly ending: SegmentFunction = (input) => this.#acknowledge(input)

  /** Ends the stream; settles all remaining deliveries, and later ones as they come. */
  settle(outcome: keyof Delivery): void {
    this.#outcome = outcome
    this.#inbox.out.close()
    for (const { delivery } of this.#deliveries) delivery[outcome]()
    this.#deliveries.clear()
  }

  async *#withPages(): AsyncGenerator<Message> {
    const { out } = this.#inbox
    let [count, pageAt] = [0, 0]
    for await (const message of out) {
      yield message
      count += 1
      if (message.kind !== 'end' && (out.size === 0 || count - pageAt >= mostUnmarked)) {
        pageAt = count
        yield { kind: 'page', cursor: `${pagePrefix}${count}` }
      }
    }
  }

  async *#acknowledge(input: AsyncIterable<Message>): AsyncGenerator<Message> {
    for await (const message of input) {
      if (message.kind !== 'page' || !message.cursor?.startsWith(pagePrefix)) {
        yield message
        continue
      }
      const written = Number(message.cursor.slice(pagePrefix.length))
      for (const entry of this.#deliveries) {
        if (entry.after > written) continue
        this.#deliveries.delete(entry)
        entry.delivery.done()
      }
    }
  }
}
