/**
 * One refresh at a time, and when it starts by itself: soon after metrics runs, by the schedules that clients set, and daily.
 * Whoever asks for what is being done joins it; what else is wanted waits and is done together.
 */

import type { Log } from '../../log.ts'
import { joining } from '../joining.ts'
import type { Extent } from './refresh.ts'
import type { ScheduleTable } from './schedules.ts'

type RefreshQueue = {
  /**
   * Resolves with the number of the refresh. `isFresh`: what runs already does not count, because it may have read before
   * what the caller knows of. A refresh that nobody waits for any more is aborted.
   */
  request(
    wanted: { readonly extent: Extent; readonly isFresh?: boolean },
    signal?: AbortSignal,
  ): Promise<number>
  /** Aborts what runs and waits for its end. */
  stop(): Promise<void>
}

const covers = (running: Extent, wanted: Extent): boolean =>
  running === 'all' || (wanted !== 'all' && wanted.every((id) => running.includes(id)))

/** Everything that either of them wants. */
const union = (one: Extent, other: Extent): Extent =>
  one === 'all' || other === 'all' ? 'all' : [...new Set([...one, ...other])].sort()

type Job = { readonly key: string; extent: Extent }

export function refreshQueue(
  work: (extent: Extent, signal: AbortSignal) => Promise<number>,
): RefreshQueue {
  const jobs = joining<number>()
  const never = new AbortController().signal
  let count = 0
  let running: Job | undefined
  let waiting: Job | undefined
  let last: Promise<unknown> = Promise.resolve()

  const jobFor = (extent: Extent, isFresh: boolean): Job => {
    const isJoinable = running !== undefined && !isFresh && jobs.has(running.key)
    if (running && isJoinable && covers(running.extent, extent)) return running
    if (waiting && jobs.has(waiting.key)) {
      waiting.extent = union(waiting.extent, extent)
      return waiting
    }
    const job = { key: String((count += 1)), extent }
    if (running) waiting = job
    else running = job
    return job
  }
  const run = async (job: Job, before: Promise<unknown>, signal: AbortSignal): Promise<number> => {
    await before
    running = job
    if (waiting === job) waiting = undefined
    try {
      signal.throwIfAborted()
      return await work(job.extent, signal)
    } finally {
      running = undefined
    }
  }
  return {
    request: ({ extent, isFresh = false }, signal = never) => {
      const job = jobFor(extent, isFresh)
      const start = (ended: AbortSignal) => {
        const outcome = run(job, last, ended)
        last = outcome.catch(() => undefined)
        return outcome
      }
      return jobs.join(job.key, start, signal)
    },
    stop: async () => {
      await jobs.close(new Error('the cache ends'))
      await last
    },
  }
}

/** Milliseconds in which further runs are waited for, so that they share a refresh: the figures follow within a minute. */
const soonMs = 20_000
const dayMs = 86_400_000
/** After a refresh that failed. */
const againMs = 600_000
/** Between two looks at what is due. */
const lookMs = 5000

type TimerOptions = {
  readonly schedules: ScheduleTable
  readonly queue: Pick<RefreshQueue, 'request'>
  /** When everything was refreshed last, in milliseconds since 1970. */
  readonly completeAt: () => number | undefined
  readonly now: () => number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  readonly log: Log
}

type RefreshTimer = {
  /** There are new measurements. */
  soon(extent: Extent): void
  stop(): Promise<void>
}

export function startRefreshTimer(options: TimerOptions): RefreshTimer {
  const { schedules, queue, completeAt, now, pause, log } = options
  const ending = new AbortController()
  const started = now()
  let lastDaily: number | undefined
  let due: { readonly extent: Extent; readonly at: number } | undefined

  const later = (extent: Extent, ms: number) => {
    due = due ? { ...due, extent: union(due.extent, extent) } : { extent, at: now() + ms }
  }
  const start = (extent: Extent, isFresh: boolean) =>
    queue.request({ extent, isFresh }).catch((err: unknown) => {
      if (ending.signal.aborted) return
      log.warn({ err }, 'figures.failed')
      if (isFresh) later(extent, againMs)
    })
  const isDaily = (at: number): boolean => {
    const wanted = Math.max((completeAt() ?? 0) + dayMs, started + soonMs)
    return at >= Math.max(wanted, lastDaily === undefined ? 0 : lastDaily + againMs)
  }
  const look = (at: number) => {
    if (due && due.at <= at) {
      void start(due.extent, true)
      due = undefined
    }
    const isDue = isDaily(at)
    if (isDue) lastDaily = at
    if (schedules.fire(at) || isDue) void start('all', false)
  }
  const running = (async () => {
    while (!ending.signal.aborted) {
      look(now())
      await pause(lookMs, ending.signal).catch((error: unknown) => {
        if (!ending.signal.aborted) throw error
      })
    }
  })()
  return {
    soon: (extent) => later(extent, soonMs),
    stop: async () => {
      ending.abort()
      await running
    },
  }
}
