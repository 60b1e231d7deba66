/** Date mathematics of Solr in ranges of `q` and `fq`, as clients of CKAN write it: `NOW-7DAYS`, `NOW/DAY`, `2024-01-01T00:00:00Z+1MONTH`. */

import { spanOf } from './instants.ts'
import { dayMs } from '../../text/duration.ts'

const units = ['YEAR', 'MONTH', 'DAY', 'HOUR', 'MINUTE', 'SECOND', 'MILLISECOND'] as const

const expression =
  /^(NOW|\d{4}-\d{2}-\d{2}T[\d:.]{5,18}Z)((?:(?:\/|[+-]\d{1,6})(?:YEAR|MONTH|DAY|DATE|HOUR|MINUTE|SECOND|MILLI|MILLISECOND)S?){0,8})$/

const step = /(\/|[+-]\d+)([A-Z]+?)S?(?=[/+-]|$)/g

/** Evaluates a text to an instant in epoch ms, UTC; `undefined` when it is not date mathematics. */
export function mathInstant(text: string, now: number): number | undefined {
  const [, start, steps = ''] = expression.exec(text) ?? []
  const from = start === 'NOW' ? now : start && spanOf(start)?.from
  if (typeof from !== 'number') return undefined
  let instant = from
  for (const [, operator = '', name = ''] of steps.matchAll(step)) {
    const unit = units.findIndex((unitName) => unitName.startsWith(name === 'DATE' ? 'DAY' : name))
    instant =
      operator === '/' ? roundDown(instant, unit) : addAmount(instant, unit, Number(operator))
  }
  return Number.isNaN(instant) ? undefined : instant
}

const dateParts = (instant: number): [number, number, number, number, number, number, number] => {
  const date = new Date(instant)
  const day = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()] as const
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()] as const
  return [...day, ...time, date.getUTCMilliseconds()]
}

/** Like `Date.UTC`, but years below 100 are those years. */
function instantOf(year: number, month: number, day: number, time: readonly number[]): number {
  const [hour = 0, minute = 0, second = 0, ms = 0] = time
  const date = new Date(Date.UTC(2000, 0, 1, hour, minute, second, ms))
  return date.setUTCFullYear(year, month, day)
}

/** Sets everything smaller than the unit (an index in `units`) to its least value; only days begin with 1. */
const roundDown = (instant: number, unit: number): number => {
  const [year, ...smaller] = dateParts(instant)
  const [month = 0, day = 1, ...time] = smaller.map((part, n) =>
    n < unit ? part : n === 1 ? 1 : 0,
  )
  return instantOf(year, month, day, time)
}

/** Adds an amount of a unit; the day is limited to the last one of the month. */
function addAmount(instant: number, unit: number, amount: number): number {
  const [year, month, day, ...time] = dateParts(instant)
  if (unit > 1) {
    const step = [dayMs, 3_600_000, 60_000, 1000, 1][unit - 2] ?? 0
    return instant + amount * step
  }
  const months = month + amount * (unit === 0 ? 12 : 1)
  const lastDay = new Date(instantOf(year, months + 1, 0, [])).getUTCDate()
  return instantOf(year, months, Math.min(day, lastDay), time)
}
