/** Watching a run to its end. */

import { Failure } from '../../errors.ts'
import { ended, type Run } from '../../pipe/runs/run.ts'
import type { Io } from '../command.ts'
import type { SchedulerPart } from '../parts.ts'
import { rhythm } from '../telling/progress.ts'
import { countsOf, problemLine, progressOf, stateOf } from '../telling/run.ts'

/** What commands about runs stand on. */
export type RunGround = {
  readonly scheduler: SchedulerPart
  /** Milliseconds of a clock. */
  readonly now: () => number
}

/** Tells the progress every five seconds and the end; throws `Failure` when the run did not finish. */
export async function followRun(
  { scheduler, now }: RunGround,
  { id }: Run,
  { say, tell }: Io,
  signal: AbortSignal,
): Promise<Run> {
  const isTime = rhythm(now)
  let last = knownRun(scheduler, id)
  for await (const run of scheduler.runs.follow(id, signal)) {
    last = run
    if (!ended(run) && isTime()) tell(progressOf(run))
  }
  signal.throwIfAborted()
  if (ended(last)) await say(progressOf(last))
  await say(`run ${id} is ${stateOf(last)}: ${countsOf(last)}`)
  if (last.status === 'finished') return last
  const why = last.problem ? `: ${problemLine(last.problem)}` : ''
  throw new Failure('conflict', `the run is ${last.status}${why}`)
}

/** Throws `unknown-run`. */
export function knownRun({ runs }: Pick<SchedulerPart, 'runs'>, id: string): Run {
  const run = runs.get(id)
  if (run) return run
  throw new Failure('unknown-run', `there is no run ${id.slice(0, 100)}`)
}
