/** What happens in a run of another process is told in the log: its history is kept where it was started. */

import type { Log } from '../../../log.ts'
import { slugOf } from '../../runs/problem.ts'
import type { RunSink } from '../../runs/sink.ts'

export type LogSink = RunSink & {
  /** Items by state. */
  readonly counts: Readonly<Record<string, number>>
}

/** Failures are lines of their own; everything else is counted. */
export function logSink(log: Log): LogSink {
  const counts: Record<string, number> = {}
  const nothing = () => undefined
  return {
    counts,
    item({ state, problem, originalId, sourceId, stage }) {
      counts[state] = (counts[state] ?? 0) + 1
      if (!problem) return
      const { detail } = problem
      log.warn(
        { id: originalId ?? sourceId, stage, problem: slugOf(problem), detail },
        'item.failed',
      )
    },
    finding({ slug, detail }, about = {}) {
      log.warn({ id: about.originalId ?? about.sourceId, finding: slug, detail }, 'run.finding')
    },
    offered(count = 1) {
      counts['offered'] = (counts['offered'] ?? 0) + count
    },
    total: nothing,
    adopted: nothing,
    page: nothing,
    request: nothing,
    alive: nothing,
    processed: nothing,
    outcome: nothing,
  }
}
