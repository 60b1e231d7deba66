/** The scheduler's triggers as the schedules of the metrics cache: read, kept and told in the same words. */

import { Failure } from '../errors.ts'
import { invalid } from '../http/shell/complaints.ts'
import type { Schedule, Schedules } from '../metrics/figures/schedules.ts'
import { triggerAnswer } from '../scheduler/answering/scheduled.ts'
import { triggerSchema } from '../scheduler/reading/trigger.ts'
import { nextFiring } from '../scheduler/timing/next-firing.ts'
import type { Trigger } from '../scheduler/trigger.ts'

export const cacheSchedules: Schedules = {
  read: (body, now) => {
    const read = triggerSchema(now).safeParse(body)
    if (!read.success) throw invalid(read.error.issues, 'json', body)
    const { data } = read
    if (data.timing !== 'immediate') {
      const { id, status, timing } = data
      return scheduleOf({ id, status, timing })
    }
    const detail =
      'a schedule has one of cron, interval and specific; /admin/refresh starts at once'
    throw new Failure('invalid-parameter', detail, { errors: [{ detail }] })
  },
  revive: (kept) => scheduleOf(JSON.parse(kept)),
}

const scheduleOf = (trigger: Trigger): Schedule => ({
  id: trigger.id,
  isEnabled: trigger.status === 'enabled',
  kept: JSON.stringify(trigger),
  document: triggerAnswer({ ...trigger, pipe: '', since: 0 }),
  next: (after) => nextFiring(trigger.timing, after),
})
