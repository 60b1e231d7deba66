/** One run from its first message to its last. */

import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { chain } from '../chain.ts'
import type { Completeness } from '../message.ts'
import { storedProblem } from '../runs/problem.ts'
import type { Run, RunChange, RunStatus } from '../runs/run.ts'
import type { Runs } from '../runs/runs.ts'
import type { RunSink } from '../runs/sink.ts'
import type { SegmentContext, SegmentFunction } from '../segment.ts'
import type { Opened } from './opening/opening.ts'

export type ExecutionDeps = {
  readonly runs: Runs
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  readonly log: Log
  /** Told when the run only listens, and when it goes on. */
  readonly rest?: (isResting: boolean) => void
  /** How long the work in flight may take to end after the run was told to. */
  readonly graceMs: number
}

/** How the run ends. Never rejects; the reason of the signal is one of the failures of `stops`. */
export async function executed(
  deps: ExecutionDeps,
  run: Run,
  { steps }: Opened,
  signal: AbortSignal,
): Promise<RunChange> {
  const log = deps.log.child({ run: run.id, pipe: run.pipe })
  const over = new AbortController()
  const seen: Seen = {}
  try {
    const context = contextOf(deps, run, log, seen)
    const grace = () => deps.pause(deps.graceMs, over.signal).catch(() => undefined)
    await chain([...steps, tap(deps.runs, run.id, seen)], context, signal, grace)
    return finished(seen)
  } catch (err) {
    const kind = err instanceof Failure ? err.kind : undefined
    if (signal.aborted && err === signal.reason && kind && kind in stops) return stopped(err)
    log.warn({ err }, 'run.broken')
    return { status: 'failed', problem: storedProblem(err) }
  } finally {
    over.abort()
  }
}

/** Why a run is told to stop, and what becomes of it. */
const stops: Readonly<Record<string, RunStatus>> = {
  'run-cancelled': 'cancelled',
  'run-deadline': 'timed-out',
  'run-stalled': 'timed-out',
  'run-interrupted': 'interrupted',
}

const stopped = (reason: unknown): RunChange => ({
  status: (reason instanceof Failure && stops[reason.kind]) || 'failed',
  problem: storedProblem(reason),
})

/** What came out of the last segment, and whether it decided on the outcome. */
type Seen = { decided?: boolean; end?: Completeness }

function contextOf(deps: ExecutionDeps, run: Run, log: Log, seen: Seen): SegmentContext {
  const { runs } = deps
  const { start, cursor, times } = runs.resumption(run.id)
  const last = runs.lastComplete(run.pipe)?.startTime
  const inner = runs.sink(run.id)
  const sink: RunSink = {
    ...inner,
    outcome: (outcome, problem) => {
      seen.decided = true
      inner.outcome(outcome, problem)
    },
  }
  const only = start.retryOf === undefined ? start.only : runs.failedIds(start.retryOf)
  return {
    runId: run.id,
    pipe: run.pipe,
    sink,
    log,
    dryRun: start.dryRun,
    ...(deps.rest && { rest: deps.rest }),
    ...(last !== undefined && { lastRun: new Date(last) }),
    ...(times > 0 && { resumed: true }),
    ...(cursor !== undefined && { resumeFrom: cursor }),
    ...(only && { only: new Set(only) }),
  }
}

/** The end of the chain. A page that has come through the last segment is written: the run can go on after it. */
const tap = (runs: Runs, id: string, seen: Seen): SegmentFunction =>
  // oxlint-disable-next-line require-yield -- the last step gives nothing to anybody
  async function* (input) {
    for await (const message of input) {
      if (message.kind === 'page' && message.cursor !== undefined) {
        runs.checkpoint(id, message.cursor)
      }
      if (message.kind === 'end') seen.end = message.completeness
    }
  }

function finished({ decided, end }: Seen): RunChange {
  if (decided || !end) return { status: 'finished' }
  const { kind } = end
  const problem = kind === 'incomplete' ? end.problem : undefined
  return {
    status: 'finished',
    outcome: kind,
    ...(problem && { problem: storedProblem(problem) }),
  }
}
