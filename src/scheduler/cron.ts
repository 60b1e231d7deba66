/**
 * Cron expressions, with five fields as on Unix and with six or seven as in Quartz. What could be read in two ways is refused
 * here; everything else, and when an expression comes true, is for `croner` to say.
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

type Field = {
  readonly name: string
  readonly from: number
  readonly to: number
  /** Names of the numbers, the first one for `from`. */
  readonly names?: readonly string[]
}

const second: Field = { name: 'second', from: 0, to: 59 }
const minute: Field = { name: 'minute', from: 0, to: 59 }
const hour: Field = { name: 'hour', from: 0, to: 23 }
const day: Field = { name: 'day', from: 1, to: 31 }
const months = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ')
const month: Field = { name: 'month', from: 1, to: 12, names: months }
const days = 'SUN MON TUE WED THU FRI SAT'.split(' ')
/** 0 and 7 are Sunday on Unix, 1 in Quartz. A range may end on the Sunday after it: 5-7. */
const unixWeekday: Field = { name: 'weekday', from: 0, to: 7, names: days }
const quartzWeekday: Field = { name: 'weekday', from: 1, to: 7, names: days }
const year: Field = { name: 'year', from: 1970, to: 2099 }

/** Reads an expression; throws `CronFault` for everything whose meaning is not certain. */
export function readCron(expression: string, timezone = 'UTC'): Cron {
  const fields = expression.trim().toUpperCase().split(/\s+/)
  const count = expression.trim() === '' ? 0 : fields.length
  if (count < 5 || count > 7) {
    throw new CronFault(
      `cron must have 5 fields (minute hour day month weekday) or 6 to 7 (second minute hour day month weekday [year]), got ${count}`,
    )
  }
  const isUnix = count === 5
  const kinds = isUnix
    ? [minute, hour, day, month, unixWeekday]
    : [second, minute, hour, day, month, quartzWeekday, year]
  if (!isUnix) checkDays(fields[3] ?? '', fields[5] ?? '')
  const read = fields.map((text, at) => {
    const kind = kinds[at] ?? year
    return (
      (isUnix ? undefined : quartzDay(text, kind)) ?? list(text, kind, !isUnix && kind !== year)
    )
  })
  // On Unix, when both day fields are restricted, either fits.
  const options = { domAndDow: false, alternativeWeekdays: !isUnix, sloppyRanges: true }
  return new Cron(read.join(' '), { ...options, timezone, paused: true })
}

/** In Quartz `?` says nothing, and not both day fields may be restricted. */
function checkDays(day: string, weekday: string): void {
  if (day === '?' && weekday === '?') {
    throw new CronFault('only one of day and weekday can be "?", the other one must say something')
  }
  const isOpen = (text: string) => text === '*' || text === '?'
  if (isOpen(day) || isOpen(weekday)) return
  throw new CronFault(
    'day and weekday cannot both be restricted in an expression of 6 or 7 fields: put "?" in one of them',
  )
}

/** What only the day fields of Quartz may say, as `croner` reads it. */
function quartzDay(text: string, field: Field): string | undefined {
  if (field !== day && field !== quartzWeekday) return undefined
  if (text === '?') return '*'
  // Whether a month without such a day is left out or ends earlier differs from reader to reader.
  if (field === day) return /^(?:LW?|(?:[1-9]|1\d|2[0-8])W)$/.test(text) ? text : undefined
  if (text === 'L') return 'SAT'
  const [, which = ''] = /^(\w+?)(?:L|#[1-5])$/.exec(text) ?? []
  return which !== '' && numberOf(which, field) > 0 ? text : undefined
}

const shape = /^(\*|[A-Z0-9]+)(?:-([A-Z0-9]+))?(?:\/(\d{1,4}))?$/

/**
 * The field when it is a list of `*`, `a`, `a-b`, each with a step; `a/n` goes on to the end. A range that goes over the end
 * (`22-3`, with `wrap`) is written as two.
 */
function list(text: string, field: Field, wrap: boolean): string {
  const { name, from, to } = field
  const parts = text.split(',').map((part) => {
    const [, first = '', last, step] = shape.exec(part) ?? []
    if (first === '' || (first === '*' && last !== undefined)) {
      const right = 'must be *, numbers, ranges or steps, separated by commas'
      throw new CronFault(`${name} ${right}, got "${part}"`)
    }
    const size = to - from + (field === unixWeekday ? 0 : 1)
    if (step !== undefined && (Number(step) < 1 || Number(step) > size)) {
      throw new CronFault(`the step of ${name} must be 1-${size}`)
    }
    const start = first === '*' ? from : numberOf(first, field)
    const isAfterWeek = field === unixWeekday && start === to && step !== undefined
    if (isAfterWeek) throw new CronFault('the week ends on Saturday for steps: write 0 for Sunday')
    if (last === undefined) return part
    const end = last === 'SUN' && field === unixWeekday ? to : numberOf(last, field)
    if (end >= start) return `${start}-${end}${step === undefined ? '' : `/${step}`}`
    if (wrap && step === undefined) return `${start}-${to},${from}-${end}`
    throw new CronFault(`the range "${part}" of ${name} ends before it begins`)
  })
  return parts.join(',')
}

/** The number for a number or a name. Throws `CronFault`. */
function numberOf(text: string, { name, from, to, names = [] }: Field): number {
  const named = names.indexOf(text)
  const value = named >= 0 ? from + named : /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  if (value >= from && value <= to) return value
  const right = names.length > 0 ? ` or ${names[0]}-${names.at(-1)}` : ''
  throw new CronFault(`${name} must be ${from}-${to}${right}, got "${text}"`)
}

/** Reading an expression takes longer than asking it. */
const compiled = new Map<string, Cron>()
const mostCompiled = 10_000

/** The first firing after a moment, or undefined when there is none any more. */
export function nextOfCron(
  { expression, timeZone, notBefore }: CronTiming,
  after: number,
): number | undefined {
  const key = `${timeZone} ${expression}`
  const cron = compiled.get(key) ?? readCron(expression, timeZone)
  if (compiled.size >= mostCompiled) compiled.clear()
  compiled.set(key, cron)
  // The moment itself may be the first firing.
  return cron.nextRun(new Date(Math.max(after, (notBefore ?? -Infinity) - 1)))?.getTime()
}
