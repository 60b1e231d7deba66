/** When refreshes run: one at a time, soon after metrics runs, by the schedules that clients set, daily, and on request. */

import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Sqlite } from '../../sqlite.ts'
import { backgroundLoop } from '../../workers/background-loop.ts'
import type { Pause } from '../../workers/pause.ts'
import { figuresState } from './figures-file.ts'
import { dayMs } from '../../text/duration.ts'

/** What of the figures is counted again: `all`, or ids of catalogues. */
export type Extent = 'all' | readonly string[]

const covers = (running: Extent, extent: Extent): boolean =>
  running === 'all' || (extent !== 'all' && extent.every((id) => running.includes(id)))

const union = (one: Extent, other: Extent): Extent =>
  one === 'all' || other === 'all' ? 'all' : [...new Set([...one, ...other])].sort()

type QueueOptions = {
  /** Does it; resolves with the number of the refresh. */
  readonly refresh: (extent: Extent, signal: AbortSignal) => Promise<number>
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly log: Log
}

type Request = {
  readonly extent: Extent
  /** When it is due. */
  readonly at: number
  /** What runs already does not count, because it may have read before what the caller knows of. */
  readonly isFresh?: boolean
}

/** One refresh runs and at most one waits, which grows. */
export class RefreshQueue {
  readonly #options: QueueOptions
  readonly #end = new AbortController()
  #running: { readonly extent: Extent; readonly number: Promise<number> } | undefined
  #next: { extent: Extent; at: number; readonly outcome: PromiseWithResolvers<number> } | undefined

  constructor(options: QueueOptions) {
    this.#options = options
  }

  /** Resolves with the number of the refresh. A failure is logged, so that nobody has to wait for it. */
  request({ extent, at, isFresh = false }: Request): Promise<number> {
    const running = this.#running
    if (!isFresh && running && covers(running.extent, extent)) return running.number
    const next = (this.#next ??= { extent, at, outcome: this.#outcome() })
    next.extent = union(next.extent, extent)
    next.at = Math.min(next.at, at)
    this.startIfDue()
    return next.outcome.promise
  }

  startIfDue(): void {
    const { refresh, now } = this.#options
    const next = this.#next
    if (!next || this.#running || this.#end.signal.aborted || next.at > now()) return
    const { extent, outcome } = next
    this.#next = undefined
    this.#running = { extent, number: outcome.promise }
    void refresh(extent, this.#end.signal)
      .finally(() => (this.#running = undefined))
      .then(outcome.resolve, outcome.reject)
      .then(() => this.startIfDue())
  }

  /** Aborts what runs and waits for its end. */
  async stop(): Promise<void> {
    const reason = new Error('the cache ends')
    this.#end.abort(reason)
    const next = this.#next
    this.#next = undefined
    next?.outcome.reject(reason)
    await this.#running?.number.catch(() => undefined)
  }

  #outcome(): PromiseWithResolvers<number> {
    const outcome = Promise.withResolvers<number>()
    outcome.promise.catch((err: unknown) => {
      if (!this.#end.signal.aborted) this.#options.log.warn({ err }, 'figures.failed')
    })
    return outcome
  }
}

/** Milliseconds in which further runs are waited for, so that they share a refresh: the figures follow within a minute. */
export const soonMs = 20_000
/** After a refresh that failed. */
export const againMs = 600_000
/** Between two looks at what is due. */
const lookMs = 5000

type TimerOptions = {
  readonly file: Sqlite
  readonly queue: RefreshQueue
  readonly schedules: Schedules
  readonly now: () => number
  readonly pause: Pause
  readonly log: Log
}

/** Looks every few seconds whether a refresh is due: a daily one, one by a schedule, or one that was asked for. Answers how to end it. */
export function startTimer({ file, queue, schedules, now, pause, log }: TimerOptions) {
  let daily = now() + soonMs
  const look = () => {
    const at = now()
    const isDaily = at >= Math.max(daily, (figuresState(file, 'counted') ?? 0) + dayMs)
    if (isDaily) daily = at + againMs
    if (fireSchedules(file, schedules, at) || isDaily) void queue.request({ extent: 'all', at })
    queue.startIfDue()
  }
  const loop = backgroundLoop('figures.schedule-failed', lookMs, look, { log, pause })
  loop.wake()
  return loop.stop
}

// The schedules that clients set.

/** A trigger of the platform: cron, interval or specific times. */
export type Schedule = {
  readonly id: string
  readonly isEnabled: boolean
  /** What `revive` takes. */
  readonly kept: string
  /** As clients read it. */
  readonly document: Readonly<Record<string, unknown>>
  /** The first firing after a moment in milliseconds since 1970; `undefined` when there is none any more. */
  readonly next: (after: number) => number | undefined
}

/** How triggers are read, which is the scheduler's business; `read` throws `invalid-parameter` with every fault. */
export type Schedules = {
  readonly read: (body: unknown, now: number) => Schedule
  readonly revive: (kept: string) => Schedule
}

/** A schedule with its next and its last firing. */
export type Scheduled = ReturnType<typeof allSchedules>[number]

/** By id. */
export const allSchedules = (file: Sqlite, schedules: Schedules) =>
  file.rows('SELECT kept, since, last FROM schedule ORDER BY id').map(({ kept, since, last }) => {
    const schedule = schedules.revive(String(kept))
    const after = Math.max(Number(since), Number(last ?? 0))
    return {
      ...schedule,
      coming: schedule.isEnabled ? schedule.next(after) : undefined,
      last: last === null ? undefined : Number(last),
    }
  })

/** Adds one or replaces that with its id. Throws `invalid-parameter` beyond `most`. */
export function setSchedule(
  file: Sqlite,
  schedule: Schedule,
  now: number,
  most: number,
): Scheduled {
  const others = file.first('SELECT count(*) AS n FROM schedule WHERE id <> ?', schedule.id)
  if (Number(others?.['n']) >= most)
    throw new Failure('invalid-parameter', `there are at most ${most} schedules`)
  file.run(
    'INSERT OR REPLACE INTO schedule VALUES (?, ?, ?, NULL)',
    schedule.id,
    schedule.kept,
    now,
  )
  return {
    ...schedule,
    coming: schedule.isEnabled ? schedule.next(now) : undefined,
    last: undefined,
  }
}

/** Whether some were due; they count as done now. */
function fireSchedules(file: Sqlite, schedules: Schedules, now: number): boolean {
  const due = allSchedules(file, schedules).filter(
    ({ coming }) => coming !== undefined && coming <= now,
  )
  for (const { id } of due) file.run('UPDATE schedule SET last = ? WHERE id = ?', now, id)
  return due.length > 0
}
