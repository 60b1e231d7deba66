/** Launches, cancels, resumes and retries runs; what an earlier process left interrupted goes on by itself. */

import { Failure } from '../../errors.ts'
import type { Configs } from '../document.ts'
import { catalogueOf } from '../pipe-check.ts'
import {
  ended,
  type Feed,
  type Run,
  type RunStart,
  type StartedBy,
  type StartMode,
  storedProblem,
} from '../runs/run.ts'
import type { Runs } from '../runs/run-history.ts'
import { announceEnd, Executor, type ExecutorContext } from './executor.ts'
import { feedOf, opened, pipeOf } from './opening.ts'
import { queueEntry, laneOf, RunQueue } from './run-queue.ts'

export type Launch = {
  /** Name or id of the pipe. */
  readonly pipe: string
  readonly configs?: Configs
  readonly startMode?: StartMode
  readonly startedBy: StartedBy
  readonly trigger?: string
  /** Milliseconds that the run waits in the queue at least: not all of a portal's sources are asked at the full hour. */
  readonly waitMs?: number
  /** Nothing is written; at most 20 records unless `limit` says otherwise. */
  readonly dryRun?: boolean
  readonly limit?: number
  /** Only these ids, original or source ids. */
  readonly only?: readonly string[]
  /** Datasets of the repository go through the pipe, which must not begin with an importer. */
  readonly feed?: Feed
}

/** The run that was made, or the active one in whose favour the launch was dropped. */
type Launched = { readonly run: Run } | { readonly dropped: Run }

/** `Failure`: `unknown-pipe`, `invalid-parameter` (configs), `unknown-run`, `conflict` (no such step in this state). */
export type Launcher = Pick<RunLauncher, keyof RunLauncher>

export type LauncherOptions = Omit<ExecutorContext, 'graceMs'> & {
  /** Runs in parallel. */
  readonly atOnce: number
  readonly graceMs?: number
}

const mostWaiting = 1000
const beatMs = 1000
const renewMs = 10_000
/** Interrupted runs that are older are not resumed by themselves. */
const youngMs = 86_400_000
const mostResumed = 1000
/** Runs of a pipe among which the newest of a lane is looked for. */
const mostLanes = 100

/**
 * Opens the launcher: what an earlier process left running is marked `interrupted`, and resumed once when it is younger
 * than 24 h.
 */
// oxlint-disable-next-line typescript/require-await -- callers wait for it
export async function openLauncher(options: LauncherOptions): Promise<Launcher> {
  return new RunLauncher({ ...options, graceMs: options.graceMs ?? 30_000 }, options.atOnce)
}

class RunLauncher {
  readonly #context: ExecutorContext
  readonly #runs: Runs
  readonly #queue: RunQueue
  readonly #executor: Executor
  readonly #stopping = new AbortController()
  readonly #beating: Promise<void>

  constructor(context: ExecutorContext, atOnce: number) {
    this.#context = context
    this.#runs = context.runs
    this.#queue = new RunQueue(atOnce)
    this.#executor = new Executor(context, this.#queue)
    this.#takeBack()
    this.#beating = this.#beat()
  }

  /** A pipe that cannot be opened gives a run that has failed already. */
  launch(launch: Launch): Launched {
    this.#executor.checkOpen()
    const start = this.#startOf(launch)
    const active = [...this.#queue.running(), ...this.#queue.waiting()]
    const busy = active.filter(({ lane, isDry }) => lane === laneOf(start) && !isDry)
    const [first] = busy
    if (first && !start.dryRun) {
      const mode = start.startMode ?? 'drop'
      if (mode === 'drop') return { dropped: this.#known(first.id) }
      const why = new Failure('run-cancelled', 'a later launch of the pipe took its place')
      for (const { id } of busy) {
        if (mode === 'concurrent' || this.#leaveQueue(id, why)) continue
        if (mode === 'restart') void this.#executor.stop(id, why)
      }
    }
    return { run: this.#queued(start, launch.waitMs) }
  }

  /** Resolves when the work in flight has ended. */
  async cancel(id: string): Promise<Run> {
    const why = new Failure('run-cancelled', 'the run was cancelled')
    if (this.#leaveQueue(id, why)) return this.#known(id)
    const done = this.#executor.stop(id, why)
    if (done) {
      await done
      return this.#known(id)
    }
    const run = this.#known(id)
    const where = ended(run) ? `is ${run.status} already` : 'belongs to another process'
    throw new Failure('conflict', `the run ${where}`)
  }

  /** The same run goes on. */
  resume(id: string): Run {
    this.#executor.checkOpen()
    return this.#resumed(id)
  }

  /** A new run of what failed. */
  retry(id: string): Run {
    this.#executor.checkOpen()
    const run = this.#known(id)
    if (!ended(run)) throw new Failure('conflict', `the run is ${run.status}`)
    if (this.#runs.failedIds(id).length === 0) {
      throw new Failure('conflict', 'no item of the run failed under an id')
    }
    const { only: _, startMode: __, trigger: ___, ...start } = this.#runs.resumption(id).start
    pipeOf(this.#context, start)
    return this.#queued({ ...start, startedBy: 'api', dryRun: false, retryOf: id })
  }

  /** Running and waiting, in order. */
  active(): readonly Run[] {
    const entries = [...this.#queue.running(), ...this.#queue.waiting()]
    return entries.flatMap(({ id }) => this.#runs.get(id) ?? [])
  }

  /** How many run and how many wait; costs nothing. */
  load(): { readonly runs: number; readonly waiting: number } {
    return { runs: this.#queue.running().length, waiting: this.#queue.waiting().length }
  }

  /** The run when it has ended. */
  async settled(id: string, signal: AbortSignal): Promise<Run> {
    for await (const run of this.#runs.follow(id, signal)) if (ended(run)) return run
    signal.throwIfAborted()
    return this.#known(id)
  }

  /** Interrupts what runs; it is resumed at the next start. */
  async stop(): Promise<void> {
    this.#executor.close()
    // First, so that no beat brings an interrupted run back.
    this.#stopping.abort()
    await this.#beating
    const why = new Failure('run-interrupted', 'the process was stopped')
    for (const { id } of this.#queue.waiting()) this.#leaveQueue(id, why)
    await Promise.all(this.#queue.running().flatMap(({ id }) => this.#executor.stop(id, why) ?? []))
    this.#executor.writeEnds()
  }

  #known(id: string): Run {
    const run = this.#runs.get(id)
    if (!run) throw new Failure('unknown-run', `there is no run ${id.slice(0, 100)}`)
    return run
  }

  /** Creates the run and puts it into the queue; a pipe that cannot be opened ends it at once. */
  #queued(start: RunStart, waitMs = 0): Run {
    if (this.#queue.waiting().length >= mostWaiting) {
      throw new Failure('too-many-requests', `${mostWaiting} runs are waiting already`)
    }
    const run = this.#runs.create(start)
    try {
      opened(this.#context, start, { id: run.id, startTime: run.created })
    } catch (error) {
      const problem = storedProblem(error)
      return announceEnd(this.#context, this.#runs.change(run.id, { status: 'failed', problem }))
    }
    const notBefore = waitMs > 0 && { notBefore: this.#context.now() + waitMs }
    this.#queue.add({ ...queueEntry(run.id, start), ...notBefore })
    this.#executor.start()
    return this.#known(run.id)
  }

  /** Ends a run that has not begun; whether there was one in the queue. */
  #leaveQueue(id: string, why: Failure): boolean {
    if (!this.#queue.remove(id)) return false
    const status = why.kind === 'run-interrupted' ? 'interrupted' : 'cancelled'
    announceEnd(this.#context, this.#runs.change(id, { status, problem: storedProblem(why) }))
    return true
  }

  #startOf(launch: Launch): RunStart {
    const { configs = {}, dryRun = false, startMode, trigger, limit, only, startedBy } = launch
    const { pipe } = pipeOf(this.#context, { pipe: launch.pipe, configs, dryRun })
    const { segments } = pipe.body
    const feed = launch.feed ?? feedOf(this.#context, segments)
    const catalogue = feed?.catalogue ?? catalogueOf(segments)
    return {
      pipe: pipe.header.name,
      ...(catalogue !== undefined && { catalogue }),
      ...(trigger !== undefined && { trigger }),
      ...(startMode !== undefined && { startMode }),
      ...(limit !== undefined && { limit }),
      ...(only !== undefined && { only }),
      ...(feed !== undefined && { feed }),
      startedBy,
      dryRun,
      configs,
      segments: segments.map(({ header: { name, segmentNumber } }) => ({
        name,
        segmentNumber,
        processed: false,
      })),
    }
  }

  /** The same run waits again. Throws `unknown-run`, `unknown-pipe`, `conflict`. */
  #resumed(id: string): Run {
    const runs = this.#runs
    const run = this.#known(id)
    const { start } = runs.resumption(id)
    if (start.dryRun) throw new Failure('conflict', 'a dry run is not resumed: launch it again')
    const later = runs.lastComplete(run.pipe)
    if (later && later.created > run.created && this.#isSameLane(later.id, start)) {
      throw new Failure('conflict', 'a later run of the pipe is complete')
    }
    pipeOf(this.#context, start)
    runs.change(id, { status: 'waiting' })
    this.#queue.add(queueEntry(id, start))
    this.#executor.start()
    return this.#known(id)
  }

  /** Marks what other processes have left, and resumes runs interrupted less than 24 h ago, once, oldest first. */
  #takeBack(): void {
    const { log } = this.#context
    this.#runs.interruptOrphans()
    const found = this.#runs.list({ status: 'interrupted', offset: 0, limit: mostResumed })
    for (const run of found.toReversed()) {
      if (!this.#isResumable(run)) continue
      try {
        this.#resumed(run.id)
        log.info({ run: run.id, pipe: run.pipe }, 'run.resumed')
      } catch (err) {
        log.warn({ err, run: run.id, pipe: run.pipe }, 'run.unresumed')
      }
    }
  }

  #isResumable({ id, pipe, endTime }: Run): boolean {
    const { start, times } = this.#runs.resumption(id)
    const isYoung = this.#context.now() - Date.parse(endTime ?? '') < youngMs
    if (!isYoung || times > 0 || start.dryRun) return false
    const newest = this.#runs
      .list({ pipe, offset: 0, limit: mostLanes })
      .find((run) => this.#isSameLane(run.id, start))
    return newest?.id === id
  }

  #isSameLane(id: string, start: RunStart): boolean {
    return laneOf(this.#runs.resumption(id).start) === laneOf(start)
  }

  /** Every second, until stopped; a beat that fails is logged and the next one comes. */
  async #beat(): Promise<void> {
    const { now, pause, log } = this.#context
    const { signal } = this.#stopping
    let renewed = now()
    for (;;) {
      try {
        await pause(beatMs, signal)
      } catch (err) {
        if (!signal.aborted) log.error({ err }, 'launcher.pause')
        return
      }
      if (signal.aborted) return
      try {
        this.#executor.check()
        // Those that had to wait for their time.
        this.#executor.start()
        if (now() - renewed < renewMs) continue
        renewed = now()
        this.#renew()
      } catch (err) {
        log.error({ err }, 'launcher.beat')
      }
    }
  }

  #renew(): void {
    const why = new Failure('run-interrupted', 'another process took the run')
    for (const id of this.#runs.renew()) void this.#executor.stop(id, why)
    this.#takeBack()
  }
}
