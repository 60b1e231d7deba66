/** Starts refreshes by itself: soon after metrics runs, by the schedules, and daily. */

import type { Log } from '../../../log.ts'
import type { Extent } from '../refreshing/refresh.ts'
import { together, type RefreshQueue } from './queue.ts'
import type { ScheduleTable } from './schedules.ts'

/** Milliseconds in which further runs are waited for, so that they share a refresh: the figures follow within a minute. */
const soonMs = 20_000
const dayMs = 86_400_000
/** After a refresh that failed. */
const againMs = 600_000
/** Timers of longer durations overflow, and clocks are set. */
const longestMs = 3_600_000

type ClockOptions = {
  readonly schedules: ScheduleTable
  readonly queue: Pick<RefreshQueue, 'request'>
  /** When everything was refreshed last, in milliseconds since 1970. */
  readonly whole: () => number | undefined
  readonly now: () => number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  readonly log: Log
}

export type Clock = {
  /** There are new measurements. */
  soon(extent: Extent): void
  /** Something about the schedules has changed. */
  wake(): void
  stop(): Promise<void>
}

/** What has new measurements, and when it is its turn. */
function gathering(now: () => number) {
  let extent: Extent = []
  let due: number | undefined
  return {
    due: () => due,
    add: (more: Extent, ms: number) => {
      extent = together(extent, more)
      due ??= now() + ms
    },
    /** What has its turn. */
    take: (at: number): Extent | undefined => {
      if (due === undefined || due > at) return undefined
      const taken = extent
      extent = []
      due = undefined
      return taken
    },
  }
}

/** Whoever started it by the clock hears of its failure. */
const requesting =
  ({ queue, log }: ClockOptions, ending: AbortSignal) =>
  (wish: Parameters<RefreshQueue['request']>[0], again?: () => void): void =>
    void queue.request(wish).catch((error: unknown) => {
      if (ending.aborted) return
      log.warn({ err: error }, 'figures.failed')
      again?.()
    })

export function startClock(options: ClockOptions): Clock {
  const { schedules, now, pause } = options
  const ending = new AbortController()
  const started = now()
  const gathered = gathering(now)
  let tried: number | undefined
  let waking = new AbortController()
  const dailyAt = () => {
    const wanted = Math.max((options.whole() ?? 0) + dayMs, started + soonMs)
    return tried === undefined ? wanted : Math.max(wanted, tried + againMs)
  }
  const request = requesting(options, ending.signal)
  const wake = () => waking.abort()
  const soon = (extent: Extent, ms: number) => {
    gathered.add(extent, ms)
    wake()
  }
  const fire = (at: number) => {
    const extent = gathered.take(at)
    if (extent) request({ extent, isFresh: true }, () => soon(extent, againMs))
    const isDaily = dailyAt() <= at
    if (isDaily) tried = at
    if (schedules.fire(at) || isDaily) request({ extent: 'all' })
  }
  const rest = async () => {
    waking = new AbortController()
    const next = [gathered.due(), dailyAt(), schedules.coming()].filter(
      (time) => time !== undefined,
    )
    const ms = Math.min(longestMs, Math.max(0, Math.min(...next) - now()))
    const signal = AbortSignal.any([waking.signal, ending.signal])
    await pause(ms, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  }
  const running = (async () => {
    for (; !ending.signal.aborted; await rest()) fire(now())
  })()
  return {
    soon: (extent) => soon(extent, soonMs),
    wake,
    stop: async () => {
      ending.abort()
      await running
    },
  }
}
