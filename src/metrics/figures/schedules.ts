/** When the figures are refreshed by themselves: schedules that clients set, kept over restarts. */

import { Failure } from '../../errors.ts'
import type { Sqlite } from '../../sqlite.ts'

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

/** How triggers are read: the scheduler's business. */
export type Schedules = {
  /** Throws `Failure` `invalid-parameter` with every fault. */
  readonly read: (body: unknown, now: number) => Schedule
  readonly revive: (kept: string) => Schedule
}

/** A schedule with its coming and its last firing. */
export type Scheduled = Schedule & {
  readonly coming: number | undefined
  readonly last: number | undefined
}

export type ScheduleTable = {
  /** By id. */
  all(): readonly Scheduled[]
  /** In place of the one with that id. Throws `invalid-parameter` when there are `most` others. */
  set(schedule: Schedule, now: number, most: number): void
  /** Whether some were due; they are done now. */
  fire(now: number): boolean
}

export function scheduleTable(file: Sqlite, schedules: Schedules): ScheduleTable {
  const all = () =>
    file
      .rows('SELECT kept, since, last FROM schedule ORDER BY id')
      .map(({ kept, since, last }): Scheduled => {
        const schedule = schedules.revive(String(kept))
        const after = Math.max(Number(since), Number(last ?? 0))
        return {
          ...schedule,
          coming: schedule.isEnabled ? schedule.next(after) : undefined,
          last: last === null ? undefined : Number(last),
        }
      })
  return {
    all,
    set: ({ id, kept }, now, most) => {
      const others = file.first('SELECT count(*) AS n FROM schedule WHERE id <> ?', id)
      if (Number(others?.['n']) >= most)
        throw new Failure('invalid-parameter', `there are at most ${most} schedules`)
      file.run('INSERT OR REPLACE INTO schedule VALUES (?, ?, ?, NULL)', id, kept, now)
    },
    fire: (now) => {
      const due = all().filter(({ coming }) => coming !== undefined && coming <= now)
      for (const { id } of due) file.run('UPDATE schedule SET last = ? WHERE id = ?', now, id)
      return due.length > 0
    },
  }
}
