/** Dates and times as sources write them, to the precision that they have. */
import type { Literal } from '@rdfjs/types'
import { xsd } from '../../../../rdf/namespaces.ts'
import { literal } from '../../../../rdf/terms.ts'
import { isPlaceholder, plainText } from './json.ts'
import { offsetOf } from './zones.ts'

export type DateOptions = {
  readonly timezone?: string | undefined
  readonly dateOrder?: 'dmy' | 'mdy' | undefined
}

type Day = { readonly year: number; readonly month: number; readonly day: number }

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const weekdays = 'sun mon tue wed thu fri sat'.split(' ')

/**
 * `xsd:dateTime` when a time is told, else `xsd:date`, `xsd:gYearMonth` or `xsd:gYear`; `undefined` for blank values.
 * Reads ISO 8601, seconds and milliseconds since 1970, RFC 2822, and dates with slashes where the order is configured
 * or told by a weekday.
 */
export function dateLiteral(value: unknown, options: DateOptions): Literal | 'invalid' | undefined {
  const text = plainText(value)
  if (text === undefined || isPlaceholder(text)) return undefined
  return (
    epoch(text) ?? iso(text, options) ?? mail(text, options) ?? slashed(text, options) ?? 'invalid'
  )
}

function epoch(text: string): Literal | undefined {
  if (!/^-?(?:\d{10}|\d{13})(?:\.\d+)?$/.test(text)) return undefined
  const number = Number(text)
  const date = new Date(/^-?\d{10}(?:\.|$)/.test(text) ? number * 1000 : number)
  return literal(date.toISOString().replace('.000Z', 'Z'), xsd('dateTime'))
}

const isoPattern =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T\s]\s*(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9})\d*)?)?\s*(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?)?)?)?(Z|[+-]\d{2}:\d{2})?$/i

function iso(text: string, options: DateOptions): Literal | undefined {
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
  return moment(date, { hour, minute, second, fraction, zone }, options)
}

const mailPattern =
  /^(?:([A-Za-z]{3})[a-z]*,?\s+)?(\d{1,2})\s+([A-Za-z]{3})[a-z]*\.?\s+(\d{4})(?:\s+(\d{2}):(\d{2})(?::(\d{2}))?\s*(Z|UTC?|GMT|[+-]\d{2}:?\d{2})?)?$/i

function mail(text: string, options: DateOptions): Literal | undefined {
  const match = mailPattern.exec(text)
  if (!match) return undefined
  const [, , day, name = '', year, hour, minute = '', second = '00', zone] = match
  const month = months.indexOf(name.toLowerCase()) + 1
  const date = { year: Number(year), month, day: Number(day) }
  if (!isDay(date)) return undefined
  if (hour === undefined) return literal(dayText(date), xsd('date'))
  return moment(date, { hour, minute, second, fraction: '', zone }, options)
}

const slashPattern =
  /^(?:([A-Za-z]{3})[a-z]*,?\s+)?(\d{1,2})([/.])(\d{1,2})\3(\d{4})(?:(?:\s+-\s+|,?\s+)(\d{1,2}):(\d{2})(?::(\d{2}))?)?$/i

function slashed(text: string, options: DateOptions): Literal | undefined {
  // DKAN 1 writes words in front of it.
  const match = slashPattern.exec(text.replace(/^date changed\s+/i, ''))
  if (!match) return undefined
  const [, weekday = '', first, , second, year, hour, minute = '', seconds = '00'] = match
  const [a, b] = [Number(first), Number(second)]
  const readings = { dmy: { day: a, month: b }, mdy: { day: b, month: a } }
  const date = chosen(readings, { year: Number(year), weekday, order: options.dateOrder })
  if (!date) return undefined
  if (hour === undefined) return literal(dayText(date), xsd('date'))
  const time = {
    hour: hour.padStart(2, '0'),
    minute,
    second: seconds,
    fraction: '',
    zone: undefined,
  }
  return moment(date, time, options)
}

type Readings = Record<'dmy' | 'mdy', { readonly day: number; readonly month: number }>
type Choice = {
  readonly year: number
  readonly weekday: string
  readonly order: 'dmy' | 'mdy' | undefined
}

/** A weekday that fits one reading alone tells the order too. */
function chosen(readings: Readings, { year, weekday, order }: Choice): Day | undefined {
  if (order) return [{ ...readings[order], year }].find(isDay)
  const wanted = weekdays.indexOf(weekday.toLowerCase())
  const fitting = Object.values(readings)
    .map((reading) => ({ ...reading, year }))
    .filter((day) => isDay(day) && utcOf(day).getUTCDay() === wanted)
  const texts = new Set(fitting.map(dayText))
  return texts.size === 1 ? fitting[0] : undefined
}

function utcOf({ year, month, day }: Day): Date {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date
}

function isDay(day: Day): boolean {
  const date = utcOf(day)
  return day.year > 0 && date.getUTCMonth() === day.month - 1 && date.getUTCDate() === day.day
}

const padded = (value: number, length = 2) => String(value).padStart(length, '0')
const dayText = ({ year, month, day }: Day) => `${padded(year, 4)}-${padded(month)}-${padded(day)}`

type Time = {
  readonly hour: string
  readonly minute: string
  readonly second: string
  readonly fraction: string
  readonly zone: string | undefined
}

function moment(day: Day, time: Time, { timezone }: DateOptions): Literal | undefined {
  const { hour, minute, second, fraction, zone } = time
  // A leap second has no place in xsd:dateTime.
  const seconds = second === '60' ? '59' : second
  if (Number(hour) > 23 || Number(minute) > 59 || Number(seconds) > 59) return undefined
  const digits = fraction.replace(/0+$/, '')
  const local = `${dayText(day)}T${hour}:${minute}:${seconds}${digits === '' ? '' : `.${digits}`}`
  const offset = zone === undefined ? offsetOf(local, timezone) : writtenZone(zone)
  return offset === undefined ? undefined : literal(local + offset, xsd('dateTime'))
}

function writtenZone(zone: string): string | undefined {
  if (/^(?:Z|UTC?|GMT)$/i.test(zone)) return 'Z'
  const [, sign = '', hours = '', minutes = '00'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone) ?? []
  return Number(hours) > 14 || Number(minutes) > 59 || (hours === '14' && minutes !== '00')
    ? undefined
    : `${sign}${hours}:${minutes}`
}
