/** Firings that were noted and not launched, because the process ended in between. */

import type { Runs } from '../../pipe/runs/run-history.ts'
import type { TriggerFile } from '../keeping/trigger-file.ts'
import type { KeptTrigger } from '../trigger.ts'

/** What a harvest missed longer ago than this is old news, as with runs that were interrupted. */
const oldestMs = 86_400_000

/** More runs than a pipe has had since. */
const mostRuns = 1000

type Deps = {
  readonly file: Pick<TriggerFile, 'launchedAt'>
  readonly runs: Pick<Runs, 'list'>
}

/**
 * Whether the last firing of a trigger still has to be launched. Only firings after the last group that was launched whole
 * are in doubt, and of those the ones that have a run were launched.
 */
export function owed({ file, runs }: Deps, now: number): (trigger: KeptTrigger) => boolean {
  const launched = file.launchedAt()
  return ({ pipe, id, last = 0 }) => {
    if (last <= launched || last < now - oldestMs) return false
    const later = runs.list({ pipe, offset: 0, limit: mostRuns })
    return !later.some((run) => run.trigger === id && Date.parse(run.created) >= last)
  }
}
