/** Work for runs of other processes: each message goes to the stream of its run and segment. */

import { hash } from 'node:crypto'
import { Failure, shown } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { chain } from '../chain.ts'
import { type Resolution, resolver } from '../discovery.ts'
import type { Pipe, Segment } from '../document.ts'
import { normalName } from '../naming.ts'
import { placesOf } from '../pipe-check.ts'
import type { RunSink } from '../runs/run-sink.ts'
import { slugOf } from '../runs/stored-problem.ts'
import type { SegmentContext, SegmentFunction, SegmentKind } from '../segment.ts'
import { arrivalOf } from './arrival.ts'
import { ownSegment } from './envelope.ts'
import { listCompleteness, remoteStep } from './remote-step.ts'
import type { TransportLimits } from './transport-limits.ts'
import type { Way } from './ways.ts'
import { type Delivery, queueFull, stream, type Stream } from './arriving-stream.ts'

export type WorkerDeps = PlanDeps & {
  readonly makeId: () => string
  readonly log: Log
  /** Where the segments report; the log when absent. */
  readonly sinkOf?: (message: Pipe, segment: Segment) => RunSink
}

type Source = {
  /** The broker that the message came from. */
  readonly via?: string
  readonly delivery?: Delivery
}

export type Worker = {
  /**
   * Takes the message over; gives the run's id. Throws `unknown-segment`, `invalid-pipe`, `invalid-parameter` (nothing to do,
   * or a list that is none), `queue-full`.
   */
  take(message: Pipe, source?: Source): string
  /** Ends all streams; what was not done comes again where a broker has it. */
  stop(): Promise<void>
}

type Entry = {
  /** Absent for a segment that begins by itself. */
  readonly stream?: Stream
  /** Whether it came to its end; never rejects. */
  readonly done: Promise<boolean>
}

const graceMs = 10_000
const beatMs = 30_000
const mostRemembered = 1000

export function worker(deps: WorkerDeps): Worker {
  const entries = new Map<string, Entry>()
  /** Streams that came to their end: what comes once more for them is a repeat. */
  const whole = new Set<string>()
  const ending = new AbortController()
  const ended = (key: string, isWhole: boolean) => {
    entries.delete(key)
    if (isWhole) whole.add(key)
    const [oldest] = whole
    if (whole.size > mostRemembered && oldest !== undefined) whole.delete(oldest)
  }
  const open = (key: string, task: Task): Entry => {
    if (entries.size >= deps.limits.streams) throw queueFull()
    const job = begun(deps, task, ending.signal)
    entries.set(key, job)
    void job.done.then((isDone) => ended(key, isDone && (job.stream?.isWhole ?? true)))
    return job
  }
  return {
    take(message, source = {}) {
      ending.signal.throwIfAborted()
      const own = ownSegment(message)
      if (!own) throw new Failure('invalid-parameter', 'all segments of the pipe are done')
      const runId = message.header.runId ?? deps.makeId()
      const key = `${own.header.segmentNumber} ${runId}`
      const imports = ownKind(deps.kinds, own.header.name).job === 'import'
      const { payload } = own.body
      const arrival = imports ? undefined : arrivalOf(payload)
      if (arrival?.kind === 'start') {
        throw new Failure('invalid-parameter', 'the message carries no payload for the segment')
      }
      if (whole.has(key) || (imports && entries.has(key))) {
        source.delivery?.done()
        return runId
      }
      const { stream } = entries.get(key) ?? open(key, { message, own, runId, imports, source })
      if (arrival) stream?.offer(arrival, payload?.body.data.length ?? 0, source.delivery)
      return runId
    },
    async stop() {
      ending.abort(new Failure('run-interrupted', 'the process is stopping'))
      await Promise.all([...entries.values()].map(({ done }) => done))
    },
  }
}

type Task = {
  readonly message: Pipe
  readonly own: Segment
  readonly runId: string
  readonly imports: boolean
  readonly source: Source
}

/** Opens the steps, which may throw, and lets them work. */
function begun(deps: WorkerDeps, task: Task, ending: AbortSignal): Entry {
  const { message, own, runId, imports, source } = task
  const { name, segmentNumber } = own.header
  const log = deps.log.child({ run: runId, pipe: message.header.name, segment: name })
  const steps = planned(started(message, runId, deps), own, deps, source.via)
  const waiting = imports ? undefined : stream({ ...deps, completeness: completenessOf(message) })
  const all = waiting ? [waiting.reading, ...steps, waiting.ending] : steps
  const sink = deps.sinkOf?.(message, own) ?? logSink(log)
  const context: SegmentContext = {
    runId,
    pipe: message.header.name,
    sink,
    log,
    dryRun: false,
  }
  const settle = (how: 'done' | 'failed') => {
    if (waiting) waiting.settle(how)
    else source.delivery?.[how]()
  }
  log.info({ segmentNumber }, 'stream.opened')
  return { ...(waiting && { stream: waiting }), done: worked() }

  async function worked(): Promise<boolean> {
    const over = new AbortController()
    const grace = () => deps.pause(graceMs, over.signal).catch(() => undefined)
    const watching = waiting && watched(waiting, deps, over.signal)
    try {
      await chain(all, context, ending, grace)
      settle('done')
      log.info('counts' in sink ? { counts: sink.counts } : {}, 'stream.finished')
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
}

function started(message: Pipe, runId: string, { now }: WorkerDeps): Pipe {
  const startTime = message.header.startTime ?? new Date(now()).toISOString()
  return { ...message, header: { ...message.header, runId, startTime } }
}

/** What the list of this pipe's importer vouches for. */
function completenessOf({ header, body }: Pipe): ReturnType<typeof listCompleteness> {
  const [first] = body.segments
  if (!first) return () => ({ kind: 'incomplete' })
  const said = JSON.stringify([header.name, first.header.name, first.body.config])
  return listCompleteness(first, `foreign ${hash('sha256', said)}`)
}

/** A list waits for its records, and a stream for its list, only so long. */
async function watched(
  waiting: Stream,
  { now, pause }: WorkerDeps,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const left = waiting.patience - now()
    if (left <= 0) waiting.giveUp()
    await pause(Math.min(Math.max(left, 1), beatMs), signal).catch(() => undefined)
  }
}

// From a message to the steps that work on it here, and on to where the rest of the pipe is.

type PlanDeps = {
  readonly kinds: readonly SegmentKind[]
  readonly resolve: (segment: Segment) => Resolution
  readonly wayTo: (
    found: Extract<Resolution, { readonly kind: 'http' | 'bus' }>,
    wanted: { readonly trust: 'foreign'; readonly via?: string },
  ) => Way
  /** Finds out which record is meant, for an exporter in this process. */
  readonly afterImport?: SegmentFunction
  readonly limits: TransportLimits
  readonly now: () => number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

/** The segment of this process that answers to the name. */
export function ownKind(kinds: readonly SegmentKind[], name: string): SegmentKind {
  const normal = normalName(name)
  const found = kinds.find((kind) => kind.names.some((one) => normalName(one) === normal))
  if (found) return found
  throw new Failure('unknown-segment', `there is no segment ${shown(name)} here`)
}

/**
 * The steps from the segment `own` on: those of this process, then one that sends what comes out to where the next segment
 * is. Throws `invalid-pipe` and `unknown-segment`.
 */
function planned(
  message: Pipe,
  own: Segment,
  deps: PlanDeps,
  via: string | undefined,
): readonly SegmentFunction[] {
  const { segments } = message.body
  const places = placesOf(message, { trust: 'foreign', directory: '' })
  const steps: SegmentFunction[] = []
  let isKnown = deps.afterImport === undefined
  for (const [index, segment] of segments.entries()) {
    if (segment.header.segmentNumber < own.header.segmentNumber) continue
    const found = resolution(segment, own, deps)
    if (found.kind === 'unknown') {
      throw new Failure('unknown-segment', `${shown(segment.header.name)} is no known segment`)
    }
    if (found.kind !== 'built-in') {
      const { post } = deps.wayTo(found, { trust: 'foreign', ...(via !== undefined && { via }) })
      return [...steps, remoteStep({ pipe: message, segment, post }, deps)]
    }
    const { directory: _, ...place } = places[index] ?? { trust: 'foreign' as const }
    const made = found.segment.open(segment.body.config, place)
    if (!made.ok) throw invalid(segment, index, made.problems)
    const { job } = found.segment
    if (job === 'export' && !isKnown && deps.afterImport) steps.push(deps.afterImport)
    steps.push(made.run)
    if (job === 'import' && deps.afterImport) {
      steps.push(deps.afterImport)
      isKnown = true
    }
  }
  return steps
}

/** What a message says of an endpoint was told by the process that runs the pipe: it knows best who comes next. */
function resolution(segment: Segment, own: Segment, { kinds, resolve }: PlanDeps): Resolution {
  if (segment === own) return { kind: 'built-in', segment: ownKind(kinds, segment.header.name) }
  const told = segment.body.endpoint ? resolver({}, [])(segment) : undefined
  return told && told.kind !== 'unknown' ? told : resolve(segment)
}

function invalid(
  { header }: Segment,
  index: number,
  problems: readonly { readonly key: string; readonly detail: string }[],
): Failure {
  const errors = problems.map(({ key, detail }) => ({
    pointer: `/body/segments/${index}/body/config/${key.replaceAll('.', '/')}`,
    detail: `${key} ${detail}`.trim(),
  }))
  return new Failure('invalid-pipe', `the config of ${shown(header.name)} is not valid`, { errors })
}

// What happens in a run of another process is told in the log: its history is kept where it was started.

type LogSink = RunSink & {
  /** Items by state. */
  readonly counts: Readonly<Record<string, number>>
}

/** Failures are lines of their own; everything else is counted. */
export function logSink(log: Log): LogSink {
  const counts: Record<string, number> = {}
  const nothing = () => undefined
  return {
    counts,
    item({ state, problem, originalId, sourceId, stage }) {
      counts[state] = (counts[state] ?? 0) + 1
      if (!problem) return
      const { detail } = problem
      log.warn(
        { id: originalId ?? sourceId, stage, problem: slugOf(problem), detail },
        'item.failed',
      )
    },
    finding({ slug, detail }, about = {}) {
      log.warn({ id: about.originalId ?? about.sourceId, finding: slug, detail }, 'run.finding')
    },
    offered(count = 1) {
      counts['offered'] = (counts['offered'] ?? 0) + count
    },
    total: nothing,
    adopted: nothing,
    page: nothing,
    request: nothing,
    alive: nothing,
    processed: nothing,
    outcome: nothing,
  }
}
