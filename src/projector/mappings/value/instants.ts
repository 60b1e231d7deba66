/** Dates and times as sources write them (XSD 1.1 part 2, ISO 8601) and as documents hold them. */

const pattern =
  /^(\d{4})(?:([-/])(\d{2})(?:\2(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?)?)?)?\s?(Z|[+-]\d{2}:?\d{2})?$/

const minute = 60_000
const first = -62_135_596_800_000
const last = Date.UTC(9999, 11, 31, 23, 59, 59)

function offsetOf(zone: string | undefined): number | undefined {
  if (zone === undefined || zone === 'Z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(-2))
  if (hours > 14 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

function dayOf(year: number, month: number, day: number): number | undefined {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return isReal ? date.getTime() : undefined
}

const timeOf = (hour: number, minutes: number, seconds: number): number | undefined => {
  const inDay = hour < 24 && minutes < 60 && seconds < 60
  const isMidnight = hour === 24 && minutes === 0 && seconds === 0
  return inDay || isMidnight ? (hour * 3600 + minutes * 60 + seconds) * 1000 : undefined
}

/**
 * Epoch milliseconds of a date or time, whole seconds; `undefined` when it is none. Without a zone UTC; the zone of a
 * mere date is not looked at; a month or year is its first day; `24:00:00` is the next day.
 */
export function instantOf(text: string): number | undefined {
  const match = pattern.exec(text.trim())
  if (!match) return undefined
  const [, year, separator, month, day, hour, minutes, seconds, zone] = match
  if (separator === '/' && (day === undefined || hour !== undefined)) return undefined
  const date = dayOf(Number(year), Number(month ?? 1), Number(day ?? 1))
  if (date === undefined) return undefined
  if (hour === undefined) return date < first ? undefined : date
  const time = timeOf(Number(hour), Number(minutes), Number(seconds ?? 0))
  const offset = offsetOf(zone)
  if (time === undefined || offset === undefined) return undefined
  const instant = date + time - offset * minute
  return instant < first || instant > last ? undefined : instant
}

/** `yyyy-MM-ddTHH:mm:ssZ` */
export const instantText = (instant: number): string =>
  `${new Date(instant).toISOString().slice(0, 19)}Z`
