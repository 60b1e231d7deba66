/** Runs that go on, and runs that try again. */

import { Failure } from '../../errors.ts'
import { ended, type Run, type RunStart } from '../runs/run.ts'
import { queued } from './admission.ts'
import type { Hall } from './hall.ts'
import { pipeOf } from './opening/opening.ts'
import { laneOf, placeOf } from './queue.ts'

const youngMs = 86_400_000
const mostReturning = 1000
/** Runs of a pipe among which the newest of a lane is looked for. */
const mostLanes = 100

/** The same run waits again. Throws `unknown-run`, `unknown-pipe`, `conflict`. */
export function resumed(hall: Hall, id: string): Run {
  const { runs, queue, flights, options } = hall
  const run = hall.known(id)
  const { start } = runs.resumption(id)
  if (start.dryRun) throw new Failure('conflict', 'a dry run is not resumed: launch it again')
  const later = runs.lastComplete(run.pipe)
  if (later && later.created > run.created && isSame(hall, later.id, start)) {
    throw new Failure('conflict', 'a later run of the pipe is complete')
  }
  pipeOf(options, start)
  runs.change(id, { status: 'waiting' })
  queue.add(placeOf(id, start))
  flights.start()
  return hall.known(id)
}

/** A new run for the failed items of one that has ended. */
export function retried(hall: Hall, id: string): Run {
  const { runs, options } = hall
  const run = hall.known(id)
  if (!ended(run)) throw new Failure('conflict', `the run is ${run.status}`)
  if (runs.failedIds(id).length === 0) {
    throw new Failure('conflict', 'no item of the run failed under an id')
  }
  const { only: _, startMode: __, trigger: ___, ...start } = runs.resumption(id).start
  pipeOf(options, start)
  return queued(hall, { ...start, startedBy: 'api', dryRun: false, retryOf: id })
}

/** Runs that were interrupted less than 24 h ago go on by themselves, once, oldest first. */
export function resumeInterrupted(hall: Hall): void {
  const { runs, options } = hall
  const found = runs.list({ status: 'interrupted', offset: 0, limit: mostReturning })
  for (const run of found.toReversed()) {
    if (!isReturning(hall, run)) continue
    try {
      resumed(hall, run.id)
      options.log.info({ run: run.id, pipe: run.pipe }, 'run.resumed')
    } catch (err) {
      options.log.warn({ err, run: run.id, pipe: run.pipe }, 'run.unresumed')
    }
  }
}

function isReturning(hall: Hall, { id, pipe, endTime }: Run): boolean {
  const { runs, options } = hall
  const { start, times } = runs.resumption(id)
  const isYoung = options.now() - Date.parse(endTime ?? '') < youngMs
  if (!isYoung || times > 0 || start.dryRun) return false
  const newest = runs
    .list({ pipe, offset: 0, limit: mostLanes })
    .find((run) => isSame(hall, run.id, start))
  return newest?.id === id
}

/** Whether a run is about what `start` is about. */
const isSame = ({ runs }: Hall, id: string, start: RunStart): boolean =>
  laneOf(runs.resumption(id).start) === laneOf(start)
