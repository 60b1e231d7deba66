/** Schedules of refreshes, set by clients and by the configuration, kept in the data file of the figures. */

import { Failure } from '../../errors.ts'
import type { Sqlite } from '../../sqlite.ts'

/** A trigger of the platform (cron, interval or specific times) without a pipe. */
export type Schedule = {
  readonly id: string
  readonly isEnabled: boolean
  /** Text that `deserialize` reads. */
  readonly serialized: string
  /** The schedule in the form that clients read. */
  readonly document: Readonly<Record<string, unknown>>
  /** The first firing after a moment in milliseconds since 1970; `undefined` when there is none any more. */
  readonly firingAfter: (moment: number) => number | undefined
}

/** Reads schedules in the scheduler's form; `read` throws `invalid-parameter` with every fault. */
export type ScheduleReader = {
  readonly read: (body: unknown, now: number) => Schedule
  readonly deserialize: (text: string) => Schedule
}

/** A schedule with its next and its last firing, in milliseconds since 1970. */
export type StoredSchedule = Schedule & {
  readonly next: number | undefined
  readonly last: number | undefined
}

type SchedulesOptions = {
  readonly file: Sqlite
  readonly reader: ScheduleReader
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The schedules in a file that has the tables of the figures. */
export class RefreshSchedules {
  readonly #options: SchedulesOptions

  constructor(options: SchedulesOptions) {
    this.#options = options
  }

  /** Schedules by id. */
  all(): readonly StoredSchedule[] {
    const { file, reader } = this.#options
    const sql = 'SELECT kept, since, last FROM schedule ORDER BY id'
    return file.rows(sql).map(({ kept, since, last }) => {
      const schedule = reader.deserialize(String(kept))
      const next = nextFiring(schedule, Math.max(Number(since), Number(last ?? 0)))
      return { ...schedule, next, last: last === null ? undefined : Number(last) }
    })
  }

  /** Adds a schedule or replaces that with its id. Throws `invalid-parameter`, also when there would be more than `limit`. */
  set(body: unknown, limit: number): StoredSchedule {
    const { file, reader, now } = this.#options
    const nowMs = now()
    const schedule = reader.read(body, nowMs)
    const others = file.first('SELECT count(*) AS n FROM schedule WHERE id <> ?', schedule.id)
    if (Number(others?.['n']) >= limit)
      throw new Failure('invalid-parameter', `there are at most ${limit} schedules`)
    const sql = 'INSERT OR REPLACE INTO schedule VALUES (?, ?, ?, NULL)'
    file.run(sql, schedule.id, schedule.serialized, nowMs)
    return { ...schedule, next: nextFiring(schedule, nowMs), last: undefined }
  }

  /** Calls `start` once when some are due, and then notes that they have fired: after a failure they are still due. */
  fire(start: () => void): void {
    const { file, now } = this.#options
    const nowMs = now()
    const due = this.all().filter(({ next }) => next !== undefined && next <= nowMs)
    if (due.length > 0) start()
    for (const { id } of due) file.run('UPDATE schedule SET last = ? WHERE id = ?', nowMs, id)
  }
}

const nextFiring = ({ isEnabled, firingAfter }: Schedule, moment: number): number | undefined =>
  isEnabled ? firingAfter(moment) : undefined
