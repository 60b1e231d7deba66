/**
 * Reads dates and times as sources write them: as literals of their precision (`dateLiteral`), and as time ranges for search
 * documents (`timeRangeOf`). Sources: XSD 1.1 part 2, ISO 8601.
 */

import type { Literal } from '@rdfjs/types'
import { isPlaceholder, plainText } from './loose-values.ts'
import { xsd } from '../rdf/namespaces.ts'
import { literal } from '../rdf/terms.ts'

/** Hints for reading dates of a source. */
export type DateOptions = {
  /** IANA name or offset `+hh:mm` of times without an offset; UTC by default. */
  readonly timezone?: string
  /** Order of day and month in numeric dates; takes precedence over that of `language`. */
  readonly dateOrder?: 'dmy' | 'mdy'
  /** Language of the source (BCP 47). */
  readonly language?: string
}

/** Most characters of a date. */
const maxLength = 100

type Day = { readonly year: number; readonly month: number; readonly day: number }

/**
 * Reads a date as literal: `xsd:dateTime` if it has a time, otherwise `xsd:date`, `xsd:gYearMonth` or `xsd:gYear`. Returns
 * `undefined` for blank values, placeholders and values that are neither text nor number, and `'invalid'` for other texts. Reads
 * ISO 8601, seconds and milliseconds since 1970, dates with the name of the month in a language of the EU or Norwegian, and
 * numeric dates, also after words. The order of day and month follows from a number above 12, otherwise from `dateOrder`, the
 * weekday or the language; a date whose order is unknown is invalid.
 */
export function dateLiteral(value: unknown, options: DateOptions): Literal | 'invalid' | undefined {
  const text = plainText(value)
  if (text === undefined || isPlaceholder(text)) return undefined
  if (text.length > maxLength) return 'invalid'
  return (
    epochLiteral(text) ??
    isoLiteral(text, options) ??
    monthLiteral(text, options) ??
    namedMonthLiteral(text, options) ??
    numericLiteral(text, options) ??
    'invalid'
  )
}

/** Reads a month and its year: `03/2020`, `3.2020`, `2020/03`, `March 2020`, `mars de 2020`. */
function monthLiteral(text: string, { language }: DateOptions): Literal | undefined {
  const [, first, second] = /^(\d{1,4})[/.](\d{1,4})$/.exec(text) ?? []
  const [year, month] = first?.length === 4 ? [first, second] : [second, first]
  const [, name, namedYear] = /^(\p{L}{3,})\.?,?\s+(?:de\s+|del\s+)?(\d{4})$/u.exec(text) ?? []
  const number = name === undefined ? Number(month) : monthOfName(name, language)
  const yearText = namedYear ?? year ?? ''
  if (number === undefined || !/^(?!0000)\d{4}$/.test(yearText)) return undefined
  return number >= 1 && number <= 12 && (month ?? '').length < 3
    ? literal(`${yearText}-${padNumber(number)}`, xsd('gYearMonth'))
    : undefined
}

/** Reads seconds (10 digits) or milliseconds (13 digits) since 1970. */
function epochLiteral(text: string): Literal | undefined {
  if (!/^-?(?:\d{10}|\d{13})(?:\.\d+)?$/.test(text)) return undefined
  const number = Number(text)
  const date = new Date(/^-?\d{10}(?:\.|$)/.test(text) ? number * 1000 : number)
  return literal(date.toISOString().replace('.000Z', 'Z'), xsd('dateTime'))
}

const isoPattern =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T\s]\s*(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9})\d*)?)?\s*(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?)?)?)?(Z|[+-]\d{2}:\d{2})?$/i

/** Reads a date or time of ISO 8601; a space may replace the `T`. */
function isoLiteral(text: string, options: DateOptions): Literal | undefined {
  const compact = /^(\d{4})(\d{2})(\d{2})$/.exec(text)
  const match = isoPattern.exec(compact ? `${compact[1]}-${compact[2]}-${compact[3]}` : text)
  if (!match) return undefined
  const [, year = '', month, day, hour, minute = '', second = '00', fraction = '', zone] = match
  if (year === '0000') return undefined
  if (month === undefined) return literal(year, xsd('gYear'))
  if (Number(month) < 1 || Number(month) > 12) return undefined
  if (day === undefined) return literal(`${year}-${month}`, xsd('gYearMonth'))
  const date = { year: Number(year), month: Number(month), day: Number(day) }
  if (!isDay(date)) return undefined
  if (hour === undefined) return literal(dayText(date), xsd('date'))
  return dateTimeLiteral(date, { hour, minute, second, fraction, zone }, options)
}

const namedPattern =
  /^(?:[\p{L}.]+,?\s+)?(\d{1,2})(?:\.|er|º|st|nd|rd|th)?[\s-]+(?:de\s+)?(\p{L}{3,})\.?,?[\s-]+(?:de\s+|del\s+)?(\d{4})(?:[,\s]+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*(Z|UTC?|GMT|[+-]\d{2}:?\d{2})?)?$/iu

/**
 * Reads a day with the name of its month: `Wed, 03 May 2017 09:00:00 +0200` (RFC 2822), `3 mai 2017`, `3. Mai 2017`, `May 3,
 * 2017`.
 */
function namedMonthLiteral(text: string, options: DateOptions): Literal | undefined {
  const dayFirst = text.replace(
    /^(\p{L}{3,})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,\s*(\d{4})/u,
    '$2 $1 $3',
  )
  const match = namedPattern.exec(dayFirst)
  if (!match) return undefined
  const [, day, name = '', year, hour, minute = '', second = '00', zone] = match
  const month = monthOfName(name, options.language)
  const date = { year: Number(year), month: month ?? 0, day: Number(day) }
  if (date.year === 0 || !isDay(date)) return undefined
  if (hour === undefined) return literal(dayText(date), xsd('date'))
  return dateTimeLiteral(
    date,
    { hour: hour.padStart(2, '0'), minute, second, fraction: '', zone },
    options,
  )
}

const languages =
  'en bg cs da de el es et fi fr ga hr hu it lt lv mt nl no pl pt ro sk sl sv'.split(' ')
type Names = ReadonlyMap<string, number>
type Part = 'month' | 'weekday'
const nameTables = new Map<string, Names>()

/**
 * Number of a month (1 to 12) by its name in the language, otherwise in any of the languages if it means one month in all of
 * them.
 */
function monthOfName(name: string, language: string | undefined): number | undefined {
  const key = nameKey(name)
  const primary = language?.split('-', 1)[0]?.toLowerCase() ?? ''
  const month = languages.includes(primary) ? namesIn(primary, 'month').get(key) : undefined
  const months = new Set(languages.flatMap((other) => namesIn(other, 'month').get(key) ?? []))
  return month ?? (months.size === 1 ? [...months][0] : undefined)
}

/** Days of the week (0 = Sunday) that have the name in one of the languages. */
function weekdaysOfName(name: string): ReadonlySet<number> {
  const key = nameKey(name)
  return new Set(languages.flatMap((language) => namesIn(language, 'weekday').get(key) ?? []))
}

/** Key for comparing names of months and weekdays: letters without accents, in lower case. */
const nameKey = (name: string) =>
  name
    .normalize('NFD')
    .replaceAll(/[^\p{L}]/gu, '')
    .toLowerCase()

/** Long and short names → number, from 1 (months) or 0 (weekdays), both alone and in the inflected form of dates. */
function namesIn(language: string, part: Part): Names {
  const cached = nameTables.get(`${language} ${part}`)
  if (cached) return cached
  const names = new Map<string, number>()
  const [count, first] = part === 'month' ? [12, 1] : [7, 0]
  for (const style of ['long', 'short'] as const)
    for (const otherParts of [{}, { day: 'numeric' }] as const) {
      const format = new Intl.DateTimeFormat(language, {
        [part]: style,
        ...otherParts,
        timeZone: 'UTC',
      })
      for (let index = 0; index < count; index += 1) {
        // 1 January 2023 was a Sunday.
        const date = part === 'month' ? Date.UTC(2023, index, 15) : Date.UTC(2023, 0, 1 + index)
        for (const { type, value } of format.formatToParts(date))
          if (type === part) names.set(nameKey(value), index + first)
      }
    }
  nameTables.set(`${language} ${part}`, names)
  return names
}

const numericPattern =
  /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(?:(?:\s+-\s+|,?\s+)(\d{1,2}):(\d{2})(?::(\d{2}))?)?$/i

/** Reads a numeric date after optional words: `Date changed  mer, 13/11/2024 - 02:30`; the year may come first. */
function numericLiteral(text: string, options: DateOptions): Literal | undefined {
  const yearFirst = /^(\d{4})[/.](\d{1,2})[/.](\d{1,2})(?:\s+(.*))?$/.exec(text)
  if (yearFirst) {
    const [, year = '', month = '', day = '', timeText = ''] = yearFirst
    return isoLiteral(
      `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')} ${timeText}`.trim(),
      options,
    )
  }
  const start = text.search(/\d/)
  const match = start < 0 ? undefined : numericPattern.exec(text.slice(start))
  if (!match) return undefined
  const [, first, , second, year, hour, minute = '', seconds = '00'] = match
  const numbers = [Number(first), Number(second)] as const
  const words = text.slice(0, Math.max(start, 0))
  const date = chooseDay(numbers, { year: Number(year), words }, options)
  if (!date) return undefined
  if (hour === undefined) return literal(dayText(date), xsd('date'))
  const time = {
    hour: hour.padStart(2, '0'),
    minute,
    second: seconds,
    fraction: '',
    zone: undefined,
  }
  return dateTimeLiteral(date, time, options)
}

/** Year of a numeric date, and the words before it. */
type DateHints = { readonly year: number; readonly words: string }

/** Day of two numbers whose order is to be found (see `dateLiteral`); `undefined` when it is unknown or no such day exists. */
function chooseDay(
  [a, b]: readonly [number, number],
  { year, words }: DateHints,
  { dateOrder, language }: DateOptions,
): Day | undefined {
  const readings = { dmy: { year, month: b, day: a }, mdy: { year, month: a, day: b } }
  const possible = year > 0 ? Object.values(readings).filter(isDay) : []
  if (possible.length < 2 || a === b) return possible[0]
  if (dateOrder) return readings[dateOrder]
  const weekdays = weekdaysOfName(/(\p{L}+)[^\p{L}]*$/u.exec(words)?.[1] ?? '')
  const fitting = possible.filter((day) => weekdays.has(utcOf(day).getUTCDay()))
  const order = dateOrderIn(language)
  return fitting.length === 1 ? fitting[0] : order && readings[order]
}

/**
 * Order of day and month in the numeric dates of a language; `undefined` for `en` without a region, which is written both ways.
 */
function dateOrderIn(language: string | undefined): 'dmy' | 'mdy' | undefined {
  if (language === undefined || /^en$/i.test(language)) return undefined
  try {
    const order = new Intl.DateTimeFormat(language)
      .formatToParts(0)
      .map(({ type }) => type)
      .filter((type) => type === 'day' || type === 'month' || type === 'year')
    return order[0] === 'day' ? 'dmy' : order[0] === 'month' ? 'mdy' : undefined
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function utcOf({ year, month, day }: Day): Date {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date
}

/** Whether the calendar has the day; includes the year 0, which only times of `timeRangeOf` may have. */
function isDay(day: Day): boolean {
  const date = utcOf(day)
  return date.getUTCMonth() === day.month - 1 && date.getUTCDate() === day.day
}

const padNumber = (value: number, length = 2) => String(value).padStart(length, '0')
const dayText = ({ year, month, day }: Day) =>
  `${padNumber(year, 4)}-${padNumber(month)}-${padNumber(day)}`

type Time = {
  readonly hour: string
  readonly minute: string
  readonly second: string
  readonly fraction: string
  readonly zone: string | undefined
}

/** `xsd:dateTime` of a day and a time; `undefined` for an impossible time or offset. */
function dateTimeLiteral(day: Day, time: Time, { timezone }: DateOptions): Literal | undefined {
  const { hour, minute, second, fraction, zone } = time
  // xsd:dateTime has no leap seconds.
  const seconds = second === '60' ? '59' : second
  if (Number(hour) > 23 || Number(minute) > 59 || Number(seconds) > 59) return undefined
  const digits = fraction.replace(/0+$/, '')
  const local = `${dayText(day)}T${hour}:${minute}:${seconds}${digits === '' ? '' : `.${digits}`}`
  const offset = zone === undefined ? offsetOf(local, timezone) : normalisedZone(zone)
  return offset === undefined ? undefined : literal(local + offset, xsd('dateTime'))
}

/** Offset as `Z` or `+hh:mm`; `undefined` above 14 hours. */
function normalisedZone(zone: string): string | undefined {
  if (/^(?:Z|UTC?|GMT)$/i.test(zone)) return 'Z'
  const [, sign = '', hours = '', minutes = '00'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone) ?? []
  return Number(hours) > 14 || Number(minutes) > 59 || (hours === '14' && minutes !== '00')
    ? undefined
    : `${sign}${hours}:${minutes}`
}

// The offset of local times from UTC.

/** Offset of a local time `YYYY-MM-DDThh:mm:ss` in a zone, as `Z` or `+hh:mm`; UTC when no zone is given. */
function offsetOf(local: string, zone: string | undefined): string {
  if (zone === undefined || /^(?:utc|gmt|z)$/i.test(zone)) return 'Z'
  if (/^[+-]\d{2}:\d{2}$/.test(zone)) return zone
  // First the offset at the instant with the same reading in UTC, then the offset at the instant that follows from it.
  const clock = local.slice(0, 19)
  const offset = offsetAt(Date.parse(clock + offsetAt(Date.parse(`${clock}Z`), zone)), zone)
  return offset === '+00:00' ? 'Z' : offset
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Offset of a zone at an instant as `+hh:mm`; the seconds of some offsets of the 19th century are left out. */
function offsetAt(time: number, timeZone: string): string {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset', year: 'numeric' })
  formats.set(timeZone, format)
  const name = format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value
  return name?.slice(3, 9) || '+00:00'
}

// Dates of search documents.

const datePattern =
  /^(\d{4})(?:([-/])(\d{2})(?:\2(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?)?)?)?\s?(Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?$/

/** First and last second of the years 1 to 9999. */
const firstInstant = -62_135_596_800_000
const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59)

/** First and last instant of a date, in epoch milliseconds, equal for a time; `text` is the date in its precision. */
export type TimeRange = { readonly from: number; readonly to: number; readonly text: string }

/**
 * Range of a year, month, day or time; `undefined` for other texts. A time has whole seconds; `24:00:00` is the next day. Dates,
 * and times without an offset, are read in `zone` (UTC by default); the offset of a date without a time is ignored.
 */
export function timeRangeOf(text: string, zone?: string): TimeRange | undefined {
  const match = datePattern.exec(yearBeforeMonth(text.trim()))
  if (!match) return undefined
  const [, year = '', , month = '01', day, hour, minutes, seconds = '00', offset] = match
  if (match[2] === '/' && hour !== undefined) return undefined
  const date = { year: Number(year), month: Number(month), day: Number(day ?? 1) }
  if (!isDay(date)) return undefined
  if (hour !== undefined) {
    const offsetText = offset?.replace(/(\d{2}):?(\d{2})$/, '$1:$2') ?? 'Z'
    // `Date.parse` reads the hours 00 to 24 (ECMA-262, 21.4.1.32); it returns NaN for others, which is outside of the bounds.
    const instant = Date.parse(`${dayText(date)}T${hour}:${minutes}:${seconds}${offsetText}`)
    const isInRange = instant >= firstInstant && instant <= lastInstant
    if (!isInRange) return undefined
    const from = offset === undefined ? localTimeToInstant(instant, zone) : instant
    const text = offset === undefined ? formatInstant(instant).slice(0, -1) : formatInstant(instant)
    return { from, to: from, text }
  }
  if (date.year === 0) return undefined
  const precision = day !== undefined ? 10 : match[2] === undefined ? 4 : 7
  const nextStart = utcOf(date)
  if (precision === 10) nextStart.setUTCDate(date.day + 1)
  else if (precision === 7) nextStart.setUTCMonth(date.month)
  else nextStart.setUTCFullYear(date.year + 1)
  return {
    from: localTimeToInstant(utcOf(date).getTime(), zone),
    to: localTimeToInstant(nextStart.getTime(), zone) - 1,
    text: dayText(date).slice(0, precision),
  }
}

/** Range of a date in any form that `timeRangeOf`, or `dateLiteral` without hints, reads; in UTC. */
export function timeRangeIn(text: string): TimeRange | undefined {
  const range = timeRangeOf(text)
  const date = range ? undefined : dateLiteral(text, {})
  return typeof date === 'object' ? timeRangeOf(date.value) : range
}

/** Changes `03/2020` to `2020/03`. */
const yearBeforeMonth = (text: string) =>
  text[2] === '/' ? text.replace(/^(\d{2})\/(\d{4})$/, '$2/$1') : text

/** Instant at which clocks in `zone` show the time that clocks in UTC show at `utc`, both in epoch milliseconds. */
export function localTimeToInstant(utc: number, zone: string | undefined): number {
  const date = new Date(utc)
  if (zone === undefined || zone === 'UTC' || date.getUTCFullYear() > 9999) return utc
  const clock = date.toISOString().slice(0, 19)
  return Date.parse(clock + offsetOf(clock, zone)) + (utc % 1000)
}

/** Formats an instant as `yyyy-MM-ddTHH:mm:ssZ`. */
export const formatInstant = (instant: number): string =>
  `${new Date(instant).toISOString().slice(0, 19)}Z`
