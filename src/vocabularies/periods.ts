/** Reads periods of time from one text: intervals of ISO 8601, DCMI Periods, and dates with a word or a dash between them. */

import { dateLiteral, type DateOptions, timeRangeOf } from './dates.ts'
import { isPlaceholder } from './loose-values.ts'

/** Start and end of a period as texts; an open end is absent. */
export type PeriodEnds = { readonly start?: string; readonly end?: string }

/** Most characters of a period. */
const maxLength = 200
const dcmi = /(?:^|;)\s*(start|end)\s*=\s*([^;]+)/gi
const separator = /\s+(?:to|bis|à|au|until|[-–—])\s+|\s*(?:--|\.\.|[–—])\s*|(?<=^\d{4})-(?=\d{4}$)/
const openEnd = /^(?:\.\.|present|now|today|ongoing|heute|unknown)$/i

/**
 * Start and end of a period. A single date, week or quarter is both; a duration is added to the start or subtracted from the end
 * (`2019-01-01/P1Y`); an abbreviated end is completed from the start (`2019/20`). The repetition of an interval is ignored. Other
 * ends are returned as they are written, without a check; `undefined` for a text without digits, a placeholder and a long text.
 */
export function periodEnds(value: string, options: DateOptions = {}): PeriodEnds | undefined {
  const text = value.trim()
  if (isPlaceholder(text) || text.length > maxLength) return undefined
  const dcmiEnds = [...text.matchAll(dcmi)].flatMap(([, side = '', text = '']) => [
    [side.toLowerCase(), text.trim()],
  ])
  if (dcmiEnds.length > 0) return Object.fromEntries(dcmiEnds)
  if (!/\d/.test(text)) return undefined
  const span = calendarSpan(text)
  if (span) return span
  if (isDate(text, options)) return { start: text, end: text }
  // A duration after both ends is the resolution (WMS 1.3.0, annex D).
  const interval = text.replace(/^R\d*\//i, '').replace(/^([^/]+\/[^P/][^/]*)\/P[^/]*$/i, '$1')
  const [start, end] = splitInterval(interval)
  return resolveEnds(
    calendarSpan(start)?.start ?? start,
    calendarSpan(end ?? '')?.end ?? end ?? '',
    options,
  )
}

const isDate = (text: string, options: DateOptions): boolean => {
  const date = dateLiteral(text, options)
  return date !== undefined && date !== 'invalid'
}

const calendarForms = {
  week: /^(\d{4})-?W(\d{2})(?:-?([1-7]))?$/i,
  day: /^(\d{4})-?(\d{3})$/,
  quarter: /^(?:Q(?<before>[1-4])[-/\s]\s*)?(\d{4})(?:[-\s]?Q(?<after>[1-4]))?$/i,
}

/** First and last day of a week or ordinal date (ISO 8601), or first and last month of a quarter. */
function calendarSpan(text: string): Required<PeriodEnds> | undefined {
  const day = (year: string, dayOfYear: number) => new Date(Date.UTC(Number(year), 0, dayOfYear))
  const dayText = (date: Date) => date.toISOString().slice(0, 10)
  const [, weekYear = '', week = '', weekday] = calendarForms.week.exec(text) ?? []
  if (week !== '') {
    // The fourth of January is in the first week.
    const monday = (Number(week) - 1) * 7 + 4 - ((day(weekYear, 4).getUTCDay() + 6) % 7)
    const exists = day(weekYear, monday + 3).getUTCFullYear() === Number(weekYear)
    const [first, last] = weekday ? [Number(weekday) - 1, Number(weekday) - 1] : [0, 6]
    const ends = [first, last].map((weekdayOffset) =>
      dayText(day(weekYear, monday + weekdayOffset)),
    )
    return exists ? { start: ends[0] ?? '', end: ends[1] ?? '' } : undefined
  }
  const [, year = '', number = ''] = calendarForms.day.exec(text) ?? []
  if (number !== '') {
    const date = day(year, Number(number))
    const exists = Number(number) > 0 && date.getUTCFullYear() === Number(year)
    return exists ? { start: dayText(date), end: dayText(date) } : undefined
  }
  const match = calendarForms.quarter.exec(text)
  const quarter = Number(match?.groups?.['before'] ?? match?.groups?.['after'] ?? 0)
  if (quarter === 0) return undefined
  const month = (monthNumber: number) => `${match?.[2]}-${String(monthNumber).padStart(2, '0')}`
  return { start: month(quarter * 3 - 2), end: month(quarter * 3) }
}

/** Start and end of an interval; dates may contain slashes. */
function splitInterval(text: string): readonly [string, string?] {
  const parts = text.split('/')
  if (parts.length % 2 === 0) {
    const half = parts.length / 2
    return [parts.slice(0, half).join('/').trim(), parts.slice(half).join('/').trim()]
  }
  const [start = '', end, ...others] = text.split(separator)
  return end === undefined || others.length > 0 ? [text] : [start.trim(), end.trim()]
}

/** Ends of a period after resolving durations, open ends and abbreviations. */
function resolveEnds(start: string, end: string, options: DateOptions): PeriodEnds | undefined {
  const [from, to] = [start, end].map((side) => (openEnd.test(side) ? '' : side))
  if (!from && !to) return undefined
  if (durationPattern.test(from ?? ''))
    return to ? { start: addDuration(to, from ?? '', -1, options), end: to } : undefined
  if (durationPattern.test(to ?? ''))
    return { start: from ?? '', end: addDuration(from ?? '', to ?? '', 1, options) }
  const isTime = /^\d{4}-\d{2}-\d{2}T/i.test(from ?? '') && /^\d{2}:\d{2}/.test(to ?? '')
  const isShort = /^\d{2}(?:-\d{2})?$/.test(to ?? '') && timeRangeOf(from ?? '') !== undefined
  const prefixEnd = isTime ? 11 : isShort ? -(to ?? '').length : 0
  const fullEnd = prefixEnd === 0 ? to : (from ?? '').slice(0, prefixEnd) + to
  return { ...(from && { start: from }), ...(fullEnd && { end: fullEnd }) }
}

const durationPattern =
  /^P(?=.)(?:(\d{1,4})Y)?(?:(\d{1,4})M)?(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?=.)(?:(\d{1,5})H)?(?:(\d{1,5})M)?(?:(\d{1,6})S)?)?$/i

/**
 * Other end of a period of a duration: the last day or time after its start (`sign` 1), the first before its end (−1); '' if
 * invalid.
 */
function addDuration(side: string, length: string, sign: 1 | -1, options: DateOptions): string {
  const date = dateLiteral(side, options)
  const range = typeof date === 'object' ? timeRangeOf(date.value) : undefined
  if (!range) return ''
  const [, ...amounts] = durationPattern.exec(length) ?? []
  const [y = 0, m = 0, w = 0, d = 0, hours = 0, minutes = 0, seconds = 0] = amounts.map((amount) =>
    Number(amount ?? 0),
  )
  const isTime = range.from === range.to
  const result = new Date(sign === 1 ? range.from : range.to + (isTime ? 0 : 1))
  result.setUTCFullYear(
    result.getUTCFullYear() + sign * y,
    result.getUTCMonth() + sign * m,
    result.getUTCDate() + sign * (w * 7 + d),
  )
  result.setTime(result.getTime() + sign * ((hours * 60 + minutes) * 60 + seconds) * 1000)
  if (!isTime && sign === 1) result.setTime(result.getTime() - 1)
  if (Number.isNaN(result.getTime()) || result.getUTCFullYear() > 9999) return ''
  return result.toISOString().slice(0, isTime ? 19 : 10) + (isTime ? 'Z' : '')
}
