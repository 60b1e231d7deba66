/**
 * Cron expressions of triggers, with five fields (as on Unix) or six to seven (as in Quartz, a scheduler for Java). Expressions
 * that implementations read differently are refused; others are translated to the syntax of `croner`, which computes the times.
 */

import { Cron } from 'croner'

/** Schedule by a cron expression; times are in ms since 1970. */
export type CronTiming = {
  readonly kind: 'cron'
  readonly expression: string
  /** IANA time zone; UTC by default. */
  readonly timeZone?: string
  /** Earliest time of a firing. */
  readonly notBefore?: number
}

/** An invalid or ambiguous expression; the message says what would be right. */
export class CronError extends Error {}

/** One field of an expression. `names` are aliases of the numbers from `from` on. */
type Field = {
  readonly name: string
  readonly from: number
  readonly to: number
  readonly names?: string
}

const weekdays = 'SUN MON TUE WED THU FRI SAT'
const year: Field = { name: 'year', from: 1970, to: 2099 }
/** Fields before the weekday; Unix has no seconds. */
const sharedFields: readonly Field[] = [
  { name: 'second', from: 0, to: 59 },
  { name: 'minute', from: 0, to: 59 },
  { name: 'hour', from: 0, to: 23 },
  { name: 'day', from: 1, to: 31 },
  { name: 'month', from: 1, to: 12, names: 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC' },
]
/** Sunday is 0 and 7 on Unix, 1 in Quartz. */
const unix: readonly Field[] = [
  ...sharedFields.slice(1),
  { name: 'weekday', from: 0, to: 7, names: weekdays },
]
const quartz: readonly Field[] = [
  ...sharedFields,
  { name: 'weekday', from: 1, to: 7, names: weekdays },
  year,
]
/**
 * Special values of the day fields of Quartz, which may not occur in a list. `29W` is refused, because implementations differ
 * for months without a 29th.
 */
const dayForms: Readonly<Record<string, RegExp>> = {
  day: /^(?:\?|LW?|(?:[1-9]|1\d|2[0-8])W)$/,
  weekday: /^(?:\?|L|[1-7](?:L|#[1-5]))$/,
}

/** Parses an expression. Throws `CronError` for everything invalid or ambiguous. */
export function parseCron(expression: string, timezone = 'UTC'): Cron {
  const texts = expression.trim().toUpperCase().split(/\s+/)
  const isUnix = texts.length === 5
  if (texts.length < 5 || texts.length > 7) {
    const forms =
      '5 fields (minute hour day month weekday), or 6 or 7 as in Quartz (second first, year last)'
    throw new CronError(`cron must have ${forms}`)
  }
  const days = isUnix ? [] : [texts[3] ?? '', texts[5] ?? '']
  const openDays = days.filter((text) => text === '*' || text === '?')
  if (!isUnix && (openDays.length === 0 || openDays.join('') === '??')) {
    throw new CronError('with 6 or 7 fields exactly one of day and weekday must be "?" (or "*")')
  }
  const fields = isUnix ? unix : quartz
  const translated = texts.map((text, index) => fieldText(text, fields[index] ?? year, isUnix))
  // On Unix, if both day fields are restricted, either may match.
  const options = { domAndDow: false, alternativeWeekdays: !isUnix, sloppyRanges: true }
  return new Cron(translated.join(' '), { ...options, timezone, paused: true })
}

/** Checks a field, replaces names by numbers, and splits a range that wraps around (`22-3`, Quartz only). Throws `CronError`. */
function fieldText(value: string, { name, from, to, names = '' }: Field, isUnix: boolean): string {
  const text = value.replaceAll(/\b[A-Z]{3}(?=L?\b)/g, (word) => {
    const index = names.split(' ').indexOf(word)
    return index < 0 ? word : String(from + index)
  })
  if (!isUnix && dayForms[name]?.test(text))
    return text.replace(/^\?$/, '*').replace(/^L$/, name === 'day' ? 'L' : '7')
  const parts = text.split(',').map((part) => {
    const [, first, last, step] = /^(\*|\d{1,4})(?:-(\d{1,4}))?(?:\/(\d{1,4}))?$/.exec(part) ?? []
    const start = first === '*' ? from : Number(first)
    // On Unix a range may end on Sunday: SAT-SUN.
    const end = isUnix && names.startsWith('SUN') && last === '0' ? to : Number(last ?? start)
    const isInside = Math.min(start, end) >= from && Math.max(start, end) <= to
    const isStepped = step === undefined || (Number(step) > 0 && Number(step) <= to && start < to)
    const wrapsAround = end < start
    const mayWrapAround = !isUnix && name !== 'year' && step === undefined
    if (
      !isInside ||
      !isStepped ||
      (wrapsAround && !mayWrapAround) ||
      (first === '*' && last !== undefined)
    ) {
      const allowed = `${from} to ${to}${names && ` (${names})`}, ranges or steps`
      throw new CronError(
        `${name} must be *, numbers from ${allowed}, separated by commas; not "${part}"`,
      )
    }
    if (wrapsAround) return `${start}-${to},${from}-${end}`
    return last === undefined ? part : `${start}-${end}${step === undefined ? '' : `/${step}`}`
  })
  return parts.join(',')
}

/** First time after `after`; `undefined` if there is none. */
export function nextOfCron(
  { expression, timeZone, notBefore = -Infinity }: CronTiming,
  after: number,
): number | undefined {
  // `notBefore` itself may match.
  const from = new Date(Math.max(after, notBefore - 1))
  return parseCron(expression, timeZone).nextRun(from)?.getTime()
}
