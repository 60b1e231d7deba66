/** Starts, cancels and resumes runs. */

import { Failure } from '../../errors.ts'
import { ended, type Run } from '../runs/run.ts'
import type { Runs } from '../runs/runs.ts'
import { admitted, leaveQueue } from './admission.ts'
import { flights, type FlightDeps } from './flights.ts'
import type { Hall } from './hall.ts'
import { heartbeat } from './heartbeat.ts'
import type { Launch, Launched } from './launch.ts'
import { queue } from './queue.ts'
import { resumed, resumeInterrupted, retried } from './returning.ts'

export type { Launch } from './launch.ts'

/** `Failure`: `unknown-pipe`, `invalid-parameter` (configs), `unknown-run`, `conflict` (no such step in this state). */
export type Launcher = {
  /** A pipe that cannot be opened gives a run that has failed already. */
  launch(launch: Launch): Launched
  /** Resolves when the work in flight has ended. */
  cancel(runId: string): Promise<Run>
  /** The same run goes on. */
  resume(runId: string): Run
  /** A new run of what failed. */
  retry(runId: string): Run
  /** Running and waiting, in order. */
  active(): readonly Run[]
  /** How many run and how many wait; costs nothing. */
  load(): { readonly runs: number; readonly waiting: number }
  /** The run when it has ended. */
  settled(runId: string, signal: AbortSignal): Promise<Run>
  /** Interrupts what runs; it is resumed at the next start. */
  stop(): Promise<void>
}

export type LauncherOptions = Omit<FlightDeps, 'queue' | 'graceMs'> & {
  /** Runs in parallel. */
  readonly atOnce: number
  readonly graceMs?: number
}

/**
 * Opens the launcher: what an earlier process left running is marked `interrupted`, and resumed once when it is younger
 * than 24 h.
 */
export async function openLauncher(options: LauncherOptions): Promise<Launcher> {
  const { runs, now, pause, log } = options
  const line = queue(options.atOnce)
  const deps = { ...options, graceMs: options.graceMs ?? 30_000 }
  const flying = flights({ ...deps, queue: line })
  const hall: Hall = {
    options: deps,
    runs,
    queue: line,
    flights: flying,
    known: (id) => known(runs, id),
    busy: (lane) =>
      [...line.running(), ...line.waiting()].filter((one) => one.lane === lane && !one.isDry),
  }
  const returning = (): void => {
    runs.interruptOrphans()
    resumeInterrupted(hall)
  }
  const beating = heartbeat({
    now,
    pause,
    log,
    check: () => {
      flying.settle()
      flying.check()
      // Those that had to wait for their time.
      flying.start()
    },
    renew: () => {
      for (const id of runs.renew())
        void flying.stop(id, interruption('another process took the run'))
      returning()
    },
  })
  returning()
  return {
    launch: (launch) => (flying.checkOpen(), admitted(hall, launch)),
    cancel: (id) => cancelled(hall, id),
    resume: (id) => (flying.checkOpen(), resumed(hall, id)),
    retry: (id) => (flying.checkOpen(), retried(hall, id)),
    active: () => [...line.running(), ...line.waiting()].flatMap(({ id }) => runs.get(id) ?? []),
    load: () => ({ runs: line.running().length, waiting: line.waiting().length }),
    settled: (id, signal) => settled(runs, id, signal),
    stop: async () => {
      flying.close()
      // First, so that no beat brings an interrupted run back.
      await beating.stop()
      await stopAll(hall)
      flying.settle()
    },
  }
}

const interruption = (why: string): Failure => new Failure('run-interrupted', why)

async function cancelled(hall: Hall, id: string): Promise<Run> {
  const { runs, flights } = hall
  const why = new Failure('run-cancelled', 'the run was cancelled')
  if (leaveQueue(hall, id, why)) return known(runs, id)
  const done = flights.stop(id, why)
  if (done) {
    await done
    return known(runs, id)
  }
  const run = known(runs, id)
  const where = ended(run) ? `is ${run.status} already` : 'belongs to another process'
  throw new Failure('conflict', `the run ${where}`)
}

async function settled(runs: Runs, id: string, signal: AbortSignal): Promise<Run> {
  for await (const run of runs.follow(id, signal)) if (ended(run)) return run
  signal.throwIfAborted()
  return known(runs, id)
}

async function stopAll(hall: Hall): Promise<void> {
  const why = interruption('the process was stopped')
  for (const { id } of hall.queue.waiting()) leaveQueue(hall, id, why)
  await Promise.all(hall.queue.running().flatMap(({ id }) => hall.flights.stop(id, why) ?? []))
}

function known(runs: Runs, id: string): Run {
  const run = runs.get(id)
  if (!run) throw new Failure('unknown-run', `there is no run ${id.slice(0, 100)}`)
  return run
}
