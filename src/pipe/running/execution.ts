/** One run from its first message to its end. */

import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Pause } from '../../workers/retry.ts'
import { chain } from '../chain.ts'
import { defined } from '../defined.ts'
import type { Completeness } from '../message.ts'
import type { Runs } from '../runs/run-history.ts'
import { type Run, type RunChange, type RunStatus, storedProblem } from '../runs/run.ts'
import type { SegmentContext, SegmentFunction } from '../segment.ts'
import type { Opened, OpeningContext } from './opening.ts'

export type ExecutionContext = OpeningContext & {
  readonly runs: Runs
  readonly pause: Pause
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** How long the work in flight may take to end after the run was told to. */
  readonly graceMs: number
  readonly deadlineMs: number
  /** Silence after which a run counts as stalled. */
  readonly stallMs: number
  /** Is called with every run that has ended, such as to send a message. */
  readonly onEnd?: (run: Run) => void
}

/** Why a run is told to stop, and what becomes of it. */
const stops: Readonly<Record<string, RunStatus>> = {
  'run-cancelled': 'cancelled',
  'run-deadline': 'timed-out',
  'run-stalled': 'timed-out',
  'run-interrupted': 'interrupted',
}

type Work = {
  readonly run: Run
  readonly plan: Opened
  /** Called when the run only listens, and when it goes on. */
  readonly rest: (isResting: boolean) => void
}

/** What came out of the last segment, and whether it decided on the outcome. */
type Result = { isDecided?: boolean; end?: Completeness }

/** How the run ends. Never rejects; the reason of the signal is one of the failures of `stops`. */
export async function executed(
  context: ExecutionContext,
  work: Work,
  signal: AbortSignal,
): Promise<RunChange> {
  const { run, plan } = work
  const log = context.log.child({ run: run.id, pipe: run.pipe })
  const over = new AbortController()
  const result: Result = {}
  try {
    const grace = () => context.pause(context.graceMs, over.signal).catch(() => undefined)
    const steps = [...plan.steps, lastStep(context.runs, run.id, result)]
    await chain(steps, segmentContext(context.runs, work, log, result), signal, grace)
    const { isDecided, end } = result
    if (isDecided || !end) return { status: 'finished' }
    const problem = end.kind === 'incomplete' ? end.problem : undefined
    const why = problem && storedProblem(problem)
    return defined({ status: 'finished', outcome: end.kind, problem: why })
  } catch (err) {
    const isStopped = signal.aborted && err === signal.reason
    const status = isStopped && err instanceof Failure ? stops[err.kind] : undefined
    if (!status) log.warn({ err }, 'run.broken')
    return { status: status ?? 'failed', problem: storedProblem(err) }
  } finally {
    over.abort()
  }
}

function segmentContext(runs: Runs, { run, rest }: Work, log: Log, result: Result): SegmentContext {
  const { start, cursor, times } = runs.resumption(run.id)
  const last = runs.lastComplete(run.pipe)?.startTime
  const inner = runs.sink(run.id)
  const outcome: typeof inner.outcome = (...given) => {
    result.isDecided = true
    inner.outcome(...given)
  }
  const only = start.retryOf === undefined ? start.only : runs.failedIds(start.retryOf)
  return defined({
    runId: run.id,
    pipe: run.pipe,
    sink: { ...inner, outcome },
    log,
    dryRun: start.dryRun,
    rest,
    lastRun: last === undefined ? undefined : new Date(last),
    resumed: times > 0 || undefined,
    resumeFrom: cursor,
    only: only && new Set(only),
  })
}

/** The end of the chain. A page that has come through the last segment is written: the run can go on after it. */
const lastStep = (runs: Runs, id: string, result: Result): SegmentFunction =>
  // oxlint-disable-next-line require-yield -- the last step gives nothing to anybody
  async function* (input) {
    for await (const message of input) {
      if (message.kind === 'page' && message.cursor !== undefined) {
        runs.checkpoint(id, message.cursor)
      }
      if (message.kind === 'end') result.end = message.completeness
    }
  }
