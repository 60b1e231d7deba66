/** Starts refreshes by itself: soon after metrics runs, by the schedules, and daily. */

import type { Log } from '../../../log.ts'
import type { Extent } from '../refreshing/refresh.ts'
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
  readonly request: (extent: Extent) => Promise<number>
  /** When everything was refreshed last. */
  readonly whole: () => number | undefined
  readonly now: () => number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  readonly log: Log
}

export type Clock = {
  /** A catalogue has new measurements. */
  soon(catalogue: string): void
  /** Something about the schedules has changed. */
  wake(): void
  stop(): Promise<void>
}

export function startClock(options: ClockOptions): Clock {
  const { schedules, now, pause, log } = options
  const ending = new AbortController()
  const started = now()
  let catalogues = new Set<string>()
  let soonAt: number | undefined
  let dailyTry: number | undefined
  let waking = new AbortController()

  const dailyAt = () => {
    const whole = options.whole()
    const wanted = Math.max((whole ?? 0) + dayMs, started + soonMs)
    return dailyTry === undefined ? wanted : Math.max(wanted, dailyTry + againMs)
  }
  const request = (extent: Extent, again: () => void) =>
    void options.request(extent).catch((error: unknown) => {
      if (ending.signal.aborted) return
      log.warn({ err: error }, 'figures.failed')
      again()
    })
  const soon = (ids: Iterable<string>, ms: number) => {
    for (const id of ids) catalogues.add(id)
    soonAt ??= now() + ms
    waking.abort()
  }
  const fire = () => {
    const at = now()
    if (soonAt !== undefined && soonAt <= at) {
      const ids = [...catalogues].sort()
      catalogues = new Set()
      soonAt = undefined
      request(ids, () => soon(ids, againMs))
    }
    const isDaily = dailyAt() <= at
    if (isDaily) dailyTry = at
    if (schedules.fire(at) || isDaily) request('all', () => undefined)
  }
  const run = async () => {
    while (!ending.signal.aborted) {
      fire()
      waking = new AbortController()
      const next = [soonAt, dailyAt(), schedules.coming()].filter((time) => time !== undefined)
      const ms = Math.min(longestMs, Math.max(0, Math.min(...next) - now()))
      const signal = AbortSignal.any([waking.signal, ending.signal])
      await pause(ms, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error
      })
    }
  }
  const running = run()
  return {
    soon: (catalogue) => soon([catalogue], soonMs),
    wake: () => waking.abort(),
    stop: async () => {
      ending.abort()
      await running
    },
  }
}
