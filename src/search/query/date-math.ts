/** Date mathematics of Solr, as used by clients of CKAN: `NOW-7DAYS`, `NOW/DAY`, `2024-01-01T00:00:00Z+1MONTH`. */

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
  let at = from
  for (const [, operator = '', name = ''] of steps.matchAll(step)) {
    const unit = units.findIndex((one) => one.startsWith(name === 'DATE' ? 'DAY' : name))
    at = operator === '/' ? roundDown(at, unit) : addAmount(at, unit, Number(operator))
  }
  return Number.isNaN(at) ? undefined : at
}

const parts = (at: number): [number, number, number, number, number, number, number] => {
  const date = new Date(at)
  const day = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()] as const
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()] as const
  return [...day, ...time, date.getUTCMilliseconds()]
}

/** Sets everything smaller than the unit to its least value; only days begin with 1. */
const roundDown = (at: number, unit: number): number => {
  const [year, ...rest] = parts(at)
  return Date.UTC(year, ...rest.map((part, n) => (n < unit ? part : n === 1 ? 1 : 0)))
}

/** Adds an amount of a unit; the day is limited to the last one of the month. */
function addAmount(at: number, unit: number, amount: number): number {
  const [year, month, day, ...time] = parts(at)
  if (unit > 1) {
    const step = [dayMs, 3_600_000, 60_000, 1000, 1][unit - 2] ?? 0
    return at + amount * step
  }
  const months = month + amount * (unit === 0 ? 12 : 1)
  const lastDay = new Date(Date.UTC(year, months + 1, 0)).getUTCDate()
  return Date.UTC(year, months, Math.min(day, lastDay), ...time)
}
