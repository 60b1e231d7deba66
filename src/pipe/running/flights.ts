/** Runs on their way: started when there is room, stopped when told, their ends written for certain. */

import { Failure, type Kind } from '../../errors.ts'
import { storedProblem } from '../runs/problem.ts'
import type { Run, RunChange } from '../runs/run.ts'
import { endings } from './endings.ts'
import { executed, type ExecutionDeps } from './execution.ts'
import { opened, type Opened, type OpeningDeps } from './opening/opening.ts'
import type { Place, Queue } from './queue.ts'

export type FlightDeps = ExecutionDeps &
  OpeningDeps & {
    readonly queue: Queue
    readonly now: () => number
    readonly deadlineMs: number
    readonly stallMs: number
    readonly onEnd?: (run: Run) => void
  }

export type Flights = {
  /** Starts whatever may start. */
  start(): void
  /** Tells a run to stop; resolves when it has ended. `undefined` when it is not on its way. */
  stop(id: string, why: Failure): Promise<void> | undefined
  /** Ends runs that are past their deadline or show no sign of life. */
  check(): void
  /** Writes the ends that could not be written before. */
  settle(): void
  /** No run starts any more. */
  close(): void
  /** Throws `run-interrupted` after `close`. */
  checkOpen(): void
}

type Flight = {
  readonly controller: AbortController
  readonly deadline: number
  readonly done: Promise<void>
}

export function flights(deps: FlightDeps): Flights {
  const { queue, now } = deps
  const flying = new Map<string, Flight>()
  const ends = endings(deps)
  let closed = false
  const begin = ({ id }: Place): void => {
    const begun = beginning(deps, id)
    if ('status' in begun) {
      ends.write(id, begun)
      queue.ended(id)
      return
    }
    const controller = new AbortController()
    const deadline = now() + (begun.plan.deadlineMs ?? deps.deadlineMs)
    flying.set(id, { controller, deadline, done: fly(id, begun, controller.signal) })
  }
  const fly = async (id: string, { run, plan }: Begun, signal: AbortSignal): Promise<void> => {
    const rest = (isResting: boolean) => (queue.rest(id, isResting), start())
    ends.write(id, await executed({ ...deps, rest }, run, plan, signal))
    flying.delete(id)
    queue.ended(id)
    start()
  }
  const start = (): void => {
    if (closed) return
    for (let place = queue.next(now()); place; place = queue.next(now())) begin(place)
  }
  const stop = (id: string, why: Failure): Promise<void> | undefined => {
    const flight = flying.get(id)
    flight?.controller.abort(why)
    return flight?.done
  }
  return {
    start,
    stop,
    check() {
      for (const [id, { deadline }] of flying) {
        const late = lateness(deps, id, deadline)
        if (late) void stop(id, new Failure(...late))
      }
    },
    settle: () => ends.writeOwed(),
    close: () => {
      closed = true
    },
    checkOpen: () => {
      if (closed) throw new Failure('run-interrupted', 'the process is stopping')
    },
  }
}

type Begun = { readonly run: Run; readonly plan: Opened }

/** The run with its steps, or how it ends before it has begun. */
function beginning(deps: FlightDeps, id: string): Begun | RunChange {
  const { runs, log, now } = deps
  try {
    const startTime = new Date(now()).toISOString()
    const { start } = runs.resumption(id)
    const lastRun = runs.lastComplete(start.pipe)?.startTime
    const told = { id, startTime, ...(lastRun !== undefined && { lastRun }) }
    const plan = opened(deps, start, told)
    const run = runs.change(id, { status: 'running' })
    log.info({ run: id, pipe: run.pipe }, 'run.started')
    return { run, plan }
  } catch (err) {
    log.warn({ err, run: id }, 'run.unopened')
    return { status: 'failed', problem: storedProblem(err) }
  }
}

function lateness(deps: FlightDeps, id: string, deadline: number): [Kind, string] | undefined {
  const now = deps.now()
  if (now >= deadline) return ['run-deadline', 'the run took longer than its deadline allows']
  const quiet = now - (deps.runs.lastSign(id) ?? now)
  if (quiet < deps.stallMs) return undefined
  return ['run-stalled', `no page and no item came for ${Math.round(quiet / 1000)} s`]
}
