/**
 * Turns a launch into the start parameters of a run, opens the segments of its pipe as steps, and executes them. Used by the
 * launcher only.
 */

import { ownTraceparent } from '../../trace.ts'
import { Failure, shown } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Pause } from '../../workers/pause.ts'
import { chain } from '../chain.ts'
import type { Placement } from '../segment-resolver.ts'
import type { Pipe, Segment } from '../document.ts'
import type { Completeness } from '../message.ts'
import { catalogueOf, withConfigs, deadlinesOf, pipeCheck, segmentPlaces } from '../pipe-check.ts'
import type { Runs } from '../runs/run-history.ts'
import {
  type Feed,
  type Run,
  type RunChange,
  type RunStart,
  type RunStatus,
  storedProblem,
} from '../runs/run.ts'
import type { SegmentContext, SegmentFunction, SegmentPlace } from '../segment.ts'
import type { PipeEntry } from '../sources/pipe-files.ts'

/** Dependencies for opening a pipe. */
export type OpeningContext = {
  readonly resolve: (segment: Segment) => Placement
  /** Reads datasets of the repository, for pipes without an importer. */
  readonly feeds?: (feed: Feed) => SegmentFunction
  readonly sources: { find(nameOrId: string): PipeEntry | undefined }
  /** Step that is inserted after the importer, or a first segment elsewhere; it looks records up in the ledger. */
  readonly afterImport?: SegmentFunction
  /**
   * Creates a step for a segment in another process. `pipe` contains run id, start and last run; `trust` says who configured
   * its addresses.
   */
  readonly remote?: (
    pipe: Pipe,
    segment: Segment,
    resolution: Extract<Placement, { readonly kind: 'http' | 'bus' }>,
    trust: 'trusted' | 'foreign',
  ) => SegmentFunction
}

/** Pipe whose segments are ready to run. */
export type OpenedPipe = {
  readonly steps: readonly SegmentFunction[]
  /** Deadline of the run in ms, if the pipe has one. */
  readonly deadlineMs?: number
}

/** Request to start a run. `pipe` is a name or an id. A dry run is limited to 20 records unless `limit` is given. */
export type Launch = Pick<RunStart, 'pipe' | 'startedBy'> &
  Partial<
    Pick<RunStart, 'configs' | 'startMode' | 'trigger' | 'dryRun' | 'limit' | 'only' | 'feed'>
  > & {
    /** Minimum wait in the queue in ms; spreads the runs of scheduled triggers. */
    readonly waitMs?: number
  }

/**
 * Key of runs that exclude each other: the pipe, and for runs without an importer also the catalogue and whether they are
 * restricted to some datasets.
 */
export const concurrencyKey = ({ pipe, feed }: RunStart): string =>
  feed ? JSON.stringify([pipe, feed.catalogue ?? null, feed.datasets !== undefined]) : pipe

/** Start parameters of a launch. Throws the failures of `configuredPipe`. */
export function runStartOf(context: OpeningContext, launch: Launch): RunStart {
  const { configs = {}, dryRun = false, startMode, trigger, limit, only, startedBy } = launch
  const { pipe } = configuredPipe(context, { pipe: launch.pipe, configs })
  const { segments } = pipe.body
  const feed = launch.feed ?? feedOf(context, segments)
  const catalogue = feed?.catalogue ?? catalogueOf(segments)
  const states = segments.map(({ header: { name, segmentNumber } }) => ({
    name,
    segmentNumber,
    processed: false,
  }))
  const { name } = pipe.header
  const params = { catalogue, trigger, startMode, limit, only, feed, startedBy, dryRun, configs }
  return { pipe: name, ...params, segments: states, trace: ownTraceparent() }
}

/** Start parameters that affect the steps of a run. */
type RunPlan = Pick<RunStart, 'pipe' | 'configs' | 'dryRun' | 'limit' | 'feed'>

/** Maximum number of records of a dry run without `limit`. */
const dryLimit = 20

/** Finds a pipe and merges the overrides into it. Throws `unknown-pipe`, or `invalid-parameter` for the overrides. */
export function configuredPipe(
  { sources }: OpeningContext,
  plan: Pick<RunPlan, 'pipe' | 'configs'>,
): { readonly entry: PipeEntry; readonly pipe: Pipe } {
  const entry = sources.find(plan.pipe)
  if (!entry) throw new Failure('unknown-pipe', `there is no pipe ${shown(plan.pipe)}`)
  return { entry, pipe: withConfigs(entry.pipe, plan.configs) }
}

/**
 * Opens all segments of a pipe; `run` is the run information for the messages to other processes (`lastRun`: start of the last
 * complete run). Throws `unknown-segment`, `invalid-pipe` with all complaints, and the failures of `configuredPipe`.
 */
export function openPipe(
  context: OpeningContext,
  plan: RunPlan,
  run: { readonly runId: string; readonly startTime: string; readonly lastRun?: string },
): OpenedPipe {
  const { afterImport, resolve } = context
  const { feed, configs } = plan
  const { entry, pipe } = configuredPipe(context, plan)
  const origin = { trust: entry.trust, directory: entry.directory, configs }
  const limit = plan.limit ?? (plan.dryRun ? dryLimit : undefined)
  const limited = withLimit(
    { ...pipe, header: { ...pipe.header, ...run } },
    feed ? undefined : limit,
  )
  const errors = pipeCheck(resolve)(limited, origin)
  if (errors.length > 0) {
    const isUnknown = limited.body.segments.some((segment) => resolve(segment).kind === 'unknown')
    const detail = `${shown(pipe.header.name)} cannot run: ${errors[0]?.detail ?? ''}`
    throw new Failure(isUnknown ? 'unknown-segment' : 'invalid-pipe', detail, { errors })
  }
  const limitSteps = limit === undefined ? [] : [limitStep(limit)]
  const feedSteps = feed ? [feedStep(context, limited, feed), ...limitSteps] : []
  const places = segmentPlaces(limited, origin)
  const steps = limited.body.segments.flatMap((segment, index) => {
    const step = withLog(segment, stepOf(context, limited, segment, places[index]))
    const placement = resolve(segment)
    const isImport = placement.kind !== 'built-in' || placement.segment.job === 'import'
    return index === 0 && !feed && isImport
      ? [step, ...limitSteps, ...(afterImport ? [afterImport] : [])]
      : [step]
  })
  const [deadlineMs] = deadlinesOf(limited).toSorted((a, b) => a - b)
  return { steps: [...feedSteps, ...steps], deadlineMs }
}

/** Adds the limit to the importer's config, so that it requests no more records. */
function withLimit(pipe: Pipe, limit: number | undefined): Pipe {
  const [first, ...otherSegments] = pipe.body.segments
  if (!first || limit === undefined) return pipe
  const config = { ...first.body.config, limit }
  const segments = [{ ...first, body: { ...first.body, config } }, ...otherSegments]
  return { ...pipe, body: { ...pipe.body, segments } }
}

/** Step of a segment whose config was checked. */
function stepOf(
  { resolve, remote }: OpeningContext,
  pipe: Pipe,
  segment: Segment,
  place: SegmentPlace = { trust: 'foreign' },
): SegmentFunction {
  const placement = resolve(segment)
  if (placement.kind === 'built-in') {
    const opened = placement.segment.open(segment.body.config, place)
    if (opened.ok) return opened.run
  } else if (placement.kind !== 'unknown' && remote) {
    return remote(pipe, segment, placement, place.trust)
  }
  const name = shown(segment.header.name)
  throw new Failure('unknown-segment', `this process cannot reach the segment ${name}`)
}

/** Gives the segment its own log and reports its end to the run. */
const withLog = ({ header }: Segment, run: SegmentFunction): SegmentFunction =>
  async function* (input, context, signal) {
    const log = context.log.child({ segment: header.name })
    yield* run(input, { ...context, log }, signal)
    context.sink.processed(header.segmentNumber)
  }

/** Datasets for a pipe that begins with a built-in metrics segment: those of the catalogue in its configs, or all. */
function feedOf({ resolve }: OpeningContext, segments: readonly Segment[]): Feed | undefined {
  const [first] = segments
  const placement = first && resolve(first)
  if (placement?.kind !== 'built-in' || placement.segment.job !== 'metrics') return undefined
  return { catalogue: catalogueOf(segments) }
}

/**
 * First step of a pipe without an importer. Throws `invalid-pipe` if the pipe begins with an importer, has neither a metrics
 * segment nor one elsewhere (nothing else writes results about stored datasets), or this process has no repository.
 */
function feedStep({ resolve, feeds }: OpeningContext, { header, body }: Pipe, feed: Feed) {
  const jobs = body.segments.map((segment) => {
    const placement = resolve(segment)
    return placement.kind === 'built-in' ? placement.segment.job : 'remote'
  })
  const invalidPipe = (why: string) => new Failure('invalid-pipe', `${shown(header.name)} ${why}`)
  if (jobs[0] === 'import') {
    throw invalidPipe(
      'begins with an importer, which brings its own records: launch it without a catalogue',
    )
  }
  if (!jobs.includes('remote') && !jobs.includes('metrics')) {
    throw invalidPipe(
      'has no metrics segment: of the datasets of a repository only metrics are written',
    )
  }
  if (feeds) return feeds(feed)
  throw invalidPipe('needs the datasets of a repository, and this process has none')
}

/** Ends the import after `limit` records, as incomplete if there are more. */
const limitStep = (limit: number): SegmentFunction =>
  async function* (input) {
    let records = 0
    for await (const message of input) {
      if (message.kind === 'record') records += 1
      if (records > limit) break
      yield message
      if (message.kind === 'end') return
    }
    yield { kind: 'end', completeness: { kind: 'incomplete' } }
  }

// Execution of a run.

export type ExecutionContext = OpeningContext & {
  readonly runs: Runs
  readonly pause: Pause
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Time in ms that running steps get to end after an abort. */
  readonly graceMs: number
  /** Maximum duration in ms of a run whose pipe has no deadline. */
  readonly deadlineMs: number
  /** Time in ms without a report after which a run counts as stalled. */
  readonly stallMs: number
  /** Called with every run that this process has ended, for example to send a notification. */
  readonly onEnd?: (run: Run) => void
}

/** Final state of a run by the kind of the failure that aborted it. */
const statusAfterAbort: Readonly<Record<string, RunStatus>> = {
  'run-cancelled': 'cancelled',
  'run-deadline': 'timed-out',
  'run-stalled': 'timed-out',
  'run-interrupted': 'interrupted',
}

type RunWork = {
  readonly run: Run
  readonly plan: OpenedPipe
  /** Called with `true` when the run only waits for input, with `false` when it works again. */
  readonly setIdle: (isIdle: boolean) => void
}

/** Completeness that arrived at the end of the chain (`end`), and whether a segment has set the outcome itself. */
type ChainResult = { hasOutcome?: boolean; end?: Completeness }

/**
 * Executes a run and returns its final state. Never rejects; the reason of the signal is one of the failures in
 * `statusAfterAbort`.
 */
export async function executeRun(
  context: ExecutionContext,
  work: RunWork,
  signal: AbortSignal,
): Promise<RunChange> {
  const { run, plan } = work
  const log = context.log.child({ run: run.id, pipe: run.pipe })
  const executionEnded = new AbortController()
  const result: ChainResult = {}
  try {
    const grace = () => context.pause(context.graceMs, executionEnded.signal).catch(() => undefined)
    const steps = [...plan.steps, lastStep(context.runs, run.id, result)]
    await chain(steps, segmentContext(context.runs, work, log, result), signal, grace)
    const { hasOutcome, end } = result
    if (hasOutcome || !end) return { status: 'finished' }
    const problem = end.kind === 'incomplete' ? end.problem : undefined
    const storedReason = problem && storedProblem(problem)
    return { status: 'finished', outcome: end.kind, problem: storedReason }
  } catch (err) {
    const isStopped = signal.aborted && err === signal.reason
    const status = isStopped && err instanceof Failure ? statusAfterAbort[err.kind] : undefined
    if (!status) log.warn({ err }, 'run.broken')
    return { status: status ?? 'failed', problem: storedProblem(err) }
  } finally {
    executionEnded.abort()
  }
}

function segmentContext(
  runs: Runs,
  { run, setIdle }: RunWork,
  log: Log,
  result: ChainResult,
): SegmentContext {
  const { start, cursor, resumptions } = runs.resumption(run.id)
  const lastStart = runs.lastComplete(run.pipe)?.startTime
  const runSink = runs.sink(run.id)
  const outcome: typeof runSink.outcome = (...args) => {
    result.hasOutcome = true
    runSink.outcome(...args)
  }
  const only = start.retryOf === undefined ? start.only : runs.failedIds(start.retryOf)
  return {
    runId: run.id,
    pipe: run.pipe,
    sink: { ...runSink, outcome },
    log,
    dryRun: start.dryRun,
    setIdle,
    lastRun: lastStart === undefined ? undefined : new Date(lastStart),
    isResumed: resumptions > 0 || undefined,
    resumeFrom: cursor,
    only: only && new Set(only),
  }
}

/** Final step of the chain: stores the cursor of each page for resumption, because everything before the page was written. */
const lastStep = (runs: Runs, id: string, result: ChainResult): SegmentFunction =>
  // oxlint-disable-next-line require-yield -- the last step gives nothing to anybody
  async function* (input) {
    for await (const message of input) {
      if (message.kind === 'page' && message.cursor !== undefined) {
        runs.checkpoint(id, message.cursor)
      }
      if (message.kind === 'end') result.end = message.completeness
    }
  }
