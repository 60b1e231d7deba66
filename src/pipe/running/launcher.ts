/**
 * Launches, cancels, resumes and retries runs. Runs start in order of arrival with a limit on their number, and one at a time
 * per concurrency key, except dry runs and those started as `concurrent`. Once a second, overdue and stalled runs are ended, and
 * final states are written that could not be written before (disk full). Every 10 s, leases are renewed, and runs of processes
 * that have ended are resumed.
 */

import { Failure } from '../../errors.ts'
import { inTrace } from '../../trace.ts'
import { type BackgroundLoop, backgroundLoop } from '../../workers/background-loop.ts'
import { hasEnded, type Run, type RunChange, type RunStart, storedProblem } from '../runs/run.ts'
import {
  executeRun,
  type ExecutionContext,
  concurrencyKey,
  type Launch,
  openPipe,
  configuredPipe,
  runStartOf,
} from './execution.ts'
import { dayMs } from '../../text/duration.ts'

/** The created run; or the active run, if the launch was ignored because of it (start mode `drop`). */
type Launched = { readonly run: Run } | { readonly dropped: Run }

/**
 * Public interface of the launcher. Methods throw `unknown-pipe`, `invalid-parameter` (configs), `unknown-run`, `conflict`
 * (the state of the run does not permit it), `too-many-requests`, and `run-interrupted` after `stop`.
 */
export type Launcher = Pick<RunLauncher, keyof RunLauncher>

export type LauncherOptions = Omit<ExecutionContext, 'graceMs'> & {
  /** Number of parallel runs, without idle ones, from which on no other starts. */
  readonly atOnce: number
  readonly graceMs?: number
}

/** A waiting or running run. */
type ActiveRun = {
  readonly id: string
  readonly key: string
  readonly isDry: boolean
  /** Starts without waiting for runs with the same concurrency key. */
  readonly isConcurrent: boolean
  /** Earliest start, ms since 1970. */
  readonly notBefore: number
  /** Absent while the run waits; `deadline` is in ms since 1970. */
  execution?: {
    readonly controller: AbortController
    readonly deadline: number
    ended: Promise<void>
  }
  /** Only waits for input; not counted as a parallel run meanwhile. */
  isIdle: boolean
}

/** Number of waiting runs from which on launches and requests to resume are refused, and maximum number of interrupted runs that are looked at. */
const [mostWaiting, mostResumed] = [1000, 1000]
/** Intervals in ms: rounds of the loop, and renewal of leases. */
const [roundMs, renewMs] = [1000, 10_000]
/** Maximum time in ms between the interruption of a run and its automatic resumption. */
const maxResumeAgeMs = dayMs
/** Number of recent runs of a pipe that are searched for newer ones with the same concurrency key. */
const mostRecentRuns = 100

const interruption = (reason: string): Failure => new Failure('run-interrupted', reason)

/** Opens the launcher: active runs of processes that have ended become `interrupted`, and resume if `#isResumable` permits. */
// oxlint-disable-next-line typescript/require-await -- callers wait for it
export async function openLauncher(options: LauncherOptions): Promise<Launcher> {
  return new RunLauncher({ ...options, graceMs: options.graceMs ?? 30_000 }, options.atOnce)
}

class RunLauncher {
  readonly #context: ExecutionContext
  readonly #atOnce: number
  /** Waiting and running runs by id, in order of arrival. */
  readonly #runs = new Map<string, ActiveRun>()
  /** Final states that could not be written yet. */
  readonly #unwrittenEnds = new Map<string, RunChange>()
  readonly #stopping = new AbortController()
  readonly #loop: BackgroundLoop

  constructor(context: ExecutionContext, atOnce: number) {
    this.#context = context
    this.#atOnce = atOnce
    this.#resumeInterrupted()
    this.#loop = this.#startLoop()
  }

  /** Starts a run, or does nothing (start mode `drop`). If the pipe cannot be opened, the run is created as failed. */
  launch(launch: Launch): Launched {
    this.#checkOpen()
    const start = runStartOf(this.#context, launch)
    const key = concurrencyKey(start)
    const rivals = this.#active().filter((entry) => entry.key === key && !entry.isDry)
    const [first] = rivals
    if (first && !start.dryRun) {
      const mode = start.startMode ?? 'drop'
      if (mode === 'drop') return { dropped: this.#runOf(first.id) }
      const reason = new Failure('run-cancelled', 'a later launch of the pipe took its place')
      for (const { id, execution } of rivals) {
        if (mode === 'restart' || (mode === 'append' && !execution)) this.#startStop(id, reason)
      }
    }
    return { run: this.#enqueue(start, launch.waitMs) }
  }

  /** Cancels a run; resolves when it has ended. */
  async cancel(id: string): Promise<Run> {
    const ended = this.#stop(id, new Failure('run-cancelled', 'the run was cancelled'))
    await ended
    const run = this.#runOf(id)
    if (ended) return run
    const stateText = hasEnded(run) ? `is already ${run.status}` : 'belongs to another process'
    throw new Failure('conflict', `the run ${stateText}`)
  }

  /** Resumes a run that has ended. */
  resume(id: string): Run {
    this.#checkOpen()
    this.#checkRoom()
    return this.#resume(id)
  }

  /** Starts a new run for the failed items of a run. */
  retry(id: string): Run {
    this.#checkOpen()
    const { runs } = this.#context
    const run = this.#runOf(id)
    if (!hasEnded(run)) throw new Failure('conflict', `the run is ${run.status}`)
    if (runs.failedIds(id).length === 0) {
      const detail = 'no failed item of the run has an identifier: there is nothing to retry'
      throw new Failure('conflict', detail)
    }
    const { only: _, startMode: __, trigger: ___, ...start } = runs.resumption(id).start
    configuredPipe(this.#context, start)
    return this.#enqueue({ ...start, startedBy: 'api', dryRun: false, retryOf: id })
  }

  /** Running, then waiting runs, in order. */
  active(): readonly Run[] {
    return this.#active().flatMap(({ id }) => this.#context.runs.get(id) ?? [])
  }

  /** Numbers of running and waiting runs. */
  load(): { readonly runs: number; readonly waiting: number } {
    const runs = this.#running().length
    return { runs, waiting: this.#runs.size - runs }
  }

  /** Resolves with the run when it has ended. */
  async waitForEnd(id: string, signal: AbortSignal): Promise<Run> {
    for await (const run of this.#context.runs.follow(id, signal)) if (hasEnded(run)) return run
    signal.throwIfAborted()
    return this.#runOf(id)
  }

  /** Interrupts all runs; the next start resumes those that `#isResumable` permits. */
  async stop(): Promise<void> {
    // No run starts any more, and the loop resumes none that is interrupted below.
    this.#stopping.abort()
    await this.#loop.stop()
    const reason = interruption('the process was stopped')
    // Waiting runs first: their end is immediate.
    await Promise.all(
      this.#active()
        .toReversed()
        .flatMap(({ id }) => this.#stop(id, reason) ?? []),
    )
    this.#writeEnds()
  }

  #running(): ActiveRun[] {
    return [...this.#runs.values()].filter(({ execution }) => execution)
  }

  #active(): ActiveRun[] {
    return [...this.#running(), ...[...this.#runs.values()].filter(({ execution }) => !execution)]
  }

  #checkOpen(): void {
    if (this.#stopping.signal.aborted) throw interruption('the process is stopping')
  }

  #checkRoom(): void {
    if (this.load().waiting >= mostWaiting)
      throw new Failure('too-many-requests', `${mostWaiting} runs are waiting already`)
  }

  #runOf(id: string): Run {
    const run = this.#context.runs.get(id)
    if (!run) throw new Failure('unknown-run', `there is no run ${id.slice(0, 100)}`)
    return run
  }

  /** Creates and queues a run; if the pipe cannot be opened, the run fails at once. */
  #enqueue(start: RunStart, waitMs = 0): Run {
    const { runs, now } = this.#context
    this.#checkRoom()
    const { id, created } = runs.create(start)
    try {
      openPipe(this.#context, start, { runId: id, startTime: created })
    } catch (error) {
      const problem = storedProblem(error)
      return this.#announce(runs.change(id, { status: 'failed', problem }))
    }
    return this.#add(id, start, waitMs > 0 ? now() + waitMs : 0)
  }

  #add(id: string, start: RunStart, notBefore = 0): Run {
    const isConcurrent = start.dryRun || start.startMode === 'concurrent'
    const run = { id, key: concurrencyKey(start), isDry: start.dryRun, isConcurrent, notBefore }
    this.#runs.set(id, { ...run, isIdle: false })
    this.#start()
    return this.#runOf(id)
  }

  /** Makes a run wait again. Throws `unknown-run`, `unknown-pipe`, `invalid-parameter` (configs), `conflict`. */
  #resume(id: string): Run {
    const { runs } = this.#context
    const run = this.#runOf(id)
    const { start } = runs.resumption(id)
    if (start.dryRun) throw new Failure('conflict', 'a dry run cannot be resumed: launch it again')
    const laterRun = runs.lastComplete(run.pipe)
    if (laterRun && laterRun.created > run.created && this.#hasSameKey(laterRun.id, start)) {
      throw new Failure('conflict', 'a later run of the pipe is complete')
    }
    configuredPipe(this.#context, start)
    runs.change(id, { status: 'waiting' })
    return this.#add(id, start)
  }

  /** Marks runs of ended processes as interrupted and resumes, oldest first, those that `#isResumable` permits. */
  #resumeInterrupted(): void {
    const { runs, log } = this.#context
    for (const orphan of runs.interruptOrphans()) this.#announce(orphan)
    const interrupted = runs.list({ status: 'interrupted', offset: 0, limit: mostResumed })
    for (const run of interrupted.toReversed()) {
      if (!this.#isResumable(run)) continue
      try {
        this.#resume(run.id)
        log.info({ run: run.id, pipe: run.pipe }, 'run.resumed')
      } catch (err) {
        log.warn({ err, run: run.id, pipe: run.pipe }, 'run.resume-failed')
      }
    }
  }

  /** Whether a run was interrupted within 24 h, never resumed, is no dry run, and is the newest with its concurrency key. */
  #isResumable({ id, pipe, endTime }: Run): boolean {
    const { runs, now } = this.#context
    const { start, resumptions } = runs.resumption(id)
    const isYoung = now() - Date.parse(endTime ?? '') < maxResumeAgeMs
    if (!isYoung || resumptions > 0 || start.dryRun) return false
    const newest = runs
      .list({ pipe, offset: 0, limit: mostRecentRuns })
      .find((run) => this.#hasSameKey(run.id, start))
    return newest?.id === id
  }

  #hasSameKey(id: string, start: RunStart): boolean {
    return concurrencyKey(this.#context.runs.resumption(id).start) === concurrencyKey(start)
  }

  /** Starts all waiting runs that may start. */
  #start(): void {
    while (!this.#stopping.signal.aborted) {
      const running = this.#running()
      if (running.filter(({ isIdle }) => !isIdle).length >= this.#atOnce) return
      const isFree = ({ key, isConcurrent }: ActiveRun) =>
        isConcurrent || !running.some((other) => other.key === key && !other.isDry)
      const next = [...this.#runs.values()].find(
        (entry) => !entry.execution && entry.notBefore <= this.#context.now() && isFree(entry),
      )
      if (!next) return
      inTrace(this.#context.runs.get(next.id)?.trace, () => this.#begin(next))
    }
  }

  #begin(entry: ActiveRun): void {
    const { id } = entry
    const { runs, now, log, deadlineMs } = this.#context
    try {
      const { start } = runs.resumption(id)
      const lastRun = runs.lastComplete(start.pipe)?.startTime
      const startTime = new Date(now()).toISOString()
      const plan = openPipe(this.#context, start, { runId: id, startTime, lastRun })
      const run = runs.change(id, { status: 'running' })
      log.info({ run: id, pipe: run.pipe }, 'run.started')
      const controller = new AbortController()
      const setIdle = (isIdle: boolean) => {
        entry.isIdle = isIdle
        this.#start()
      }
      const deadline = now() + (plan.deadlineMs ?? deadlineMs)
      // Set before the first step, which may call `setIdle` at once.
      entry.execution = { controller, deadline, ended: Promise.resolve() }
      entry.execution.ended = executeRun(
        this.#context,
        { run, plan, setIdle },
        controller.signal,
      ).then((change) => this.#finish(id, change))
    } catch (err) {
      log.warn({ err, run: id }, 'run.open-failed')
      this.#write(id, { status: 'failed', problem: storedProblem(err) })
      this.#runs.delete(id)
    }
  }

  #finish(id: string, change: RunChange): void {
    this.#write(id, change)
    this.#runs.delete(id)
    this.#start()
  }

  /** Aborts a run; resolves when it has ended. `undefined` if it is not active in this process. */
  #stop(id: string, reason: Failure): Promise<void> | undefined {
    const entry = this.#runs.get(id)
    if (entry?.execution) {
      entry.execution.controller.abort(reason)
      return entry.execution.ended
    }
    if (!entry) return undefined
    this.#runs.delete(id)
    const status = reason.kind === 'run-interrupted' ? 'interrupted' : 'cancelled'
    this.#write(id, { status, problem: storedProblem(reason) })
    return Promise.resolve()
  }

  /** Aborts a run without waiting for its end. */
  #startStop(id: string, reason: Failure): void {
    const logError = (err: unknown) => this.#context.log.error({ err, run: id }, 'run.stop-failed')
    this.#stop(id, reason)?.catch(logError)
  }

  #write(id: string, change: RunChange): void {
    const { runs, log } = this.#context
    try {
      const run = runs.change(id, change)
      this.#unwrittenEnds.delete(id)
      this.#announce(run)
    } catch (err) {
      // A `Failure` means that another process owns or has ended the run; other errors (disk full) are retried.
      if (err instanceof Failure) this.#unwrittenEnds.delete(id)
      else this.#unwrittenEnds.set(id, change)
      log.error({ err, run: id, status: change.status }, 'run.write-failed')
    }
  }

  #writeEnds(): void {
    for (const [id, change] of this.#unwrittenEnds) this.#write(id, change)
  }

  /** Logs the end of a run and calls `onEnd`; returns the run. */
  #announce(run: Run): Run {
    const { log, onEnd } = this.#context
    const { id, pipe, status, outcome, counts, problem } = run
    log.info({ run: id, pipe, status, outcome, counts, problem: problem?.type }, 'run.finished')
    try {
      onEnd?.(run)
    } catch (err) {
      log.error({ err, run: id }, 'run.notify-failed')
    }
    return run
  }

  /** Starts the loop that runs every second. */
  #startLoop(): BackgroundLoop {
    const { now, pause, log, runs } = this.#context
    let renewedAt = now()
    const heartbeat = () => {
      this.#writeEnds()
      this.#abortOverdue()
      // Starts runs whose `notBefore` has passed.
      this.#start()
      if (now() - renewedAt < renewMs) return
      renewedAt = now()
      const reason = interruption('another process took the run')
      for (const id of runs.renew()) this.#startStop(id, reason)
      this.#resumeInterrupted()
    }
    return backgroundLoop('launcher.beat', roundMs, heartbeat, { pause, log })
  }

  /** Aborts runs that exceed their deadline or are stalled. */
  #abortOverdue(): void {
    const { now, runs, stallMs } = this.#context
    for (const { id, execution } of this.#running()) {
      const silentMs = now() - (runs.lastReportAt(id) ?? now())
      if (now() >= (execution?.deadline ?? Infinity)) {
        const detail = 'the run took longer than its deadline allows'
        this.#startStop(id, new Failure('run-deadline', detail))
      } else if (silentMs >= stallMs) {
        const detail = `no page and no item came for ${Math.round(silentMs / 1000)} s`
        this.#startStop(id, new Failure('run-stalled', detail))
      }
    }
  }
}
