/** Index and store compared and mended by themselves now and then, and what the last comparison found. */

import { Failure } from '../errors.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Log } from '../log.ts'
import type { Pause } from '../workers/retry.ts'
import type { IndexMaintenance } from './index-maintenance.ts'
import type { Drift } from './reconcile.ts'

export type Reconciling = Pick<IndexMaintenance, 'reconcile'> & {
  /** What the last comparison of this process found, whoever asked for it; `at` is when it ended, ISO 8601. */
  readonly last: () => ({ readonly at: string } & Drift) | undefined
  /** Begins to compare by itself; `atOnce` where they are known to differ. */
  readonly begin: (atOnce?: boolean) => void
  /** Resolves when nothing is compared by itself any more. */
  readonly stop: () => Promise<void>
}

type ReconcilingContext = Pick<IndexMaintenance, 'reconcile'> & {
  /** Between two comparisons; 0 = only when somebody asks. */
  readonly hours: number
  readonly numbers: Pick<Metrics, 'compared'>
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** 0..1 */
  readonly random: () => number
  readonly pause: Pause
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** A platform that starts has other things to do. */
const restMs = 5 * minuteMs
/** After one that could not be made: the store was away, or an index was being filled. */
const againMs = 10 * minuteMs

/** The first comparison comes within an hour, and each up to an hour late: several platforms may share a machine. */
export function reconciling(context: ReconcilingContext): Reconciling {
  const { hours, numbers, log, now, random, pause } = context
  const stopping = new AbortController()
  const { signal } = stopping
  let last: ReturnType<Reconciling['last']>
  let working: Promise<void> | undefined
  const reconcile: IndexMaintenance['reconcile'] = async (...asked) => {
    const drift = await context.reconcile(...asked)
    const at = now()
    last = { at: new Date(at).toISOString(), ...drift }
    numbers.compared(drift, at)
    return drift
  }
  /** Whether it could be done; what was found stands in the log already. */
  const compare = async () => {
    try {
      await reconcile({ dryRun: false, progress: () => undefined }, signal)
      return true
    } catch (error) {
      if (error instanceof Failure && error.kind === 'conflict')
        log.info({ detail: error.detail }, 'reconcile.postponed')
      else if (!signal.aborted) log.warn({ err: error }, 'reconcile.failed')
      return false
    }
  }
  const work = async (atOnce: boolean): Promise<void> => {
    let wait = atOnce ? undefined : restMs
    while (!signal.aborted) {
      if (wait !== undefined)
        await pause(wait + random() * (hourMs - restMs), signal).catch(() => undefined)
      if (signal.aborted) return
      const isDone = await compare()
      if (isDone && hours === 0) return
      wait = isDone ? hours * hourMs : againMs
    }
  }
  return {
    reconcile,
    last: () => last,
    begin: (atOnce = false) => {
      if (hours > 0 || atOnce) working ??= work(atOnce)
    },
    stop: async () => {
      stopping.abort()
      await working
    },
  }
}
