/** Work for runs of other processes: each message goes to the stream of its run and segment. */

import { Failure, shown } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { chain } from '../chain.ts'
import { normalName, type Placement, queuesWith, resolver } from '../discovery.ts'
import type { Pipe, Segment } from '../document.ts'
import type { Message } from '../message.ts'
import { configComplaints, placesIn } from '../pipe-check.ts'
import { type RunSink, slugOf } from '../runs/run.ts'
import type { SegmentFunction, SegmentKind } from '../segment.ts'
import { type Arrival, arrivalOf, ownSegment } from './envelope.ts'
import type { Post } from './http-sender.ts'
import { Inbox, type InboxContext } from './inbox.ts'
import type { Delivery } from './queues.ts'
import { listCompleteness, remoteStep } from './remote-step.ts'
import { queueLimits, type TransportContext } from './transport-limits.ts'

/** Sends to a segment elsewhere; `via` is the broker that the message came from. */
type PostTo = (
  found: Extract<Placement, { readonly kind: 'http' | 'bus' }>,
  via: string | undefined,
) => Post

/** Where a message came from. */
type Source = { readonly via?: string | undefined; readonly delivery?: Delivery }

type Entry = {
  /** Absent for a segment that begins by itself. */
  readonly stream: ArrivingStream | undefined
  /** Whether it came to its end; never rejects. */
  readonly done: Promise<boolean>
}

type Working = {
  readonly stream: ArrivingStream | undefined
  readonly sink: ReturnType<typeof logSink>
  readonly log: Log
}

/** A message with run id and start in its header, and the segment that it is for. */
type Task = Source & { readonly message: Pipe; readonly own: Segment; readonly runId: string }

const graceMs = 10_000
const mostRemembered = 1000

export class SegmentWorker {
  readonly #context: TransportContext
  readonly #postTo: PostTo
  readonly #entries = new Map<string, Entry>()
  /** Streams that came to their end: what comes once more for them is a repeat. */
  readonly #whole = new Set<string>()
  readonly #stopping = new AbortController()

  constructor(context: TransportContext, postTo: PostTo) {
    this.#context = context
    this.#postTo = postTo
  }

  /**
   * Takes the message over; gives the run's id. Throws `unknown-segment`, `invalid-pipe`, `invalid-parameter` (nothing to do,
   * or a list that is none), `queue-full`.
   */
  take(message: Pipe, { via, delivery }: Source = {}): string {
    const { kinds, makeId } = this.#context
    this.#stopping.signal.throwIfAborted()
    const own = ownSegment(message)
    if (!own)
      throw new Failure('invalid-parameter', 'all segments of the pipe are marked as processed')
    const runId = message.header.runId ?? makeId()
    const key = `${own.header.segmentNumber} ${runId}`
    const imports = ownKind(kinds, own.header.name).job === 'import'
    const { payload } = own.body
    const arrival = imports || !payload ? undefined : arrivalOf(payload)
    // Only an importer begins by itself.
    if (!imports && !payload) {
      throw new Failure('invalid-parameter', 'the message has no payload for the segment')
    }
    const entry = this.#entries.get(key)
    if (this.#whole.has(key) || (imports && entry)) delivery?.done()
    else {
      const task = { message, own, runId, via, ...(delivery && { delivery }) }
      const { stream } = entry ?? this.#open(key, task, imports)
      if (arrival) stream?.offer(arrival, payload?.body.data.length ?? 0, delivery)
    }
    return runId
  }

  /** Ends all streams; what was not done comes again where a broker has it. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Failure('run-interrupted', 'the process is stopping'))
    await Promise.all([...this.#entries.values()].map(({ done }) => done))
  }

  /** Opens the steps, which may throw, and lets them work. */
  #open(key: string, task: Task, imports: boolean): Entry {
    const { limits, now, pause, log } = this.#context
    const { message, own, runId } = task
    if (this.#entries.size >= limits.streams) throw queueFull()
    const startTime = message.header.startTime ?? new Date(now()).toISOString()
    const started = { ...message, header: { ...message.header, runId, startTime } }
    const steps = this.#planned({ ...task, message: started })
    const completeness = listCompleteness(message, message.body.segments[0] ?? own)
    const about = { run: runId, pipe: message.header.name, segment: own.header.name }
    const sink = logSink(log.child(about))
    const inbox = { limits: queueLimits(limits), now, pause, completeness, context: { sink } }
    const stream = imports ? undefined : new ArrivingStream(inbox)
    const done = this.#run(task, steps, { stream, sink, log: log.child(about) })
    void done.then((isDone) => this.#ended(key, isDone && stream?.isWhole !== false))
    const entry = { stream, done }
    this.#entries.set(key, entry)
    return entry
  }

  #ended(key: string, isWhole: boolean): void {
    this.#entries.delete(key)
    if (isWhole) this.#whole.add(key)
    const [oldest = ''] = this.#whole
    if (this.#whole.size > mostRemembered) this.#whole.delete(oldest)
  }

  async #run(
    { message, own, runId, delivery }: Task,
    steps: readonly SegmentFunction[],
    { stream, sink, log }: Working,
  ): Promise<boolean> {
    const over = new AbortController()
    const settle = (how: keyof Delivery) => (stream ? stream.settle(how) : delivery?.[how]())
    log.info({ segmentNumber: own.header.segmentNumber }, 'stream.opened')
    const watching = stream?.watch(over.signal)
    try {
      const all = stream ? [stream.reading, ...steps, stream.ending] : steps
      const grace = () => this.#context.pause(graceMs, over.signal).catch(() => undefined)
      const context = { runId, pipe: message.header.name, sink, log, dryRun: false }
      await chain(all, context, this.#stopping.signal, grace)
      settle('done')
      log.info({ counts: sink.counts }, 'stream.finished')
      return true
    } catch (err) {
      settle('failed')
      log.warn({ err }, 'stream.broken')
      return false
    } finally {
      over.abort()
      await watching
    }
  }

  /**
   * The steps from the task's own segment on: those of this process, then one that sends what comes out to where the next
   * segment is. Throws `invalid-pipe` and `unknown-segment`.
   */
  #planned({ message: pipe, own, via }: Task): readonly SegmentFunction[] {
    const { afterImport, limits, now, pause } = this.#context
    const places = placesIn(pipe, { trust: 'foreign', directory: '' })
    const steps: SegmentFunction[] = []
    let isIdentified = afterImport === undefined
    for (const [index, segment] of pipe.body.segments.entries()) {
      if (segment.header.segmentNumber < own.header.segmentNumber) continue
      const found = this.#placementOf(segment, own, via)
      if (found.kind === 'unknown') {
        throw new Failure('unknown-segment', `${shown(segment.header.name)} is not a known segment`)
      }
      if (found.kind !== 'built-in') {
        const post = this.#postTo(found, via)
        return [...steps, remoteStep({ pipe, segment, post, limits, now, pause })]
      }
      const { directory: _, ...place } = places[index] ?? { trust: 'foreign' as const }
      const made = found.segment.open(segment.body.config, place)
      if (!made.ok) {
        const detail = `the config of ${shown(segment.header.name)} is not valid`
        const errors = configComplaints(index, made.problems)
        throw new Failure('invalid-pipe', detail, { errors })
      }
      const { job } = found.segment
      if (job === 'export' && !isIdentified && afterImport) steps.push(afterImport)
      steps.push(made.run)
      if (job !== 'import') continue
      if (afterImport) steps.push(afterImport)
      isIdentified = true
    }
    return steps
  }

  /** What a message says of an endpoint was told by the process that runs the pipe: it knows best who comes next. */
  #placementOf(segment: Segment, own: Segment, via: string | undefined): Placement {
    const { kinds, resolve, eventbusUrl } = this.#context
    if (segment === own) return { kind: 'built-in', segment: ownKind(kinds, segment.header.name) }
    const named = resolver({}, [], queuesWith(via ?? eventbusUrl))(segment)
    return named.kind === 'unknown' ? resolve(segment) : named
  }
}

/** The segment of this process that answers to the name. Throws `unknown-segment`. */
export function ownKind(kinds: readonly SegmentKind[], name: string): SegmentKind {
  const normal = normalName(name)
  const found = kinds.find((kind) => kind.names.some((one) => normalName(one) === normal))
  if (found) return found
  throw new Failure('unknown-segment', `there is no segment ${shown(name)} here`)
}

/**
 * What happens in a run of another process goes to the log: its history is kept where it was started. Failures are lines of
 * their own; everything else is counted by state.
 */
export function logSink(log: Log): RunSink & { readonly counts: Readonly<Record<string, number>> } {
  const counts: Record<string, number> = {}
  const count = (name: string, more = 1) => void (counts[name] = (counts[name] ?? 0) + more)
  const nothing = () => undefined
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
    total: nothing,
    adopted: nothing,
    page: nothing,
    request: nothing,
    alive: nothing,
    processed: nothing,
    outcome: nothing,
  }
}

// Messages of one run for one segment, joined into the stream that the segment reads.

/** Too many messages of the run wait. */
const queueFull = (): Failure =>
  new Failure('queue-full', 'too many messages of the run are waiting: send it again later', {
    retryAfter: 1,
  })

/** Marks a page of ours: so many messages were handed on before it. */
const mark = 'taken:'
const mostUnmarked = 100

export class ArrivingStream {
  readonly #inbox: Inbox
  /** Each to be done when so many messages are written, in order. */
  readonly #deliveries = new Set<{ readonly delivery: Delivery; readonly after: number }>()
  #count = 0
  #settled: keyof Delivery | undefined

  constructor(context: Omit<InboxContext, 'role' | 'stage'>) {
    this.#inbox = new Inbox({ ...context, role: 'sender', stage: 'import' })
    this.#inbox.inputEnded(undefined, true)
  }

  /** Whether a list came and all its records. */
  get isWhole(): boolean {
    return this.#inbox.ending === 'done'
  }

  /** Whether a message was new. Throws `queue-full`, or `too-large` when the run has more records than any may have. */
  offer(arrival: Arrival, weight: number, delivery?: Delivery): 'taken' | 'repeat' {
    const inbox = this.#inbox
    const isRepeat = this.isWhole || inbox.isRepeat(arrival)
    // A stream that was given up is about to go: what comes now begins a new one.
    const isOver = inbox.ending !== undefined && !this.isWhole
    if (isOver || (!isRepeat && !inbox.out.hasRoom(weight))) throw queueFull()
    if (!isRepeat) {
      inbox.accept(arrival, weight)
      inbox.touch()
      if (arrival.kind !== 'list') this.#count += 1
    }
    // A repeat is done together with what it repeats, which may not be written yet; a list when everything is.
    const after = arrival.kind === 'list' ? Infinity : this.#count
    if (delivery && this.#settled) delivery[this.#settled]()
    else if (delivery) this.#deliveries.add({ delivery, after })
    return isRepeat ? 'repeat' : 'taken'
  }

  /** A list waits for its records, and a stream for its list, only so long. */
  async watch(signal: AbortSignal): Promise<void> {
    const isRead = () => true
    await this.#inbox.watch(signal, isRead, () => undefined).catch(() => undefined)
  }

  /**
   * First step of the chain: gives what arrives, and among it pages that say how far. A page comes out of the last segment
   * only when everything before it is written. Not after every message, because segments write in bulk.
   */
  readonly reading: SegmentFunction = () => this.#marked()

  /** Last step of the chain: what comes out here is done. */
  readonly ending: SegmentFunction = (input) => this.#confirmed(input)

  /** All deliveries have ended like this. */
  settle(how: keyof Delivery): void {
    this.#settled = how
    this.#inbox.out.close()
    for (const { delivery } of this.#deliveries) delivery[how]()
    this.#deliveries.clear()
  }

  async *#marked(): AsyncGenerator<Message> {
    const { out } = this.#inbox
    let [count, marked] = [0, 0]
    for await (const message of out) {
      yield message
      count += 1
      if (message.kind !== 'end' && (out.size === 0 || count - marked >= mostUnmarked)) {
        marked = count
        yield { kind: 'page', cursor: `${mark}${count}` }
      }
    }
  }

  async *#confirmed(input: AsyncIterable<Message>): AsyncGenerator<Message> {
    for await (const message of input) {
      if (message.kind !== 'page' || !message.cursor?.startsWith(mark)) {
        yield message
        continue
      }
      const written = Number(message.cursor.slice(mark.length))
      for (const one of this.#deliveries) {
        if (one.after > written) continue
        this.#deliveries.delete(one)
        one.delivery.done()
      }
    }
  }
}
