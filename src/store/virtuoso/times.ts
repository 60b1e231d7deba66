/** Which dates and times Virtuoso keeps, and which of them it holds for the same (measured with 7.2.5.1). */

import type { Fate } from './numbers.ts'

const year = String.raw`(?<year>\d{4})`
const month = String.raw`(?<month>0[1-9]|1[0-2])`
const day = String.raw`(?<day>0[1-9]|[12]\d|3[01])`
const time = String.raw`(?<hour>[01]\d|2[0-3]):(?<minute>[0-5]\d):(?<second>[0-5]\d)(?:\.(?<fraction>\d+))?`
const zone = String.raw`(?<zone>Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00)?`

const forms: Readonly<Record<string, RegExp>> = {
  dateTime: new RegExp(`^${year}-${month}-${day}T${time}${zone}$`),
  date: new RegExp(`^${year}-${month}-${day}${zone}$`),
  time: new RegExp(`^${time}${zone}$`),
  gYearMonth: new RegExp(`^${year}-${month}${zone}$`),
  gYear: new RegExp(`^${year}${zone}$`),
  gMonthDay: new RegExp(`^--${month}-${day}${zone}$`),
  gMonth: new RegExp(`^--${month}${zone}$`),
  gDay: new RegExp(`^---${day}${zone}$`),
}

type Parts = Readonly<Record<string, string | undefined>>

const partsOf = (name: string, lexical: string): Parts | undefined =>
  forms[name]?.exec(lexical)?.groups

/** Milliseconds of a moment of the proleptic Gregorian calendar; parts that are missing are those of the year 1. */
function momentOf({ year: y = '1', month: m = '1', day: d = '1', ...rest }: Parts): Date {
  const moment = new Date(0)
  moment.setUTCFullYear(Number(y), Number(m) - 1, Number(d))
  const { hour = '0', minute = '0', second = '0' } = rest
  moment.setUTCHours(Number(hour), Number(minute), Number(second))
  return moment
}

const isReal = (parts: Parts) =>
  parts['day'] === undefined || momentOf(parts).getUTCDate() === Number(parts['day'])

/** Digits of a second come back as none, three or six. */
const shortened = (fraction = '') => fraction.replace(/0+$/, '')

/** What becomes of a date or time of XML Schema; `undefined` for other datatypes. */
export function timeFate(name: string, lexical: string): Fate | undefined {
  if (!(name in forms)) return undefined
  const parts = partsOf(name, lexical)
  // A zone of -00:00 is lost. The year 0 and dates that no calendar has are not trusted.
  if (!parts || parts['year'] === '0000' || parts['zone'] === '-00:00' || !isReal(parts)) {
    return 'damaged'
  }
  const { fraction, zone: where } = parts
  const significant = shortened(fraction)
  if (significant.length > 6) return 'damaged'
  const width = significant === '' ? 0 : significant.length <= 3 ? 3 : 6
  return (fraction ?? '').length === width && where !== '+00:00' ? 'exact' : 'respelt'
}

function offsetOf(where = 'Z'): number {
  if (where === 'Z') return 0
  const [hours = 0, minutes = 0] = where.slice(1).split(':').map(Number)
  return (where.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

/** A date or time that is kept, as the instant at which it begins: Virtuoso compares them so, whatever their datatype. */
export function timeKey(name: string, lexical: string): string {
  const parts = partsOf(name, lexical) ?? {}
  const ms = momentOf(parts).getTime() - offsetOf(parts['zone']) * 60_000
  return `${ms}.${shortened(parts['fraction'])}`
}
