/** Shows runs of pipes in the list of jobs beside the jobs of the repository. */

import { Failure } from '../../errors.ts'
import type { Job, JobSource, JobState } from '../../jobs/job.ts'
import type { Launcher } from '../running/launcher.ts'
import type { Runs } from './run-history.ts'
import { hasEnded, type Run, type RunStatus } from './run.ts'

/** Kind of runs in the list of jobs. */
const runKind = 'run-pipe'

/** States of a run by their state as a job. */
const statuses: Readonly<Record<JobState, readonly RunStatus[]>> = {
  waiting: ['waiting'],
  running: ['running'],
  done: ['finished'],
  failed: ['failed', 'timed-out', 'interrupted'],
  cancelled: ['cancelled'],
}

const stateOf = ({ status }: Run): JobState => {
  for (const state of ['waiting', 'running', 'done', 'cancelled'] as const)
    if (statuses[state].includes(status)) return state
  return 'failed'
}

/** Source of the list of jobs. Cancelling a job cancels its run in the background; `onError` gets errors of that. */
export function runJobs(
  runs: Pick<Runs, 'get' | 'list'>,
  launcher: Pick<Launcher, 'active' | 'cancel'>,
  onError: (err: unknown) => void,
): JobSource {
  const newest = (status: RunStatus | undefined, limit: number) =>
    runs.list({ status, offset: 0, limit })
  return {
    kind: runKind,
    get: (id) => {
      const run = runs.get(id)
      return run && jobOf(run)
    },
    list: (state, limit) =>
      (state ? statuses[state] : [undefined])
        .flatMap((status) => newest(status, limit))
        .toSorted((one, other) => Date.parse(other.created) - Date.parse(one.created))
        .slice(0, limit)
        .map(jobOf),
    cancel: (id) => {
      const run = runs.get(id)
      if (run && hasEnded(run)) throw new Failure('conflict', `the run is ${run.status}`)
      if (!launcher.active().some((run) => run.id === id))
        throw new Failure('conflict', 'the run belongs to another process')
      // The answer does not wait for the work in flight.
      launcher.cancel(id).catch(onError)
    },
  }
}

function jobOf(run: Run): Job {
  const { id, pipe, startedBy, trigger, created, startTime, endTime, counts, progress } = run
  const { created: added, updated, unchanged, skipped, failed, refused, duplicate } = counts
  const done = added + updated + unchanged + skipped + failed + refused + duplicate
  const createdAt = Date.parse(created)
  return {
    id,
    kind: runKind,
    key: `pipe ${pipe}`,
    payload: null,
    state: stateOf(run),
    progress: { done, of: progress.total },
    runAt: createdAt,
    lease: 0,
    attempts: startTime === undefined ? 0 : 1,
    ...(run.problem && { problem: { ...run.problem, instance: `urn:cartulary:job:${id}` } }),
    createdBy: trigger ?? startedBy,
    createdAt,
    startedAt: startTime === undefined ? undefined : Date.parse(startTime),
    endedAt: endTime === undefined ? undefined : Date.parse(endTime),
  }
}
