/** Where days stand on a line, and which of them are named below it. */

import { monthOf, shortDay, tenths } from '../telling/numbers.ts'

export type Tick = {
  /** Percent of the width. */
  readonly x: number
  readonly label: string
  readonly anchor: 'start' | 'middle' | 'end'
  /** Neither the first nor the last: there is no room for it on a narrow screen. */
  readonly isInner: boolean
}

export type Axis = {
  /** Percent of the width. */
  readonly x: (day: string) => number
  readonly ticks: readonly Tick[]
}

/** Months are enough from here on. */
const manyDays = 120
/** Percent that one name takes. */
const labelWidth = 10

/** `days` ascending and not empty; one day stands in the middle. */
export function timeAxis(
  days: readonly string[],
  { from, to }: { readonly from: number; readonly to: number },
): Axis {
  const times = days.map((day) => Date.parse(day))
  const [first = 0, last = 0] = [times[0], times.at(-1)]
  const x = (day: string): number =>
    first === last
      ? (from + to) / 2
      : tenths(from + ((Date.parse(day) - first) / (last - first)) * (to - from))
  const name = last - first > manyDays * 86_400_000 ? monthOf : shortDay
  return { x, ticks: ticks(days, x, name) }
}

/** The last day always has its name, the others where there is room for them. */
function ticks(
  days: readonly string[],
  x: (day: string) => number,
  name: (day: string) => string,
): Tick[] {
  const last = days.at(-1)
  if (last === undefined) return []
  const chosen: string[] = []
  for (const day of days.slice(0, -1)) {
    const before = chosen.at(-1)
    const isFree = before === undefined || x(day) - x(before) >= labelWidth
    if (isFree && x(last) - x(day) >= labelWidth) chosen.push(day)
  }
  return [...chosen, last].map((day, place, { length }) => ({
    x: x(day),
    label: name(day),
    anchor: length > 1 && place === length - 1 ? 'end' : 'middle',
    isInner: place > 0 && place < length - 1,
  }))
}
