/** Job that deletes versions beyond the limits of `PLATFORM_VERSIONS`, and drafts that were thrown away, once a day. */

import type { JobKind } from '../../jobs/job.ts'
import { backgroundLoop, type BackgroundLoop } from '../../workers/background-loop.ts'
import type { RepositoryContext } from '../repository-context.ts'

const [kind, key] = ['sweep-versions', 'versions']

/** Milliseconds until the first sweep, between two, and between two tries. */
const [firstMs, sweepMs, retryMs] = [600_000, 86_400_000, 60_000]

/** Submits the job now and then, until `stop`. */
export function startVersionSweeps(context: RepositoryContext): Pick<BackgroundLoop, 'stop'> {
  const { jobs } = context
  const submit = () => {
    if (!jobs.active(kind, key)) jobs.submit({ kind, key, payload: null, createdBy: 'schedule' })
  }
  return backgroundLoop('version.sweep-failed', sweepMs, submit, { ...context, firstMs })
}

/** Job that applies the limits to all records in small steps, and yields to requests between them. */
export const versionSweepJob = ({
  history,
  drafts,
  versionLimits,
  pause,
}: RepositoryContext): JobKind => ({
  kind,
  atOnce: 1,
  retry: { firstMs: retryMs, longestMs: sweepMs },
  run: async (_, { progress, signal }) => {
    let steps = 0
    for (let after: string | undefined = ''; after !== undefined; steps += 1) {
      after = history.sweep(after, versionLimits)
      progress({ done: steps })
      await pause(1, signal)
    }
    drafts.sweep()
    return { steps }
  },
})
