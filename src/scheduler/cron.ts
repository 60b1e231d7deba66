/** Cron expressions, with five fields as on Unix and with six or seven as in Quartz. */

import { Cron } from 'croner'
import type { Timing } from './trigger.ts'

// One field of a cron expression as the numbers that it stands for.

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

/** The numbers as a list, ascending; `*` for all of them. */
function numbers(text: string, field: Field): string {
  const list = listOf(text, field)
  return list.length === field.to - field.from + 1 ? '*' : list.join(',')
}

/** The numbers, ascending. Throws `CronFault`. */
function listOf(text: string, field: Field): readonly number[] {
  const all = text.split(',').flatMap((part) => partOf(part, field))
  return [...new Set(all)].toSorted((a, b) => a - b)
}

/** The number for a number or a name. Throws `CronFault`. */
function numberOf(text: string, field: Field): number {
  const { name, from, to, names = [] } = field
  const named = names.indexOf(text)
  const value = named >= 0 ? from + named : /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  if (value >= from && value <= to) return value
  const right = names.length > 0 ? ` or ${names[0]}-${names.at(-1)}` : ''
  throw new CronFault(`${name} must be ${from}-${to}${right}, got "${text}"`)
}

const shape = /^(?:(\*)|([A-Z0-9]+)(?:-([A-Z0-9]+))?)(?:\/(\d{1,4}))?$/

/** `*`, `a`, `a-b`, each with a step; `a/n` goes on to the end. */
function partOf(part: string, field: Field): readonly number[] {
  const { name, from, to, wrap } = field
  const [, all, first = '', last, pace] = shape.exec(part) ?? []
  if (all === undefined && first === '') {
    throw new CronFault(
      `${name} must be *, numbers, ranges or steps, separated by commas, got "${part}"`,
    )
  }
  const start = all === undefined ? numberOf(first, field) : from
  const end = endOf({ all, start, last, pace }, field)
  const step = pace === undefined ? 1 : Number(pace)
  const size = to - from + 1
  if (step < 1 || step > size) throw new CronFault(`the step of ${name} must be 1-${size}`)
  if (end < start && wrap !== true)
    throw new CronFault(`the range "${part}" of ${name} ends before it begins`)
  const stop = end < start ? end + size : end
  const found: number[] = []
  for (let at = start; at <= stop; at += step) found.push(at > to ? at - size : at)
  return found
}

type Part = {
  readonly all: string | undefined
  readonly start: number
  readonly last: string | undefined
  readonly pace: string | undefined
}

function endOf({ all, start, last, pace }: Part, field: Field): number {
  if (last !== undefined) return numberOf(last, field)
  return all !== undefined || pace !== undefined ? field.to : start
}

type CronTiming = Extract<Timing, { kind: 'cron' }>

/**
 * Seven fields that can be read in one way only: numbers, all written out, Sunday = 0, from seconds to years. Throws
 * `CronFault` for everything whose meaning is not certain.
 */
export function plain(expression: string): string {
  const fields = expression.trim().toUpperCase().split(/\s+/)
  const [first = '', ...others] = fields
  if (fields.length === 5) return written('unix', ['0', first, ...others, '*'])
  if (fields.length === 6) return written('quartz', [...fields, '*'])
  if (fields.length === 7) return written('quartz', fields)
  throw new CronFault(
    `cron must have 5 fields (minute hour day month weekday) or 6 to 7 (second minute hour day month weekday [year]), got ${expression.trim() === '' ? 0 : fields.length}`,
  )
}

/** The first firing after a moment, or undefined when there is none any more. */
export function nextOfCron(timing: CronTiming, after: number): number | undefined {
  const { expression, timeZone = 'UTC', notBefore = after } = timing
  const known = `${timeZone} ${expression}`
  const cron = compiled.get(known) ?? remember(known, expression, timeZone)
  // The moment itself may be the first firing.
  return cron.nextRun(new Date(Math.max(after, notBefore - 1)))?.getTime()
}

type Dialect = 'unix' | 'quartz'

function written(dialect: Dialect, fields: readonly string[]): string {
  const [seconds = '', minutes = '', hours = '', day = '', month = '', weekday = '', years = ''] =
    fields
  const wrap = dialect === 'quartz'
  const days: Days = daysOf(dialect, { day, weekday })
  return [
    numbers(seconds, { name: 'second', from: 0, to: 59, wrap }),
    numbers(minutes, { name: 'minute', from: 0, to: 59, wrap }),
    numbers(hours, { name: 'hour', from: 0, to: 23, wrap }),
    days.day,
    numbers(month, { name: 'month', from: 1, to: 12, wrap, names: months }),
    days.weekday,
    years === '*' ? '*' : listOf(years, { name: 'year', from: 1970, to: 2099 }).join(','),
  ].join(' ')
}

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']

/** Reading an expression takes longer than asking it. */
const compiled = new Map<string, Cron>()
const mostCompiled = 10_000

function remember(known: string, expression: string, timezone: string): Cron {
  const cron = new Cron(plain(expression), {
    mode: '7-part',
    timezone,
    paused: true,
    domAndDow: false,
  })
  const oldest = compiled.keys().next().value
  if (compiled.size >= mostCompiled && oldest !== undefined) compiled.delete(oldest)
  compiled.set(known, cron)
  return cron
}

// The two day fields of a cron expression, whose numbers and signs differ between Unix and Quartz.

/** Day of the month and weekday with Sunday = 0; `L`, `W` and `#` as Quartz means them. */
type Days = { readonly day: string; readonly weekday: string }

/**
 * Unix: 0 and 7 are Sunday; when both fields are restricted, either fits. Quartz: 1 is Sunday, `?` says nothing, and not
 * both may be restricted. Throws `CronFault`.
 */
function daysOf(dialect: 'unix' | 'quartz', days: Days): Days {
  return dialect === 'unix' ? unixDays(days) : quartzDays(days)
}

const names = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']
const dayOfMonth: Field = { name: 'day', from: 1, to: 31 }
const unixWeekday: Field = { name: 'weekday', from: 0, to: 7, names: [...names, 'SUN'] }
const quartzWeekday: Field = { name: 'weekday', from: 1, to: 7, names, wrap: true }

function unixDays({ day, weekday }: Days): Days {
  return { day: monthDays(day, dayOfMonth), weekday: unixWeekdays(weekday) }
}

/** A list of all days stays a list: beside a restricted weekday it means every day, and `*` would not. */
const monthDays = (text: string, field: Field): string =>
  text === '*' ? text : listOf(text, field).join(',')

function unixWeekdays(text: string): string {
  if (text === '*') return text
  // The week ends on Saturday for steps, and a range may end on the Sunday after it: 5-7.
  const field = (part: string) => (part.includes('/') ? { ...unixWeekday, to: 6 } : unixWeekday)
  const days = text.split(',').flatMap((part) => listOf(sundayLast(part), field(part)))
  return [...new Set(days.map((one) => one % 7))].toSorted((a, b) => a - b).join(',')
}

const sundayLast = (part: string): string => part.replace(/-SUN$/, '-7')

function quartzDays({ day, weekday }: Days): Days {
  const open = (text: string) => text === '*' || text === '?'
  if (day === '?' && weekday === '?')
    throw new CronFault('only one of day and weekday can be "?", the other one must say something')
  if (!open(day) && !open(weekday)) {
    throw new CronFault(
      'day and weekday cannot both be restricted in an expression of 6 or 7 fields: put "?" in one of them',
    )
  }
  return {
    day: open(day) ? '*' : quartzDay(day),
    weekday: open(weekday) ? '*' : quartzWeekdays(weekday),
  }
}

function quartzDay(text: string): string {
  if (text === 'L' || text === 'LW') return text
  const [, near] = /^(\d+)W$/.exec(text) ?? []
  // Whether a month without such a day is left out or ends earlier differs from reader to reader.
  if (near !== undefined) return `${numberOf(near, { ...dayOfMonth, to: 28 })}W`
  return monthDays(text, { ...dayOfMonth, wrap: true })
}

function quartzWeekdays(text: string): string {
  const number = (name: string) => numberOf(name, quartzWeekday) - 1
  if (text === 'L') return '6'
  const [, last] = /^(\w+)L$/.exec(text) ?? []
  if (last !== undefined) return `${number(last)}L`
  const [, day, which] = /^(\w+)#(\w+)$/.exec(text) ?? []
  if (day !== undefined && which !== undefined) {
    return `${number(day)}#${numberOf(which, { name: 'the number after #', from: 1, to: 5 })}`
  }
  const list = listOf(text, quartzWeekday)
  return list.map((one) => one - 1).join(',')
}
