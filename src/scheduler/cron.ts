/**
 * Cron expressions, with five fields as on Unix and with six or seven as in Quartz. What different readers understand in
 * different ways is refused here; what is left is written in the words of `croner`, which finds the moments.
 */

import { Cron } from 'croner'

/** When a cron expression comes true; instants are milliseconds since 1970. */
export type CronTiming = {
  readonly kind: 'cron'
  readonly expression: string
  /** IANA name; UTC when absent. */
  readonly timeZone?: string
  readonly notBefore?: number
}

/** An expression that cannot be read with certainty; the message says what would be right. */
export class CronFault extends Error {}

/** `names` stand for the numbers from `from` on. */
type Field = {
  readonly name: string
  readonly from: number
  readonly to: number
  readonly names?: string
}

const names = 'SUN MON TUE WED THU FRI SAT'
const year: Field = { name: 'year', from: 1970, to: 2099 }
/** Fields that both kinds have, but for the seconds. */
const inDay: readonly Field[] = [
  { name: 'second', from: 0, to: 59 },
  { name: 'minute', from: 0, to: 59 },
  { name: 'hour', from: 0, to: 23 },
  { name: 'day', from: 1, to: 31 },
  { name: 'month', from: 1, to: 12, names: 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC' },
]
/** 0 and 7 are Sunday on Unix, 1 in Quartz. */
const unix: readonly Field[] = [...inDay.slice(1), { name: 'weekday', from: 0, to: 7, names }]
const quartz: readonly Field[] = [...inDay, { name: 'weekday', from: 1, to: 7, names }, year]
/**
 * What only the day fields of Quartz may say, and not in a list. Whether a month without a 29th is left out for `29W`, or ends
 * earlier, differs from reader to reader.
 */
const special: Readonly<Record<string, RegExp>> = {
  day: /^(?:\?|LW?|(?:[1-9]|1\d|2[0-8])W)$/,
  weekday: /^(?:\?|L|[1-7](?:L|#[1-5]))$/,
}

/** Reads an expression; throws `CronFault` for everything whose meaning is not certain. */
export function readCron(expression: string, timezone = 'UTC'): Cron {
  const texts = expression.trim().toUpperCase().split(/\s+/)
  const isUnix = texts.length === 5
  if (texts.length < 5 || texts.length > 7) {
    const forms =
      '5 fields (minute hour day month weekday), or 6 or 7 as in Quartz (second first, year last)'
    throw new CronFault(`cron must have ${forms}`)
  }
  const days = isUnix ? [] : [texts[3] ?? '', texts[5] ?? '']
  const open = days.filter((text) => text === '*' || text === '?')
  if (!isUnix && (open.length === 0 || open.join('') === '??')) {
    throw new CronFault('with 6 or 7 fields exactly one of day and weekday must be "?" (or "*")')
  }
  const fields = isUnix ? unix : quartz
  const read = texts.map((text, at) => fieldText(text, fields[at] ?? year, isUnix))
  // On Unix, when both day fields are restricted, either fits.
  const options = { domAndDow: false, alternativeWeekdays: !isUnix, sloppyRanges: true }
  return new Cron(read.join(' '), { ...options, timezone, paused: true })
}

/** The field with numbers for names, and a range that goes over the end (`22-3`, Quartz only) as two. */
function fieldText(given: string, { name, from, to, names = '' }: Field, isUnix: boolean): string {
  const text = given.replaceAll(/\b[A-Z]{3}(?=L?\b)/g, (word) => {
    const at = names.split(' ').indexOf(word)
    return at < 0 ? word : String(from + at)
  })
  if (!isUnix && special[name]?.test(text))
    return text.replace(/^\?$/, '*').replace(/^L$/, name === 'day' ? 'L' : '7')
  const parts = text.split(',').map((part) => {
    const [, first, last, step] = /^(\*|\d{1,4})(?:-(\d{1,4}))?(?:\/(\d{1,4}))?$/.exec(part) ?? []
    const start = first === '*' ? from : Number(first)
    // On Unix a range may end on the Sunday after it: SAT-SUN.
    const end = isUnix && names.startsWith('SUN') && last === '0' ? to : Number(last ?? start)
    const isInside = Math.min(start, end) >= from && Math.max(start, end) <= to
    const isStepped = step === undefined || (Number(step) > 0 && Number(step) <= to && start < to)
    const isOver = end < start
    const mayBeOver = !isUnix && name !== 'year' && step === undefined
    if (
      !isInside ||
      !isStepped ||
      (isOver && !mayBeOver) ||
      (first === '*' && last !== undefined)
    ) {
      const right = `${from} to ${to}${names && ` (${names})`}, ranges or steps`
      throw new CronFault(
        `${name} must be *, numbers from ${right}, separated by commas; not "${part}"`,
      )
    }
    if (isOver) return `${start}-${to},${from}-${end}`
    return last === undefined ? part : `${start}-${end}${step === undefined ? '' : `/${step}`}`
  })
  return parts.join(',')
}

/** The first firing after a moment, or undefined when there is none any more. */
export function nextOfCron(
  { expression, timeZone, notBefore = -Infinity }: CronTiming,
  after: number,
): number | undefined {
  // The moment itself may be the first firing.
  const from = new Date(Math.max(after, notBefore - 1))
  return readCron(expression, timeZone).nextRun(from)?.getTime()
}
