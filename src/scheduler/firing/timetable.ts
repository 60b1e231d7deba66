/** Which triggers are due: all of them with their next firing. */

import { nextFiring } from '../timing/next-firing.ts'
import type { KeptTrigger } from '../trigger.ts'

export type Timetable = {
  /** The earliest firing of all; `Infinity` when there is none. */
  earliest(): number
  /** The same of the pipes that are not left out. */
  next(isLeftOut: (pipe: string) => boolean): number
  /** What is due now, each trigger once however often it was due, and moves it to its next firing. */
  take(now: number): readonly KeptTrigger[]
}

/** A process that was held up fires late, but not later than this. */
const latestMs = 60_000

type Beginning = {
  readonly opened: number
  readonly now: number
  /** Whether the last firing of a trigger still has to be launched. */
  readonly isOwed: (trigger: KeptTrigger) => boolean
}

/** What was due before `opened`, when nobody was there to fire it, is not made up for; what somebody began to fire is. */
export function timetable(
  triggers: readonly KeptTrigger[],
  { opened, now, isOwed }: Beginning,
): Timetable {
  const rows = triggers.flatMap((trigger) => {
    if (trigger.status === 'disabled') return []
    const { timing, since, last = 0 } = trigger
    const due = isOwed(trigger)
      ? last
      : nextFiring(timing, Math.max(since, last, opened, now - latestMs))
    return due === undefined ? [] : [{ trigger, due }]
  })
  let earliest = earliestOf(rows)
  return {
    earliest: () => earliest,
    next: (isLeftOut) => earliestOf(rows.filter(({ trigger }) => !isLeftOut(trigger.pipe))),
    take: (now) => {
      const due = rows.filter((row) => row.due <= now)
      for (const row of due) row.due = nextFiring(row.trigger.timing, now) ?? Infinity
      earliest = earliestOf(rows)
      return due.map(({ trigger }) => trigger)
    },
  }
}

const earliestOf = (rows: readonly { readonly due: number }[]): number =>
  rows.reduce((first, { due }) => Math.min(first, due), Infinity)
