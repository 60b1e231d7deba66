/** What a launch does while its pipe is active. */

import { Failure } from '../../errors.ts'
import { catalogueOf } from '../documents/places.ts'
import { storedProblem } from '../runs/problem.ts'
import type { Run, RunStart } from '../runs/run.ts'
import { told } from './endings.ts'
import type { Hall } from './hall.ts'
import type { Launch, Launched } from './launch.ts'
import { feedOf } from './opening/feeding.ts'
import { opened, pipeOf } from './opening/opening.ts'
import { laneOf, placeOf, type Place } from './queue.ts'

const mostWaiting = 1000

/** A new run in the queue, one that failed at once, or the active one in whose favour the launch was dropped. */
export function admitted(hall: Hall, launch: Launch): Launched {
  const start = startOf(hall, launch)
  const busy = hall.busy(laneOf(start))
  const [first] = busy
  if (first && !start.dryRun) {
    const mode = start.startMode ?? 'drop'
    if (mode === 'drop') return { dropped: hall.known(first.id) }
    if (mode === 'restart') busy.forEach((place) => displace(hall, place))
    if (mode === 'append') busy.forEach(({ id }) => leaveQueue(hall, id, displaced()))
  }
  return { run: queued(hall, start, launch.waitMs) }
}

/** Creates the run and puts it into the queue; a pipe that cannot be opened ends it at once. */
export function queued(hall: Hall, start: RunStart, waitMs = 0): Run {
  const { runs, queue, flights, options } = hall
  if (queue.waiting().length >= mostWaiting) {
    throw new Failure('too-many-requests', `${mostWaiting} runs are waiting already`)
  }
  const run = runs.create(start)
  try {
    opened(options, start, { id: run.id, startTime: run.created })
  } catch (error) {
    const problem = storedProblem(error)
    return told(options, runs.change(run.id, { status: 'failed', problem }))
  }
  const notBefore = waitMs > 0 && { notBefore: options.now() + waitMs }
  queue.add({ ...placeOf(run.id, start), ...notBefore })
  flights.start()
  return hall.known(run.id)
}

/** Ends a run that has not begun; whether there was one in the queue. */
export function leaveQueue({ queue, runs, options }: Hall, id: string, why: Failure): boolean {
  if (!queue.remove(id)) return false
  const status = why.kind === 'run-interrupted' ? 'interrupted' : 'cancelled'
  told(options, runs.change(id, { status, problem: storedProblem(why) }))
  return true
}

const displaced = () => new Failure('run-cancelled', 'a later launch of the pipe took its place')

function displace(hall: Hall, { id }: Place): void {
  if (!leaveQueue(hall, id, displaced())) void hall.flights.stop(id, displaced())
}

function startOf({ options }: Hall, launch: Launch): RunStart {
  const { configs = {}, dryRun = false, startMode, trigger, limit, only } = launch
  const { pipe } = pipeOf(options, { pipe: launch.pipe, configs, dryRun })
  const { segments } = pipe.body
  const feed = launch.feed ?? feedOf(options, segments)
  const catalogue = feed?.catalogue ?? catalogueOf(segments)
  return {
    pipe: pipe.header.name,
    ...(catalogue !== undefined && { catalogue }),
    ...(trigger !== undefined && { trigger }),
    ...(startMode !== undefined && { startMode }),
    ...(limit !== undefined && { limit }),
    ...(only !== undefined && { only }),
    ...(feed !== undefined && { feed }),
    startedBy: launch.startedBy,
    dryRun,
    configs,
    segments: segments.map(({ header: { name, segmentNumber } }) => ({
      name,
      segmentNumber,
      processed: false,
    })),
  }
}
