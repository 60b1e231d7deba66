/**
 * Executes runs: starts what the queue gives when there is room, stops what is told to, ends what is late or silent. The ends of
 * runs are written for certain: what cannot be written now (a full disk) is written later.
 */

import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Pause } from '../../workers/retry.ts'
import { chain } from '../chain.ts'
import type { Completeness } from '../message.ts'
import type { Runs } from '../runs/run-history.ts'
import {
  type Run,
  type RunChange,
  type RunSink,
  type RunStatus,
  storedProblem,
} from '../runs/run.ts'
import type { SegmentContext, SegmentFunction } from '../segment.ts'
import { opened, type Opened, type OpeningContext } from './opening.ts'
import type { RunQueue } from './run-queue.ts'

export type ExecutorContext = OpeningContext & {
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

type Execution = {
  readonly controller: AbortController
  readonly deadline: number
  readonly done: Promise<void>
}

/** Why a run is told to stop, and what becomes of it. */
const stops: Readonly<Record<string, RunStatus>> = {
  'run-cancelled': 'cancelled',
  'run-deadline': 'timed-out',
  'run-stalled': 'timed-out',
  'run-interrupted': 'interrupted',
}

export class Executor {
  readonly #context: ExecutorContext
  readonly #queue: RunQueue
  readonly #running = new Map<string, Execution>()
  /** Ends that could not be written yet. */
  readonly #unwritten = new Map<string, RunChange>()
  #isClosed = false

  constructor(context: ExecutorContext, queue: RunQueue) {
    this.#context = context
    this.#queue = queue
  }

  /** Starts whatever may start. */
  start(): void {
    const { now } = this.#context
    if (this.#isClosed) return
    for (let next = this.#queue.next(now()); next; next = this.#queue.next(now())) {
      this.#begin(next.id)
    }
  }

  /** Tells a run to stop; resolves when it has ended. `undefined` when it is not executed here. */
  stop(id: string, why: Failure): Promise<void> | undefined {
    const execution = this.#running.get(id)
    execution?.controller.abort(why)
    return execution?.done
  }

  /** Writes ends that could not be written, and ends runs that are past their deadline or show no sign of life. */
  check(): void {
    this.writeEnds()
    const { now, runs, stallMs } = this.#context
    for (const [id, { deadline }] of this.#running) {
      const quiet = now() - (runs.lastSign(id) ?? now())
      if (now() >= deadline) {
        const why = 'the run took longer than its deadline allows'
        void this.stop(id, new Failure('run-deadline', why))
      } else if (quiet >= stallMs) {
        const why = `no page and no item came for ${Math.round(quiet / 1000)} s`
        void this.stop(id, new Failure('run-stalled', why))
      }
    }
  }

  /** Tries again what could not be written. */
  writeEnds(): void {
    for (const [id, change] of this.#unwritten) this.#end(id, change)
  }

  /** No run starts any more. */
  close(): void {
    this.#isClosed = true
  }

  /** Throws `run-interrupted` after `close`. */
  checkOpen(): void {
    if (this.#isClosed) throw new Failure('run-interrupted', 'the process is stopping')
  }

  #begin(id: string): void {
    const { now, deadlineMs, log } = this.#context
    try {
      const plan = this.#opened(id)
      const run = this.#context.runs.change(id, { status: 'running' })
      log.info({ run: id, pipe: run.pipe }, 'run.started')
      const controller = new AbortController()
      const deadline = now() + (plan.deadlineMs ?? deadlineMs)
      const done = this.#execute(run, plan, controller.signal)
      this.#running.set(id, { controller, deadline, done })
    } catch (err) {
      log.warn({ err, run: id }, 'run.unopened')
      this.#end(id, { status: 'failed', problem: storedProblem(err) })
      this.#queue.ended(id)
    }
  }

  #opened(id: string): Opened {
    const { now, runs } = this.#context
    const { start } = runs.resumption(id)
    const lastRun = runs.lastComplete(start.pipe)?.startTime
    const startTime = new Date(now()).toISOString()
    const header = { id, startTime, ...(lastRun !== undefined && { lastRun }) }
    return opened(this.#context, start, header)
  }

  async #execute(run: Run, plan: Opened, signal: AbortSignal): Promise<void> {
    const { id } = run
    const rest = (isResting: boolean) => {
      this.#queue.rest(id, isResting)
      this.start()
    }
    this.#end(id, await executed(this.#context, { run, plan, rest }, signal))
    this.#running.delete(id)
    this.#queue.ended(id)
    this.start()
  }

  #end(id: string, change: RunChange): void {
    const { runs, log } = this.#context
    try {
      const run = runs.change(id, change)
      this.#unwritten.delete(id)
      announceEnd(this.#context, run)
    } catch (err) {
      // A run that another process has taken is that one's to end; a full disk gets better.
      if (err instanceof Failure) this.#unwritten.delete(id)
      else this.#unwritten.set(id, change)
      log.error({ err, run: id, status: change.status }, 'run.unwritten')
    }
  }
}

/** One line in the log, and whoever wants to know; the run. */
export function announceEnd({ log, onEnd }: Pick<ExecutorContext, 'log' | 'onEnd'>, run: Run): Run {
  const { id, pipe, status, outcome, counts, problem } = run
  log.info({ run: id, pipe, status, outcome, counts, problem: problem?.type }, 'run.finished')
  try {
    onEnd?.(run)
  } catch (err) {
    log.error({ err, run: id }, 'run.untold')
  }
  return run
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
async function executed(
  context: ExecutorContext,
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
    await chain(steps, segmentContext(context, work, log, result), signal, grace)
    return finished(result)
  } catch (err) {
    const status = err instanceof Failure ? stops[err.kind] : undefined
    if (signal.aborted && err === signal.reason && status) {
      return { status, problem: storedProblem(err) }
    }
    log.warn({ err }, 'run.broken')
    return { status: 'failed', problem: storedProblem(err) }
  } finally {
    over.abort()
  }
}

function segmentContext(
  { runs }: ExecutorContext,
  { run, rest }: Work,
  log: Log,
  result: Result,
): SegmentContext {
  const { start, cursor, times } = runs.resumption(run.id)
  const last = runs.lastComplete(run.pipe)?.startTime
  const inner = runs.sink(run.id)
  const sink: RunSink = {
    ...inner,
    outcome: (outcome, problem) => {
      result.isDecided = true
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
    rest,
    ...(last !== undefined && { lastRun: new Date(last) }),
    ...(times > 0 && { resumed: true }),
    ...(cursor !== undefined && { resumeFrom: cursor }),
    ...(only && { only: new Set(only) }),
  }
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

function finished({ isDecided, end }: Result): RunChange {
  if (isDecided || !end) return { status: 'finished' }
  const problem = end.kind === 'incomplete' ? end.problem : undefined
  return {
    status: 'finished',
    outcome: end.kind,
    ...(problem && { problem: storedProblem(problem) }),
  }
}
