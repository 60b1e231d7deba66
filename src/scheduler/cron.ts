/**
 * Cron expressions, with five fields as on Unix and with six or seven as in Quartz. The two dialects are written out here as
 * plain numbers that can be read in one way only; when they come true is for `croner` to say.
 */

import { Cron } from 'croner'
import type { Timing } from './trigger.ts'

/** An expression that cannot be read with certainty; the message says what would be right. */
export class CronFault extends Error {}

type Field = {
  readonly name: string
  readonly from: number
  readonly to: number
  /** Names of the numbers, the first one for `from`. */
  readonly names?: readonly string[]
  /** A range may go over the end: `22-3`. */
  readonly wrap?: boolean
}

const months = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ')
const days = 'SUN MON TUE WED THU FRI SAT'.split(' ')
const dayOfMonth: Field = { name: 'day', from: 1, to: 31 }
const unixWeekday: Field = { name: 'weekday', from: 0, to: 7, names: [...days, 'SUN'] }
const quartzWeekday: Field = { name: 'weekday', from: 1, to: 7, names: days, wrap: true }

/**
 * Seven fields: numbers, all written out, Sunday = 0, from seconds to years. Throws `CronFault` for everything whose meaning is
 * not certain.
 */
export function plainCron(expression: string): string {
  const fields = expression.trim().toUpperCase().split(/\s+/)
  const isUnix = fields.length === 5
  if (!isUnix && fields.length !== 6 && fields.length !== 7) {
    const count = expression.trim() === '' ? 0 : fields.length
    throw new CronFault(
      `cron must have 5 fields (minute hour day month weekday) or 6 to 7 (second minute hour day month weekday [year]), got ${count}`,
    )
  }
  const [second = '', minute = '', hour = '', day = '', month = '', weekday = '', year = '*'] =
    isUnix ? ['0', ...fields] : fields
  const wrap = !isUnix
  return [
    numbers(second, { name: 'second', from: 0, to: 59, wrap }),
    numbers(minute, { name: 'minute', from: 0, to: 59, wrap }),
    numbers(hour, { name: 'hour', from: 0, to: 23, wrap }),
    ...(isUnix ? unixDays(day, weekday) : quartzDays(day, weekday)),
    numbers(year, { name: 'year', from: 1970, to: 2099 }),
  ]
    .toSpliced(4, 0, numbers(month, { name: 'month', from: 1, to: 12, wrap, names: months }))
    .join(' ')
}

/** Reading an expression takes longer than asking it. */
const compiled = new Map<string, Cron>()
const mostCompiled = 10_000

/** The first firing after a moment, or undefined when there is none any more. */
export function nextOfCron(
  timing: Extract<Timing, { kind: 'cron' }>,
  after: number,
): number | undefined {
  const { expression, timeZone: timezone = 'UTC', notBefore = after } = timing
  const key = `${timezone} ${expression}`
  const options = { mode: '7-part', timezone, paused: true, domAndDow: false } as const
  const cron = compiled.get(key) ?? new Cron(plainCron(expression), options)
  if (compiled.size >= mostCompiled) compiled.clear()
  compiled.set(key, cron)
  // The moment itself may be the first firing.
  return cron.nextRun(new Date(Math.max(after, notBefore - 1)))?.getTime()
}

/** A list of all numbers stays a list: in one day field, beside the other one, it means every day, and `*` would not. */
const numbers = (text: string, field: Field): string =>
  text === '*' ? text : listOf(text, field).join(',')

const shape = /^(\*|[A-Z0-9]+)(?:-([A-Z0-9]+))?(?:\/(\d{1,4}))?$/

/** The numbers, ascending, of `*`, `a`, `a-b`, each with a step; `a/n` goes on to the end. Throws `CronFault`. */
function listOf(text: string, field: Field): readonly number[] {
  const { name, from, to, wrap } = field
  const size = to - from + 1
  const found = text.split(',').flatMap((part) => {
    const [, first = '', last, pace] = shape.exec(part) ?? []
    if (first === '' || (first === '*' && last !== undefined)) {
      const right = 'must be *, numbers, ranges or steps, separated by commas'
      throw new CronFault(`${name} ${right}, got "${part}"`)
    }
    const start = first === '*' ? from : numberOf(first, field)
    const goesOn = first === '*' || pace !== undefined
    const end = last === undefined ? (goesOn ? to : start) : numberOf(last, field)
    const step = Number(pace ?? 1)
    if (step < 1 || step > size) throw new CronFault(`the step of ${name} must be 1-${size}`)
    if (end < start && wrap !== true) {
      throw new CronFault(`the range "${part}" of ${name} ends before it begins`)
    }
    const count = Math.floor(((end < start ? end + size : end) - start) / step) + 1
    return Array.from({ length: count }, (_, at) => from + ((start - from + at * step) % size))
  })
  return [...new Set(found)].toSorted((a, b) => a - b)
}

/** The number for a number or a name. Throws `CronFault`. */
function numberOf(text: string, { name, from, to, names = [] }: Field): number {
  const named = names.indexOf(text)
  const value = named >= 0 ? from + named : /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  if (value >= from && value <= to) return value
  const right = names.length > 0 ? ` or ${names[0]}-${names.at(-1)}` : ''
  throw new CronFault(`${name} must be ${from}-${to}${right}, got "${text}"`)
}

/** 0 and 7 are Sunday; when both fields are restricted, either fits. */
function unixDays(day: string, weekday: string): readonly string[] {
  // The week ends on Saturday for steps, and a range may end on the Sunday after it: 5-7.
  const week = weekday.split(',').flatMap((part) => {
    const field = part.includes('/') ? { ...unixWeekday, to: 6 } : unixWeekday
    return listOf(part.replace(/-SUN$/, '-7'), field).map((one) => one % 7)
  })
  return [numbers(day, dayOfMonth), weekday === '*' ? '*' : [...new Set(week)].join(',')]
}

/** 1 is Sunday, `?` says nothing, and not both may be restricted. */
function quartzDays(day: string, weekday: string): readonly string[] {
  const isOpen = (text: string) => text === '*' || text === '?'
  if (day === '?' && weekday === '?') {
    throw new CronFault('only one of day and weekday can be "?", the other one must say something')
  }
  if (!isOpen(day) && !isOpen(weekday)) {
    throw new CronFault(
      'day and weekday cannot both be restricted in an expression of 6 or 7 fields: put "?" in one of them',
    )
  }
  return [isOpen(day) ? '*' : quartzDay(day), isOpen(weekday) ? '*' : quartzWeekdays(weekday)]
}

function quartzDay(text: string): string {
  if (text === 'L' || text === 'LW') return text
  const [, near] = /^(\d+)W$/.exec(text) ?? []
  // Whether a month without such a day is left out or ends earlier differs from reader to reader.
  if (near !== undefined) return `${numberOf(near, { ...dayOfMonth, to: 28 })}W`
  return numbers(text, { ...dayOfMonth, wrap: true })
}

function quartzWeekdays(text: string): string {
  if (text === 'L') return '6'
  const [, day, isLast, which = ''] = /^(\w+?)(?:(L)|#(\w+))$/.exec(text) ?? []
  if (day === undefined) {
    return listOf(text, quartzWeekday)
      .map((one) => one - 1)
      .join(',')
  }
  const number = numberOf(day, quartzWeekday) - 1
  if (isLast !== undefined) return `${number}L`
  return `${number}#${numberOf(which, { name: 'the number after #', from: 1, to: 5 })}`
}
